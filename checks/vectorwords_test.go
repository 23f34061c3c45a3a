package checks_test

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"crosstalk/corpus"
	"crosstalk/probes"
)

var errArguments = errors.New("wrong arguments")

// expand replaces the placeholders of a file of exchange e. A placeholder that
// speaks of a prompt may have the name of that prompt before it.
func (w *world) expand(text string, x *probes.Exchange, e *vectorExchange) (string, error) {
	return expand(text, func(name string, args []string) (string, error) {
		whose, what := strconv.Itoa(e.number), name
		if of, rest, ok := strings.Cut(name, "."); ok {
			whose, what = of, rest
		}
		switch what {
		case "repeat":
			return repeated(args)
		case "rune":
			return runes(args)
		case "tokens", "size":
			of := x
			if n, err := strconv.Atoi(whose); err == nil && n <= len(w.in.Round.Exchanges) {
				of = w.in.Round.Exchanges[n-1]
			}
			return number(what, of, args)
		}
		p, ok := w.prompts[whose]
		if !ok {
			return "", fmt.Errorf("no prompt %q", whose)
		}
		return w.quote(whose, what, p, args)
	})
}

// quote is a passage of a prompt: an expected answer, a marker, a page.
func (w *world) quote(whose, what string, p *corpus.Prompt, args []string) (string, error) {
	n := make([]int, len(args))
	for i, a := range args {
		var err error
		if n[i], err = strconv.Atoi(a); err != nil {
			return "", err
		}
	}
	switch {
	case what == "expected" && len(n) == 0:
		return p.Expected(), nil
	case what == "question" && len(n) == 0:
		return p.Question(), nil
	case what == "seal" && len(n) == 1:
		for _, m := range p.Markers() {
			if m.Number == n[0] {
				return m.Text, nil
			}
		}
		return "", fmt.Errorf("no seal %d", n[0])
	case what == "fact" && len(n) == 1 && n[0] <= len(p.Facts()):
		return p.Facts()[n[0]-1].Text, nil
	case what == "name" && len(n) == 2 && n[0] <= len(p.Facts()):
		return p.Facts()[n[0]-1].Names[n[1]-1], nil
	case what == "figure" && len(n) == 2 && n[0] <= len(p.Facts()):
		return strconv.Itoa(p.Facts()[n[0]-1].Numbers[n[1]-1]), nil
	case what == "page" && len(n) == 1:
		text, err := w.text(whose, p)
		if err != nil {
			return "", err
		}
		return aroundLocator(text, n[0])
	case what == "words" && len(n) == 2: // a per cent of the prompt, a count
		text, err := w.text(whose, p)
		if err != nil {
			return "", err
		}
		words := strings.Fields(text)
		from := min(len(words)*n[0]/100, len(words)-n[1])
		return strings.Join(words[max(from, 0):][:n[1]], " "), nil
	}
	return "", errArguments
}

func (w *world) text(name string, p *corpus.Prompt) (string, error) {
	if w.texts[name] == "" {
		b, err := io.ReadAll(p.Reader())
		if err != nil {
			return "", err
		}
		w.texts[name] = string(b)
	}
	return w.texts[name], nil
}

// aroundLocator is the passage around the locator of a page: it and 300 bytes
// on either side, cut at blanks.
func aroundLocator(text string, page int) (string, error) {
	for _, l := range corpus.FindLocators(text) {
		if l.Page != page {
			continue
		}
		from, to := max(l.Start-300, 0), min(l.End+300, len(text))
		if i := strings.IndexByte(text[from:l.Start], ' '); i >= 0 {
			from += i + 1
		}
		if i := strings.LastIndexByte(text[l.End:to], ' '); i >= 0 {
			to = l.End + i
		}
		return text[from:to], nil
	}
	return "", fmt.Errorf("no locator of page %d", page)
}

// repeated is {{repeat 12 text}}; \n, \t and \s stand for white space.
func repeated(args []string) (string, error) {
	if len(args) < 2 {
		return "", errArguments
	}
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return "", err
	}
	unit := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\s`, " ").Replace(strings.Join(args[1:], " "))
	return strings.Repeat(unit, n), nil
}

// runes is {{rune FFFD}} or {{rune FFFD 3}}.
func runes(args []string) (string, error) {
	if len(args) == 0 {
		return "", errArguments
	}
	r, err := strconv.ParseInt(args[0], 16, 32)
	if err != nil {
		return "", err
	}
	n := 1
	if len(args) > 1 {
		if n, err = strconv.Atoi(args[1]); err != nil {
			return "", err
		}
	}
	return strings.Repeat(string(rune(r)), n), nil
}

// number is {{tokens 0.5}}: a share of the predicted tokens; {{tokens 1 3}} has
// 3 added. {{size}} is the prompt's size in bytes.
func number(what string, x *probes.Exchange, args []string) (string, error) {
	if what == "size" {
		return strconv.FormatInt(x.Prompt.Size(), 10), nil
	}
	sum := 0.0
	for i, a := range args {
		f, err := strconv.ParseFloat(a, 64)
		if err != nil {
			return "", err
		}
		if i == 0 {
			f *= float64(x.Intent.Tokens)
		}
		sum += f
	}
	if len(args) == 0 {
		sum = float64(x.Intent.Tokens)
	}
	return strconv.Itoa(int(sum)), nil
}

package simulator

import (
	"embed"
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The texts of strangers come from templates in data: one kind of request a
// section ("== kind"), variants of it divided by "--". Between « and » stands
// a choice («red|green»), the name of a list of data/lists.txt («city»), that
// name with a capital («capital:dish»), or one of the makers of literal
// («#4» is four digits). Choices may be nested and may be empty.
//
//go:embed data/*.txt
var strangerData embed.FS

// Stranger is one request of somebody who has nothing to do with the canaries,
// often with the model's answer.
type Stranger struct {
	Kind string
	Text string
}

// Strangers yields texts as other customers of a service would leave in its
// memory: mails, medical and legal notes, source code, logs, recipes, homework
// and small talk in some fifteen languages. It never ends; the same seed gives
// the same texts. None of them holds a marker, a seal line or a word about
// seals.
func Strangers(seed uint64) iter.Seq[Stranger] {
	return func(yield func(Stranger) bool) {
		for s := newStrangers(seed); yield(s.next()); {
		}
	}
}

// template is one variant of a kind.
type template struct{ kind, text string }

// strangers draws texts one after the other.
type strangers struct {
	rng       *rand.Rand
	kinds     [][]template
	lists     map[string][]string
	shuffled  []int // kinds still to come before any comes again
	following int
}

func newStrangers(seed uint64) *strangers {
	s := &strangers{rng: rand.New(rand.NewPCG(seed, 0x737472616e676572)), lists: map[string][]string{}}
	names, err := fs.Glob(strangerData, "data/*.txt")
	if err != nil {
		return s // the pattern is a constant and valid
	}
	for _, name := range names {
		data, err := strangerData.ReadFile(name)
		switch {
		case err != nil: // it has just been listed
		case name == "data/lists.txt":
			s.readLists(string(data))
		default:
			s.readKinds(string(data))
		}
	}
	return s
}

func (s *strangers) readLists(data string) {
	for row := range strings.Lines(data) {
		if name, values, ok := strings.Cut(strings.TrimSpace(row), ": "); ok && row[0] != '#' {
			s.lists[name] = strings.Split(values, "|")
		}
	}
}

func (s *strangers) readKinds(data string) {
	for _, section := range strings.Split("\n"+data, "\n== ")[1:] {
		kind, body, _ := strings.Cut(section, "\n")
		var variants []template
		for _, text := range strings.Split(body, "\n--\n") {
			variants = append(variants, template{kind, strings.TrimSpace(text)})
		}
		s.kinds = append(s.kinds, variants)
	}
}

// next returns the next text. Kinds come in a shuffled order, each once before
// any comes again.
func (s *strangers) next() Stranger {
	if s.following == len(s.shuffled) {
		s.shuffled, s.following = s.rng.Perm(len(s.kinds)), 0
	}
	t := pick(s.rng, s.kinds[s.shuffled[s.following]])
	s.following++
	var b strings.Builder
	s.expand(&b, t.text)
	return Stranger{Kind: t.kind, Text: b.String()}
}

// Delimiters of a choice.
const (
	opening = "«"
	closing = "»"
)

// expand writes text with its choices made.
func (s *strangers) expand(b *strings.Builder, text string) {
	for {
		start := strings.Index(text, opening)
		if start < 0 {
			b.WriteString(text)
			return
		}
		b.WriteString(text[:start])
		inner, rest := innermost(text[start+len(opening):])
		s.choose(b, inner)
		text = rest
	}
}

// innermost splits text after the » that closes the « before it.
func innermost(text string) (inner, rest string) {
	depth := 1
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], opening):
			depth++
		case strings.HasPrefix(text[i:], closing):
			if depth--; depth == 0 {
				return text[:i], text[i+len(closing):]
			}
		}
	}
	return text, ""
}

// choose writes one alternative of a choice.
func (s *strangers) choose(b *strings.Builder, inner string) {
	if options := alternatives(inner); len(options) > 1 {
		s.expand(b, pick(s.rng, options))
		return
	}
	name, capital := strings.CutPrefix(inner, "capital:")
	word := ""
	if list, ok := s.lists[name]; ok {
		word = pick(s.rng, list)
	} else {
		word = s.literal(name)
	}
	if capital {
		first, n := utf8.DecodeRuneInString(word)
		word = string(unicode.ToUpper(first)) + word[n:]
	}
	b.WriteString(word)
}

// alternatives splits a choice at the bars that are not inside a nested one.
func alternatives(inner string) []string {
	var list []string
	depth, start := 0, 0
	for i := 0; i < len(inner); i++ {
		switch {
		case strings.HasPrefix(inner[i:], opening):
			depth++
		case strings.HasPrefix(inner[i:], closing):
			depth--
		case inner[i] == '|' && depth == 0:
			list = append(list, inner[start:i])
			start = i + 1
		}
	}
	return append(list, inner[start:])
}

// literal makes numbers, amounts, addresses; an unknown name stays as it is,
// as in quotations.
func (s *strangers) literal(name string) string {
	switch name {
	case "#1":
		return fmt.Sprint(1 + s.rng.IntN(9))
	case "#2":
		return fmt.Sprint(10 + s.rng.IntN(90))
	case "#3":
		return fmt.Sprint(100 + s.rng.IntN(900))
	case "#4":
		return fmt.Sprint(1000 + s.rng.IntN(9000))
	case "#5":
		return fmt.Sprint(10000 + s.rng.IntN(90000))
	case "#6":
		return fmt.Sprint(100000 + s.rng.IntN(900000))
	case "hex":
		return fmt.Sprintf("%016x", s.rng.Uint64())
	case "letters":
		return string([]byte{s.letter(), s.letter(), s.letter()})
	case "money":
		return pick(s.rng, []string{"$", "€", "£"}) + fmt.Sprint(20+s.rng.IntN(900))
	case "email":
		user := strings.ToLower(pick(s.rng, s.lists["first"]) + "." + pick(s.rng, s.lists["last"]))
		return strings.ReplaceAll(user, "'", "") + fmt.Sprint(s.rng.IntN(99)) + "@" + pick(s.rng, []string{"example.com", "example.net", "example.org"})
	}
	return opening + name + closing
}

func (s *strangers) letter() byte { return byte('A' + s.rng.IntN(26)) }

package checks_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// roundKeys may stand in the header of a vector, once for the whole round.
var roundKeys = []string{
	"about", "probe", "codec", "baseline.prefill", "baseline.limit", "baseline.calibration",
	"baseline.id", "baseline.model", "baseline.lost_seal",
}

// exchangeKeys may stand in the header plain, for every exchange, or with the
// number of one exchange before them.
var exchangeKeys = []string{
	"expect", "verdict", // what is expected of the checks
	"family", "task", "dress", "tokens", "sentences", "seals", "facts", "ask", "warm", // the prompt
	"tenant", "role", "stream", "expect-length", "max_tokens", "length", "predicted", "window", // the intent
	"recorded", "recorded-task", "skipped", "prompt", // the exchange
	"status", "finish", "finishes", "done", "id", "ids", "model", "failure", "problem", "identity", // the response
	"wrote_ms", "first_content_ms", "last_content_ms", "end_ms",
}

// exchangeFiles are the names of the files of an exchange.
var exchangeFiles = []string{
	"content", "reasoning", "refusal", "usage.json", "tools.json", "extra", "headers",
	"response.json", "response.sse", "prompt", "answer",
}

// vector is a txtar archive read strictly: a name it does not know is an error.
type vector struct {
	round     map[string][]string
	exchanges []*vectorExchange
}

// vectorExchange is what a vector says of one exchange. Keys fall back to the
// plain keys of the header.
type vectorExchange struct {
	number int
	keys   map[string][]string
	common map[string][]string
	files  map[string]string
}

func parseVector(a archive) (*vector, error) {
	v := &vector{round: map[string][]string{}}
	common := map[string][]string{}
	numbered := map[int]*vectorExchange{}
	exchange := func(n int) *vectorExchange {
		if numbered[n] == nil {
			numbered[n] = &vectorExchange{
				number: n, keys: map[string][]string{}, common: common, files: map[string]string{},
			}
		}
		return numbered[n]
	}
	exchange(1)

	var problems []error
	for i, line := range strings.Split(a.comment, "\n") {
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			problems = append(problems, fmt.Errorf("line %d: want key: value", i+1))
			continue
		}
		value = strings.TrimSpace(value)
		n, rest := cutNumber(key, ".")
		switch {
		case n == 0 && slices.Contains(roundKeys, key):
			v.round[key] = append(v.round[key], value)
		case n == 0 && slices.Contains(exchangeKeys, key):
			common[key] = append(common[key], value)
		case n > 0 && slices.Contains(exchangeKeys, rest):
			exchange(n).keys[rest] = append(exchange(n).keys[rest], value)
		default:
			problems = append(problems, fmt.Errorf("line %d: unknown key %q", i+1, key))
		}
	}
	for _, f := range a.files {
		n, name := cutNumber(f.name, "/")
		if !slices.Contains(exchangeFiles, name) {
			problems = append(problems, fmt.Errorf("unknown file %q", f.name))
			continue
		}
		exchange(max(n, 1)).files[name] = strings.TrimSuffix(f.data, "\n")
	}

	v.exchanges = slices.SortedFunc(maps.Values(numbered), func(a, b *vectorExchange) int {
		return cmp.Compare(a.number, b.number)
	})
	for i, e := range v.exchanges {
		if e.number != i+1 {
			problems = append(problems, fmt.Errorf("exchange %d is missing", i+1))
			break
		}
		if len(e.all("expect")) == 0 {
			problems = append(problems, fmt.Errorf("exchange %d: no expect: line", e.number))
		}
	}
	if len(v.round["about"]) == 0 {
		problems = append(problems, errors.New("no about: line"))
	}
	return v, errors.Join(problems...)
}

// cutNumber splits "2.finish" or "2/content" into the number and the rest; the
// number is 0 when there is none.
func cutNumber(s, sep string) (int, string) {
	head, rest, ok := strings.Cut(s, sep)
	if n, err := strconv.Atoi(head); ok && err == nil && n > 0 {
		return n, rest
	}
	return 0, s
}

// all returns the values of a key, of this exchange before the common ones.
func (e *vectorExchange) all(key string) []string {
	if v, ok := e.keys[key]; ok {
		return v
	}
	return e.common[key]
}

// get returns the last value of a key, "" when it is not given.
func (e *vectorExchange) get(key string) string {
	v := e.all(key)
	if len(v) == 0 {
		return ""
	}
	return v[len(v)-1]
}

func (e *vectorExchange) has(key string) bool { return len(e.all(key)) > 0 }

func (e *vectorExchange) hasFile(name string) bool {
	_, ok := e.files[name]
	return ok
}

// expected splits the expect lines into the findings of one check, which are
// all it may have, and those of others, which must be there too.
func (e *vectorExchange) expected(check string) (own, others []string) {
	own = []string{}
	for _, line := range e.all("expect") {
		for item := range strings.SplitSeq(line, ",") {
			item = strings.Join(strings.Fields(item), " ")
			switch {
			case item == "none" || item == "":
			case strings.HasPrefix(item, check+"/"):
				own = append(own, item)
			default:
				others = append(others, item)
			}
		}
	}
	slices.Sort(own)
	return slices.Compact(own), others
}

// numbers reads the exchange's numeric keys and remembers the first mistake.
type numbers struct {
	e   *vectorExchange
	err error
}

func (n *numbers) int(key string, otherwise int) int {
	s := n.e.get(key)
	if s == "" {
		return otherwise
	}
	i, err := strconv.Atoi(s)
	if err != nil && n.err == nil {
		n.err = fmt.Errorf("exchange %d: %s: %q is not a number", n.e.number, key, s)
	}
	return i
}

func (n *numbers) bool(key string, otherwise bool) bool {
	s := n.e.get(key)
	if s == "" {
		return otherwise
	}
	b, err := strconv.ParseBool(s)
	if err != nil && n.err == nil {
		n.err = fmt.Errorf("exchange %d: %s: %q is not true or false", n.e.number, key, s)
	}
	return b
}

var placeholder = regexp.MustCompile(`\{\{([a-z0-9.]+)((?: [^{}]*)?)\}\}`)

// expand replaces the placeholders of a text. say gives the value of one.
func expand(text string, say func(name string, args []string) (string, error)) (string, error) {
	var problem error
	out := placeholder.ReplaceAllStringFunc(text, func(m string) string {
		parts := placeholder.FindStringSubmatch(m)
		s, err := say(parts[1], strings.Fields(parts[2]))
		if err != nil && problem == nil {
			problem = fmt.Errorf("%s: %w", m, err)
		}
		return s
	})
	return out, problem
}

// TestVectorsAreReadStrictly holds the reader to its promise that a mistake in
// a vector is an error, and not a vector that tests nothing.
func TestVectorsAreReadStrictly(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"no expectation", "about: a\n", "no expect: line"},
		{"no sentence", "expect: none\n", "no about: line"},
		{"unknown key", "about: a\nexpect: none\nfinnish: stop\n", `unknown key "finnish"`},
		{"no key", "about: a\nexpect: none\nhello\n", "want key: value"},
		{"unknown file", "about: a\nexpect: none\n-- contents --\nx\n", `unknown file "contents"`},
		{"a gap", "about: a\nexpect: none\n-- 3/content --\nx\n", "exchange 2 is missing"},
		{"no number", "about: a\nexpect: none\nsentences: many\n", "is not a number"},
		{"unknown placeholder", "about: a\nexpect: none\n-- content --\n{{sael 1}}\n", "wrong arguments"},
		{"unknown prompt", "about: a\nexpect: none\n-- content --\n{{nobody.seal 1}}\n", `no prompt "nobody"`},
		{"no such seal", "about: a\nexpect: none\n-- content --\n{{seal 9}}\n", "no seal 9"},
		{"unknown word", "about: a\nexpect: none\nfailure: overlength limits=3\n", `unknown word "limits"`},
	} {
		v, err := parseVector(parseArchive(tt.text))
		if err == nil {
			_, err = v.build()
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

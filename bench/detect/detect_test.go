package detect

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crosstalk/checks"
	"crosstalk/tenants"
)

// TestCorpus holds the shipped corpus to its bars, a few cases of each row; the
// seed makes it the same at every run. bench detect runs many.
func TestCorpus(t *testing.T) {
	t.Parallel()
	cases, err := Corpus(4, 1)
	if err != nil {
		t.Fatal(err)
	}
	res := Run(cases, func(o Outcome) {
		if !o.Right && o.Case.Bar > 0 {
			t.Logf("%s: want %v, %s", o.Case.ID, o.Case.Want, o.Why)
		}
	})
	if !res.Passed() {
		t.Errorf("%s\nbelow: %v", res.summary(), res.BelowBar())
	}
	if want := 4 * len(transforms()); res.Cases != want {
		t.Errorf("%d cases, want %d", res.Cases, want)
	}
}

// TestEveryClass keeps a class of damage from being lost.
func TestEveryClass(t *testing.T) {
	t.Parallel()
	rows := map[string]int{}
	for _, tr := range transforms() {
		class, _, _ := strings.Cut(tr.class, " ")
		rows[strings.TrimSuffix(class, ",")]++
	}
	for _, class := range []string{"A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "leak", "lawful"} {
		if rows[class] == 0 {
			t.Errorf("no row of class %s", class)
		}
	}
}

// TestSameSeed makes sure that the table can be made again.
func TestSameSeed(t *testing.T) {
	t.Parallel()
	var answers [2][]string
	for i := range answers {
		cases, err := Corpus(1, 7)
		if err != nil {
			t.Fatal(err)
		}
		for c := range cases {
			answers[i] = append(answers[i], c.In.Round.Exchanges[0].Response.Content)
		}
	}
	if diff := cmp.Diff(answers[0], answers[1]); diff != "" {
		t.Errorf("the same seed gave other cases (-first +second):\n%s", diff)
	}
}

// TestControl makes sure that the bars can be missed: the same cases with other
// labels are all wrong, and are counted as what they are.
func TestControl(t *testing.T) {
	t.Parallel()
	cases, err := Corpus(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	res := Run(func(yield func(Case) bool) {
		for c := range cases {
			c.Want, c.Kinds, c.Origin, c.Bar = []checks.Class{checks.Sound}, nil, tenants.Payload{}, 1
			if c.Class == "leak" && !yield(c) {
				return
			}
		}
	}, nil)
	if res.Passed() || res.FalseLeaks == 0 || len(res.BelowBar()) != len(res.Rows) {
		t.Errorf("leaks labelled sound: %s", res.summary())
	}
}

func TestFault(t *testing.T) {
	t.Parallel()
	report := checks.Report{Findings: []checks.Finding{{Check: "answer", Kind: "extra", Class: checks.Damaged}}}
	for _, tt := range []struct {
		name string
		c    Case
		want string
	}{
		{"right", Case{Want: []checks.Class{checks.Damaged}}, ""},
		{"one of several", Case{Want: []checks.Class{checks.Foreign, checks.Damaged}, Kinds: []string{"a/b", "answer/extra"}}, ""},
		{"another class", Case{Want: []checks.Class{checks.Sound}}, "called damaged"},
		{"another kind", Case{Want: []checks.Class{checks.Damaged}, Kinds: []string{"answer/wrong"}}, "without answer/wrong"},
		{"not attributed", Case{Want: []checks.Class{checks.Damaged}, Origin: tenants.Payload{Tenant: 1}}, "not attributed to its request"},
	} {
		if got := tt.c.fault(checks.Damaged, report); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestParseLabel(t *testing.T) {
	t.Parallel()
	l, err := ParseLabel([]byte(`{"id":"a","class":"A","want":["damaged","foreign"],"text":"!!!!"}`))
	want := Label{ID: "a", Class: "A", Row: "A", Want: []checks.Class{checks.Damaged, checks.Foreign}}
	if diff := cmp.Diff(want, l); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for line, part := range map[string]string{
		`{"want":["sound"]}`:                       `no "class"`,
		`{"class":"A"}`:                            `no "want"`,
		`{"class":"A","want":["fine"]}`:            `"fine"`,
		`{"class":"A","want":["sound"],"bar":1.5}`: "0 to 1",
		`[`: "label",
	} {
		if _, err := ParseLabel([]byte(line)); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, want an error with %q", line, err, part)
		}
	}
}

func FuzzParseLabel(f *testing.F) {
	f.Add([]byte(`{"class":"A","want":["damaged"]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		l, err := ParseLabel(line)
		if err == nil && (l.Class == "" || len(l.Want) == 0 || l.Row == "") {
			t.Errorf("%q: an empty label %+v", line, l)
		}
	})
}

func TestOpenTexts(t *testing.T) {
	t.Parallel()
	var kinds []string
	for _, o := range openTexts() {
		if o.text == "" {
			t.Errorf("an empty text under %s", o.kind)
		}
		kinds = append(kinds, o.kind)
	}
	for _, kind := range []string{"table", "code", "refrain", "list", "divider", "languages", "json", "base64 and long ids", "chat", "refusal"} {
		if !slices.Contains(kinds, kind) {
			t.Errorf("no lawful text of kind %q", kind)
		}
	}
}

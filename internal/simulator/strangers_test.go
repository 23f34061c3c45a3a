package simulator

import (
	"os"
	"strings"
	"testing"
	"unicode"
)

func TestStrangersVariety(t *testing.T) {
	texts, kinds, scripts := map[string]bool{}, map[string]bool{}, map[string]bool{}
	tables := map[string]*unicode.RangeTable{"Han": unicode.Han, "Hiragana": unicode.Hiragana, "Cyrillic": unicode.Cyrillic, "Hangul": unicode.Hangul, "Arabic": unicode.Arabic}
	n := 0
	for s := range Strangers(1) {
		if n++; n > 5000 {
			break
		}
		texts[s.Text], kinds[s.Kind] = true, true
		if len(strings.Fields(s.Text)) < 20 && len(s.Text) < 120 {
			t.Errorf("%s is short: %q", s.Kind, s.Text)
		}
		for _, r := range s.Text {
			for name, table := range tables {
				if r > 0x300 && !scripts[name] && unicode.Is(table, r) {
					scripts[name] = true
				}
			}
		}
	}
	if len(texts) < 4000 || len(kinds) < 40 || len(scripts) < 5 {
		t.Errorf("%d texts of %d kinds in the scripts %v", len(texts), len(kinds), scripts)
	}
}

// A stranger's text must not be taken for a canary's, and must be expanded to
// the end.
func TestStrangersAreStrange(t *testing.T) {
	list, err := os.ReadFile("../../tenants/words-1024.txt")
	if err != nil {
		t.Fatal(err)
	}
	marker := map[string]bool{}
	for _, w := range strings.Fields(string(list)) {
		marker[w] = true
	}
	n := 0
	for s := range Strangers(2) {
		if n++; n > 5000 {
			break
		}
		if len(findSeals([]byte(s.Text))) > 0 || findQuestion([]byte(s.Text)).found || words(strings.ToLower(s.Text)).any("seal", "seals") {
			t.Errorf("%s reads like a canary: %q", s.Kind, s.Text)
		}
		run := 0
		for _, w := range words(strings.ToLower(s.Text)) {
			if run++; !marker[w] {
				run = 0
			}
			if run > 3 {
				t.Errorf("%s has a run of %d marker words: %q", s.Kind, run, s.Text)
			}
		}
		if strings.Contains(s.Text, "«#") || strings.Contains(s.Text, "capital:") || strings.Contains(s.Text, "|«") {
			t.Errorf("%s is not expanded: %q", s.Kind, s.Text)
		}
	}
}

func TestStrangersAreDeterministic(t *testing.T) {
	a, b, c := newStrangers(9), newStrangers(9), newStrangers(10)
	same := 0
	for range 200 {
		x := a.next()
		if y := b.next(); x != y {
			t.Fatalf("one seed gave %q and %q", x.Text, y.Text)
		}
		if x == c.next() {
			same++
		}
	}
	if same > 5 {
		t.Errorf("another seed gave %d of 200 texts again", same)
	}
}

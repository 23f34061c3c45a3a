package corpus

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Facts stand in their prompt where they say, are those of FactsOf, and change
// nothing else in it.
func TestFactsStandInPrompt(t *testing.T) {
	for _, family := range Families() {
		spec := specs()[family.Name+"-words-short-seals"]
		spec.Facts = 3
		p := newPrompt(t, testKey(7), spec)
		text := readAll(t, p)
		of, rest := FactsOf(testKey(7), 3), text
		for i, f := range p.Facts() {
			if at := strings.Index(text, f.Text); int64(at) != f.Offset || strings.Count(text, f.Text) != 1 {
				t.Errorf("%s: fact %d says offset %d, stands at %d", family.Name, f.Number, f.Offset, at)
			}
			f.Offset = 0
			if diff := cmp.Diff(of[i], f); diff != "" {
				t.Errorf("%s: fact (-FactsOf +prompt):\n%s", family.Name, diff)
			}
			rest = strings.Replace(rest, f.Text+"\n", "", 1)
		}
		spec.Facts = 0
		if plain := readAll(t, newPrompt(t, testKey(7), spec)); plain != rest {
			t.Errorf("%s: facts change the rest of the prompt", family.Name)
		}
	}
}

// The bytes of facts are published: they never change.
func TestFactsGolden(t *testing.T) {
	var got []string
	for _, f := range FactsOf(testKey(7), 2) {
		got = append(got, f.Text)
	}
	want := []string{
		"Lovkir Gidlun of Jivmib keeps 554 lanterns and 268 oars.",
		"Kijziv Tujdib of Huskag keeps 185 lanterns and 571 oars.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFactMatch(t *testing.T) {
	f := Fact{
		Number: 1, Text: "Vulmor Tigran of Dunbas keeps 412 lanterns and 187 oars.",
		Names: [3]string{"Vulmor", "Tigran", "Dunbas"}, Numbers: [2]int{412, 187},
	}
	tests := []struct {
		name, text     string
		names, numbers int
	}{
		{"nothing", plainText, 0, 0},
		{"whole", "Vulmor Tigran of Dunbas keeps 412 lanterns and 187 oars.", 3, 2},
		{"capitals", "VULMOR TIGRAN OF DUNBAS", 3, 0},
		{"paraphrase", "In Dunbas there are 187 oars and 412 lanterns, all kept by one Tigran.", 2, 2},
		{"German", "Vulmor Tigran aus Dunbas hat 412 Laternen und 187 Ruder.", 3, 2},
		{"Russian", "Вулмор Тигран из Дунбаса хранит 412 фонарей и 187 вёсел.", 3, 2},
		{"Greek", "Ο Βυλμορ Τιγραν κρατά 412 φανάρια", 1, 1},
		{"genitive", "Tigrans Laternen", 1, 0},
		{"JSON", `{"keeper":"Vulmor Tigran","place":"Dunbas","lanterns":412,"oars":187}`, 3, 2},
		{"other numbers", "Tigran keeps 4120 lanterns, 1412 and 18", 1, 0},
		{"numbers alone", "412 of 187", 0, 0},
		{"numbers far away", "Tigran. " + strings.Repeat("a word ", 100) + "412", 1, 0},
		{"longer word", "Tigranovich and Vulmorings", 0, 0},
		{"one letter changed", "Vulmar Tigren of Dunbos", 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := f.Match(test.text, FindNames(test.text))
			if m.Names != test.names || m.Numbers != test.numbers {
				t.Errorf("%d names and %d numbers, want %d and %d", m.Names, m.Numbers, test.names, test.numbers)
			}
			if m.Names > 0 && (m.Start < 0 || m.End > len(test.text) || m.Start >= m.End) {
				t.Errorf("stretch %d to %d of %d bytes", m.Start, m.End, len(test.text))
			}
		})
	}
}

// The chance that a text agrees by accident is bounded by Chance: for names
// alone, measured on keys that have nothing to do with the text.
func TestFactChanceHolds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const places, keys = 400, 20_000
	var text strings.Builder
	for range places {
		fmt.Fprintf(&text, "%s ", spellName(random.Uint32()))
	}
	names := FindNames(text.String())
	hits := 0
	for n := range keys {
		key := testKey(1)
		key[0], key[1], key[2] = byte(n), byte(n>>8), 99
		if m := FactsOf(key, 1)[0].Match(text.String(), names); m.Names == 1 {
			hits++
		}
	}
	bound := FactMatch{Names: 1}.Chance(keys, places)
	mean := float64(keys) * 3 * places / (1 << NameBits) // about 23
	if bound != 1 {
		t.Errorf("chance %v, want 1: as many are expected as there are", bound)
	}
	if float64(hits) < mean-5*4.8 || float64(hits) > mean+5*4.8 {
		t.Errorf("%d facts agree in a name, want about %.0f", hits, mean)
	}
	for _, test := range []struct {
		match      FactMatch
		candidates int
		names      int
		want       string
	}{
		{FactMatch{}, 1, 1, "1"},
		{FactMatch{Names: 3, Numbers: 2, Figures: 4}, 20_000, 10, "1.1e-15"},
		{FactMatch{Names: 2}, 20_000, 10, "5.5e-06"},
		{FactMatch{Names: 3}, 20_000, 10, "1.7e-11"},
	} {
		if got := fmt.Sprintf("%.2g", test.match.Chance(test.candidates, test.names)); got != test.want {
			t.Errorf("%+v among %d: chance %s, want %s", test.match, test.candidates, got, test.want)
		}
	}
}

// Ordinary words are seldom names.
func TestFindNamesInPlainText(t *testing.T) {
	for _, n := range FindNames(plainText) {
		t.Errorf("%q is taken for a name", n.Name)
	}
	for _, family := range Families() {
		p := newPrompt(t, testKey(1), longSpec(family.Name))
		for i := range 20 {
			page, _ := p.Page(i)
			for _, f := range FactsOf(testKey(1), MaxFacts) {
				if m := f.Match(page, FindNames(page)); m.Names > 0 {
					t.Errorf("%s, page %d: names of fact %q", family.Name, i, f.Text)
				}
			}
		}
	}
}

func FuzzFindNames(f *testing.F) {
	f.Add("Vulmor Tigran of Dunbas keeps 412 lanterns")
	f.Add("Вулмор\u200b Дунбаса 412\xff")
	fact := FactsOf(testKey(1), 1)[0]
	f.Add(fact.Text)
	f.Fuzz(func(t *testing.T, text string) {
		names := FindNames(text)
		for _, n := range names {
			if n.Start < 0 || n.End > len(text) || n.Start >= n.End || len(n.Name) != len(namePattern) {
				t.Fatalf("name %+v in a text of %d bytes", n, len(text))
			}
		}
		if m := fact.Match(text, names); m.End > len(text) || m.Start > m.End || m.Names > 3 || m.Numbers > 2 {
			t.Fatalf("match %+v in a text of %d bytes", m, len(text))
		}
	})
}

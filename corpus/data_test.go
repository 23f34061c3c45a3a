package corpus

import (
	"fmt"
	"io/fs"
	"math"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"crosstalk/internal/words"
)

// No word of the corpus is a word of a marker: else filler could be taken for
// a fragment of one.
func TestLexiconsHaveNoMarkerWord(t *testing.T) {
	marker := make(map[string]bool)
	for _, word := range markerWords() {
		marker[word] = true
	}
	for version, families := range library() {
		for name, f := range families {
			for _, s := range append(f.sentences, f.locator.sentence) {
				for _, word := range vocabularyOf(s) {
					if marker[word] {
						t.Errorf("version %d, family %s: %q is a word of markers", version, name, word)
					}
				}
			}
		}
	}
}

// vocabularyOf is every word that a sentence can have.
func vocabularyOf(s sentence) []string {
	vocabulary := letterWords(s.head.String())
	for _, slot := range s.slots {
		for i := range slot.words.chunks {
			vocabulary = append(vocabulary, letterWords(slot.words.chunks[i].String())...)
		}
		vocabulary = append(vocabulary, letterWords(slot.tail.String())...)
	}
	return vocabulary
}

// No word stands in two lists, short lists of function words aside: the figures
// on passages shared by accident depend on it.
func TestLexiconWordsAreDistinct(t *testing.T) {
	const functionWords = 32
	names, err := fs.Glob(data, "data/v*/*.lexicon")
	if err != nil || len(names) == 0 {
		t.Fatal("no lexicons:", err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(data, name)
		if err != nil {
			t.Fatal(err)
		}
		lex, err := parseLexicon(string(text))
		if err != nil {
			t.Fatal(name, err)
		}
		home := make(map[string]string)
		for list, l := range lex {
			if list != strings.ToLower(list) {
				continue
			}
			for i := range l.chunks {
				word := l.chunks[i].String()
				if there := home[word]; there != "" && (len(l.chunks) > functionWords || len(lex[there].chunks) > functionWords) {
					t.Errorf("%s: %q is in [%s] and [%s]", name, word, there, list)
				}
				home[word] = list
			}
		}
	}
}

// Every five words in a row, within a sentence and across two, are one of at
// least 2^24 possible runs: two prompts have few of them in common by accident.
func TestRunsOfWordsAreRich(t *testing.T) {
	const run, least = 5, 23.0
	for name, f := range library()[Version] {
		t.Run(name, func(t *testing.T) {
			sentences := append(append([]sentence{}, f.sentences...), f.locator.sentence)
			for _, a := range sentences {
				for _, b := range sentences {
					bits := append(wordBits(a), wordBits(b)...)
					for i := range len(bits) - run + 1 {
						sum := 0.0
						for _, x := range bits[i : i+run] {
							sum += x
						}
						if sum < least {
							t.Fatalf("words %d to %d of %q + %q: %.1f bits", i, i+run, templateOf(a), templateOf(b), sum)
						}
					}
				}
			}
		})
	}
}

// wordBits is the entropy of each folded word of a sentence, in which several
// slots may stand: 0 for fixed wording.
func wordBits(s sentence) []float64 {
	text := s.head.String()
	slots := make(map[int]float64) // by their place in text
	for _, slot := range s.slots {
		slots[len(text)] = math.Log2(float64(len(slot.words.chunks)))
		text += slot.words.chunks[0].String() + slot.tail.String()
	}
	var bits []float64
	for _, w := range words.Scan(text) {
		sum := 0.0
		for at := w.Start; at < w.End; at++ {
			sum += slots[at]
		}
		bits = append(bits, sum)
	}
	return bits
}

func templateOf(s sentence) string {
	text := s.head.String()
	for _, slot := range s.slots {
		text += "{}" + slot.tail.String()
	}
	return text
}

// Filler is the same bytes inside JSON but for its line ends, has no digits,
// and folds to its runs of letters, which Match relies on.
func TestFillerIsClean(t *testing.T) {
	for _, family := range Families() {
		t.Run(family.Name, func(t *testing.T) {
			p := newPrompt(t, testKey(1), longSpec(family.Name))
			for i := range 300 {
				page, _ := p.Page(i)
				if at := strings.IndexFunc(page, func(r rune) bool {
					return unprintable(r) || strings.ContainsRune("\"\\<>&0123456789", r)
				}); at >= 0 {
					t.Fatalf("page %d: %q at byte %d", i, page[at], at)
				}
				var folded []string
				for _, w := range words.Scan(page) {
					folded = append(folded, w.Text)
				}
				if diff := cmp.Diff(letterWords(page), folded); diff != "" {
					t.Fatalf("page %d folds differently (-letters +folded):\n%s", i, diff)
				}
			}
		})
	}
}

// A page has at least 100 tokens in any tokenizer: none makes fewer of it than
// one a word, one for every two marks, and one for every two ideographs.
func TestPagesAreLongEnough(t *testing.T) {
	for _, family := range Families() {
		p := newPrompt(t, testKey(1), longSpec(family.Name))
		for i := range 300 {
			page, _ := p.Page(i)
			if tokens := leastTokens(page); tokens < 100 {
				t.Errorf("%s: page %d has about %d tokens:\n%s", family.Name, i, tokens, page)
			}
		}
	}
}

// leastTokens is one token for every word and every two marks, and for every two
// ideographs.
func leastTokens(page string) (tokens int) {
	marks, ideographs := 0, 0
	for _, r := range page {
		switch {
		case unicode.Is(unicode.Han, r):
			ideographs++
		case r != ' ' && !unicode.IsLetter(r):
			marks++
		}
	}
	if ideographs > 0 {
		return (ideographs + marks) / 2
	}
	return len(letterWords(page)) + marks/2
}

// A family is added by adding data files, nothing else.
func TestReadLibrary(t *testing.T) {
	var lists strings.Builder
	for i := range locatorSlots {
		fmt.Fprintf(&lists, "[list%c]\n", 'a'+i)
		for j := range locatorList {
			fmt.Fprintf(&lists, "%c%c%c ", 'a'+i, 'a'+j/16, 'a'+j%16)
		}
		lists.WriteString("\n")
	}
	good := "lexicon small\npage 3\n[sentence]\n{Lista} und {listb}.\n[locator]\n{Lista} {listb} {listc} querfeldein {listd} {liste}.\n"
	lexicon := strings.NewReplacer("lista", "a", "listb", "b", "listc", "c", "listd", "d", "liste", "e").Replace(lists.String())
	good = strings.NewReplacer("{Lista}", "{A}", "{listb}", "{b}", "{listc}", "{c}", "{listd}", "{d}", "{liste}", "{e}").Replace(good)
	replace := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("%q is not in the good file", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	tests := []struct{ name, family, lexicon, want string }{
		{"good", good, lexicon, ""},
		{"comment", "; note\n\n" + good, lexicon, ""},
		{"no lexicon", replace("lexicon small", "lexicon large"), lexicon, "line 1: open data/v7/large.lexicon: file does not exist"},
		{"no page", replace("page 3\n", ""), lexicon, "want a page of at least 2 sentences, a [sentence] and a [locator]"},
		{"page", replace("page 3", "page x"), lexicon, `line 2: strconv.Atoi: parsing "x": invalid syntax`},
		{"directive", replace("page 3", "pages 3"), lexicon, `line 2: directive "pages": want "lexicon" or "page"`},
		{"section", replace("[sentence]", "[sentences]"), lexicon, `line 4: section "sentences": want "sentence" or "locator"`},
		{"slot", replace("{b}.", "{x}."), lexicon, `line 4: slot {x: no such list in the lexicon`},
		{"open slot", replace("{b}.", "{b"), lexicon, "line 4: slot {b\n: no such list in the lexicon"},
		{"no slot", replace("{A} und {b}.", "Und."), lexicon, `line 4: template "Und.": want at least one {slot}`},
		{"digit", replace(" und ", " 2 "), lexicon, "line 4: wording \" 2 \": want letters and plain marks without any of \"\\\"'\\\\`<>&{}_-0123456789\\t\""},
		{"long wording", replace(" und ", " und immer wieder "), lexicon, `line 4: wording " und immer wieder ": 18 bytes without a slot, want at most 15`},
		{"locator slots", replace(" {e}.", "."), lexicon, "line 6: locator with 4 slots: want 5"},
		{"locator twice", replace(" {d} ", " {c} "), lexicon, `line 6: word "caa" is twice in the locator's slots: one slot of it must have other words`},
		{"no anchor", replace(" querfeldein ", " "), lexicon, "line 6: locator \"{A} {b} {c} {d} {e}.\": want one fixed word, between two slots, that is in no slot"},
		{"two anchors", replace("{d} {e}", "{d} so {e}"), lexicon, `line 6: fixed word "so" in the locator: want one fixed word in all`},
		{"short list", good, strings.Replace(lexicon, "caa ", "", 1), "line 6: slot 3 of the locator has fewer than 256 words"},
		{"word", good, lexicon + "straße\n", `line 1: lexicon small: line 11: word "straße": want up to 15 lower-case letters, in a list`},
		{"capital", good, lexicon + "Weg\n", `line 1: lexicon small: line 11: word "Weg": want up to 15 lower-case letters, in a list`},
		{"script", strings.ReplaceAll(good, " querfeldein ", " зигзаг "), lexicon, ""},
		{"no list", good, "word\n" + lexicon, `line 1: lexicon small: line 1: word "word": want up to 15 lower-case letters, in a list`},
		{"list twice", good, lexicon + "[a]\n", `line 1: lexicon small: line 11: list "a": want a new name`},
		{"empty list", good, lexicon + "[f]\n", `line 1: lexicon small: list "f": 0 words: want 1 to 65536`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			files := fstest.MapFS{
				"data/v7/small.lexicon": {Data: []byte(test.lexicon)},
				"data/v7/neu.family":    {Data: []byte(test.family)},
			}
			lib, err := readLibrary(files)
			if test.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				checkNewFamily(t, lib[7]["neu"])
				return
			}
			if err == nil || err.Error() != "data/v7/neu.family: "+test.want {
				t.Errorf("got %q\nwant %q", err, "data/v7/neu.family: "+test.want)
			}
		})
	}
}

func checkNewFamily(t *testing.T, f *family) {
	t.Helper()
	m := newPageMaker(f, true)
	key := testKey(1).pageKey("neu", 7)
	m.make(&key, 300, 3)
	found := f.locator.find(nil, string(m.text[:m.size()]))
	if len(found) != 1 || found[0].Page != 300 || found[0].Request != testKey(1).Hash() {
		t.Errorf("got locators %+v in %q", found, m.text[:m.size()])
	}
}

package corpus

import (
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"crosstalk/internal/words"
)

func TestScramble(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const all = 1<<40 - 1
	changed := 0
	for range 10_000 {
		x := random.Uint64() & all
		if back := unscramble(scramble(x)); back != x || scramble(x) > all {
			t.Fatalf("%x became %x and %x", x, scramble(x), back)
		}
		changed += bits.OnesCount64(scramble(x) ^ scramble(x^1<<random.IntN(40)))
	}
	// One bit of 40 changes half of them.
	if mean := float64(changed) / 10_000; mean < 19 || mean > 21 {
		t.Errorf("one bit changes %.1f bits on average, want 20", mean)
	}
}

// The locators of one prompt have no more words in common than those of
// different prompts.
func TestLocatorsOfOnePromptDiffer(t *testing.T) {
	key := testKey(1).pageKey("prose", 1)
	for slot := range locatorSlots {
		var count [locatorList]int
		for page := range MaxPages {
			count[locatorCode(&key, page)[slot]]++
		}
		for word, n := range count { // 128 expected, deviation 11
			if n < 60 || n > 200 {
				t.Errorf("slot %d: word %d stands %d times in %d pages", slot, word, n, MaxPages)
			}
		}
	}
}

func TestFindLocators(t *testing.T) {
	key := testKey(1)
	page := key.pageKey("prose", 1)
	w := library()[Version]["prose"].locator
	locator := func(n int) string {
		m := newPageMaker(library()[Version]["prose"], true)
		m.text = make([]byte, 200)
		return strings.TrimSpace(string(m.text[:w.write(m.text, 0, locatorCode(&page, n))]))
	}
	a, b := locator(77), locator(12_345)
	aWords := strings.Fields(a)
	tests := []struct {
		name, text string
		want       []int // pages
	}{
		{"nothing", "", nil},
		{"plain text", plainText, nil},
		{"alone", a, []int{77}},
		{"two", a + " " + b, []int{77, 12_345}},
		{"far apart", a + strings.Repeat(plainText, 20) + b, []int{77, 12_345}},
		{"lower case", strings.ToLower(a), []int{77}},
		{"upper case", strings.ToUpper(a), []int{77}},
		{"wrapped", strings.ReplaceAll(a, " ", "\n    "), []int{77}},
		{"bullets", "- " + strings.ReplaceAll(a, " ", "\n- "), []int{77}},
		{"quoted", "> " + strings.ReplaceAll(a, " ", "\r\n> "), []int{77}},
		{"emphasis", "**" + strings.ReplaceAll(a, " ", "** __") + "__", []int{77}},
		{"zero-width", spell(a, "\u200b"), []int{77}},
		{"soft hyphens", spell(a, "\u00ad"), []int{77}},
		{"byte order mark", "\ufeff" + a, []int{77}},
		{"commas", strings.ReplaceAll(a, " ", ", "), []int{77}},
		{"hyphenated at line end", strings.Replace(a, "zigzag", "zig-\nzag", 1), []int{77}},
		{"within a text", plainText + " " + a + plainText, []int{77}},
		{"after other scripts", "答案是：" + a + "。", []int{77}},
		{"escaped", `{"text":"` + a + `\n"}`, []int{77}},
		{"word missing", strings.Join(aWords[1:], " "), nil},
		{"word changed", strings.Replace(a, aWords[1], "committee", 1), nil},
		{"words swapped", strings.Join([]string{aWords[1], aWords[0], aWords[2], aWords[3], aWords[4], aWords[5]}, " "), nil},
		{"anchor alone", strings.Repeat("zigzag ", 1000), nil},
		{"anchor in a word", strings.Replace(a, "zigzag", "zigzagged", 1), nil},
		{"broken UTF-8", "\xff\xfe" + a + "\xe2\x80", []int{77}},
		{"anchor at the end", "zigzag", nil},
		{"anchor cut", a[:strings.Index(a, "zigzag")+4], nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []int
			for _, l := range FindLocators(test.text) {
				if !key.Verify(l) {
					t.Errorf("locator %+v does not verify", l)
				}
				if passage := strings.ToLower(test.text[l.Start:l.End]); passage[0] != strings.ToLower(a)[0] && passage[0] != strings.ToLower(b)[0] {
					t.Errorf("locator %+v is %q", l, passage)
				}
				got = append(got, l.Page)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("pages in %q (-want +got):\n%s", test.text, diff)
			}
		})
	}
}

// spell puts a mark behind each letter of text but the last of a word.
func spell(text, mark string) string {
	var b strings.Builder
	for i := range len(text) {
		b.WriteByte(text[i])
		if i+1 < len(text) && letters[text[i]] != 0 && letters[text[i+1]] != 0 {
			b.WriteString(mark)
		}
	}
	return b.String()
}

// The locators of a whole prompt, found at once, are those of its pages.
func TestFindLocatorsOfPrompt(t *testing.T) {
	for _, name := range []string{"prose-words-long-seals", "code-code-long-echo", "prose-words-long-prefix"} {
		p := newPrompt(t, testKey(7), specs()[name])
		text := readAll(t, p)
		found := FindLocators(text)
		if n := len(found); n < p.Pages()-1 || n > p.Pages() {
			t.Fatalf("%s: %d locators in %d pages", name, n, p.Pages())
		}
		for i, l := range found {
			if l.Page != i {
				t.Fatalf("%s: locator %d is of page %d", name, i, l.Page)
			}
		}
	}
}

func FuzzFindLocators(f *testing.F) {
	p, err := New(testKey(7), specs()["prose-words-short-seals"], testMarkers(specs()["prose-words-short-seals"]))
	if err != nil {
		f.Fatal(err)
	}
	page, _ := p.Page(0)
	f.Add(page)
	f.Add(strings.ToUpper(page))
	f.Add(spell(page, "\u200b"))
	f.Add("zig-\n zag\xffZIGZAG z")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, l := range FindLocators(text) {
			if l.Start < end || l.End > len(text) || l.Start >= l.End {
				t.Fatalf("locator %+v in a text of %d bytes, behind one that ends at %d", l, len(text), end)
			}
			end = l.End
			again := FindLocators(text[l.Start:l.End])
			if len(again) != 1 || again[0].Page != l.Page || again[0].Request != l.Request || again[0].Check != l.Check {
				t.Fatalf("locator %+v read alone is %+v", l, again)
			}
		}
	})
}

// The quick look at an anchor turns away no word that folds to it, whatever
// stands between its letters.
func TestWideAnchors(t *testing.T) {
	between := []string{"", "\u0301", "\u200b", "\u00ad", "-\n  ", "\u0651", " ", "а", "Я", "x", "1"}
	found, other := 0, 0
	for _, w := range wordings() {
		if w.anchor[0] < utf8.RuneSelf {
			continue
		}
		letters := []rune(w.anchor)
		for at := range letters {
			for _, b := range between {
				for _, word := range []string{
					string(letters[:at]) + b + string(letters[at:]),
					strings.ToUpper(string(letters[:at+1])) + b + string(letters[at+1:]),
				} {
					all := words.Scan(word)
					want := len(all) > 0 && all[0].Start == 0 && all[0].Text == w.anchor
					if got := w.wideAnchorAt(word, 0); got != want {
						t.Errorf("%q is an anchor: %v, want %v", word, got, want)
					}
					if want {
						found++
					} else {
						other++
					}
				}
			}
		}
	}
	if found < 20 || other < 20 {
		t.Errorf("%d anchors and %d other words: one of them is too rare", found, other)
	}
}

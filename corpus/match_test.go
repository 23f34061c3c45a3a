package corpus

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crosstalk/internal/words"
)

// slowMatch is Match by the definition: for every word of text the longest
// passage that begins there and stands in one of the parts of a prompt.
func slowMatch(text []string, parts [][]string, least int) [][2]int {
	var passages [][2]int
	end := 0
	for start := range text {
		longest := 0
		for _, part := range parts {
			for at := range part {
				n := 0
				for start+n < len(text) && at+n < len(part) && text[start+n] == part[at+n] {
					n++
				}
				longest = max(longest, n)
			}
		}
		if longest >= least && start+longest > end {
			end = start + longest
			passages = append(passages, [2]int{start, end})
		}
	}
	return passages
}

// Match agrees with the definition on random texts of few different words,
// which are full of repeated and overlapping passages.
func TestMatcherAgreesWithDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for round := range 3000 {
		kinds := 1 + random.IntN(4)
		sequence := func(most int) []string {
			list := make([]string, random.IntN(most))
			for i := range list {
				list[i] = string(rune('a' + random.IntN(kinds)))
			}
			return list
		}
		text := sequence(25)
		parts := [][]string{sequence(30), sequence(30)}
		least := 1 + random.IntN(5)
		m := newMatcher(words.Scan(strings.Join(text, " ")), least)
		if !m.hopeless() {
			offset := int64(0)
			for _, part := range parts {
				for _, word := range part {
					m.step(find(&m.vocabulary, hashOf(word), word), offset)
					offset++
				}
				m.cut()
			}
		}
		var got [][2]int
		whole := slices.Concat(parts...)
		for _, s := range m.spans() {
			got = append(got, [2]int{s.Start / 2, s.End/2 + 1})
			if !slices.Equal(whole[s.Offset:int(s.Offset)+s.Words], text[s.Start/2:s.Start/2+s.Words]) {
				t.Fatalf("span %+v does not stand there", s)
			}
		}
		if diff := cmp.Diff(slowMatch(text, parts, least), got); diff != "" {
			t.Fatalf("round %d: text %q, parts %q, least %d (-want +got):\n%s", round, text, parts, least, diff)
		}
	}
}

func TestMatch(t *testing.T) {
	spec := specs()["prose-words-long-seals"]
	p := newPrompt(t, testKey(1), spec)
	whole := readAll(t, p)
	page, offset := p.Page(700)
	lines := strings.SplitAfter(page, "\n")
	sentence := strings.TrimSpace(lines[4])
	other, _ := newPrompt(t, testKey(2), spec).Page(700)

	tests := []struct {
		name, text string
		least      int
		want       []string // passages of text
	}{
		{"nothing", "", 5, nil},
		{"foreign", plainText, 5, nil},
		{"other key", other, 5, nil},
		{"page", page, 5, []string{strings.TrimRight(page, ".\n")}},
		{"sentence in text", plainText + " " + sentence + " " + plainText, 5, []string{strings.TrimRight(sentence, ".")}},
		{"upper case", strings.ToUpper(sentence), 5, []string{strings.ToUpper(strings.TrimRight(sentence, "."))}},
		{"repeated", sentence + " " + sentence, 5, []string{strings.TrimRight(sentence, "."), strings.TrimRight(sentence, ".")}},
		{"two places", lines[2] + lines[7], 5, []string{strings.TrimRight(lines[2], ".\n"), strings.TrimRight(lines[7], ".\n")}},
		{"too short", strings.Join(strings.Fields(sentence)[:4], " "), 5, nil},
		{"just enough", strings.Join(strings.Fields(sentence)[:5], " "), 5, []string{strings.Join(strings.Fields(sentence)[:5], " ")}},
		{"question", p.Question(), 5, nil},
		{"marker lines", p.Expected(), 3, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			spans, _ := p.Match(test.text, test.least, 0)
			var got []string
			for _, s := range spans {
				got = append(got, test.text[s.Start:s.End])
				there := strings.ToLower(whole[s.Offset : int(s.Offset)+s.End-s.Start])
				if diff := cmp.Diff(letterWords(test.text[s.Start:s.End]), letterWords(there)); diff != "" || s.Words != len(letterWords(there)) {
					t.Errorf("span %+v: the prompt has there (-text +prompt):\n%s", s, diff)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}

	spans := p.MatchPages(plainText+page, 5, 700, 701)
	if want := []Span{{len(plainText), len(plainText) + len(page) - 2, offset, len(letterWords(page))}}; cmp.Diff(want, spans) != "" {
		t.Errorf("page alone: got %+v, want %+v", spans, want)
	}
	for _, pages := range [][2]int{{0, 700}, {701, 9999}, {700, 700}, {-5, 0}, {9999, 99999}} {
		if spans := p.MatchPages(page, 8, pages[0], pages[1]); len(spans) > 0 {
			t.Errorf("pages %v: got %+v, want nothing", pages, spans)
		}
	}
}

// Passages go over the edges of pages but not over a marker line.
func TestMatchAcrossEdges(t *testing.T) {
	spec := specs()["prose-words-short-seals"]
	p := newPrompt(t, testKey(1), spec)
	first, _ := p.Page(0)
	second, _ := p.Page(1)
	filler := first + second
	var want []int // sentences between seals
	last := 0
	for _, s := range p.lines {
		if s.sentences > last {
			want = append(want, min(s.sentences, 20)-last)
			last = s.sentences
		}
	}
	spans, _ := p.Match(filler, 5, 0)
	var got []int
	for _, s := range spans {
		got = append(got, strings.Count(filler[s.Start:s.End], "\n")+1)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sentences of passages (-want +got):\n%s", diff)
	}
}

// Match reads no more pages than allowed, and stops when nothing is left to
// find.
func TestMatchBudget(t *testing.T) {
	p := newPrompt(t, testKey(1), specs()["prose-words-long-seals"])
	early, _ := p.Page(2)
	late, _ := p.Page(900)
	tests := []struct {
		name         string
		text         string
		budget       int
		spans, pages int
	}{
		{"all", late, 0, 1, 1024},
		{"whole prompt", plainText + late, 0, 1, p.Pages()},
		{"stops early", early, 0, 1, 4},
		{"enough", late, 901, 1, 901},
		{"not enough", late, 900, 0, 900},
		{"more than there is", plainText, 99999, 0, p.Pages()},
		{"no text", "a few words", 0, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			spans, pages := p.Match(test.text, 8, test.budget)
			if len(spans) != test.spans || pages != test.pages {
				t.Errorf("%d spans in %d pages, want %d in %d", len(spans), pages, test.spans, test.pages)
			}
		})
	}
}

// Match allocates in proportion to the text, not to the prompt.
func TestMatchAllocations(t *testing.T) {
	spec := specs()["prose-words-long-seals"]
	long := newPrompt(t, testKey(1), spec)
	spec.Sentences = 20
	short := newPrompt(t, testKey(1), spec)
	allocations := func(p *Prompt) float64 {
		return testing.AllocsPerRun(5, func() { p.Match(plainText, 5, 0) })
	}
	// The look for an early end after 1, 2, 4, ... pages allocates a little.
	if a, b := allocations(short), allocations(long); b > a+40 {
		t.Errorf("%v allocations for a long prompt, %v for a short one", b, a)
	}
}

// Text answers as Prompt does, as far as a text can.
func TestText(t *testing.T) {
	p := newPrompt(t, testKey(1), specs()["prose-words-short-seals"])
	text := Text{Prompt: readAll(t, p), Answer: p.Expected(), Kind: TaskSeals}
	if text.Size() != p.Size() || text.Task() != p.Task() || text.Expected() != p.Expected() || text.Question() != "" || text.Markers() != nil {
		t.Errorf("text is %d bytes, task %q", text.Size(), text.Task())
	}
	page, _ := p.Page(1)
	want, _ := p.Match(page, 5, 0)
	got, pages := text.Match(page, 5, 0)
	if diff := cmp.Diff(want, got); diff != "" || pages != 1 {
		t.Errorf("%d pages, spans (-prompt +text):\n%s", pages, diff)
	}
	folded := Text{Prompt: "Der F\u00fcrst hei\u00dft ZIG\u200bZAG, mit 3 **Teilen**."}
	if spans, _ := folded.Match("der f\u00fcrst heisst zigzag mit 3 teilen", 7, 0); len(spans) != 1 || spans[0].Words != 7 {
		t.Errorf("folded text: got %+v", spans)
	}
	if spans, pages := (Text{}).Match(plainText, 1, 0); spans != nil || pages != 0 {
		t.Errorf("no text: %d spans in %d pages", len(spans), pages)
	}
}

func FuzzMatch(f *testing.F) {
	spec := specs()["prose-words-short-seals"]
	p, err := New(testKey(1), spec, testMarkers(spec))
	if err != nil {
		f.Fatal(err)
	}
	page, _ := p.Page(0)
	f.Add(page, 5)
	f.Add(strings.ToUpper(page)+page, 1)
	f.Add(spell(page, "\u00ad"), 3)
	f.Add("the the the\xffthe", -1)
	whole := ""
	for i := range p.Pages() {
		text, _ := p.Page(i)
		whole += text
	}
	f.Fuzz(func(t *testing.T, text string, least int) {
		spans, _ := p.Match(text, least, 0)
		checkSpans(t, spans, text)
		plain := Text{Prompt: whole}
		again, _ := plain.Match(text, least, 0)
		checkSpans(t, again, text)
	})
}

func checkSpans(t *testing.T, spans []Span, text string) {
	t.Helper()
	for i, s := range spans {
		if s.Start < 0 || s.End > len(text) || s.Start >= s.End || s.Words < 1 {
			t.Fatalf("span %+v in a text of %d bytes", s, len(text))
		}
		if i > 0 && (s.Start <= spans[i-1].Start || s.End <= spans[i-1].End) {
			t.Fatalf("span %+v behind %+v", s, spans[i-1])
		}
	}
}

// A text is complete only when the passage being read cannot become longer.
func TestComplete(t *testing.T) {
	m := newMatcher(words.Scan("c d a b c d"), 2)
	read := func(text string, want bool) {
		t.Helper()
		m.readASCII([]byte(text), 0)
		if got := m.complete(); got != want {
			t.Errorf("complete after %q: %v, want %v", text, got, want)
		}
	}
	read("c d\n", false)
	m.cut()
	read("a b\n", false) // all words are in passages, but "a b" may go on
	m.cut()
	read("x\n", true)
}

func ExamplePrompt_Match() {
	spec := Spec{Version: Version, Family: "prose", Task: TaskEcho, Dress: DressCode, Sentences: 100, Seals: 1}
	p, err := New(Key{}, spec, []string{"9fqh4-bpk8l-acaeu-u5qto-pklnsf"})
	if err != nil {
		fmt.Println(err)
		return
	}
	page, _ := p.Page(3)
	spans, _ := p.Match("The model said: "+page, 5, 0)
	fmt.Println(len(spans), spans[0].Start, spans[0].Words == len(strings.Fields(page)))
	// Output: 1 16 true
}

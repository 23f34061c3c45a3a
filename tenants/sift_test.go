package tenants

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crosstalk/internal/words"
)

// place is one that a sifter found.
type place struct {
	Kind     string
	From, To int
}

// places are what a sifter finds in a text when run reads it.
func places(text string, need, gap int, codes bool, run func(*sifter)) (found []place) {
	f := &sifter{text: text, need: need, gap: gap}
	f.stretch = func(from, to int) { found = append(found, place{"stretch", from, to}) }
	if codes {
		f.zone = func(from, to int) { found = append(found, place{"zone", from, to}) }
	}
	run(f)
	return found
}

func byBlocks(f *sifter) { sift(f.text, f) }

// wordByWord is sift without the sieve: the definition of what it finds.
func wordByWord(f *sifter) {
	s := words.NewScanner(f.text)
	escapes := strings.Contains(f.text, `\`)
	for s.Advance() {
		f.word(&s, escapes)
	}
	f.end()
}

func checkSift(t *testing.T, text string) (found int) {
	t.Helper()
	for _, o := range []struct {
		need, gap int
		codes     bool
	}{{minListed, phraseWords - minListed, true}, {5, 0, false}, {1, 0, false}, {2, 3, true}} {
		want := places(text, o.need, o.gap, o.codes, wordByWord)
		got := places(text, o.need, o.gap, o.codes, byBlocks)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q, %+v (-word by word +by blocks):\n%s", text, o, diff)
		}
		found += len(want)
		runs := Runs(text, o.need)
		if diff := cmp.Diff(runsByDefinition(text, o.need), runs); diff != "" {
			t.Fatalf("%q, runs of %d (-by definition +got):\n%s", text, o.need, diff)
		}
	}
	c := NewCodec(FleetKey{})
	hits, complete := c.FindBounded(text)
	if h, r, ok := c.FindWithRuns(text, 5); !cmp.Equal(h, hits) || !cmp.Equal(r, Runs(text, 5)) || ok != complete {
		t.Fatalf("%q: side by side %+v and %+v", text, h, r)
	}
	return found
}

// runsByDefinition finds runs as Runs is documented, in the square of the time:
// from each listed word as far as no word comes twice, unless the run from the
// word before reaches as far.
func runsByDefinition(text string, least int) (runs []Run) {
	var row []token
	end := func() {
		reached := 0
		for i := range row {
			to, seen := i, map[int16]bool{}
			for to < len(row) && !seen[row[to].index] {
				seen[row[to].index] = true
				to++
			}
			if to > reached && to-i >= least {
				runs = append(runs, Run{to - i, int(row[i].start), int(row[to-1].end)})
			}
			reached = max(reached, to)
		}
		row = row[:0]
	}
	for t := range tokens(text, 0, len(text)) {
		if t.index < 0 {
			end()
			continue
		}
		row = append(row, t)
	}
	end()
	return runs
}

// siftParts are what TestSift makes texts of: words of the list in every dress,
// what may be taken for them, and text of many scripts that cannot.
func siftParts(rng *rand.Rand) []string {
	listed := func() string { return markerWords.words[rng.IntN(listSize)] }
	w := listed()
	return []string{
		w, listed() + " " + listed() + " " + listed(), strings.ToUpper(w), w + "s", w[:3], w[:3] + "\u200b" + w[3:], w[:3] + "-\n  " + w[3:],
		w[:2] + "\u00ad\n" + w[2:], w + "-\r\n" + listed(), w[:1] + "\u0332" + w[1:], "ｆｕｌｌ", string(rune(0xFEE0+int(w[0]))) + w[1:], `\n` + w,
		`\u0020` + w, "是" + w + "的", "é" + w, w + "é", "ж" + w, w + "ж1", "graß", "x7k9q-3b4c5", "1998", "2026年", "a\u03011", "ж1a", "1ж",
		"\xff", "\xe5" + w, "\xf0\x9d\x90\xa3", "“" + w + "”", "—", "-", "- ", "-\n", "\\", "\u200c", "\ufe0f", "😀", "½", "\u2010\n" + w,
		strings.Repeat("the keeper of the store wrote it down, ", 1+rng.IntN(6)), strings.Repeat("Смотритель склада записал итоги. ", 1+rng.IntN(4)),
		strings.Repeat("管理员记下了当天的数字，", 1+rng.IntN(6)), strings.Repeat("ผู้ดูแลคลัง ", 1+rng.IntN(6)), strings.Repeat("Straße über naïve ", 1+rng.IntN(6)),
		strings.Repeat("x", rng.IntN(200)), strings.Repeat(" ", rng.IntN(100)),
	}
}

// TestSift: reading by blocks finds the places that reading word by word finds,
// in texts made of everything that may make a difference.
func TestSift(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	found := 0
	for range 600 {
		var b strings.Builder
		for range 1 + rng.IntN(60) {
			parts := siftParts(rng)
			if rng.IntN(3) > 0 {
				parts = parts[len(parts)-7:]
			}
			b.WriteString(parts[rng.IntN(len(parts))])
			b.WriteString([]string{" ", "\n", "", ", "}[rng.IntN(4)])
		}
		found += checkSift(t, b.String())
	}
	if found < 1000 {
		t.Errorf("%d places in all: the texts hold too little", found)
	}
}

// FuzzSift does the same with any text.
func FuzzSift(f *testing.F) {
	rng := rand.New(rand.NewPCG(23, 24))
	pad := strings.Repeat("nothing of note ", 9)
	for _, part := range siftParts(rng) {
		f.Add(pad + part + " " + pad + part + pad)
	}
	f.Fuzz(func(t *testing.T, text string) { checkSift(t, text) })
}

// BenchmarkSift reports how much faster reading by blocks is than word by word,
// both in turns, so that other work on the machine slows both.
func BenchmarkSift(b *testing.B) {
	for name, unit := range map[string]string{
		"english": "The keeper of the old store by the river wrote what had been sold that day into the book. ",
		"german":  "Der Wärter des nördlichen Lagers schrieb die Zahlen für den Tag auf und schloss das Buch später. ",
		"russian": "Смотритель северного склада записал итоги дня и закрыл книгу. ",
		"arabic":  "كتب أمين المخزن الشمالي أرقام اليوم ثم أغلق الدفتر. ",
		"hindi":   "उत्तरी गोदाम के रखवाले ने दिन के आँकड़े लिखे और किताब बंद कर दी। ",
		"chinese": "北方仓库的管理员记下了当天的数字，然后合上了账本。",
		"listed":  "The keeper of the old store " + markerWords.words[7] + " wrote what had been sold into the book. ",
		"markers": strings.Join(markerWords.words[:13], " ") + "\n",
	} {
		text := strings.Repeat(unit, 1<<20/len(unit))
		b.Run(name, func(b *testing.B) {
			var blocks, words time.Duration
			for b.Loop() {
				start := time.Now()
				places(text, minListed, phraseWords-minListed, true, byBlocks)
				between := time.Now()
				places(text, minListed, phraseWords-minListed, true, wordByWord)
				blocks, words = blocks+between.Sub(start), words+time.Since(between)
			}
			b.ReportMetric(words.Seconds()/blocks.Seconds(), "x-faster")
		})
	}
}

package tenants_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"crosstalk/corpus"
	"crosstalk/tenants"
)

// cleanText is prose without a marker.
func cleanText(n int) string {
	lexicon := strings.Fields(`the of and a to in is that it was for on are as with his they at be this have from or
		had by not word but what some we can out other were all there when up use your how said each she which their
		time if will way about many then them write would like so these her long make thing see him two has look more
		day could go come did number sound no most people my over know water than call first who may down side been
		now find keeper outer store figures station record window answer between country important children`)
	rng := rand.New(rand.NewPCG(9, 10))
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		word := lexicon[rng.IntN(len(lexicon))]
		switch {
		case i%15 == 0:
			word = ". " + strings.ToUpper(word[:1]) + word[1:]
		case i%9 == 0:
			word += ","
		}
		if i%12 == 11 {
			b.WriteByte('\n')
		}
		b.WriteString(word)
		b.WriteByte(' ')
	}
	return b.String()
}

// processorTime is what this process has used so far: beside other work, wall
// time says nothing.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail for this process
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// plainScan is the least that it can cost to look at every byte of a text: one
// look-up in a table.
func plainScan(text string, table *[256]uint8) (n uint8) {
	for i := range len(text) {
		n += table[text[i]]
	}
	return n
}

// reportScan runs a search through text and reports its processor time as MB/s,
// and as a multiple of that of a plain scan, measured in turns with it so that a
// busy machine slows both.
func reportScan(b *testing.B, text string, search func()) {
	var table [256]uint8
	var plain, spent time.Duration
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		before := processorTime()
		search()
		between := processorTime()
		table[0] += plainScan(text, &table)
		spent, plain = spent+between-before, plain+processorTime()-between
	}
	b.ReportMetric(float64(len(text))*float64(b.N)/1e6/spent.Seconds(), "cpu-MB/s")
	b.ReportMetric(spent.Seconds()/plain.Seconds(), "x-plain")
}

// BenchmarkFind measures the search by kind of text.
func BenchmarkFind(b *testing.B) {
	c := tenants.NewCodec(testKey(b, 0))
	const size = 1 << 20
	clean := cleanText(size)
	_, marker := mint(b, c, somePayload, corpus.DressWords)
	_, code := mint(b, c, somePayload, corpus.DressCode)

	var listed strings.Builder // every 300th word
	list := listedWords()
	for i, word := range strings.Fields(clean) {
		if i%300 == 0 {
			listed.WriteString(list[i/300%len(list)] + " ")
		}
		listed.WriteString(word + " ")
	}
	var log strings.Builder
	rng := rand.New(rand.NewPCG(11, 12))
	for log.Len() < size {
		log.WriteString("2026-11-30T12:" + digits(10+rng.IntN(50)) + ":07.123Z level=info msg=\"request done\" id=" +
			randomHex(rng, 32) + " bytes=" + digits(rng.IntN(1e6)) + " duration=0." + digits(rng.IntN(1000)) + "s\n")
	}
	texts := map[string]string{
		"clean":                    clean,
		"clean capitals":           strings.ToUpper(clean),
		"clean cyrillic":           strings.Repeat("Смотритель северного склада записал итоги дня и закрыл книгу. ", size/110),
		"clean german":             strings.Repeat("Der Wärter des nördlichen Lagers schrieb die Zahlen für den Tag auf und schloss das Buch später. ", size/99),
		"clean typographic":        strings.Repeat("It’s the keeper’s book — “closed” at eight, he said… and that’s all there was to it. ", size/92),
		"clean arabic":             strings.Repeat("كتب أمين المخزن الشمالي أرقام اليوم ثم أغلق الدفتر. ", size/95),
		"clean hindi":              strings.Repeat("उत्तरी गोदाम के रखवाले ने दिन के आँकड़े लिखे और किताब बंद कर दी। ", size/170),
		"clean han":                strings.Repeat("北方仓库的管理员记下了当天的数字，然后合上了账本。", size/75),
		"every 300th word listed":  listed.String(),
		"log lines":                log.String(),
		"full of markers":          strings.Repeat("seal 1: "+marker+"\n", size/(len(marker)+9)),
		"full of codes":            strings.Repeat("seal 1: "+code+"\n", size/(len(code)+9)),
		"one marker in clean text": clean[:size/2] + "\n" + marker + "\n" + clean[size/2:],
	}
	for name, text := range hostile() {
		texts["hostile "+name] = text
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		b.Run(name, func(b *testing.B) {
			reportScan(b, texts[name], func() { c.Find(texts[name]) })
		})
	}
}

func BenchmarkRuns(b *testing.B) {
	clean := cleanText(1 << 20)
	reportScan(b, clean, func() { tenants.Runs(clean, 5) })
}

func BenchmarkMint(b *testing.B) {
	c := tenants.NewCodec(testKey(b, 0))
	for _, d := range []corpus.Dress{corpus.DressWords, corpus.DressCode} {
		b.Run(string(d), func(b *testing.B) {
			p := somePayload
			for b.Loop() {
				p.Second++
				p.Second &= 1<<28 - 1
				c.Mint(p, d)
			}
		})
	}
}

// BenchmarkFindOne measures an answer of one marker, by edit. The worst case is
// a window of listed words that is no marker.
func BenchmarkFindOne(b *testing.B) {
	c := tenants.NewCodec(testKey(b, 0))
	_, marker := mint(b, c, somePayload, corpus.DressWords)
	w := strings.Fields(marker)
	for _, bm := range []struct{ name, text string }{
		{"exact", marker},
		{"ending", strings.Join(w[:12], " ") + " " + w[12] + "s"},
		{"unknown word", strings.Join(w[:12], " ") + " xylophonist"},
		{"listed word", strings.Join(w[:12], " ") + " abundant"},
		{"lost word", strings.Join(w[:12], " ")},
		{"added word", strings.Join(w[:6], " ") + " abundant " + strings.Join(w[6:], " ")},
		{"no marker", strings.Join(listedWords()[:13], " ")},
	} {
		b.Run(bm.name, func(b *testing.B) {
			for b.Loop() {
				c.Find(bm.text)
			}
		})
	}
}

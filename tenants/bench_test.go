package tenants_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

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

// BenchmarkFind measures the search by kind of text. SetBytes gives MB/s.
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
			b.SetBytes(int64(len(texts[name])))
			b.ReportAllocs()
			for b.Loop() {
				c.Find(texts[name])
			}
		})
	}
}

func BenchmarkRuns(b *testing.B) {
	clean := cleanText(1 << 20)
	b.SetBytes(int64(len(clean)))
	for b.Loop() {
		tenants.Runs(clean, 5)
	}
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

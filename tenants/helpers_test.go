package tenants_test

import (
	"encoding/base64"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"crosstalk/internal/words"
)

func encode(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

func digits(n int) string { return strconv.Itoa(n) }

// fullWidth writes ASCII in full-width letters.
func fullWidth(s string) string {
	return strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7F {
			return r - '!' + '！'
		}
		return r
	}, s)
}

// foldedEnds are the first and the last word of a text.
func foldedEnds(text string) (first, last string) {
	ws := words.Scan(text)
	return ws[0].Text, ws[len(ws)-1].Text
}

// otherSymbol is a character of a code that is not c.
func otherSymbol(c byte) string {
	if c == 'z' {
		return "y"
	}
	return "z"
}

func listedWords() []string {
	file, err := os.ReadFile("words-1024.txt")
	if err != nil {
		panic(err)
	}
	return strings.Fields(string(file))
}

// randomWords are n bytes of random listed words.
func randomWords(n int, sep string) string {
	list := listedWords()
	rng := rand.New(rand.NewPCG(5, 6))
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(list[rng.IntN(len(list))])
		b.WriteString(sep)
	}
	return b.String()
}

// randomSymbols are n bytes of random base32 with a separator every group
// characters.
func randomSymbols(n, group int, sep string) string {
	rng := rand.New(rand.NewPCG(7, 8))
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		if i > 0 && i%group == 0 {
			b.WriteString(sep)
		}
		b.WriteByte("0123456789abcdefghjkmnpqrstvwxyz"[rng.IntN(32)])
	}
	return b.String()
}

// hostile are texts of a megabyte made to be expensive to search.
func hostile() map[string]string {
	const mb = 1 << 20
	return map[string]string{
		"listed words":           randomWords(mb, " "),
		"listed words, a line":   randomWords(mb, "\n"),
		"one word":               strings.Repeat("abundant ", mb/9),
		"every other word":       strings.Repeat("abundant xyz ", mb/13),
		"near words":             strings.Repeat("abundants academys accents ", mb/27),
		"one strange in a dozen": strings.Repeat("abundant academy accent accord acidic acre actively adaptive additive adhesive adjacent xyz ", mb/95),
		"numbers":                strings.Repeat("1 ", mb/2),
		"base32":                 randomSymbols(mb, 1<<30, ""),
		"base32 groups":          randomSymbols(mb, 5, "-"),
		"base32 words":           randomSymbols(mb, 26, " "),
		"base32 letters":         randomSymbols(mb, 1, "-"),
		"line end hyphens":       strings.Repeat("abundant-\n", mb/10),
		"hyphens":                strings.Repeat("-\n", mb/2),
		"backslashes":            strings.Repeat(`\n`, mb/2),
		"marks":                  "a" + strings.Repeat("\u0301", mb/2),
		"invisible":              strings.Repeat("\u200b", mb/3),
	}
}

func randomHex(rng *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "0123456789abcdef"[rng.IntN(16)]
	}
	return string(b)
}

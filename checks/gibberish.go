package checks

import (
	"math"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"crosstalk/internal/words"
)

// A model that has lost its context (a wrong RoPE scale, a rounded cache) may
// write letters that make no words. That is noise: damaged, and nobody's text.
// It is told from a language by which letters follow which: the mean log
// likelihood of a letter under a table made of the register, which holds the
// small words of thirteen languages.
//
// Measured: text in eleven languages, six of them not in the table, Go source
// and JSON lie above -3.05 nats a letter (Welsh and Slavic names reach -3.3);
// letters drawn by their frequency in English lie at -3.45, with a standard
// deviation of 0.2 over 64 letters.
//
// Short texts scatter more, and are judged noise a little sooner: one of a
// language whose small words are in the register is known by those anyway.
const (
	gibberishScore   = -3.1
	gibberishScatter = 0.9  // over the root of the number of letters
	gibberishLetters = 30   // fewer say too little
	gibberishKnown   = 0.05 // share of letters in words of the register from which on it is language
)

// letterTable is the log likelihood of each letter a-z after each; the index 26
// is the edge of a word.
type letterTable [27][27]float64

const wordEdge = 26

var letters = sync.OnceValue(func() *letterTable {
	var t letterTable
	for w := range chatter().words {
		from := wordEdge
		for _, to := range latinLetters(w) {
			t[from][to]++
			from = to
		}
		t[from][wordEdge]++
	}
	const smoothing = 0.5
	for i := range t {
		sum := 0.0
		for j := range t[i] {
			t[i][j] += smoothing
			sum += t[i][j]
		}
		for j := range t[i] {
			t[i][j] = math.Log(t[i][j] / sum)
		}
	}
	return &t
})

// latinLetters are the letters of a word as 0 to 25, accents dropped; letters of
// other scripts are left out.
func latinLetters(word string) []int {
	var out []int
	for _, c := range norm.NFD.String(word) {
		c = unicode.ToLower(c)
		if plain, ok := strokes[c]; ok {
			c = plain
		}
		if c >= 'a' && c <= 'z' {
			out = append(out, int(c-'a'))
		}
	}
	return out
}

// strokes are the Latin letters that do not come apart into one of a-z and an
// accent.
var strokes = map[rune]rune{'ł': 'l', 'ø': 'o', 'đ': 'd', 'ı': 'i', 'ß': 's', 'æ': 'a', 'œ': 'o'}

// isGibberish holds for Latin letters that make no words of any language.
func isGibberish(text string) bool {
	table, reg := letters(), chatter()
	score, n, known := 0.0, 0, 0
	for _, w := range words.Scan(text) {
		list := latinLetters(w.Text)
		if len(list) == 0 {
			continue
		}
		if len(list) > 2 && reg.words[w.Text] != unexplained {
			known += len(list) // shorter ones come up by chance
		}
		from := wordEdge
		for _, to := range append(list, wordEdge) {
			score += table[from][to]
			from = to
		}
		n += len(list) + 1
	}
	bound := gibberishScore + gibberishScatter/math.Sqrt(float64(n))
	return n >= gibberishLetters && score/float64(n) < bound && float64(known) < gibberishKnown*float64(n)
}

package checks

import (
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

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

// isGibberish holds for Latin letters that make no words of any language: by
// which letters follow which, or because scraps of letters are strung together.
func isGibberish(text string) bool {
	h := readHand(text)
	if h.letters < gibberishLetters {
		return false
	}
	scatter := gibberishScatter / math.Sqrt(float64(h.letters))
	return h.score < gibberishScore+scatter && h.known < gibberishKnown || h.isStrung()
}

// Noise of a model that was trained well keeps the letters of a language for
// some words, so that the score alone does not tell. But it has hardly a word of
// the register longer than scraps, and signs where no writer puts them:
// "ats&d&n&s[eer". Sources, markup and records have signs between words too, in
// pairs; a piece cut out of them has words of the register.
//
// Measured: of noise of this kind with a sign for each six letters all of 2,400
// reach both bounds; of 8,300 pieces of sources and markup in twelve
// languages, 1 in 1,000, most of them lists of constants.
const (
	strungJoints = 0.12 // of the words
	strungFew    = 0.08 // of the words, where the letters are odd too
	strungScore  = -2.6 // below it they are
	strungKnown  = 0.1  // of the letters
)

// isStrung holds for scraps of letters that odd signs hold together.
func (h hand) isStrung() bool {
	return h.long < strungKnown && (h.joints >= strungJoints || h.joints >= strungFew && h.score < strungScore)
}

// hand is what a text looks like to one who knows no language.
type hand struct {
	letters int     // Latin ones, and the edges of words
	score   float64 // mean log likelihood of a letter after the one before
	known   float64 // share of letters in words of the register, short ones apart
	long    float64 // the same, of words of four letters and more
	joints  float64 // share of words that an odd sign joins to the one before
}

func readHand(text string) hand {
	table, reg := letters(), chatter()
	var h hand
	count, edge, odd := 0.0, -1, oddSigns(text)
	for _, w := range words.Scan(text) {
		list := latinLetters(w.Text)
		if len(list) == 0 {
			edge = -1
			continue
		}
		count++
		if edge >= 0 && oddJoint(text, edge, w.Start, odd) {
			h.joints++
		}
		edge = w.End
		if len(list) > 2 && reg.words[w.Text] != unexplained {
			h.known += float64(len(list)) // shorter ones come up by chance
			if len(list) > 3 {
				h.long += float64(len(list))
			}
		}
		from := wordEdge
		for _, to := range append(list, wordEdge) {
			h.score += table[from][to]
			from = to
		}
		h.letters += len(list) + 1
	}
	if count > 0 {
		h.score /= float64(h.letters)
		h.known /= float64(h.letters)
		h.long /= float64(h.letters)
		h.joints /= count
	}
	return h
}

// oddJoint reports whether what stands between two words holds a sign that no
// writer puts there: one of odd, or a stop, comma or closing sign behind a blank
// and right before a word.
func oddJoint(text string, from, to int, odd []bool) bool {
	between := text[from:to]
	if strings.Contains(between, "\n") { // lines begin and end with brackets
		return false
	}
	for i := range between {
		if odd[from+i] {
			return true
		}
	}
	n := len(between)
	return n > 1 && strings.IndexByte(",;.=", between[n-1]) >= 0 && between[n-2] == ' '
}

// oddSigns marks the brackets that have no partner or are
// set otherwise than it, and each & between letters.
// Sources and markup, whose words are joined by signs too, have few of them, and
// so has a piece cut out of one.
func oddSigns(text string) []bool {
	odd := make([]bool, len(text))
	var open []int // where brackets were opened
	for i := range len(text) {
		c := text[i]
		switch c {
		case '(', '[', '{':
			open = append(open, i)
			odd[i] = true
		case ')', ']', '}':
			n := len(open)
			if n == 0 || !closes(text[open[n-1]], c) {
				odd[i] = true
				continue
			}
			// Who writes "( a )" writes the blank on both sides.
			odd[i] = (text[open[n-1]+1] == ' ') != (text[i-1] == ' ')
			odd[open[n-1]] = odd[i]
			open = open[:n-1]
		case '&':
			odd[i] = i > 0 && i+1 < len(text) && isJoined(text[i-1]) && isJoined(text[i+1])
		}
	}
	return odd
}

// isJoined reports whether a sign beside c is inside a word: letters and signs,
// but no blank and no digit.
func isJoined(c byte) bool { return c > ' ' && c < utf8.RuneSelf && (c < '0' || c > '9') }

func closes(open, c byte) bool {
	return open == '(' && c == ')' || open == '[' && c == ']' || open == '{' && c == '}'
}

package tenants

import (
	"math/bits"
	"strings"

	"crosstalk/internal/words"
)

// sieve passes over what of a text cannot matter to a sifter, in blocks of bytes
// and without reading words: a block matters only if a word of the list begins in
// it, or letters and digits meet, or something stands there that may hide such a
// word (a rune that folds to ASCII, a hyphen at a line end, a backslash). So text
// of a script that the list is not written in costs a few instructions a
// character, and text that has no marker costs no look at most of its words.
type sieve struct {
	text string
	// mixed has every bit if it matters that letters and digits meet, else none.
	mixed uint64
	// hyphen is the next hyphen at a line end, escape the next backslash; -1: not
	// looked for yet.
	hyphen, escape int
	// patience is how much is read word by word behind a place that matters.
	// Where those are dense the sieve saves nothing, and is asked less often.
	patience int
}

const (
	dense       = 4 * words.BlockSize // places that matter so near to each other
	maxPatience = 4096
	// sieveReach is how much of a text must lie before the sieve: a block, and the
	// longest word of the list that begins in it with the byte behind it.
	sieveReach = words.BlockSize + longWord + 1
)

func newSieve(text string, codes bool) *sieve {
	v := &sieve{text: text, hyphen: -1, escape: -1}
	if codes {
		v.mixed = ^uint64(0)
	}
	return v
}

// next is the first place at or behind from that may matter, the end of the text
// if there is none, and up to where it should be read word by word. A word that
// goes on behind from must not have begun before it.
func (v *sieve) next(from int) (hot, enough int) {
	hot = v.find(from)
	if hot-from > dense {
		v.patience = 0
	} else {
		v.patience = min(2*v.patience+words.BlockSize/2, maxPatience)
	}
	return hot, hot + v.patience
}

func (v *sieve) find(at int) int {
	limit := min(v.nextJoin(at), v.nextEscape(at))
	var letter, digit uint64 // 1 if the byte before the block is one
	for ; at+sieveReach <= len(v.text); at += words.BlockSize {
		if at > limit {
			return limit
		}
		b := words.BlockAt(v.text, at)
		mixed := b.Letters&(b.Digits<<1|digit) | b.Digits&(b.Letters<<1|letter)
		first := bits.TrailingZeros64(mixed & v.mixed)
		if b.High != 0 {
			first = min(first, b.Disguised(v.text, at))
		}
		for starts := wordStarts(b, letter|digit); starts != 0; starts &= starts - 1 {
			i := bits.TrailingZeros64(starts)
			if i >= first {
				break
			}
			if markerWords.mayBegin(v.text, at+i) && markerWords.begins(v.text, at+i) {
				first = i
				break
			}
		}
		if first < words.BlockSize {
			return min(at+first, limit)
		}
		letter, digit = b.Letters>>63, b.Digits>>63
	}
	return min(at, limit, len(v.text))
}

// wordStarts are the places of a block where a word begins that has the length of
// a listed one. named is 1 if a word goes on from before the block. A word that
// goes on behind it may have any length.
func wordStarts(b words.Block, named uint64) uint64 {
	all := b.Letters | b.Digits
	starts := b.Letters &^ (all<<1 | named)
	const behind = ^uint64(0)
	for n := 1; n < shortWord; n++ {
		starts &= b.Letters>>n | behind<<(words.BlockSize-n)
	}
	long := all >> shortWord
	for n := shortWord + 1; n <= longWord; n++ {
		long &= all >> n
	}
	return starts &^ long
}

// nextJoin is the first hyphen at or behind a place that may divide a word at a
// line end.
func (v *sieve) nextJoin(at int) int {
	for v.hyphen < at {
		v.hyphen = v.index('-', at)
		if !v.joins(v.hyphen) {
			at = v.hyphen + 1
		}
	}
	return v.hyphen
}

// joins reports whether a letter may stand before the hyphen at i and a line end
// behind it; it does for the end of the text.
func (v *sieve) joins(i int) bool {
	if i == len(v.text) {
		return true
	}
	if i == 0 || separates(v.text[i-1]) {
		return false
	}
	line := strings.TrimLeft(v.text[i+1:], " \t\r")
	return line != "" && line[0] == '\n'
}

// nextEscape is the first backslash at or behind a place.
func (v *sieve) nextEscape(at int) int {
	if v.escape < at {
		v.escape = v.index('\\', at)
	}
	return v.escape
}

// index is the first place of a byte at or behind another, the end of the text if
// there is none.
func (v *sieve) index(c byte, from int) int {
	if i := strings.IndexByte(v.text[from:], c); i >= 0 {
		return from + i
	}
	return len(v.text)
}

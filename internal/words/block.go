package words

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// BlockSize is the number of bytes in a Block.
const BlockSize = 64

// Block says what the bytes of a part of a text are, a bit for each: bit i for
// the i-th. A search that looks for words of ASCII letters only reads a text by
// blocks first, several times as fast as word by word, and Scans no more than
// the places where one may stand.
type Block struct {
	Letters uint64 // a to z and A to Z
	Digits  uint64 // 0 to 9
	High    uint64 // part of a rune beyond ASCII
}

// BlockAt reads the block that begins at text[at]. The text must reach so far.
func BlockAt(text string, at int) (b Block) {
	part := []byte(text[at : at+BlockSize])
	for i := 0; i < BlockSize; i += 8 {
		// As in asciiWord: the high bit of each byte of a sum tells whether the
		// byte is at least a bound.
		x := binary.LittleEndian.Uint64(part[i : i+8])
		low := x &^ highs
		lower := low | 0x20*ones
		letters := (lower + (0x80-'a')*ones) &^ (lower + (0x7F-'z')*ones) &^ x
		digits := (low + (0x80-'0')*ones) &^ (low + (0x7F-'9')*ones) &^ x
		b.Letters |= gather(letters) << i
		b.Digits |= gather(digits) << i
		if x&highs != 0 {
			b.High |= gather(x) << i
		}
	}
	return b
}

// gather moves the high bits of eight bytes side by side.
func gather(x uint64) uint64 { return x & highs >> 7 * 0x0102040810204080 >> 56 }

// disguise says how a rune beyond ASCII may hide a word of ASCII letters: bits, so
// that those of many runes can be joined.
type disguise uint8

const (
	// disguiseNone: it separates words, or is a letter of its own that no
	// folding turns into ASCII: a word it stands in is no word of ASCII letters.
	disguiseNone disguise = 0
	// disguiseTouching: a mark or an invisible character may be dropped from a
	// word, so it matters where it touches a letter or digit of ASCII.
	disguiseTouching disguise = 1
	// disguiseAlways: it may fold to ASCII, or is a hyphen at which a word may
	// be divided, or is too rare to be known here.
	disguiseAlways disguise = 2
)

// disguiseOf is the disguise of a rune beyond ASCII. It knows the scripts in
// which much is written; TestDisguises compares it with the folding of each rune.
func disguiseOf(r rune) disguise {
	switch {
	case foldsAlone(r):
		return disguiseNone
	case 0x2011 <= r && r <= 0x2029, 0x3000 <= r && r <= 0x3029: // dashes, quotes; marks and brackets of CJK
		return disguiseNone
	case 0xFF01 <= r && r <= 0xFF0F, 0xFF1A <= r && r <= 0xFF20: // punctuation in full width
		return disguiseNone
	case 0x0134 <= r && r <= 0x013E, 0x0141 <= r && r <= 0x0148, 0x014A <= r && r <= 0x017E, 0x0200 <= r && r <= 0x021F,
		0x1E00 <= r && r <= 0x1E95, 0x1EA0 <= r && r <= 0x1EFF: // Latin of Europe and Vietnam
		return disguiseNone
	case 0x2190 <= r && r <= 0x23FF, 0x2500 <= r && r <= 0x27BF, 0x1F300 <= r && r <= 0x1FAFF: // arrows, boxes, emoji
		return disguiseNone
	case 0x00A0 <= r && r <= 0x00BF: // signs of Latin-1
		if strings.ContainsRune("ª\u00AD²³¹º¼½¾", r) {
			return disguiseAlways
		}
		return disguiseNone
	case r == '×', r == '÷', r == utf8.RuneError:
		return disguiseNone
	case 0x0370 <= r && r <= 0x1CFF, 0x200B <= r && r <= 0x200F, 0x302A <= r && r <= 0x30FF, 0x3400 <= r && r <= 0x4DFF, r == 0xFE0F:
		return disguiseTouching
	}
	return disguiseAlways
}

// lead is what all runes that begin with one byte have in common: their length,
// and the worst disguise among them. A length of 0 says that they differ, or that
// the byte begins none.
type lead struct {
	size     uint8
	disguise disguise
}

// leads knows Cyrillic, Han, Hangul and the bulk of Greek, and in the second place
// the scripts with marks from Armenian to Tibetan.
var leads = func() (table [256]lead) {
	set := func(from, to byte, l lead) {
		for b := from; b <= to; b++ {
			table[b] = l
		}
	}
	set(0xCE, 0xCE, lead{2, disguiseNone})
	set(0xD0, 0xD1, lead{2, disguiseNone})
	set(0xD4, 0xDF, lead{2, disguiseTouching})
	set(0xE0, 0xE0, lead{3, disguiseTouching})
	set(0xE5, 0xE9, lead{3, disguiseNone})
	set(0xEB, 0xEC, lead{3, disguiseNone})
	return table
}()

// Disguised is the first place in the block, which begins at text[at], where a
// rune beyond ASCII may make that a word reads as one of ASCII letters, or as one
// with letters and digits, which does not so without it: BlockSize if there is
// none.
func (b Block) Disguised(text string, at int) int {
	if b.undisguised(text, at) {
		return BlockSize
	}
	for high := b.High; high != 0; {
		i := bits.TrailingZeros64(high)
		from := at + i
		l := leads[text[from]]
		to := from + int(l.size)
		if l.size == 0 || to > len(text) || !continued(text[from+1:to]) {
			r, size := utf8.DecodeRuneInString(text[from:])
			l, to = lead{uint8(size), disguiseOf(r)}, from+size
		}
		if l.disguise == disguiseAlways || l.disguise == disguiseTouching && touches(text, from, to, classASCII) ||
			touches(text, from, to, classDigit) && blends(text[from:to]) {
			return i
		}
		high &^= (1<<l.size - 1) << i
	}
	return BlockSize
}

// undisguised is a quick look: it holds when no letter or digit of ASCII stands
// about that one of the block's runes could matter to. It decodes those alone that
// are not known by their first byte.
func (b Block) undisguised(text string, at int) bool {
	var seen disguise
	var unknown uint64
	for i, c := range []byte(text[at : at+BlockSize]) {
		seen |= worst[c]
		unknown |= uint64(worst[c]>>1) << i
	}
	seen &^= disguiseAlways
	for ; unknown != 0; unknown &= unknown - 1 {
		r, _ := utf8.DecodeRuneInString(text[at+bits.TrailingZeros64(unknown):])
		seen |= disguiseOf(r)
	}
	about := classOf(b.Letters, classLower) | classOf(b.Digits, classDigit)
	if at > 0 {
		about |= classes[text[at-1]]
	}
	for i := at + BlockSize; i < min(at+BlockSize+utf8.UTFMax, len(text)); i++ {
		about |= classes[text[i]]
	}
	switch seen {
	case disguiseNone:
		return about&classDigit == 0
	case disguiseTouching:
		return about&classASCII == 0
	}
	return false
}

// classOf is class if there is a bit in mask.
func classOf(mask uint64, class byte) byte {
	if mask == 0 {
		return 0
	}
	return class
}

// worst is what a byte lets expect: of one that begins a rune, the disguise in
// leads. What continues a rune is judged by the byte that begins it.
var worst = func() (table [256]disguise) {
	for c := 0xC0; c < len(table); c++ {
		if table[c] = leads[c].disguise; leads[c].size == 0 {
			table[c] = disguiseAlways
		}
	}
	return table
}()

// blends reports whether a rune is part of a word in which ASCII letters and
// digits may stand too, so that it can make one word of the two.
func blends(rune string) bool {
	r, _ := utf8.DecodeRuneInString(rune)
	return kindOf(r) != kindSeparator && scriptOf(r) == scriptOther
}

// continued reports whether all bytes of a string continue a rune.
func continued(bytes string) bool {
	for i := range len(bytes) {
		if bytes[i]&0xC0 != 0x80 {
			return false
		}
	}
	return true
}

// touches reports whether a byte of one of the classes stands beside text[from:to].
func touches(text string, from, to int, class byte) bool {
	return from > 0 && classes[text[from-1]]&class != 0 || to < len(text) && classes[text[to]]&class != 0
}

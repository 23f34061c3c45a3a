package words

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// kind is what a rune is to the scanner.
type kind uint8

const (
	kindSeparator kind = iota
	kindWord           // letter or digit
	kindMark           // combining mark: belongs to the letter before
	kindFormat         // invisible: as if it were not there
)

func kindOf(r rune) kind {
	switch {
	case r < utf8.RuneSelf:
		if classes[r] != 0 {
			return kindWord
		}
		return kindSeparator
	case foldsAlone(r):
		return kindWord // all of them are letters
	case r == utf8.RuneError:
		return kindSeparator
	case unicode.IsLetter(r), unicode.IsNumber(r):
		return kindWord
	case unicode.IsMark(r):
		return kindMark
	case unicode.Is(unicode.Cf, r):
		return kindFormat
	}
	return kindSeparator
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' || r >= utf8.RuneSelf && unicode.IsNumber(r) }

// script groups the scripts by how they are divided into words.
type script uint8

const (
	scriptOther       script = iota // words have spaces between them
	scriptHangul                    // so too, but particles cling to foreign words
	scriptIdeographic               // no spaces, a letter is about half a word
	scriptUnspaced                  // no spaces, a letter is about a quarter of a word
)

func (s script) unspaced() bool { return s == scriptIdeographic || s == scriptUnspaced }

func scriptOf(r rune) script {
	switch {
	case r < 0x0E00:
		return scriptOther
	case 0x3041 <= r && r <= 0x3096, 0x4E00 <= r && r <= 0x9FFF:
		return scriptIdeographic
	case 0xAC00 <= r && r <= 0xD7A3:
		return scriptHangul
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo), r == 0x30FC:
		return scriptIdeographic
	case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return scriptUnspaced
	case unicode.Is(unicode.Hangul, r):
		return scriptHangul
	}
	return scriptOther
}

// foldsAlone reports whether r, without marks behind it, folds to its simple
// lower case: true for the bulk of Latin, Greek, Cyrillic, Hebrew, Arabic, Han,
// kana and Hangul text, which so avoids the full algorithm.
func foldsAlone(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return classes[r] != 0
	case 0x00C0 <= r && r <= 0x0131:
		return r != '×' && r != '÷' && r != 'ß' && r != 'İ'
	case 0x0391 <= r && r <= 0x03C9:
		return r != 0x03A2 && r != 'ς' // one is not assigned
	case 0x0400 <= r && r <= 0x045F:
		return true
	case 0x05D0 <= r && r <= 0x05EA, 0x0621 <= r && r <= 0x063A, 0x0641 <= r && r <= 0x064A:
		return true
	case 0x3041 <= r && r <= 0x3096, 0x30A1 <= r && r <= 0x30FA, r == 0x30FC:
		return true
	case 0x4E00 <= r && r <= 0x9FFF, 0xAC00 <= r && r <= 0xD7A3:
		return true
	}
	return false
}

// FoldsTo is the folded form of a letter beyond ASCII that no mark follows; ok is
// false for a rune of which that cannot be told at once.
func FoldsTo(r rune) (folded rune, ok bool) {
	if r < utf8.RuneSelf || !foldsAlone(r) {
		return 0, false
	}
	return lower(r), true
}

// foldPlain folds a word of which every rune folds alone. It returns "" when
// the word is folded already.
func foldPlain(word []byte) string {
	var out []byte
	for i := 0; i < len(word); {
		r, size := utf8.DecodeRune(word[i:])
		if low := lower(r); low != r || out != nil {
			if out == nil {
				out = append(make([]byte, 0, len(word)), word[:i]...)
			}
			out = utf8.AppendRune(out, low)
		}
		i += size
	}
	return string(out)
}

// lower is unicode.ToLower, faster where foldsAlone holds.
func lower(r rune) rune {
	switch {
	case 0x0430 <= r && r <= 0x045F, r >= 0x3041:
		return r
	case 0x0410 <= r && r <= 0x042F:
		return r + 0x20
	}
	return unicode.ToLower(r)
}

// foldFully folds any word.
func foldFully(word []byte) string {
	// Folding case may undo the normal form, hence the second pass.
	text := norm.NFKC.Bytes(cases.Fold().Bytes(norm.NFKC.Bytes(word)))
	out := text[:0]
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		// Compatibility forms may hold separators: ½ is 1⁄2.
		if kindOf(r) == kindWord {
			out = append(out, text[i:i+size]...)
		}
		i += size
	}
	return string(out)
}

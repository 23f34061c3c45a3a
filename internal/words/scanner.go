package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Scanner reads the words of a text one by one. It allocates only for words
// that must be folded, and for those in bulk.
type Scanner struct {
	text string
	pos  int
	// apart makes hyphens at line ends separate.
	apart bool
	// seen has a bit for each class of byte in the last word.
	seen byte
	// block holds words in lower case; see lowered.
	block *strings.Builder
}

// NewScanner returns a Scanner at the beginning of text.
func NewScanner(text string) Scanner { return Scanner{text: text} }

// NewScannerAt returns a Scanner that begins at byte offset pos of text. The
// offsets of its words are offsets into the whole text.
func NewScannerAt(text string, pos int) Scanner { return Scanner{text: text, pos: pos} }

// Classes of bytes. The first three make up ASCII words.
const (
	classLower = 1 << iota
	classUpper
	classDigit
	classHigh // part of a rune beyond ASCII

	classASCII = classLower | classUpper | classDigit
)

// classes is the class of every byte; 0 separates words.
var classes = func() (table [256]byte) {
	for b := range table {
		switch {
		case b >= utf8.RuneSelf:
			table[b] = classHigh
		case 'a' <= b && b <= 'z':
			table[b] = classLower
		case 'A' <= b && b <= 'Z':
			table[b] = classUpper
		case '0' <= b && b <= '9':
			table[b] = classDigit
		}
	}
	return table
}()

// Next returns the next word; ok is false at the end of the text.
func (s *Scanner) Next() (w Word, ok bool) {
	text, i := s.text, s.pos
	for {
		for i < len(text) && classes[text[i]] == 0 {
			i++
		}
		if i == len(text) {
			s.pos = i
			return Word{}, false
		}
		start, seen, class := i, byte(0), byte(0)
		for i < len(text) {
			class = classes[text[i]]
			if class&classASCII == 0 {
				break
			}
			seen |= class
			i++
		}
		if class == classHigh || i < len(text) && text[i] == '-' && !s.apart && s.joins(i-1, i+1) {
			w, i, ok = s.slow(start)
			if !ok {
				continue
			}
			s.pos, s.seen = i, classesOf(w.Text)
			return w, true
		}
		s.pos, s.seen = i, seen
		w = Word{Text: text[start:i], Start: start, End: i}
		if seen&classUpper != 0 {
			w.Text = s.lowered(start, i)
		}
		return w, true
	}
}

// classesOf returns the classes of the bytes of text.
func classesOf(text string) (seen byte) {
	for _, b := range []byte(text) {
		seen |= classes[b]
	}
	return seen
}

// HasDigit reports whether the folded text of the word that Next returned last
// has a digit 0 to 9.
func (s *Scanner) HasDigit() bool { return s.seen&classDigit != 0 }

// lowered returns text[start:end], which is ASCII, in lower case. Lowered words
// stand one behind the other in a common block, so that a text full of capitals
// costs few allocations.
func (s *Scanner) lowered(start, end int) string {
	const block = 1024
	if s.block == nil || s.block.Cap()-s.block.Len() < end-start {
		s.block = new(strings.Builder)
		s.block.Grow(max(block, end-start))
	}
	from := s.block.Len()
	for _, c := range []byte(s.text[start:end]) {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		s.block.WriteByte(c)
	}
	return s.block.String()[from:]
}

// slow reads the word that begins at start, where the fast path met a rune
// beyond ASCII or a hyphen at a line end. It returns the word and the position
// behind it; ok is false when there is no word, only separators up to there.
func (s *Scanner) slow(start int) (w Word, next int, ok bool) {
	var (
		buf    [64]byte
		raw    = buf[:0]     // the word without what is left out of it
		plain  = true        // runes of raw fold one by one
		kind   = scriptOther // of the letters so far
		end    = start       // behind the last letter
		letter = false       // the last rune of raw is a letter
		text   = s.text
	)
	i := start
	for i < len(text) {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		if letter && !s.apart && isHyphen(r) {
			if j := s.continues(i + size); j > 0 {
				i = j
				continue
			}
		}
		switch kindOf(r) {
		case kindFormat:
			i += size
			continue
		case kindMark:
			if len(raw) == 0 {
				return Word{}, i + size, false
			}
			plain = false
		case kindWord:
			script := scriptOf(r)
			if len(raw) > 0 && script != kind && !(script.unspaced() && kind.unspaced()) {
				return s.finish(raw, plain, start, end, end)
			}
			kind = script
			plain = plain && foldsAlone(r)
			letter = !isDigit(r)
			if len(raw) == 0 {
				start = i
			}
		default:
			if len(raw) == 0 {
				return Word{}, i + size, false
			}
			return s.finish(raw, plain, start, end, i)
		}
		raw = append(raw, text[i:i+size]...)
		i += size
		end = i
	}
	if len(raw) == 0 {
		return Word{}, i, false
	}
	return s.finish(raw, plain, start, end, i)
}

// finish folds a word; ok is false when nothing is left of it.
func (s *Scanner) finish(raw []byte, plain bool, start, end, next int) (w Word, _ int, ok bool) {
	w = Word{Start: start, End: end}
	switch {
	case !plain:
		w.Text = foldFully(raw)
		return w, next, w.Text != ""
	case len(raw) == end-start:
		w.Text = s.text[start:end]
	default:
		w.Text = string(raw)
	}
	if folded := foldPlain(raw); folded != "" {
		w.Text = folded
	}
	return w, next, true
}

// joins reports whether a hyphen that stands behind the byte at last and ends
// before next is a hyphenation at a line end.
func (s *Scanner) joins(last, next int) bool {
	return classes[s.text[last]]&(classLower|classUpper) != 0 && s.continues(next) > 0
}

// continues returns where a hyphenated word goes on if its line ends at i: at
// the lower-case letter that begins the next line, behind indentation and
// quotation marks of e-mail. It returns 0 if it does not go on.
func (s *Scanner) continues(i int) int {
	text := s.text
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r') {
		i++
	}
	if i == len(text) || text[i] != '\n' {
		return 0
	}
	i++
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '>') {
		i++
	}
	if r, _ := utf8.DecodeRuneInString(text[i:]); !unicode.IsLower(r) {
		return 0
	}
	return i
}

// isHyphen reports whether r is a hyphen that a line may end with.
func isHyphen(r rune) bool { return r == '-' || r == 0x00AD || r == 0x2010 }

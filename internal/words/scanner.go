package words

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Scanner reads the words of a text one by one. It allocates only for words
// that must be folded, and for those in bulk.
//
//	s := words.NewScanner(text)
//	for s.Advance() {
//		w := s.Word()
//	}
type Scanner struct {
	text string
	pos  int
	// apart makes hyphens at line ends separate.
	apart bool

	// The word that Advance found: seen has a bit for each class of byte in
	// it; folded is "" when it is ASCII and whole.
	start, end int
	seen       byte
	folded     string

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

// Pos is the byte offset at which Advance goes on.
func (s *Scanner) Pos() int { return s.pos }

// SkipTo makes Advance go on at byte offset pos, which must not be in a word.
func (s *Scanner) SkipTo(pos int) { s.pos = pos }

// Next returns the next word; ok is false at the end of the text.
func (s *Scanner) Next() (w Word, ok bool) {
	if !s.Advance() {
		return Word{}, false
	}
	return s.Word(), true
}

// Advance goes to the next word and reports whether there is one.
func (s *Scanner) Advance() bool {
	text, i := s.text, s.pos
	for {
		for i < len(text) && classes[text[i]] == 0 {
			i++
		}
		start := i
		if start == len(text) {
			s.pos = i
			return false
		}
		end, seen := asciiWord(text, i)
		if end < len(text) && (text[end] >= utf8.RuneSelf || text[end] == '-' && !s.apart && s.joins(end)) {
			w, next, ok := s.slow(start)
			if i = next; !ok {
				continue
			}
			s.pos, s.start, s.end, s.folded, s.seen = i, w.Start, w.End, w.Text, classesOf(w.Text)
			return true
		}
		s.pos, s.start, s.end, s.folded, s.seen = end, start, end, "", seen
		return true
	}
}

// Masks for eight bytes at once.
const (
	ones  uint64 = 0x0101010101010101
	highs uint64 = 0x80 * ones
)

// asciiWord returns where the run of ASCII letters and digits that begins at i
// ends, and the classes of its bytes. It reads eight bytes at a time, so that
// the length of a word costs no branch for the processor to guess wrong.
func asciiWord(text string, i int) (end int, seen byte) {
	for i+8 <= len(text) {
		b := text[i : i+8]
		x := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		// In each sum the high bit of a byte tells whether the byte is at
		// least a bound. Bytes beyond ASCII are cleared first, and last.
		low := x &^ highs
		lower := low | 0x20*ones
		letters := (lower + (0x80-'a')*ones) &^ (lower + (0x7F-'z')*ones)
		digits := (low + (0x80-'0')*ones) &^ (low + (0x7F-'9')*ones)
		n := bits.TrailingZeros64(^(letters|digits)&highs|x&highs) &^ 7 // bits of the run
		run := uint64(1)<<n - 1
		if digits&highs&run != 0 {
			seen |= classDigit
		}
		if letters&highs&run != 0 {
			seen |= classLower
		}
		if letters&^(x<<2)&highs&run != 0 { // a capital lacks bit 5
			seen |= classUpper
		}
		i += n / 8
		if n < 64 {
			return i, seen
		}
	}
	for i < len(text) && classes[text[i]]&classASCII != 0 {
		seen |= classes[text[i]]
		i++
	}
	return i, seen
}

// Word is the word that Advance went to.
func (s *Scanner) Word() Word {
	w := Word{Text: s.folded, Start: s.start, End: s.end}
	switch {
	case w.Text != "":
	case s.seen&classUpper != 0:
		w.Text = s.lowered(s.start, s.end)
	default:
		w.Text = s.text[s.start:s.end]
	}
	return w
}

// Start is where the word that Advance went to begins.
func (s *Scanner) Start() int { return s.start }

// Plain reports whether the word that Advance went to is written in ASCII and
// whole, so that folding changes no more than its case.
func (s *Scanner) Plain() bool { return s.folded == "" }

// Mixed reports whether the word that Advance went to, folded, has both a
// letter a to z and a digit 0 to 9, as words of prose have not.
func (s *Scanner) Mixed() bool { return s.seen&classDigit != 0 && s.seen&^classDigit&classASCII != 0 }

// classesOf returns the classes of the bytes of text.
func classesOf(text string) (seen byte) {
	for _, b := range []byte(text) {
		seen |= classes[b]
	}
	return seen
}

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

// maxJoined bounds the hyphens at line ends in one word. A phrase of whole words
// may have one behind each.
const maxJoined = 32

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
		joined = 0           // hyphens at line ends
		text   = s.text
	)
	i := start
	for i < len(text) {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		if letter && !s.apart && joined < maxJoined && isHyphen(r) {
			if j := s.continues(i + size); j > 0 {
				joined++
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

// joins reports whether the hyphen at i, behind a word, is a hyphenation at a
// line end.
func (s *Scanner) joins(i int) bool {
	return i > 0 && classes[s.text[i-1]]&(classLower|classUpper) != 0 && s.continues(i+1) > 0
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

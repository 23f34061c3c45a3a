package tenants

import (
	"slices"
	"strings"
	"unicode/utf8"

	"crosstalk/internal/words"
)

const (
	// lookBehind is how many words before the first listed word (or the
	// first mixed word) a marker may begin: enough for a code in groups of
	// four, and for a phrase of which the first words are damaged and
	// numbered.
	lookBehind = 8
	// maxZone is the most words in a zone. A longer one is read in pieces
	// that overlap by more groups than a code can have (a power of two).
	maxZone     = 4096
	zoneOverlap = 32
)

// sifter reads a text once, fast, and finds the few places worth a closer look:
// stretches where listed words are dense, and zones around words of letters and
// digits mixed, as a code must have. Most of a clean text is passed over in
// blocks of bytes, see sieve; the rest costs a hash lookup a word.
type sifter struct {
	text string
	// need is the least number of listed words in a stretch, gap the most
	// other words between two of them.
	need, gap int
	// stretch and zone are called for each place.
	stretch, zone func(from, to int)

	recent [zoneOverlap]int // where the last words start, by number mod zoneOverlap
	n      int              // words so far
	buf    []token

	from, to, listed, others int // the open stretch: listed counts its listed words

	// The open zone: plain counts the words since the last digit, zoneN is
	// the number of its first word.
	zoneFrom, zoneTo, zoneN, digits, plain int
}

// minZoneDigits is the least number of digits in a zone. A code has six; one of
// them may be written as a letter, and one lost.
const minZoneDigits = 4

// sift lets sifters of one text read it side by side. As long as none has a stretch
// or zone open, only a word that may matter can change anything, and the sieve
// tells where the next one may stand.
func sift(text string, all ...*sifter) {
	v := newSieve(text, slices.ContainsFunc(all, func(f *sifter) bool { return f.zone != nil }))
	s := words.NewScanner(text)
	escapes := strings.Contains(text, `\`)
	for at := 0; ; {
		hot, enough := v.next(at)
		if hot == len(text) {
			return
		}
		s.SkipTo(behindHot(text, at, hot))
		for {
			if !s.Advance() {
				for _, f := range all {
					f.end()
				}
				return
			}
			open := false
			for _, f := range all {
				f.word(&s, escapes)
				open = open || f.open()
			}
			if at = s.Pos(); at > enough && !open {
				break
			}
		}
	}
}

// open reports whether a stretch or a zone is open.
func (f *sifter) open() bool { return f.listed > 0 || f.digits > 0 }

// end ends what is open.
func (f *sifter) end() {
	f.endStretch()
	f.endZone()
}

// word takes the word that the scanner went to.
func (f *sifter) word(s *words.Scanner, escapes bool) {
	start := s.Start()
	odd := !s.Plain() || escapes && start > 0 && f.text[start-1] == '\\'
	if odd || markerWords.mayBegin(f.text, start) || s.Mixed() || f.open() {
		f.look(s.Word(), odd, s.Mixed())
	}
	f.recent[f.n&(zoneOverlap-1)] = start
	f.n++
}

// behindHot is where to read on, when nothing between from and hot matters: so
// far before hot that as many words are read as may be looked back at. It is the
// beginning of a word: of those read from anywhere in a text without words divided
// at line ends, the first may be the rest of one, and the others are whole.
func behindHot(text string, from, hot int) int {
	for width := 16 * lookBehind; ; width *= 4 {
		at := hot - width
		for at > from && !utf8.RuneStart(text[at]) {
			at--
		}
		if at <= from {
			return from
		}
		s := words.NewScannerAt(text[:hot], at)
		second := 0
		for n := 1; s.Advance(); n++ {
			if n == 2 {
				second = s.Start()
			}
			if n > lookBehind+1 {
				return second
			}
		}
	}
}

// separates reports whether a byte of ASCII is no letter or digit.
func separates(b byte) bool {
	return b < utf8.RuneSelf && !('a' <= b|0x20 && b|0x20 <= 'z' || '0' <= b && b <= '9')
}

// look takes notice of a word that may matter, or that follows one that does.
// An odd word may have more than one reading.
func (f *sifter) look(w words.Word, odd, mixed bool) {
	listed := 0
	if markerWords.index(w.Text) >= 0 {
		listed = 1
	} else if odd && !isFiller(w.Text) {
		f.buf = appendReadings(f.buf[:0], f.text, w)
		for _, r := range f.buf {
			if r.index >= 0 {
				listed++
			}
		}
	}
	if listed > 0 || f.listed > 0 {
		f.lookStretch(w, listed)
	}
	if (mixed || f.digits > 0) && f.zone != nil {
		f.lookZone(w)
	}
}

// lookStretch opens, extends or ends a stretch at a word that holds so many
// listed words.
func (f *sifter) lookStretch(w words.Word, listed int) {
	switch {
	case listed > 0:
		if f.listed == 0 {
			f.from = w.Start
			if f.gap > 0 {
				f.from = f.behind(w.Start, lookBehind)
			}
		}
		f.listed += listed
		f.to, f.others = w.End, 0
	case f.listed > 0 && !isFiller(w.Text):
		if f.others++; f.others > f.gap {
			f.endStretch()
		} else {
			f.to = w.End
		}
	}
}

// lookZone opens, extends or ends a zone.
func (f *sifter) lookZone(w words.Word) {
	if f.digits > 0 && f.n-f.zoneN >= maxZone {
		found := f.digits
		f.endZone()
		f.zoneFrom, f.zoneN, f.digits = f.behind(w.Start, zoneOverlap), f.n-zoneOverlap, found
	}
	if n := countDigits(w.Text); n > 0 {
		if f.digits == 0 {
			f.zoneFrom, f.zoneN = f.behind(w.Start, lookBehind), f.n
			f.digits = countDigits(f.text[f.zoneFrom:w.Start])
		}
		f.digits += n
		f.plain = 0
	} else if f.plain++; f.plain >= lookBehind {
		f.endZone()
		return
	}
	f.zoneTo = w.End
}

// behind is where the n-th word before the one at start begins.
func (f *sifter) behind(start, n int) int {
	n = min(n, f.n)
	if n == 0 {
		return start
	}
	return f.recent[(f.n-n)&(zoneOverlap-1)]
}

func (f *sifter) endStretch() {
	if f.listed >= f.need {
		f.stretch(f.from, f.to)
	}
	f.listed = 0
}

func (f *sifter) endZone() {
	if f.digits >= minZoneDigits {
		f.zone(f.zoneFrom, f.zoneTo)
	}
	f.digits, f.plain = 0, 0
}

// countDigits counts the digits 0 to 9.
func countDigits(word string) (n int) {
	for _, b := range []byte(word) {
		if '0' <= b && b <= '9' {
			n++
		}
	}
	return n
}

package checks

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// repetitionCheck sees a decoder that is stuck: one character for ever (broken
// weights, NaN rows), a phrase or a page in a loop, or a near-loop that changes
// a word each time round.
//
// Thresholds are from public reports and from measurements on lawful text. A
// run of 12 equal characters: lawful runs outside dividers reach 9, and a
// server that stops after 30 equal tokens leaves 31. A loop that lasts to the
// end, three copies and 24 characters: none in 2,400 lawful windows. A loop
// elsewhere, 128 characters: lawful text reaches 112. A fifth of all 4-word
// sequences repeated within 1,000 characters: prose reaches 0.03.
type repetitionCheck struct{}

func (repetitionCheck) Name() string { return "repetition" }

func (c repetitionCheck) Run(in *Input) []Finding {
	return in.each(c.Name(), func(s *subject) []Finding { return judgeForm(s, repetitionFlaws) })
}

const (
	maxRunStrict = 11  // equal characters in a closed answer
	maxRunOpen   = 23  // and in any text
	maxRuleRun   = 200 // of characters that dividers are made of
	maxDenseRun  = 64  // inside hashes, encoded data, rows of emoji
)

func repetitionFlaws(t formText) []flaw {
	var found []flaw
	if f, ok := longestRun(t); ok {
		found = append(found, f)
	}
	for _, l := range findLoops(t.text) {
		if kind := t.loopKind(l); kind != "" {
			found = append(found, flaw{kind: kind, start: l.start, end: l.end, detail: fmt.Sprintf(
				"a passage of %d characters stands %.0f times in a row, over %d characters",
				runesIn(t.text, l.start, l.start+l.period), l.copies(), runesIn(t.text, l.start, l.end))})
			break
		}
	}
	if f, ok := nearLoop(t); ok && len(found) == 0 {
		found = append(found, f)
	}
	return found
}

// longestRun finds the longest run of one visible character, if it is longer
// than lawful.
func longestRun(t formText) (flaw, bool) {
	var longest struct {
		r             rune
		start, end, n int
	}
	text := t.text
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		start, n := i, 0
		unit := text[i : i+size]
		for strings.HasPrefix(text[i:], unit) {
			i, n = i+size, n+1
		}
		if n > max(longest.n, maxRunStrict) && !unicode.IsSpace(r) && n > t.lawfulRun(r, start, i) {
			longest.r, longest.start, longest.end, longest.n = r, start, i, n
		}
	}
	if longest.n == 0 {
		return flaw{}, false
	}
	return flaw{
		kind: "run", start: longest.start, end: longest.end,
		detail: fmt.Sprintf("%U stands %d times in a row", longest.r, longest.n),
	}, true
}

// lawfulRun is how often the character may stand in a row at this place.
func (t formText) lawfulRun(r rune, start, end int) int {
	switch {
	case isRule(r):
		return maxRuleRun
	case t.strict:
		return maxRunStrict
	case unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r) || unicode.Is(unicode.Digit, r):
		return maxDenseRun
	case isAlphanumeric(r):
		// Runs inside a longer word: hashes, base64, sequences of bases.
		from, to := tokenAround(t.text, start, end)
		if to-from >= 2*(end-start) {
			return maxDenseRun
		}
	}
	return maxRunOpen
}

// isRule reports whether dividers and leaders are drawn with r.
func isRule(r rune) bool {
	return strings.ContainsRune("-=_*#~.·•…─━═–—", r) || r >= 0x2500 && r <= 0x259f
}

func isAlphanumeric(r rune) bool {
	return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// tokenAround extends [start, end) to the blanks around it, at most 4 KiB each
// way.
func tokenAround(text string, start, end int) (from, to int) {
	const reach = 4 << 10
	from, to = max(start-reach, 0), min(end+reach, len(text))
	if i := strings.LastIndexAny(text[from:start], " \t\r\n"); i >= 0 {
		from += i + 1
	}
	if i := strings.IndexAny(text[end:to], " \t\r\n"); i >= 0 {
		to = end + i
	}
	return from, to
}

// loopKind names what is wrong with a loop: a cycle, a stutter, or nothing.
func (t formText) loopKind(l loop) string {
	switch {
	case l.copies() >= 2.9 && t.loops(l):
		return "cycle"
	case t.stutters(l):
		return "stutter"
	default:
		return ""
	}
}

// stutters reports whether a closed answer takes up a passage again in the
// middle of a line, as when a relay tries again and repeats what was sent. A
// line that stands twice is not a stutter.
func (t formText) stutters(l loop) bool {
	if !t.strict || t.channel != ChannelContent || l.period < minRestart {
		return false
	}
	kind := classify(t.text[l.start : l.start+l.period])
	seam := t.text[l.start+l.period-1 : l.end-l.period+1] // where the copies may meet
	return !kind.single && !kind.rules && kind.letters && !strings.Contains(seam, "\n")
}

// loops reports whether l is more than lawful text does.
func (t formText) loops(l loop) bool {
	unit := t.text[l.start : l.start+l.period]
	kind := classify(unit)
	if kind.blank || kind.single {
		return false // for the empty check, and for runs
	}
	n := runesIn(t.text, l.start, l.end)
	atEnd := !t.more && strings.TrimSpace(t.text[l.end:]) == ""
	if t.strict {
		switch {
		case kind.rules && n <= maxRuleRun:
			return false
		case atEnd:
			return n >= 24 && l.copies() >= 3
		default:
			return n >= 128 && l.copies() >= 3 || n >= 24 && l.copies() >= 8
		}
	}
	if t.channel == ChannelReasoning { // it may hesitate
		return atEnd && n >= 128 && l.copies() >= 8
	}
	return openLoop(kind, n, l.copies(), atEnd) || isStuck(unit, n, l.copies())
}

// isStuck reports whether a loop of a few letters stands in one word, as
// "-REF-REF-REF": laughter and genes have shorter passages, and digests none.
func isStuck(unit string, n int, copies float64) bool {
	letters := 0
	for _, c := range unit {
		switch {
		case unicode.IsSpace(c), unicode.IsDigit(c):
			return false
		case unicode.IsLetter(c):
			letters++
		}
	}
	return letters >= 3 && len(unit) <= 12 && n >= 32 && copies >= 8
}

// openLoop holds the thresholds for text of any kind. Verse has refrains,
// transcripts repeat commands, tables and matrices repeat cells: whole short
// lines, cells and figures have to repeat much longer than sentences in a row.
func openLoop(kind unitKind, n int, copies float64, atEnd bool) bool {
	switch {
	case !kind.letters || kind.cells:
		return n >= 400 && copies >= 8
	case !atEnd:
		return n >= 256 && copies >= 4
	case kind.lines:
		return n >= 128 && copies >= 8 || n >= 256 && copies >= 4
	default:
		return n >= 40 && copies >= 5 || n >= 60 && copies >= 3
	}
}

// unitKind is what a repeated passage is made of.
type unitKind struct {
	blank   bool // white space only
	single  bool // one character, over and over
	rules   bool // blanks and what dividers are drawn with
	letters bool // at least one letter
	cells   bool // of a table
	lines   bool // it holds a line end
}

func classify(unit string) unitKind {
	k := unitKind{blank: true, single: true, rules: true}
	first, _ := utf8.DecodeRuneInString(unit)
	for _, r := range unit {
		space := unicode.IsSpace(r)
		k.blank = k.blank && space
		k.single = k.single && r == first
		k.rules = k.rules && (space || isRule(r) || r == '|' || r == '+' || r == ':')
		k.letters = k.letters || unicode.IsLetter(r)
		k.cells = k.cells || r == '|' || r == '\t'
		k.lines = k.lines || r == '\n'
	}
	return k
}

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
// server that stops after 30 equal tokens leaves 31. Where the right answer is
// not known, sources and manuals are lawful too: what ends a text, or is most of
// it, is told from a border, a placeholder or a stack trace that the text goes
// on behind. A loop that lasts to the end, three copies and 24 characters: none in 2,400 lawful windows. A loop
// elsewhere, 128 characters: lawful text reaches 112. A fifth of all 4-word
// sequences repeated within 1,000 characters: prose reaches 0.03.
type repetitionCheck struct{}

func (repetitionCheck) Name() string { return "repetition" }

func (c repetitionCheck) Run(in *Input) []Finding {
	return in.each(c.Name(), func(s *subject) []Finding { return judgeForm(s, repetitionFlaws) })
}

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
	nearlyAll := 5*(l.end-l.start) > 4*len(t.text)
	return openLoop(kind, n, l.copies(), atEnd, nearlyAll) || isStuck(unit, n, l.copies())
}

// isStuck reports whether a loop of a few letters stands in one word, as
// "-REF-REF-REF": laughter and genes have shorter passages, and digests none.
func isStuck(unit string, n int, copies float64) bool {
	if strings.Contains(unit+unit[:1], "</") {
		return false // listings end in tags that close
	}
	letters := 0
	for _, c := range unit {
		switch {
		case unicode.IsSpace(c), unicode.IsDigit(c), c == '\\': // \xff\xff
			return false
		case unicode.IsLetter(c):
			letters++
		}
	}
	return letters >= 3 && len(unit) <= 12 && n >= 32 && copies >= 8
}

// openLoop holds the thresholds for text of any kind. Verse has refrains,
// transcripts repeat commands, tables and matrices repeat cells, sources write
// long constants line by line: these have to repeat much longer than sentences
// in a row.
func openLoop(kind unitKind, n int, copies float64, atEnd, nearlyAll bool) bool {
	switch {
	case !atEnd && !nearlyAll && (!kind.letters || kind.cells || kind.lines):
		return n >= 2000 && copies >= 12 // stack traces, lines of sources, matrices
	case kind.constant:
		return copies >= 24
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
	cells   bool // of a table, or tags that close
	lines   bool // it holds a line end
	// constant is a line of a long string in a source: "..." +
	constant bool
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
	round := unit + unit[:min(len(unit), 4)]
	k.cells = k.cells || strings.Contains(round, "</")
	k.constant = strings.Count(unit, "\n") == 1 && strings.Contains(round, "\" +")
	return k
}

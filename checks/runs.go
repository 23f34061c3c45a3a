package checks

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How often one character may stand in a row. Measured on sources, manuals and
// licences: words drawn out, figures and placeholders (xxxx) reach 65, dividers of
// other characters than those for rules 79, borders of wide tables 300.
const (
	maxRunStrict  = 11   // in a closed answer
	maxRunOpen    = 23   // in any text
	maxRuleRun    = 200  // of characters that dividers are made of
	maxDenseRun   = 64   // inside hashes, encoded data, rows of emoji
	maxInnerRun   = 80   // of letters, digits and signs, with more text behind
	maxDivider    = 120  // of other signs, alone on a line, with more text behind
	maxBorder     = 1000 // of characters for rules, with more text behind
	runNeighbours = 2 << 10
	textBehind    = 40 // characters behind a run, to say that the text goes on
)

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
		corner := end < len(t.text) && (t.text[end] == '+' || t.text[end] == '|') // of a table, perhaps at the end
		if !t.strict && end-start > maxRuleRun && (corner || t.goesOn(r, end)) {
			return maxBorder
		}
		return maxRuleRun
	case t.strict:
		return maxRunStrict
	case unicode.Is(unicode.Digit, r) && t.goesOn(r, end) && t.isSparse(r, start, end):
		return maxInnerRun
	case unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r) || unicode.Is(unicode.Digit, r):
		return maxDenseRun
	case end-start <= maxRunOpen:
		return maxRunOpen
	case isAlphanumeric(r):
		// Runs inside a longer word: hashes, base64, sequences of bases.
		from, to := tokenAround(t.text, start, end)
		if to-from >= 2*(end-start) || isHexadecimal(t.text[from:to]) {
			return maxDenseRun
		}
		after, _ := utf8.DecodeRuneInString(t.text[end:])
		if t.goesOn(r, end) && t.isSparse(r, start, end) && !(after >= utf8.RuneSelf && unicode.IsLetter(after)) {
			return maxInnerRun // a word drawn out or a placeholder, and no letter of another script right behind
		}
	case isDivider(r) && t.goesOn(r, end) && (t.isEnclosed(start, end) || t.aloneOnLine(start, end) && t.isSparse(r, start, end)):
		return maxDivider
	case isDivider(r) && t.goesOn(r, end) && t.isSparse(r, start, end):
		return maxInnerRun
	}
	return maxRunOpen
}

// goesOn reports whether the text goes on behind a run of r, as it does not
// behind a decoder that is stuck. More runs of the same are no text.
func (t formText) goesOn(r rune, end int) bool {
	behind := t.text[end:min(end+runNeighbours, len(t.text))]
	return t.more && len(behind) < runNeighbours || visibleIn(behind)-strings.Count(behind, string(r)) >= textBehind
}

// isSparse reports whether most of the text around a run is something else.
func (t formText) isSparse(r rune, start, end int) bool {
	around := t.text[max(0, start-runNeighbours):min(end+runNeighbours, len(t.text))]
	return 2*strings.Count(around, string(r)) <= visibleIn(around)
}

// aloneOnLine reports whether nothing but what begins a comment stands on the
// line of a run.
func (t formText) aloneOnLine(start, end int) bool {
	before := t.text[max(0, start-runNeighbours):start]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	behind, _, _ := strings.Cut(t.text[end:min(end+runNeighbours, len(t.text))], "\n")
	return strings.Trim(before+behind, " \t\r/*#;%-") == ""
}

// isEnclosed reports whether a run stands between quotation marks, brackets or
// bars: a constant, or a bar of a drawing. Who is stuck does not close what was
// opened.
func (t formText) isEnclosed(start, end int) bool {
	const opening, closing = "\"'`([{<|", "\"'`)]}>|"
	if start == 0 || end >= len(t.text) {
		return false
	}
	i := strings.IndexByte(opening, t.text[start-1])
	return i >= 0 && t.text[end] == closing[i] && t.text[end] != t.text[start]
}

// isRule reports whether dividers and leaders are drawn with r.
func isRule(r rune) bool {
	return strings.ContainsRune("-=_*#~.·•…─━═–—‾¯", r) || r >= 0x2500 && r <= 0x259f
}

// isDivider reports whether r is a sign that sources draw dividers with now and
// then. Decoders that are stuck write exclamation and question marks.
func isDivider(r rune) bool {
	return r < utf8.RuneSelf && (unicode.IsPunct(r) || unicode.IsSymbol(r)) && r != '!' && r != '?'
}

func isAlphanumeric(r rune) bool {
	return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// isHexadecimal reports whether a word is a constant like 0x7fff, in quotation
// marks or not.
func isHexadecimal(word string) bool {
	word = strings.TrimLeft(word, "\"'`([{-+=")
	return strings.HasPrefix(word, "0x") || strings.HasPrefix(word, "0X")
}

// tokenAround extends [start, end) to the blanks and the letters of other
// alphabets around it, at most 4 KiB each way. Text in Chinese has no blanks,
// and is no part of a hash.
func tokenAround(text string, start, end int) (from, to int) {
	const reach = 4 << 10
	edge := func(c rune) bool { return c <= ' ' || c >= utf8.RuneSelf }
	from, to = max(start-reach, 0), min(end+reach, len(text))
	if i := strings.LastIndexFunc(text[from:start], edge); i >= 0 {
		_, size := utf8.DecodeRuneInString(text[from+i : start])
		from += i + size
	}
	if i := strings.IndexFunc(text[end:to], edge); i >= 0 {
		to = end + i
	}
	return from, to
}

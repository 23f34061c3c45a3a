package checks

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The edges of an answer are where single tokens go wrong most: a decoder that
// begins with a token of nobody's and recovers, a relay that loses the first
// piece or sends it or the last one twice. The seals are whole then, and what is
// wrong stands before the first or behind the last of them, where chatter stands
// too. It is told from chatter by three signs: the first line begins otherwise than
// all the others, a piece too short for a sentence has no word that a polite model
// would write, or a sign stands there that opens nothing.

const (
	maxEdge    = 3  // words; more are a sentence, and for the foreigncontent check
	minLeads   = 3  // lines from which on the first may be compared with the others
	maxLead    = 80 // bytes before a seal on its line
	openSigns  = "\"'“‘«「([{*_`-#>|•~=+<"
	closeSigns = ":.!?,;—–-)"
)

// bareWords are names of roles, channels and formats that belong to the chat format
// or a fence, and are alone on a line when the rest of it was lost.
var bareWords = map[string]bool{
	"user": true, "assistant": true, "system": true, "model": true, "final": true, "analysis": true,
	"json": true, "text": true, "plaintext": true, "markdown": true,
}

// edgeSlip finds a slip before the first or behind the last seal of an answer that
// holds all of them, and tells where and what it is.
func (s *subject) edgeSlip() (at int, what string, ok bool) {
	r := s.read(ChannelContent)
	starts, end := r.copies(len(s.seals))
	if len(starts) == 0 || slices.Contains(starts, -1) {
		return 0, "", false
	}
	first := starts[0]
	line := 1 + strings.LastIndexByte(r.text[:first], '\n')
	switch {
	case s.oddLead(r, starts) || len(starts) < minLeads && r.isBare(line, first):
		return line, "a slip at the beginning of the first line", true
	case r.isStump(0, line):
		return 0, "a token that is nobody's before the answer", true
	case strings.Contains(r.text[end:], "\n") && r.isStump(end, len(r.text)):
		return end, "a token that is nobody's behind the answer", true
	}
	return 0, "", false
}

// copies are the offsets at which each of n seals begins first, -1 for none, and
// the end of the last whole copy of any.
func (r *reading) copies(n int) (starts []int, end int) {
	starts = slices.Repeat([]int{-1}, n)
	for _, o := range r.seals {
		if !o.complete {
			continue
		}
		if starts[o.seal] < 0 {
			starts[o.seal] = r.words[o.from].Start
		}
		end = max(end, r.words[o.from+o.n-1].End)
	}
	return starts, end
}

// oddLead reports whether the first of several lines begins otherwise than the
// others do, their numbers apart, and not with a preface or an opening sign.
func (s *subject) oddLead(r *reading, starts []int) bool {
	if len(starts) < minLeads {
		return false
	}
	var leads []string
	for i, at := range starts {
		leads = append(leads, lead(r.text[max(0, at-maxLead):at], s.seals[i].number))
	}
	usual := leads[1]
	if slices.ContainsFunc(leads[2:], func(l string) bool { return l != usual }) || !strings.Contains(usual, "#") {
		return false
	}
	more, ok := strings.CutSuffix(leads[0], usual)
	if !ok || more == "" {
		return !ok
	}
	line := max(starts[0]-maxLead, 1+strings.LastIndexByte(r.text[:starts[0]], '\n'))
	indent := len(r.text[line:starts[0]]) - len(strings.TrimLeft(r.text[line:starts[0]], " \t"))
	return !r.isPreface(line+indent, more)
}

// lead is what stands before a seal on its line, with # for its number and
// without indentation, which is lost before the first line.
func lead(before string, number int) string {
	before = strings.TrimLeft(before[strings.LastIndexByte(before, '\n')+1:], " \t")
	to := 1 + strings.LastIndexFunc(before, unicode.IsDigit)
	from := 1 + strings.LastIndexFunc(before[:to], func(c rune) bool { return !unicode.IsDigit(c) })
	if before[from:to] != strconv.Itoa(number) {
		return before
	}
	return before[:from] + "#" + before[to:]
}

// isPreface reports whether what stands at a place before the number of the first
// line opens something, is polite, or is what chatter says before a sign.
func (r *reading) isPreface(at int, more string) bool {
	bare := strings.TrimSpace(more)
	words, polite := 0, 0
	for i := r.wordAt(at); i < len(r.words) && r.words[i].End <= at+len(more); i++ {
		if r.kinds[i] == unexplained || isNumber(r.words[i].Text) {
			return false
		}
		words++
		if r.kinds[i] == politeWord || selfWords[r.words[i].Text] { // OK
			polite++
		}
	}
	if words == 0 {
		return strings.Trim(bare, openSigns+" ") == ""
	}
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(bare, openSigns+" "))
	return polite == words || strings.ContainsRune(closeSigns, last)
}

// isBare reports whether what stands before the only seal on its line is one sign
// that closes what nothing opened, or one word that is no sentence and no name.
func (r *reading) isBare(start, end int) bool {
	before := strings.TrimSpace(r.text[start:end])
	i := r.wordAt(start)
	if i == len(r.words) || r.words[i].Start >= end {
		return before != "" && strings.Trim(before, "!),.;:?]}") == ""
	}
	return before == r.text[r.words[i].Start:r.words[i].End] && !selfWords[r.words[i].Text] &&
		(r.kinds[i] == neutralWord || r.kinds[i] == functionWord)
}

func isNumber(word string) bool {
	return strings.IndexFunc(word, func(c rune) bool { return !unicode.IsDigit(c) }) < 0
}

// isStump reports whether the text between two places is too short for chatter
// and none: signs that open nothing, or up to maxEdge words without a sign, none
// of them explained.
func (r *reading) isStump(start, end int) bool {
	text := strings.TrimSpace(r.text[start:end])
	if text == "" {
		return false
	}
	from := r.wordAt(start)
	to := from
	for to < len(r.words) && r.words[to].End <= end {
		if to++; to-from > maxEdge {
			return false
		}
	}
	switch {
	case to == from:
		first, _ := utf8.DecodeRuneInString(text)
		return start == 0 && strings.ContainsRune("!),.;:?]}", first)
	case bareWords[strings.ToLower(text)]:
		return start == 0
	case strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsSpace(c) }):
		return false
	}
	return !slices.ContainsFunc(r.kinds[from:to], func(k wordKind) bool { return k != unexplained })
}

package checks

import (
	"strings"
	"unicode/utf8"

	"crosstalk/corpus"
	"crosstalk/internal/words"
)

// No answer to our tasks is longer than some kilobytes, and a client reads up to
// sixteen megabytes. What is ours, whole markers, runs of their words and
// locators, is searched for in all of a text, at hundreds of megabytes a second.
// Reading word by word is a hundred times slower, so of a text longer than
// maxRead it is done in three windows, at the beginning, in the middle and at the
// end. That is said in a finding of its own, and such an answer is never sound.
const (
	maxRead    = 1 << 20   // bytes of a text that are read whole
	windowSize = 128 << 10 // bytes of a window of a longer one
	windowEdge = 256       // bytes in which a blank is looked for to cut at
)

// KindReadBudget is a text too long to be read word by word as a whole;
// inconclusive.
const KindReadBudget = "read_budget"

// windows are the parts of a text that are read, as ranges of bytes: all of it
// when it has at most whole bytes, else three of about size bytes.
func windows(text string, whole, size int) [][2]int {
	if len(text) <= whole {
		return [][2]int{{0, len(text)}}
	}
	middle := (len(text) - size) / 2
	return [][2]int{
		{0, cutBefore(text, size)},
		{cutAfter(text, middle), cutBefore(text, middle+size)},
		{cutAfter(text, len(text)-size), len(text)},
	}
}

// cutBefore is the place of the last blank before at, or of a character.
func cutBefore(text string, at int) int {
	if i := strings.LastIndexAny(text[at-windowEdge:at], " \n"); i >= 0 {
		return at - windowEdge + i
	}
	for range utf8.UTFMax {
		if utf8.RuneStart(text[at]) {
			break
		}
		at--
	}
	return at
}

// cutAfter is the place behind the first blank after at, or of a character.
func cutAfter(text string, at int) int {
	if i := strings.IndexAny(text[at:at+windowEdge], " \n"); i >= 0 {
		return at + i + 1
	}
	for range utf8.UTFMax {
		if utf8.RuneStart(text[at]) {
			break
		}
		at++
	}
	return at
}

// scanWindows is words.Scan of the windows of a text.
func scanWindows(text string) []words.Word {
	var all []words.Word
	for _, part := range windows(text, maxRead, windowSize) {
		found := words.Scan(text[part[0]:part[1]])
		if all == nil && part[0] == 0 {
			all = found
			continue
		}
		for _, w := range found {
			w.Start, w.End = w.Start+part[0], w.End+part[0]
			all = append(all, w)
		}
	}
	return all
}

// matcher is the part of a prompt that compares a text with it.
type matcher interface {
	Match(text string, min, budget int) (spans []corpus.Span, pages int)
}

// matchWindows is Match over the windows of a text.
func matchWindows(p matcher, text string, min, budget int) (all []corpus.Span, pages int) {
	for _, part := range windows(text, maxRead, windowSize) {
		spans, n := p.Match(text[part[0]:part[1]], min, budget)
		pages += n
		for _, sp := range spans {
			sp.Start, sp.End = sp.Start+part[0], sp.End+part[0]
			all = append(all, sp)
		}
	}
	return all, pages
}

// unread is the finding for the channels that were not read as a whole.
func (s *subject) unread() []Finding {
	var found []Finding
	for _, c := range contactChannels() {
		if n := len(s.text(c)); n > maxRead {
			found = append(found, Finding{
				Kind: KindReadBudget, Class: Inconclusive, Channel: c, Length: n,
				Detail: "too long to be read as a whole: markers were searched for in all of it, other text in its beginning, middle and end",
			})
		}
	}
	return found
}

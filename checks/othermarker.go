package checks

import (
	"regexp"
	"slices"
	"strings"

	"crosstalk/corpus"
)

// codeForm is three groups of a code and more.
var codeForm = regexp.MustCompile(`(?i)[0-9a-hjkmnp-tv-z]{5}(?:-[0-9a-hjkmnp-tv-z]{5}){2,}`)

// minOtherRun is how many marker words in a row, none of them ours, no chatter
// has: running text seldom has three.
const minOtherRun = 8

// otherMarker is where the content of a closed answer has something in the form
// of a marker that is neither its own nor verified: pieces of several markers in
// turn, or one that was spoilt. Whose it is cannot be told, only that it is no
// part of the answer.
func (s *subject) otherMarker() (start, end int, ok bool) {
	text := s.text(ChannelContent)
	if s.task() == "" || len(text) > maxRead {
		return 0, 0, false
	}
	runs, _ := s.strangeRuns(ChannelContent)
	for _, run := range runs {
		if len(run) >= minOtherRun && !s.inPassage(run[0].Start, run[len(run)-1].End) {
			return run[0].Start, run[len(run)-1].End, true
		}
	}
	return s.otherCode(text)
}

// inPassage reports whether a range of the content touches a passage of the own
// prompt.
func (s *subject) inPassage(start, end int) bool {
	return slices.ContainsFunc(s.passages(ChannelContent), func(p corpus.Span) bool { return p.Start < end && start < p.End })
}

func (s *subject) otherCode(text string) (start, end int, ok bool) {
	own := map[string]bool{}
	for _, e := range s.seals {
		for _, w := range e.words {
			own[w] = true
		}
	}
	for _, m := range codeForm.FindAllStringIndex(text, -1) {
		foreign := 0
		for _, group := range strings.Split(strings.ToLower(text[m[0]:m[1]]), "-") {
			if !own[group] && strings.ContainsAny(group, "0123456789") {
				foreign++
			}
		}
		if foreign >= 2 && !s.inMarker(ChannelContent, m[0], m[1]) {
			return m[0], m[1], true
		}
	}
	return 0, 0, false
}

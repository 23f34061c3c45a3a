package checks

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"crosstalk/probes"
	"crosstalk/probes/provider"
)

// emptyCheck sees tokens that were billed and text that never came: no visible
// character, far fewer or far more characters than the tokens counted, or only
// white space. An answer that thinking left no room for is not empty: that is
// a budget of ours, and could not tell.
type emptyCheck struct{}

func (emptyCheck) Name() string { return "empty" }

func (c emptyCheck) Run(in *Input) []Finding {
	return in.each(c.Name(), func(s *subject) []Finding {
		found := blankRuns(s)
		if noChoices(s.r) {
			return append(found, Finding{
				Kind: "no_choices", Class: Damaged, Channel: ChannelContent,
				Detail: "a success whose list of choices is empty",
			})
		}
		if s.r.Failure == nil {
			found = append(found, nothingVisible(s)...)
			found = append(found, misplaced(s)...)
			found = append(found, density(s)...)
		}
		return found
	})
}

// misplaced finds an answer that stands where no client looks: in another
// choice, in the refusal, in the reasoning, in a tool call that was not asked
// for. The content that a client reads is without it.
func misplaced(s *subject) []Finding {
	if len(s.seals) == 0 || s.complete() == len(s.seals) {
		return nil
	}
	for _, c := range formChannels() {
		if s.completeIn(s.text(c)) < len(s.seals) {
			continue
		}
		// Reasoning may lawfully hold the answer before it is given: only
		// without any answer is it misplaced.
		if c == ChannelContent || visibleIn(s.r.Content) == 0 && !s.cut() {
			return []Finding{{
				Kind: "misplaced", Class: Damaged, Channel: c,
				Detail: fmt.Sprintf("all %s are there, but not in the content", plural(len(s.seals), "seal")),
			}}
		}
	}
	return nil
}

// noChoices reports whether the client found a list of choices with nothing in
// it, and no error that explains it.
func noChoices(r *provider.Response) bool {
	if f := r.Failure; f != nil && f.Kind != provider.FailureMalformed {
		return false
	}
	return slices.ContainsFunc(r.Problems, func(p provider.Problem) bool { return p.Kind == "empty_choices" })
}

const (
	// freeTokens may be spent on nothing: role, end of turn, empty thinking.
	freeTokens = 8
	// minDensity and maxDensity bound visible characters for each token.
	// English has 3 to 5; long words of a closed list reach 7.
	minDensity = 0.5
	maxDensity = 12.0
	// minCounted is how many tokens or characters it takes to speak of a
	// ratio.
	minCounted      = 16
	minCountedChars = 200
)

// nothingVisible finds answers without a visible character.
func nothingVisible(s *subject) []Finding {
	if s.visible() > 0 {
		return nil
	}
	spent, billed := s.answerTokens()
	switch {
	case s.cut() && s.thought():
		return []Finding{{
			Kind: KindBudget, Class: Inconclusive, Channel: ChannelContent,
			Detail: "reasoning used up the tokens; nothing was left for an answer",
		}}
	case s.cutByWindow() && spent <= freeTokens:
		return nil // the finish check says so
	case billed && spent > freeTokens:
		return []Finding{{
			Kind: "empty", Class: Damaged, Channel: ChannelContent,
			Detail: fmt.Sprintf("%s counted for an answer without a visible character", plural(spent, "token")),
		}}
	case s.closed() && s.x.Intent.Expect != probes.ExpectRefusal:
		return []Finding{{
			Kind: "empty", Class: Damaged, Channel: ChannelContent,
			Detail: "a closed task was answered with nothing",
		}}
	default:
		return []Finding{{
			Kind: "silent", Class: Inconclusive, Channel: ChannelContent,
			Detail: "no answer, and none that had to come is known",
		}}
	}
}

// visible counts the characters a reader sees: content, refusal, tool calls.
func (s *subject) visible() int {
	if s.shown == nil {
		n := s.countVisible()
		s.shown = &n
	}
	return *s.shown
}

func (s *subject) countVisible() int {
	return visibleIn(s.r.Content) + visibleIn(s.r.Refusal) + visibleIn(s.text(ChannelToolName)) +
		visibleIn(s.text(ChannelToolArguments))
}

func visibleIn(text string) int {
	n := 0
	for _, r := range text {
		if r > ' ' && r < 0x7f || r >= 0x7f && !unicode.IsSpace(r) && unicode.IsGraphic(r) {
			n++
		}
	}
	return n
}

// answerTokens are the tokens counted for the answer, reasoning apart where it
// is counted.
func (s *subject) answerTokens() (n int, ok bool) {
	u := s.r.Usage
	if u == nil || u.Completion == nil {
		return 0, false
	}
	n = *u.Completion
	if u.Reasoning != nil && *u.Reasoning <= n {
		n -= *u.Reasoning
	}
	return n, true
}

// density compares visible characters with the tokens counted for them.
func density(s *subject) []Finding {
	spent, ok := s.answerTokens()
	n := s.visible()
	if !ok || n == 0 {
		return nil
	}
	if u := s.r.Usage; u.Reasoning == nil && s.r.Reasoning != "" {
		n += visibleIn(s.r.Reasoning) // counted with the answer
	}
	switch {
	case spent >= minCounted && float64(n) < minDensity*float64(spent) && !s.exact():
		return []Finding{{Kind: "thin", Class: Damaged, Channel: ChannelContent, Detail: fmt.Sprintf(
			"%s for %s: %.2f each, want at least %.1f", plural(n, "visible character"), plural(spent, "token"),
			float64(n)/float64(spent), minDensity)}}
	case spent >= 0 && dense(s, spent):
		class := Damaged
		if s.whole() {
			class = Degraded // all is there: only the count is wrong
		}
		return []Finding{{Kind: "dense", Class: class, Channel: ChannelContent, Detail: fmt.Sprintf(
			"%s for %s, want at most %.0f each", plural(n, "visible character"), plural(spent, "token"), maxDensity)}}
	}
	return nil
}

// dense reports whether there is more text than the tokens counted can hold.
// Runs of one character do not count: tokenizers have long tokens for them.
func dense(s *subject, spent int) bool {
	n := 0
	for _, c := range []Channel{ChannelContent, ChannelToolArguments} {
		n += varied(s.written(c))
	}
	return n >= minCountedChars && float64(n) > maxDensity*float64(spent)
}

// varied counts visible characters, at most four of a run of equal ones.
func varied(text string) int {
	n, run := 0, 0
	var last rune
	for _, r := range text {
		if r != last {
			last, run = r, 0
		}
		if run++; run <= 4 && !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}

const (
	// maxBlankRun is the longest lawful run of white space inside an
	// answer: grammars allow 8 or 64, pretty printers indent by about 40.
	maxBlankRun = 64
	// maxLineFeeds is the longest lawful run of empty lines.
	maxLineFeeds = 12
	// Open text has forms, drawings and verse.
	maxBlankRunOpen  = 128
	maxLineFeedsOpen = 24
)

// blankRuns finds the longest run of white space, if it is longer than lawful.
func blankRuns(s *subject) []Finding {
	blank, feeds := maxBlankRunOpen, maxLineFeedsOpen
	if s.closed() {
		blank, feeds = maxBlankRun, maxLineFeeds
	}
	var found []Finding
	for _, c := range []Channel{ChannelContent, ChannelReasoning, ChannelToolArguments} {
		text := s.written(c)
		start, end := longestBlank(text, blank, feeds)
		if end > start {
			found = append(found, Finding{
				Kind: "blank", Class: Damaged, Channel: c,
				Offset: start, Length: end - start, Detail: fmt.Sprintf(
					"a run of %s, of them %s", plural(runesIn(text, start, end), "blank"),
					plural(strings.Count(text[start:end], "\n"), "line feed")),
			})
		}
	}
	return found
}

// longestBlank returns the longest run of white space that is over the limits.
// A run that ends the text needs only maxBlankRun: nothing is indented by it. In
// open text a cell of a table, a bar behind it, may be as wide as a border.
func longestBlank(text string, blank, feeds int) (start, end int) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsSpace(r) {
			i += size
			continue
		}
		from, lines, n := i, 0, 0
		for i < len(text) {
			r, size := utf8.DecodeRuneInString(text[i:])
			if !unicode.IsSpace(r) {
				break
			}
			if r == '\n' {
				lines++
			}
			i, n = i+size, n+1
		}
		cell := blank == maxBlankRunOpen && lines == 0 && i < len(text) && text[i] == '|' && n <= maxBorder
		over := n > blank && !cell || lines > feeds || i == len(text) && n > maxBlankRun
		if over && i-from > end-start {
			start, end = from, i
		}
	}
	return start, end
}

package checks

import (
	"fmt"
	"slices"
	"strings"
)

// Kinds of the answer check, besides KindExtra and KindBudget.
const (
	KindExact     = "exact"      // sound: the right answer and nothing else
	KindChatter   = "chatter"    // sound: the right answer with polite words around it
	KindCopyError = "copy_error" // damaged: one word doubled, dropped, added or changed, or a slip at an edge
	KindMisplaced = "misplaced"  // damaged: the right answer stands in the reasoning only
	KindWrong     = "wrong"      // damaged: another answer
)

// answerCheck compares the whole answer with the one that is known. Equality
// after Normalize decides; "contains" is not enough, since a corrupt answer
// often contains the right one.
type answerCheck struct{}

func (answerCheck) Name() string { return "answer" }

func (c answerCheck) Run(in *Input) []Finding { return in.each(c.Name(), answerOf) }

func answerOf(s *subject) []Finding {
	if s.expected() == "" || s.r.Failure != nil || s.mannerOf() != answering {
		return nil
	}
	content, right := s.rightAnswer(), s.rightAnswer()
	if s.r.Content != s.expected() {
		content = normalizedHead(s.r.Content)
	}
	switch {
	case content == right && len(s.r.Content) <= maxRead && len(s.r.Extra) == 0:
		return s.answered(KindExact, Sound, "the right answer and nothing else")
	case content == "":
		return s.withoutContent()
	case s.holdsAnswer():
		return s.withMore(content, right)
	case len(s.seals) > 0:
		return s.extra() // which seals are lost is for recall to say
	default:
		return s.wrong(content, right)
	}
}

// normalizedHead is Normalize of a text, or of the beginning of a long one.
func normalizedHead(text string) string {
	if len(text) > maxRead {
		text = text[:windowSize]
	}
	return Normalize(text)
}

func (s *subject) answered(kind string, class Class, detail string) []Finding {
	return []Finding{{Kind: kind, Class: class, Channel: ChannelContent, Length: len(s.r.Content), Detail: detail}}
}

// withoutContent judges an answer with nothing in the content.
func (s *subject) withoutContent() []Finding {
	if s.cut() && s.thought() {
		return s.budget()
	}
	if len(s.r.Tools) > 0 {
		return []Finding{{
			Kind: KindWrong, Class: Damaged, Channel: ChannelToolArguments, Length: len(s.text(ChannelToolArguments)),
			Detail: "a tool call stands where the answer should",
		}}
	}
	if !s.read(ChannelReasoning).holdsAll(s) {
		return nil // the empty check says so
	}
	return []Finding{{
		Kind: KindMisplaced, Class: Damaged, Channel: ChannelReasoning, Length: len(s.r.Reasoning),
		Detail: "the right answer stands in the reasoning and the content is empty",
	}}
}

// budget is the finding for an answer cut after reasoning; recall has it where
// there are seals.
func (s *subject) budget() []Finding {
	if len(s.seals) > 0 || !s.contact().found {
		return nil
	}
	return s.answered(KindBudget, Inconclusive, "the answer was cut at the token limit after reasoning: give it more tokens or less reasoning")
}

func (s *subject) holdsAnswer() bool { return s.read(ChannelContent).holdsAll(s) }

// holdsAll reports whether the text has the whole right answer: every seal that
// decides, or all its words in a row.
func (r *reading) holdsAll(s *subject) bool {
	if len(s.seals) == 0 {
		right := seal{words: foldedWords(s.expected())}
		return slices.ContainsFunc(occurrences([]seal{right}, r.words), func(o occurrence) bool { return o.complete })
	}
	n := make([]int, len(s.seals))
	for _, o := range r.seals {
		if o.complete {
			n[o.seal]++
		}
	}
	if i := s.asked(); i >= 0 {
		return n[i] > 0
	}
	return !slices.Contains(n, 0)
}

// withMore judges a right answer with something around it. Where one seal
// decides, a slip in another is for the rate of misses.
func (s *subject) withMore(content, right string) []Finding {
	if kind := copyError(content, right); kind != "" && s.asked() < 0 && (kind != "added" || len(s.seals) == 0 && !s.chatterOnly()) {
		return s.answered(KindCopyError, Damaged, "the right answer with one word "+kind)
	}
	if at := s.glued(); at >= 0 {
		return []Finding{{
			Kind: KindCopyError, Class: Damaged, Channel: ChannelContent, Offset: at,
			Detail: "a word too many at the edge of a seal",
		}}
	}
	if at, what, ok := s.edgeSlip(); ok && s.asked() < 0 {
		return []Finding{{Kind: KindCopyError, Class: Damaged, Channel: ChannelContent, Offset: at, Detail: what}}
	}
	if found := s.extra(); found != nil {
		return found
	}
	return s.answered(KindChatter, Sound, "the right answer with chatter around it")
}

// chatterOnly reports whether every word around the answer is explained.
func (s *subject) chatterOnly() bool {
	return !slices.Contains(s.read(ChannelContent).kinds, unexplained)
}

// extra is the finding for unexplained text beside the answer.
func (s *subject) extra() []Finding {
	bound := minExtra
	if s.task() == "" {
		bound = minForeign // an open question invites an explanation
	}
	if start, end, ok := s.otherMarker(); ok {
		return []Finding{{
			Kind: KindExtra, Class: Damaged, Channel: ChannelContent, Offset: start, Length: end - start,
			Detail: "beside the answer stands what looks like a marker of ours and is none of this prompt",
		}}
	}
	r := s.read(ChannelContent)
	st := r.stretch()
	if st.score < bound {
		p, ok := r.strangest(minParagraphScore)
		if !ok || s.task() == "" {
			return nil
		}
		st = stretch{start: p.start, end: p.end, words: p.words, unexplained: p.unexplained}
	}
	return []Finding{{
		Kind: KindExtra, Class: Damaged, Channel: ChannelContent, Offset: st.start, Length: st.end - st.start,
		Detail: fmt.Sprintf("%.0f of %.0f words in a row beside the answer are neither ours nor chatter", st.unexplained, st.words),
	}}
}

// glued returns the offset of an unexplained word that touches a whole seal, on
// its line and without punctuation between, or of the same seal once more; -1 if
// there is none.
func (s *subject) glued() int {
	r := s.read(ChannelContent)
	for _, o := range r.seals {
		if !o.complete {
			continue
		}
		first, last := o.from, o.from+o.n-1
		if first > 0 && r.touches(first-1) && r.isGlue(first-1, first) {
			return r.words[first-1].Start
		}
		again := last+1 < len(r.words) && r.words[last+1].Text == r.words[first].Text
		if last+1 < len(r.words) && r.touches(last) && (again || r.isGlue(last+1, last)) {
			return r.words[last+1].Start
		}
	}
	return -1
}

// touches reports whether only blanks of one line stand behind a word.
func (r *reading) touches(word int) bool {
	return strings.Trim(r.text[r.words[word].End:r.words[word+1].Start], " \t") == ""
}

// isGlue reports whether a word beside the edge of a seal is a copying error:
// nothing explains it, or it is the edge once more.
func (r *reading) isGlue(word, edge int) bool {
	return r.kinds[word] == unexplained || r.words[word].Text == r.words[edge].Text
}

// wrong judges an answer that is not the right one.
func (s *subject) wrong(content, right string) []Finding {
	if s.cut() && s.thought() {
		return s.budget()
	}
	if s.cutByWindow() {
		return nil // the finish check says so
	}
	if kind := copyError(content, right); kind != "" {
		return s.answered(KindCopyError, Damaged, "the right answer with one word "+kind)
	}
	return s.answered(KindWrong, Damaged, "another answer than the right one")
}

// copyError names the difference of two texts of at least two words that are
// one word apart: "doubled", "dropped", "changed" or "added". It is "" when they
// differ more.
func copyError(got, want string) string {
	g, w := strings.Fields(got), strings.Fields(want)
	if len(w) < 2 {
		return ""
	}
	head := 0
	for head < len(g) && head < len(w) && g[head] == w[head] {
		head++
	}
	g, w = g[head:], w[head:]
	for len(g) > 0 && len(w) > 0 && g[len(g)-1] == w[len(w)-1] {
		g, w = g[:len(g)-1], w[:len(w)-1]
	}
	switch {
	case len(g) == 1 && len(w) == 1:
		return "changed"
	case len(g) == 0 && len(w) == 1:
		return "dropped"
	case len(g) == 1 && len(w) == 0:
		all := strings.Fields(want)
		if head > 0 && all[head-1] == g[0] || head < len(all) && all[head] == g[0] {
			return "doubled"
		}
		return "added"
	}
	return ""
}

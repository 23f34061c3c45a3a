package checks

import "fmt"

// Kinds of foreign content beside an answer.
const (
	KindForeignText    = "foreign_text"    // foreign: running text our prompt cannot explain
	KindForeignPrivate = "foreign_private" // foreign: and with an address, number or key in it
	KindExtra          = "extra"           // damaged: unexplained text, too little to say whose
)

// Bounds on the score of a stretch, in nats; see reading.stretch. Measured:
//
//   - lawful texts that the register was not made with (testdata/lawful):
//     chatter stays below 10; one train of thought below 11 in 11 cases of 13 and
//     below 18 in all, 900 words of the most colourful ones in a row reach 35;
//   - strangers of 25 words and more: letters, records, homework, small talk are
//     above 10 in content in 99.5 cases of 100 and above 12 in reasoning in 96.
//     Software manuals, whose vocabulary is nearest to that of chatter, are in
//     82 and 57; they are told by their paragraphs, see strangest.
//
// In long reasoning the score grows with the length, hence the share, and the
// growth of the bound.
const (
	minExtra            = 10.0
	minExtraReasoning   = 12.0
	extraGrowth         = 0.08 // for each word of the stretch, in reasoning
	minForeign          = 28.0
	minForeignReasoning = 32.0
	minForeignWords     = 14   // unexplained words of the stretch
	minForeignShare     = 0.25 // and their share of it
	minExtraShare       = 0.15 // the same for extra text in reasoning
)

// foreignContent looks for a stranger's text in answers that have contact with
// our prompt: appended to a right answer, spliced into it, or in the reasoning.
// What explains a word is our answer, our prompt, or the vocabulary of chatter;
// what nothing explains is judged by the densest stretch of it.
type foreignContent struct{}

func (foreignContent) Name() string { return "foreigncontent" }

func (c foreignContent) Run(in *Input) []Finding { return in.each(c.Name(), foreignContentOf) }

func foreignContentOf(s *subject) []Finding {
	if !s.closed() || !s.contact().found {
		return nil // nothing of ours in it: the contact check judges it
	}
	var found []Finding
	for _, c := range contactChannels() {
		if f, ok := s.foreignIn(c); ok {
			found = append(found, f)
		}
	}
	return found
}

func (s *subject) foreignIn(c Channel) (Finding, bool) {
	open := s.task() == ""
	if open && c == ChannelReasoning {
		return Finding{}, false // reasoning about an open question may say anything
	}
	r := s.strange(c)
	st := r.stretch()
	f := Finding{Channel: c, Offset: st.start, Length: st.end - st.start}
	what := fmt.Sprintf("%.0f of %.0f words in a row that neither our prompt nor chatter explains", st.unexplained, st.words)
	extra, foreign := minExtraReasoning+extraGrowth*st.words, minForeignReasoning
	if c != ChannelReasoning {
		extra, foreign = minExtra, minForeign
	}
	if c == ChannelReasoning && r.company(st.from, st.to) {
		extra += natsCompany
	}
	share := st.unexplained / max(1, st.words)
	noise := noiseShare(r.text[st.start:st.end]) >= 0.5
	switch {
	case noise:
		return f, false
	case st.secrets > 0 && st.score >= minForeign:
		f.Kind, f.Class = KindForeignPrivate, Foreign
		f.Detail = what + ", with what looks like private data"
	case !open && st.score >= foreign && st.unexplained >= minForeignWords && share >= minForeignShare:
		f.Kind, f.Class, f.Detail = KindForeignText, Foreign, what
	case c == ChannelContent:
		return f, false // extra text in the content is for the answer check
	case st.score >= extra && share >= minExtraShare:
		f.Kind, f.Class, f.Detail = KindExtra, Damaged, what
	default:
		return r.distantParagraph(c)
	}
	return f, true
}

// distantParagraph is the finding for a paragraph without contact in reasoning
// or tool arguments.
func (r *reading) distantParagraph(c Channel) (Finding, bool) {
	p, ok := r.strangest(minParagraphThought)
	return Finding{
		Kind: KindExtra, Class: Damaged, Channel: c, Offset: p.start, Length: p.end - p.start,
		Detail: fmt.Sprintf("a paragraph of %.0f words, %.0f of them unexplained, without contact with the task", p.words, p.unexplained),
	}, ok
}

package checks

import "fmt"

// Kinds of foreign content beside an answer.
const (
	KindForeignText    = "foreign_text"    // foreign: running text our prompt cannot explain
	KindForeignPrivate = "foreign_private" // foreign: and with an address, number or key in it
	KindExtra          = "extra"           // damaged: unexplained text, too little to say whose
)

// Bounds on the score of a stretch, in nats; see reading.stretch. The scores of
// chatter fall off by a factor e for each nat. Measured on the lawful answers of
// the tests: 95 % below 6, all below 10 in content and in reasoning; on 25 words
// of strangers: 99 % above 25 for letters and records, 95 % above 7 for software
// manuals, whose vocabulary is nearest to that of chatter.
const (
	minExtra          = 9.0
	minExtraReasoning = 10.0
	minForeign        = 28.0 // some forty running words
	minForeignWords   = 14   // unexplained ones among them
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
	noise := noiseShare(r.text[st.start:st.end]) >= 0.5
	switch {
	case noise:
		return f, false
	case st.secrets > 0 && st.score >= minForeign:
		f.Kind, f.Class = KindForeignPrivate, Foreign
		f.Detail = what + ", with what looks like private data"
	case !open && st.score >= minForeign && st.unexplained >= minForeignWords:
		f.Kind, f.Class, f.Detail = KindForeignText, Foreign, what
	case c != ChannelContent && st.score >= minExtraReasoning:
		f.Kind, f.Class, f.Detail = KindExtra, Damaged, what
	default:
		return f, false // extra text in the content is for the answer check
	}
	return f, true
}

package checks

import (
	"fmt"

	"crosstalk/corpus"
)

// Kinds of the contact check.
const (
	KindNoContact = "no_contact" // foreign: nothing of it is from our prompt
	KindDenial    = "denial"     // damaged: "there are no seals", as after truncation
	KindRefusal   = "refusal"    // inconclusive: refused for reasons of policy
	KindErrorText = "error_text" // inconclusive: an error message as the answer
)

// minReadable is how many words of running text without contact are a stranger's
// text rather than a stray remark.
const minReadable = 12

// contactCheck asks whether the answer came from our prompt at all. A fluent
// text in which nothing is ours, in answer to a question that can only be
// answered from our document, is what stale memory of a stranger looks like.
type contactCheck struct{}

func (contactCheck) Name() string { return "contact" }

func (c contactCheck) Run(in *Input) []Finding {
	return in.each(c.Name(), func(s *subject) []Finding { return append(contactOf(s), s.unread()...) })
}

func contactOf(s *subject) []Finding {
	switch s.mannerOf() {
	case refusing:
		return []Finding{{
			Kind: KindRefusal, Class: Inconclusive, Channel: ChannelContent, Length: len(s.text(ChannelContent)),
			Detail: "the target refused for reasons of policy",
		}}
	case failing:
		return []Finding{{
			Kind: KindErrorText, Class: Inconclusive, Channel: ChannelContent, Length: len(s.text(ChannelContent)),
			Detail: "an error message stands where the answer should",
		}}
	case denying:
		if !s.closed() {
			return nil // who asked for nothing of ours may well have nothing
		}
		return []Finding{{
			Kind: KindDenial, Class: Damaged, Channel: ChannelContent, Length: len(s.text(ChannelContent)),
			Detail: "the answer says that there is nothing to answer: the prompt did not arrive whole",
		}}
	}
	if !s.closed() || s.contact().found {
		return nil
	}
	return s.noContact()
}

// noContact is the finding for the channel that holds most of a readable text,
// if there is enough of it and it is not noise.
func (s *subject) noContact() []Finding {
	var most Channel
	total, longest := 0.0, 0.0
	for _, c := range contactChannels() {
		r := s.strange(c)
		n := 0.0
		if noise := noiseShare(r.text); noise < 0.5 {
			n = r.readable() * (1 - noise)
		}
		total += n
		if n > longest {
			most, longest = c, n
		}
	}
	if total < minReadable {
		return nil
	}
	if s.task() == "" && s.read(most).stretch().score < minExtra {
		return nil // an open question, answered in its own words
	}
	return []Finding{{
		Kind: KindNoContact, Class: Foreign, Channel: most, Length: len(s.text(most)),
		Detail: fmt.Sprintf("%.0f words of readable text, none of them from our prompt: possibly a stranger's", total),
	}}
}

// contactChannels are the channels in which contact counts, and its lack.
func contactChannels() []Channel {
	return []Channel{ChannelContent, ChannelReasoning, ChannelToolArguments}
}

// contact is the evidence that an answer came from its prompt.
type contact struct {
	found bool
	how   string
}

// contact looks for the cheap evidence first.
func (s *subject) contact() contact {
	if s.touch == nil {
		s.touch = &contact{}
		for _, find := range []func(Channel) string{s.ownMarker, s.ownWords, s.ownLocator, s.ownPassage} {
			for _, c := range contactChannels() {
				if how := find(c); how != "" {
					s.touch = &contact{true, how}
					return *s.touch
				}
			}
		}
	}
	return *s.touch
}

func (s *subject) ownMarker(c Channel) string {
	for _, h := range s.markers(c) {
		if s.isOwn(h) {
			return "an own marker"
		}
	}
	return ""
}

func (s *subject) ownWords(c Channel) string {
	r := s.read(c)
	if len(r.seals) > 0 {
		return "words of an own marker in a row"
	}
	if r.strewn {
		return "words of the right answer in a row, with letters strewn in"
	}
	if len(s.seals) == 0 && r.holds(s.expected()) {
		return "words of the right answer in a row"
	}
	return ""
}

// contentHolds reports whether the content has a part of a right answer that is
// not made of seals.
func (s *subject) contentHolds() bool {
	return len(s.seals) == 0 && s.read(ChannelContent).holds(s.expected())
}

// holds reports whether the right answer, or three words of it in a row, stand
// in the text.
func (r *reading) holds(expected string) bool {
	right := seal{words: foldedWords(expected)}
	return len(right.words) > 0 && len(occurrences([]seal{right}, r.words)) > 0
}

func (s *subject) ownLocator(c Channel) string {
	for _, l := range s.locators(c) {
		if s.ownsLocator(l) {
			return "an own locator"
		}
	}
	return ""
}

// ownsLocator reports whether a locator is of the exchange's own prompt or of
// the prefix it shares with others.
func (s *subject) ownsLocator(l corpus.Locator) bool {
	if s.codec() == nil {
		return false
	}
	for _, k := range s.ownKeys() {
		if k.Hash() == l.Request && k.Verify(l) {
			return true
		}
	}
	return false
}

func (s *subject) ownKeys() []corpus.Key {
	var keys []corpus.Key
	for p := range s.own {
		keys = append(keys, s.codec().PromptKey(p))
	}
	if p := s.x.Intent.Spec.Prefix; p != nil {
		keys = append(keys, p.Key)
	}
	return keys
}

func (s *subject) ownPassage(c Channel) string {
	for _, p := range s.passages(c) {
		if p.Words >= minPassage {
			return "a passage of our prompt"
		}
	}
	return ""
}

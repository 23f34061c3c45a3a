package checks

import (
	"io"
	"maps"
	"strings"
	"unicode/utf8"

	"crosstalk/corpus"
	"crosstalk/internal/words"
)

// Form rules look at a text alone: runs, loops, scripts, encoding, markup.
// They say why an answer is wrong, seldom that it is. On ordinary text they
// are easily fooled (a divider, a refrain, a table of zeros), so each has two
// settings. On a closed task, where the right answer is known and made of known
// characters, it is strict. On an open or recorded text it has the thresholds
// that lawful text was measured not to reach. And none speaks when the right
// answer, and nothing else, is there.

// flaw is what a form rule saw in a text.
type flaw struct {
	kind       string
	start, end int
	detail     string // what was seen, in numbers, for a person
}

// formText is a text for a form rule to look at.
type formText struct {
	text    string
	channel Channel
	strict  bool   // of a closed task
	whole   bool   // every seal asked for is in the content
	more    bool   // the text goes on behind this part of it
	given   string // what the prompt and the right answer give the model to repeat
	right   string // the right answer, "" when not known
}

// formChannels are the channels form rules look at.
func formChannels() []Channel {
	return []Channel{ChannelContent, ChannelReasoning, ChannelToolName, ChannelToolArguments}
}

// judgeForm runs a rule over the texts of one exchange and turns its flaws into
// damage. A flaw that the prompt itself, or the right answer, has too is the
// prompt's.
func judgeForm(s *subject, rule func(formText) []flaw) []Finding {
	if s.exact() {
		return nil
	}
	t := formText{whole: s.whole(), given: s.given(), right: s.expected()}
	var ours map[string]bool
	var found []Finding
	for _, c := range formChannels() {
		t.text, t.channel = s.written(c), c
		// Reasoning is open text: it talks of formats, changes language
		// and goes over its material until it has the answer.
		t.strict = s.closed() && c != ChannelReasoning
		if t.text == "" || c == ChannelReasoning && t.whole {
			continue
		}
		flaws := t.flaws(rule)
		if len(flaws) > 0 && ours == nil {
			ours = kindsOf(rule(formText{text: t.given, channel: ChannelContent}))
		}
		for _, f := range flaws {
			if !ours[f.kind] {
				found = append(found, f.finding(c, Damaged))
			}
		}
	}
	return found
}

// flaws runs a rule over the windows of a text. A flaw of a kind that an earlier
// window had is the same flaw.
func (t formText) flaws(rule func(formText) []flaw) []flaw {
	text, kinds := t.text, map[string]bool{}
	var found []flaw
	for _, part := range windows(text, maxRead, windowSize) {
		t.text, t.more = text[part[0]:part[1]], part[1] < len(text)
		new := rule(t)
		for _, f := range new {
			if !kinds[f.kind] {
				f.start, f.end = f.start+part[0], f.end+part[0]
				found = append(found, f)
			}
		}
		maps.Copy(kinds, kindsOf(new))
	}
	return found
}

// written is the text of a channel that the model wrote as its answer. Other
// choices, refusals and stray pieces of the wire follow it in the channel's
// text: they are searched for what is not ours, and not judged by their form.
func (s *subject) written(c Channel) string {
	if c == ChannelContent {
		return s.r.Content
	}
	return s.text(c)
}

func (f flaw) finding(c Channel, class Class) Finding {
	return Finding{
		Kind: f.kind, Class: class, Channel: c,
		Offset: f.start, Length: f.end - f.start, Detail: f.detail,
	}
}

func kindsOf(flaws []flaw) map[string]bool {
	kinds := map[string]bool{}
	for _, f := range flaws {
		kinds[f.kind] = true
	}
	return kinds
}

// exact reports whether the content is the right answer and nothing else. An
// answer padded to more than twice its length is not.
func (s *subject) exact() bool {
	want := s.expected()
	got := s.text(ChannelContent)
	if want == "" || len(got) > 2*len(want)+64 || len(s.r.Tools) > 0 {
		return false
	}
	return got == want || Normalize(got) == s.rightAnswer()
}

// whole reports whether everything asked for is in the content, whatever else
// is: the prompt was read.
func (s *subject) whole() bool {
	if s.expected() == "" {
		return false
	}
	if len(s.seals) == 0 {
		return s.exact()
	}
	return s.complete() == len(s.seals)
}

// complete counts the seals that are in the content word for word. Other
// choices and what followed the end do not count: no client reads them.
func (s *subject) complete() int {
	if s.completed == nil {
		n := s.completeIn(s.r.Content)
		s.completed = &n
	}
	return *s.completed
}

// maxSearched bounds the text that is searched for seals. No answer to our tasks
// is longer than a few kilobytes.
const maxSearched = 256 << 10

// completeIn counts the seals that are in a text word for word.
func (s *subject) completeIn(text string) int {
	seen := map[int]bool{}
	for _, o := range s.sealIndex().in(words.Scan(text[:min(len(text), maxSearched)])) {
		if o.complete {
			seen[o.seal] = true
		}
	}
	return len(seen)
}

// sampleSize is how much of a prompt's beginning is read to learn what it is
// written in.
const sampleSize = 8 << 10

// given is the text that the model may repeat without fault: the question, the
// right answer, and the prompt as far as it is at hand.
func (s *subject) given() string {
	if s.x.Prompt == nil {
		return ""
	}
	if t, ok := s.x.Prompt.(corpus.Text); ok {
		return t.Prompt + "\n" + t.Answer
	}
	var b strings.Builder
	b.WriteString(s.x.Prompt.Question() + "\n" + s.x.Prompt.Expected() + "\n")
	if p, ok := s.x.Prompt.(interface{ Reader() io.Reader }); ok {
		sample, err := io.ReadAll(io.LimitReader(p.Reader(), sampleSize))
		if err == nil {
			b.WriteString(strings.ToValidUTF8(string(sample), ""))
		}
	}
	return b.String()
}

// runesIn counts the characters of a passage.
func runesIn(text string, start, end int) int { return utf8.RuneCountInString(text[start:end]) }

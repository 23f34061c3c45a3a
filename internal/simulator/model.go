package simulator

import (
	"maps"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// answer is what the model says, before any damage on the way out.
type answer struct {
	reasoning, content string
	// sources are the writers of the pages from which the content was taken.
	sources []*origin
	kind    kind
	// stop is a forced finish reason, "" for the natural one.
	stop string
}

// kind is what the model did.
type kind uint8

const (
	kindBlank    kind = iota // had nothing to read
	kindRecall               // answered a question it found, whole
	kindMissed               // answered, but overlooked or bent a seal
	kindNone                 // found a question and nothing to answer it with
	kindContinue             // found no question and went on with the text
	kindRefusal              // refused on policy
)

// model answers from a reading. It is as good as its profile.
type model struct {
	profile     Profile
	rng         *rand.Rand
	thinkingOff bool
}

// answer is what the model makes of its pages; tokens is the length of the
// context as it sees it.
func (m model) answer(r *reading, tokens int) answer {
	if len(r.text) == 0 {
		return answer{content: pick(m.rng, blanks()), kind: kindBlank}
	}
	if m.rng.Float64() < m.profile.Refuse {
		return answer{content: pick(m.rng, refusals()), kind: kindRefusal}
	}
	q := r.question()
	if !q.found {
		return m.goOn(r)
	}
	a := m.recall(r, q, tokens)
	if (!m.thinkingOff || m.profile.Stubborn) && m.rng.Float64() < m.profile.Think {
		a.reasoning = m.thoughts(a.content)
	}
	return a
}

// blanks are what a model says when its context is empty.
func blanks() []string {
	return []string{"", "\n", "I", "The", "0", ".", "<", "1.", "The the", ":", "\n\n", "You", "Yes", "A"}
}

// recall answers a question from the seals in the pages. Where a number
// occurs twice, the line nearest before the question counts.
func (m model) recall(r *reading, q question, tokens int) answer {
	list := known(r, q)
	lost := m.lost(list, q, tokens)
	sort.Slice(list, func(i, j int) bool {
		if a, b := list[i].number == q.first, list[j].number == q.first; a != b {
			return a
		}
		return list[i].number < list[j].number
	})
	if q.repeat && len(list) > 1 {
		list = list[:1]
	}

	a := answer{kind: kindRecall}
	var said []seal
	for _, s := range list {
		if lost[s.number] {
			a.kind = kindMissed
			if s.text = m.blur(s.text); s.text == "" {
				continue
			}
		}
		said = append(said, s)
		for _, o := range r.origins(s.at, s.at+len(s.text)) {
			a.sources = appendNew(a.sources, o)
		}
	}
	if len(said) == 0 {
		if a.kind == kindRecall {
			a.kind = kindNone
		}
		a.content = pick(m.rng, notFound())
		return a
	}
	a.content = m.write(said, q)
	return a
}

// known are the seals that a question is about, in order of depth. A question
// for one code means the code line, or a seal if there is none.
func known(r *reading, q question) []seal {
	byNumber := map[int]seal{}
	for _, s := range r.seals() {
		if s.at < q.at && (s.number > 0 || q.repeat) {
			byNumber[s.number] = s
		}
	}
	list := slices.Collect(maps.Values(byNumber))
	sort.Slice(list, func(i, j int) bool { return list[i].at < list[j].at })
	return list
}

// lost draws which seals are overlooked. Neighbours in depth share their luck:
// a chain in which each seal repeats the fate of the one before with
// probability Cluster and else draws its own, so that the rate stays Miss.
func (m model) lost(list []seal, q question, tokens int) map[int]bool {
	rate := m.profile.missAt(tokens)
	if rate == 0 {
		return nil
	}
	lost := map[int]bool{}
	last := m.rng.Float64() < rate
	for _, s := range list {
		if m.rng.Float64() >= m.profile.Cluster {
			last = m.rng.Float64() < rate
		}
		if q.repeat || s.number == q.first {
			lost[s.number] = m.rng.Float64() < rate*m.profile.MissFirst
			continue
		}
		lost[s.number] = last
	}
	return lost
}

// blur is what is left of a seal that the model overlooked: mostly nothing,
// sometimes its first words, sometimes all but one.
func (m model) blur(text string) string {
	parts := strings.Fields(text)
	switch n := m.rng.IntN(10); {
	case n < 7 || len(parts) < 4:
		return ""
	case n < 9:
		return strings.Join(parts[:1+m.rng.IntN(len(parts)-1)], " ")
	}
	drop := m.rng.IntN(len(parts))
	return strings.Join(append(parts[:drop:drop], parts[drop+1:]...), " ")
}

// write puts seals into the form asked for, or, if chatty, into another one.
func (m model) write(said []seal, q question) string {
	if m.rng.Float64() < m.profile.Chatty {
		return chat(m.rng, said, q)
	}
	if q.repeat {
		return said[0].text
	}
	return plainList(said)
}

// goOn continues the text of the pages from a place somewhere in them, as a
// model does whose context holds text and no task: 40 to 200 words.
func (m model) goOn(r *reading) answer {
	start := m.place(r)
	want := 40 + m.rng.IntN(161)
	end, count := start, 0
	for end < len(r.text) && count < want && end-start < want*8 {
		if r.text[end] == ' ' || r.text[end] == '\n' {
			count++
		} else if r.text[end] >= 0xE0 { // an ideograph is half a word
			count += int(r.text[end]) & m.rng.IntN(2)
		}
		end++
	}
	for end < len(r.text) && !utf8.RuneStart(r.text[end]) {
		end++
	}
	text := strings.ToValidUTF8(string(r.text[start:end]), "")
	text = strings.TrimSpace(text)
	if text == "" {
		return answer{content: pick(m.rng, blanks()), kind: kindBlank}
	}
	return answer{content: text, kind: kindContinue, sources: r.origins(start, end)}
}

// place draws a page and returns the offset of the first sentence or line that
// begins in it, or of a word if none does.
func (m model) place(r *reading) int {
	start := 0
	for range 64 { // most pages hold text; blank ones are tried again
		i := m.rng.IntN(len(r.starts))
		if start = r.starts[i]; i+1 == len(r.starts) || r.starts[i+1] > start {
			break
		}
	}
	limit := min(len(r.text), start+200)
	word := start
	for i := start; i < limit; i++ {
		c := r.text[i]
		if c == '\n' || c == ' ' && i > 0 && (r.text[i-1] == '.' || r.text[i-1] == '?') {
			return i + 1
		}
		if c == ' ' && word == start {
			word = i + 1
		}
	}
	for word < len(r.text) && !utf8.RuneStart(r.text[word]) {
		word++
	}
	return word
}

// pick draws one of a list.
func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

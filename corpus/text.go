package corpus

import "crosstalk/internal/words"

// Text is a prompt known only as text, with the right answer where it is
// known: what inspect has of a recorded exchange. It answers the same
// questions as Prompt.
type Text struct {
	Prompt string // may be empty
	Answer string // "" when not known
	Kind   Task   // "" when not known
}

// Size is the size of the prompt in bytes, 0 when it is not known.
func (t Text) Size() int64 { return int64(len(t.Prompt)) }

// Task is what the prompt asks for, "" when it is not known.
func (t Text) Task() Task { return t.Kind }

// Question is always "": where the question stands in the text is not known.
func (t Text) Question() string { return "" }

// Expected is the right answer, "" when it is not known.
func (t Text) Expected() string { return t.Answer }

// Markers is always nil: a text is not known by its markers.
func (t Text) Markers() []Marker { return nil }

// Match returns the maximal passages of text, of at least so many folded words,
// that stand anywhere in the prompt, as Prompt.Match does. A text has no pages:
// it is read whole, whatever the budget, and counts as one.
func (t Text) Match(text string, least, budget int) (spans []Span, pages int) {
	m := newMatcher(words.Scan(text), least)
	if m.hopeless() || t.Prompt == "" {
		return nil, 0
	}
	scanner := words.NewScanner(t.Prompt)
	for {
		w, ok := scanner.Next()
		if !ok {
			return m.spans(), 1
		}
		m.step(find(&m.vocabulary, hashOf(w.Text), w.Text), int64(w.Start))
	}
}

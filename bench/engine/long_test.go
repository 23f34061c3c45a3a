//go:build long

package engine

import (
	"testing"

	"crosstalk/corpus"
)

// TestLongCopyRate is the measurement that docs/real-engines.md quotes: 5,000
// codes on a sound engine, spread over filler families with and without
// locators, in prompts of about 600 tokens.
func TestLongCopyRate(t *testing.T) {
	s := engineFor(t)
	list := arms()
	const codes = 5000
	for _, a := range list {
		t.Run(a.name, func(t *testing.T) {
			n := codes / len(list)
			a.spec.Sentences = corpus.Sentences(a.spec, 600)
			exact, wrong := copied(t.Context(), t, s, a.spec, n)
			t.Logf("%s, %d sentences: %d of %d codes exact", a.name, a.spec.Sentences, exact, n)
			for _, w := range wrong {
				t.Log(w)
			}
			// A code with two groups that begin alike can mislead this
			// model: 3 in 1,000 without locators.
			if exact < n*99/100 {
				t.Errorf("%d of %d codes exact, want 99 %%", exact, n)
			}
		})
	}
}

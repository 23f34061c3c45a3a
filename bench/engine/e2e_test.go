//go:build e2e

package engine

import (
	"testing"

	"crosstalk/corpus"
)

// TestE2ECopyRate asks a sound engine for 60 codes in prompts of all kinds. A
// code that does not come back would be damage in every later measurement; this
// model loses about 3 in 1,000 of those without locators (TestLongCopyRate), and
// more than 3 of 15 once in ten million runs.
func TestE2ECopyRate(t *testing.T) {
	s := engineFor(t)
	for _, a := range arms() {
		t.Run(a.name, func(t *testing.T) {
			n := 60 / len(arms())
			exact, wrong := copied(t.Context(), t, s, a.spec, n)
			t.Logf("%s, %d sentences: %d of %d codes exact", a.name, a.spec.Sentences, exact, n)
			for _, w := range wrong {
				t.Log(w)
			}
			if len(wrong) > 3 {
				t.Errorf("%d of %d codes did not come back", len(wrong), n)
			}
		})
	}
}

// TestE2EUnsound asks an engine whose KV cache is rounded to four bits: hardly
// a code survives, so the measurement above can fail. Prompts are short, since
// such a cache is slow.
func TestE2EUnsound(t *testing.T) {
	s := engineFor(t, "-fa", "on", "-ctk", "q4_0", "-ctv", "q4_0")
	spec := arms()[0].spec
	spec.Sentences = corpus.Sentences(spec, 400)
	const n = 8
	exact, _ := copied(t.Context(), t, s, spec, n)
	t.Logf("%d of %d codes exact with a cache of four bits", exact, n)
	if exact > n/2 {
		t.Error("want at most half of them exact")
	}
}

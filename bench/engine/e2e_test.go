//go:build e2e

package engine

import "testing"

// TestE2ECopyRate asks a sound engine for 200 codes in prompts of all kinds. A
// code that does not come back would be damage in every later measurement.
func TestE2ECopyRate(t *testing.T) {
	s := start(t)
	for _, a := range arms() {
		t.Run(a.name, func(t *testing.T) {
			n := 200 / len(arms())
			exact, wrong := copied(t.Context(), t, s, a.spec, n)
			t.Logf("%s, %d sentences: %d of %d codes exact", a.name, a.spec.Sentences, exact, n)
			for _, w := range wrong {
				t.Error(w)
			}
		})
	}
}

// TestE2EUnsound asks an engine whose KV cache is rounded to four bits: hardly
// a code survives, so the measurement above can fail.
func TestE2EUnsound(t *testing.T) {
	s := start(t, "-fa", "on", "-ctk", "q4_0", "-ctv", "q4_0")
	const n = 20
	if exact, _ := copied(t.Context(), t, s, arms()[0].spec, n); exact > n/2 {
		t.Errorf("%d of %d codes exact with a cache of four bits", exact, n)
	}
}

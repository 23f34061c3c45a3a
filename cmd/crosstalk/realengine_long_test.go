//go:build long

package main

import "testing"

// TestLongRealEngine: at least 500 exchanges by four tenants, one to sixteen at
// once, on a sound engine: no leak, no foreign, and no damage, since the engine
// copies every code (TestLongCopyRate in bench/engine). The window is stated as
// a quarter of the slot's, so that prompts are short: a byte is a token, and one
// thread reads a thousand of them a second on a busy machine.
func TestLongRealEngine(t *testing.T) {
	s := realEngine(t, slotWindow/4)
	sent := 0
	for seed := uint64(1); sent < 500; seed++ {
		sum := s.validate(t, seed, "--only", "pulse=20,burst=6")
		mustBeSound(t, sum)
		sent += sum.Totals.Sent
	}
	t.Logf("%d exchanges in all", sent)
}

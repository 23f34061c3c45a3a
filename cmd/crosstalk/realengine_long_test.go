//go:build long

package main

import "testing"

// TestLongRealEngine: at least 500 exchanges by four tenants, one to sixteen at
// once, on a sound engine: no leak, no foreign, and no damage, since the engine
// copies every code (TestLongCopyRate in bench/engine).
func TestLongRealEngine(t *testing.T) {
	s := realEngine(t)
	sent := 0
	for seed := uint64(1); sent < 500; seed++ {
		sum := s.validate(t, seed, "--only", "pulse=10,burst=4,seedwatch=1,top=1,overlength=1")
		mustBeSound(t, sum)
		sent += sum.Totals.Sent
	}
	t.Logf("%d exchanges in all", sent)
}

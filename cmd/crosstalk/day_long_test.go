//go:build long && e2e && linux

package main

import "testing"

// TestLongDay is TestSteppedDay at the cadence of a busy operator.
func TestLongDay(t *testing.T) {
	t.Parallel()
	healthyDay(t, "probes: [{kind: pulse, every: 1m}, {kind: burst, size: 16, every: 10m}, {kind: top, every: 20m}, {kind: seedwatch, every: 30m}]\n")
}

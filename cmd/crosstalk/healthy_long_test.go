//go:build long

package main

import "testing"

// TestLongHealthy: 19,800 exchanges at a window of 32,768 and 200 at 1,048,576.
func TestLongHealthy(t *testing.T) {
	var small healthyTally
	for seed := uint64(1); small.Sent < 19800; seed++ {
		for _, profile := range healthyProfiles() {
			runHealthy(t, &small, smallWindow, profile, seed)
		}
	}
	var large healthyTally
	for seed := uint64(1); large.Sent < 200; seed++ {
		for _, profile := range healthyProfiles() {
			runHealthy(t, &large, 1048576, profile, seed, "--only", "top=2,seedwatch=1,overlength=1")
		}
	}
	for _, l := range []struct {
		window int
		healthyTally
	}{{smallWindow, small}, {1048576, large}} {
		t.Logf("window %d: %d exchanges, 0 leak, 0 foreign unless an error is above; %d sound, %d damaged (%d for a seal lost twice), %d undecided",
			l.window, l.Sent, l.Sound, l.Damaged, l.missedTwice, l.Inconclusive)
	}
}

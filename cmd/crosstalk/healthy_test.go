package main

import (
	"testing"

	"crosstalk/checks"
	"crosstalk/internal/report"
	"crosstalk/internal/simulator"
)

// healthyProfiles are models and gateways that are imperfect and nothing worse.
func healthyProfiles() []string {
	return []string{
		"perfect", "miss2", "miss20", "chatty", "refusals", "thinking,stubborn", "thinking,budget,stubborn",
		"ratelimit,badhours", "toolarge,badhours", "overload=0.02,html=0.01", "moderated", "miss2,chatty,refusals",
	}
}

// healthyTally is what healthy engines were called.
type healthyTally struct {
	report.Counts
	// missedTwice counts the exchanges called damaged for a deciding seal that
	// the model lost in the round before too: the only damage allowed.
	missedTwice int
}

// runHealthy runs one default plan, or the probes named, against a healthy
// engine and counts what it was called. The simulator's ground truth says which
// answers lost a seal.
func runHealthy(t *testing.T, tally *healthyTally, window int, profile string, seed uint64, args ...string) {
	t.Helper()
	o, err := simulator.Preset(simulator.PresetFixed)
	if err != nil {
		t.Fatal(err)
	}
	o = o.Scale(window)
	if o.Profile, err = simulator.ParseProfile(profile); err != nil {
		t.Fatal(err)
	}
	o.Seed, o.Speed, o.Strangers = seed, 200, 0.99
	s := newSimulated(t, o)
	sum := s.validate(t, seed, args...)
	missed := map[string]bool{}
	for _, truth := range s.server.Truth() {
		missed[truth.ID] = truth.Class == simulator.ClassMissed
	}
	for _, r := range sum.Rounds {
		for _, x := range r.Exchanges {
			if x.Class == checks.Damaged && missed[x.ID.String()] && r.Confirms != [16]byte{} {
				tally.missedTwice++
			} else if x.Class == checks.Damaged || x.Class == checks.Foreign || x.Class == checks.Leak {
				t.Errorf("profile %s, seed %d: exchange %s of %s was called %s\n%s", profile, seed, x.ID, r.Probe, x.Class, describeFindings(sum))
			}
		}
	}
	tally.Sent += sum.Totals.Sent
	tally.Decided += sum.Totals.Decided
	tally.Damaged += sum.Totals.Damaged
	tally.Sound += sum.Totals.Sound
	tally.Inconclusive += sum.Totals.Inconclusive
}

// TestHealthy: a thousand exchanges with healthy but imperfect engines raise no
// leak, no foreign and no damage. TestLongHealthy does twenty times as many.
func TestHealthy(t *testing.T) {
	var tally healthyTally
	profiles := healthyProfiles()
	if testing.Short() { // as above: each kind of path once
		profiles = profiles[len(profiles)-1:]
		tally.Sent = 999
	}
	for seed := uint64(1); tally.Sent < 1000; seed++ {
		for _, profile := range profiles {
			runHealthy(t, &tally, smallWindow, profile, seed)
		}
	}
	t.Logf("%d exchanges: %d sound, %d damaged (%d for a seal lost twice), %d undecided",
		tally.Sent, tally.Sound, tally.Damaged, tally.missedTwice, tally.Inconclusive)
}

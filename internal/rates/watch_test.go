package rates

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crosstalk/internal/stats"
	"crosstalk/probes"
)

// cellUnderWatch is a simulated cell: rounds of so many exchanges that fail at a
// rate each.
type cellUnderWatch struct {
	watch     Watch
	limit     Baseline
	exchanges int
	random    *rand.Rand
}

// round is one round at a rate; healthy ones teach.
func (c *cellUnderWatch) round(rate float64) {
	f := stats.Failures{N: c.exchanges}
	for range c.exchanges {
		if c.random.Float64() < rate {
			f.Failed++
		}
	}
	c.watch = c.watch.Step(c.limit, f).Learn(f)
}

// rounds counts how many it takes until the watch passes, at most so many.
func (c *cellUnderWatch) rounds(rate, threshold float64, most int) (int, bool) {
	for n := 1; n <= most; n++ {
		if c.round(rate); c.watch.Passed(threshold) {
			return n, true
		}
	}
	return most, false
}

// TestFalseAlarms simulates healthy cells at the cap and below it, which they
// learn, and counts how often a watch passes thresholds low enough to be passed at
// all. Its two sums may pass once in e^h rounds each.
func TestFalseAlarms(t *testing.T) {
	const rounds = 100_000
	tests := []struct {
		name      string
		limit     Baseline
		rate      float64
		exchanges int
	}{
		{"short, at the cap", BaselineOf(probes.Band4k), 0.01, 1},
		{"short, a fifth of it", BaselineOf(probes.Band4k), 0.002, 1},
		{"short, bursts of 16", BaselineOf(probes.Band4k), 0.01, 16},
		{"128k", BaselineOf(probes.Band128k), 0.02, 1},
		{"512k", BaselineOf(probes.Band512k), 0.10, 2},
		{"window, at the cap", BaselineOf(probes.BandWindow), 0.2, 1},
		{"window, half of it", BaselineOf(probes.BandWindow), 0.1, 1},
		{"window, a tenth of it", BaselineOf(probes.BandWindow), 0.02, 1},
		{"window, bursts of 16", BaselineOf(probes.BandWindow), 0.2, 16},
		{"window, bursts of 64", BaselineOf(probes.BandWindow), 0.2, 64},
		{"never", NewBaseline(0.001), 0.001, 1},
	}
	for _, tt := range tests {
		for _, h := range []float64{5, 7} {
			c := cellUnderWatch{limit: tt.limit, exchanges: tt.exchanges, random: rand.New(rand.NewPCG(7, uint64(h)))}
			alarms := 0
			for range rounds {
				if c.round(tt.rate); c.watch.Passed(h) {
					c.watch = c.watch.Restart()
					alarms++
				}
			}
			most := 2 * rounds * math.Exp(-h)
			t.Logf("%s, h %g: %d alarms in %d rounds, bound %.0f", tt.name, h, alarms, rounds, most)
			// Three standard deviations of a count of that mean.
			if float64(alarms) > most+3*math.Sqrt(most) {
				t.Errorf("%s, h %g: %d alarms; want at most %.0f", tt.name, h, alarms, most)
			}
		}
	}
}

// A cell that was sound for long and then degrades is found soon, though it is far
// below the cap of its length; one that stays as it was is not.
func TestShiftIsFound(t *testing.T) {
	h := stats.CUSUMThreshold(26_280, 7*10, 0.1)
	for _, tt := range []struct {
		name          string
		length        string
		before, after float64
		most          int // rounds on average; 0 for never
	}{
		{"short, 1 % to 20 %", probes.Band32k, 0.01, 0.20, 70},
		{"short, all fail", probes.Band32k, 0.01, 1, 4},
		{"128k, 1 % to 20 %", probes.Band128k, 0.01, 0.20, 70},
		{"window, 1 % to 20 %", probes.BandWindow, 0.01, 0.20, 80},
		{"window, 1 % to 50 %", probes.BandWindow, 0.01, 0.50, 25},
		{"short, as before", probes.Band32k, 0.01, 0.01, 0},
		{"window, as before", probes.BandWindow, 0.2, 0.2, 0},
	} {
		found, rounds := 0, 0
		const runs, patience = 100, 1000
		for seed := range uint64(runs) {
			c := cellUnderWatch{limit: BaselineOf(tt.length), exchanges: 1, random: rand.New(rand.NewPCG(seed, 5))}
			if n, passed := c.rounds(tt.before, h, 2000); passed {
				t.Errorf("%s: passed after %d rounds without a shift", tt.name, n)
			}
			n, passed := c.rounds(tt.after, h, patience)
			if passed {
				found++
			}
			rounds += n
		}
		t.Logf("%s: found in %d of %d, after %.1f rounds on average", tt.name, found, runs, float64(rounds)/runs)
		if tt.most == 0 && found > 0 || tt.most > 0 && (found < runs || rounds > tt.most*runs) {
			t.Errorf("%s: found in %d of %d after %.1f rounds on average, want at most %d", tt.name, found, runs, float64(rounds)/runs, tt.most)
		}
	}
}

// What is normal begins at the cap, is learnt below it, and never rises above it.
func TestNormal(t *testing.T) {
	limit := BaselineOf(probes.BandWindow)
	var w Watch
	if got := w.Normal(limit); got != limit {
		t.Errorf("nothing learnt: %+v, want the cap %+v", got, limit)
	}
	w = w.Learn(stats.Failures{Failed: 50, N: 1000})
	if got := w.Normal(limit).Healthy; math.Abs(got-70.0/1100) > 1e-9 {
		t.Errorf("5 %% of 1,000: %g", got)
	}
	w = w.Learn(stats.Failures{Failed: 1000, N: 1000})
	if got := w.Normal(limit); got != limit {
		t.Errorf("above the cap: %+v", got)
	}
	for range 30 {
		w = w.Learn(stats.Failures{N: 1000})
	}
	if got := w.Normal(limit).Healthy; got > 0.02 || got < leastRate {
		t.Errorf("better for long: %g", got)
	}
	if w.Learnt.N > maxLearnt {
		t.Errorf("%d exchanges kept", w.Learnt.N)
	}
}

// A run of failing rounds is held until it ends: one that was a fault teaches
// nothing.
func TestHeld(t *testing.T) {
	limit, one := BaselineOf(probes.Band4k), stats.Failures{Failed: 1, N: 1}
	var w Watch
	for range 3 {
		w = w.Step(limit, one).Learn(one)
	}
	if w.Learnt.N != 0 || w.Held != (stats.Failures{Failed: 3, N: 3}) {
		t.Errorf("in a run: %+v", w)
	}
	if got := w.Restart(); got != (Watch{}) {
		t.Errorf("after a fault: %+v", got)
	}
	w = w.Step(limit, stats.Failures{N: 1}).Learn(stats.Failures{N: 1})
	if w.Held.N != 0 || w.Learnt != (stats.Failures{Failed: 3, N: 4}) {
		t.Errorf("after the run: %+v", w)
	}
}

// One round alone never passes, however low the threshold and however many of its
// exchanges fail.
func TestOneRoundNeverPasses(t *testing.T) {
	w := Watch{}.Step(BaselineOf(probes.Band4k), stats.Failures{Failed: 16, N: 16})
	if w.Passed(0) {
		t.Errorf("passed after one round: %+v", w)
	}
	if w = w.Step(BaselineOf(probes.Band4k), stats.Failures{Failed: 1, N: 16}); !w.Passed(0) {
		t.Errorf("not passed after two: %+v", w)
	}
}

// A confirming round moves the watch and is no sample; a round that teaches
// nothing is not learnt.
func TestConfirmingRounds(t *testing.T) {
	trial := Trial{Cell: cellOf(probes.Band4k), Identity: "t01", Missed: true}
	s := Step(State{}, Round{Trials: []Trial{trial}, Confirms: true, Pairs: []Pair{{Cell: trial.Cell, MainMissed: true}}})
	c := s.Cells[0]
	if c.Watch.Failed != 1 || c.Seen.N+c.Rounds.N+c.MainOnly+len(c.Identities)+c.Watch.Held.N != 0 {
		t.Errorf("after a confirming round: %+v", c)
	}
	trial.NoContact = true
	s = Step(State{}, Round{Trials: []Trial{trial}, Learn: true})
	if c := s.Cells[0]; c.Watch.Failed != 1 || c.Seen.Failed != 1 || c.Watch.Held.N != 0 {
		t.Errorf("after an answer without contact: %+v", c)
	}
}

// Restart keeps what is normal of a cell, Recount the watches of all, Only the
// cells that are named; none changes the state it is given.
func TestStateBeginsAnew(t *testing.T) {
	other := cellOf(probes.Band32k)
	s := run(3, probes.Band4k, func(n, i int) bool { return n == 2 && i == 0 })
	s = Step(s, Round{Trials: []Trial{{Cell: other}}, Learn: true})
	before, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	restarted := s.Restart(other)
	if c := restarted.Cells[1]; c.Seen.N != 0 || c.Watch.Learnt.N != 1 || restarted.Cells[0].Seen.N != 48 {
		t.Errorf("restarted: %+v", restarted)
	}
	counted := s.Recount()
	for i, c := range counted.Cells {
		if c.Seen.N+c.Rounds.N+len(c.Identities) != 0 || c.Watch != s.Cells[i].Watch {
			t.Errorf("recounted: %+v", c)
		}
	}
	if only := s.Only(func(c probes.Cell) bool { return c == other }); len(only.Cells) != 1 || only.Cells[0].Cell != other {
		t.Errorf("only the other: %+v", only)
	}
	after, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(before), string(after)); diff != "" {
		t.Errorf("the state given has changed:\n%s", diff)
	}
}

// A state that none of our versions wrote is one that can be worked with.
func TestBounded(t *testing.T) {
	s := State{Cells: []Cell{
		{
			Cell: cellOf(probes.Band4k), Seen: stats.Failures{Failed: 1 << 62, N: 1 << 62}, Ratio: -1e308, Most: 1e308, Run: -1, Longest: 1 << 62,
			Watch:      Watch{Sum: -1e308, Surprise: 1e308, Failed: -3, Learnt: stats.Failures{Failed: 9, N: -9}},
			Identities: map[string]stats.Failures{"a": {Failed: -1, N: 1 << 62}},
		},
		{Cell: cellOf(probes.Band4k)},
	}}
	got := s.Bounded()
	want := State{Cells: []Cell{{
		Cell: cellOf(probes.Band4k), Seen: stats.Failures{Failed: maxCount, N: maxCount}, Ratio: -maxEvidence, Most: maxEvidence, Longest: maxCount,
		Watch: Watch{Surprise: maxEvidence},
	}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bounded (-want +got):\n%s", diff)
	}
	sound := run(2, probes.Band4k, func(n, i int) bool { return n == i })
	if diff := cmp.Diff(sound, sound.Bounded()); diff != "" {
		t.Errorf("a state of ours was changed:\n%s", diff)
	}
}

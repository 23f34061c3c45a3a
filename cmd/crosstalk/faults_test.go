package main

import (
	"math"
	"slices"
	"testing"

	"crosstalk/checks"
	"crosstalk/internal/report"
	"crosstalk/internal/simulator"
	"crosstalk/internal/stats"
)

// smallWindow is the window of tests that do not need a million tokens.
const smallWindow = 32768

// enoughPower is the power with which a row must be found: the test of one row
// fails by bad luck once in a hundred thousand runs.
const enoughPower = 0.99999

// faultRow is a fault, and what the default plan must call it.
type faultRow struct {
	fault     string // as on the command line, without its rate
	strangers float64
	want      []checks.Class // one of these must be found
	never     []checks.Class // none of these may be
	// off switches the mechanism off: it makes the options of a run that must
	// be clean.
	off func(simulator.Options) simulator.Options
}

// rateZero leaves the fault in place and never triggers it.
func rateZero(o simulator.Options) simulator.Options {
	o.Faults = slices.Clone(o.Faults)
	for i := range o.Faults {
		o.Faults[i].Rate = 0
	}
	return o
}

// matchedPool leaves the seed fault switched on and takes its cause away: a
// pool that holds the window.
func matchedPool(o simulator.Options) simulator.Options {
	o.PrefillPool = o.DecodePool
	return o
}

func faultTable() []faultRow {
	integrity := []checks.Class{checks.Leak, checks.Foreign}
	damaged := []checks.Class{checks.Damaged}
	return []faultRow{
		{fault: "seed", want: []checks.Class{checks.Leak}, off: matchedPool},
		{fault: "seed,usage=1", want: []checks.Class{checks.Leak}, off: matchedPool},
		{fault: "seed", strangers: 0.9999, want: []checks.Class{checks.Foreign}, never: []checks.Class{checks.Leak}, off: matchedPool},
		{fault: "seed,usage=absent", strangers: 0.9999, want: []checks.Class{checks.Foreign}, never: []checks.Class{checks.Leak}, off: matchedPool},
		{fault: "swap", want: []checks.Class{checks.Leak}, off: rateZero},
		{fault: "stale-slot", want: []checks.Class{checks.Leak, checks.Damaged}, off: rateZero},
		{fault: "truncate-head,cap=8192", want: damaged, never: integrity, off: rateZero},
		{fault: "truncate-middle,cap=8192", want: damaged, never: integrity, off: rateZero},
		{fault: "truncate-tail,cap=8192,keep", want: damaged, never: integrity, off: rateZero},
		{fault: "truncate-tail,cap=8192", want: damaged, never: integrity, off: rateZero},
		{fault: "truncate-head,cap=8192,usage=full", want: damaged, never: integrity, off: rateZero},
		{fault: "skip-prefill", want: []checks.Class{checks.Leak, checks.Foreign, checks.Damaged}, off: rateZero},
		{fault: "bang", want: damaged, never: integrity, off: rateZero},
		{fault: "bang,amount=tail", want: damaged, never: integrity, off: rateZero},
		{fault: "loop", want: damaged, never: integrity, off: rateZero},
		{fault: "empty", want: damaged, never: integrity, off: rateZero},
		{fault: "wrong-script,amount=few", want: damaged, never: integrity, off: rateZero},
		{fault: "wrong-script,amount=many", want: damaged, never: integrity, off: rateZero},
		{fault: "markup", want: damaged, never: integrity, off: rateZero},
		{fault: "usage,usage=one", want: damaged, never: integrity, off: rateZero},
		{fault: "usage,usage=half", want: damaged, never: integrity, off: rateZero},
	}
}

// options are the options of a row at a trigger rate; the seed draws which
// requests are struck.
func (r faultRow) options(t *testing.T, rate float64, seed int) simulator.Options {
	t.Helper()
	f, err := simulator.ParseFault(r.fault)
	if err != nil {
		t.Fatal(err)
	}
	f.Rate = rate
	preset := simulator.PresetFixed
	if f.Name == simulator.FaultSeed {
		preset = simulator.PresetFaulty
	}
	o, err := simulator.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	o = o.Scale(smallWindow)
	o.Faults = []simulator.Fault{f}
	o.Strangers, o.Speed, o.Seed = r.strangers, 200, uint64(seed)+1
	return o
}

// found counts the exchanges of the classes.
func found(c report.Counts, classes []checks.Class) int {
	n := 0
	for _, k := range classes {
		n += map[checks.Class]int{checks.Leak: c.Leak, checks.Foreign: c.Foreign, checks.Damaged: c.Damaged}[k]
	}
	return n
}

// TestFaultTable runs every fault whose probe exists against the default plan,
// at a trigger rate of 1 and of a quarter, and then with its mechanism switched
// off. A fault that is found counts only with its clean control, and the other
// way round.
func TestFaultTable(t *testing.T) {
	for _, row := range faultTable() {
		name := row.fault
		if row.strangers > 0 {
			name += ",strangers"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exposed := row.mustBeFound(t, 1, 1)
			// At a quarter the plan is repeated until its power is enough.
			power := stats.Power(0.25, exposed)
			repeats := 1
			if power < enoughPower {
				repeats = int(math.Ceil(float64(stats.NeededProbes(0.25, enoughPower)) / float64(exposed)))
			}
			t.Logf("%d exchanges of the default plan meet the trigger; power at rate 1: 1, at 0.25: %.4f; %d plans run", exposed, power, repeats)
			if !testing.Short() { // the race detector's run is after races, not rates
				row.mustBeFound(t, 0.25, repeats)
			}
			row.mustBeClean(t)
		})
	}
}

// mustBeFound runs the default plan as often as told; the fault must be found
// at least once. It returns how many exchanges of one plan met the trigger.
func (row faultRow) mustBeFound(t *testing.T, rate float64, repeats int) int {
	t.Helper()
	hits, exposed := 0, 0
	for seed := range repeats {
		s := newSimulated(t, row.options(t, rate, seed))
		sum := s.validate(t, uint64(seed))
		hits += found(sum.Totals, row.want)
		if n := found(sum.Totals, row.never); n > 0 {
			t.Errorf("rate %v: %d exchanges were called %v\n%s", rate, n, row.never, describeFindings(sum))
		}
		for _, truth := range s.server.Truth() {
			if len(truth.Faults) > 0 {
				exposed++
			}
		}
	}
	if hits == 0 {
		t.Errorf("rate %v: not found in %d default plans", rate, repeats)
	}
	return max(exposed/repeats, 1)
}

func (row faultRow) mustBeClean(t *testing.T) {
	t.Helper()
	s := newSimulated(t, row.off(row.options(t, 1, 0)))
	sum := s.validate(t, 0)
	if sum.ExitCode != report.ExitSound {
		t.Errorf("with its mechanism off: exit %d, %+v\n%s", sum.ExitCode, sum.Totals, describeFindings(sum))
	}
}

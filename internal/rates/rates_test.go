package rates

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crosstalk/probes"
)

func cellOf(length string) probes.Cell {
	return probes.Cell{Target: "edge", Probe: "burst", Length: length, Concurrency: "9-32"}
}

// run feeds so many rounds of 16 identities to a state; missed says whether an
// exchange misses.
func run(rounds int, length string, missed func(round, identity int) bool) State {
	var s State
	for n := range rounds {
		var r Round
		for i := range 16 {
			r.Trials = append(r.Trials, Trial{Cell: cellOf(length), Identity: fmt.Sprintf("t%02d", i), Missed: missed(n, i)})
		}
		s = Step(s, r)
	}
	return s
}

func signs(found []Degradation) map[Sign]int {
	count := map[Sign]int{}
	for _, d := range found {
		count[d.Sign]++
	}
	return count
}

// A healthy target at the very cap of its baseline, in several cells, is called
// degraded in no more than alpha of the campaigns, within five standard
// deviations.
func TestHealthyIsRarelyDegraded(t *testing.T) {
	const campaigns, rounds = 1500, 30
	random := rand.New(rand.NewPCG(1, 1))
	lengths := []string{probes.Band4k, probes.Band32k, probes.Band128k, probes.Band256k, probes.BandWindow}
	alarms := 0
	for range campaigns {
		var s State
		for range rounds {
			var r Round
			for _, length := range lengths {
				for i := range 4 {
					r.Trials = append(r.Trials, Trial{Cell: cellOf(length), Identity: fmt.Sprint(i), Missed: random.Float64() < BaselineOf(length).Healthy})
				}
			}
			main, control := random.Float64() < 0.2, random.Float64() < 0.2
			r.Pairs = append(r.Pairs, Pair{Cell: cellOf(probes.BandWindow), MainMissed: main, ControlMissed: control})
			s = Step(s, r)
		}
		if len(Degraded(s, Policy{Alpha: 0.05})) > 0 {
			alarms++
		}
	}
	if most := 0.05*campaigns + 5*math.Sqrt(0.05*campaigns); float64(alarms) > most || alarms == 0 {
		t.Errorf("%d of %d healthy campaigns called degraded, want at most %.0f and some", alarms, campaigns, most)
	}
}

// A cell that misses at the faulty rate is found by its rate, soon.
func TestFaultyRateIsFound(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	for _, test := range []struct {
		length string
		rounds int
	}{{probes.Band4k, 12}, {probes.Band128k, 12}, {probes.Band256k, 30}} {
		length, rounds := test.length, test.rounds
		found := 0
		for range 200 {
			s := run(rounds, length, func(_, _ int) bool { return random.Float64() < BaselineOf(length).Faulty })
			found += signs(Degraded(s, Policy{}))[SignRate]
		}
		if found < 190 {
			t.Errorf("%s: found in %d of 200 campaigns of %d rounds", length, found, rounds)
		}
	}
}

// One bad replica of 16 behind a sticky router is named, though the rate over all
// is low; the same misses spread evenly name nobody.
func TestBadReplicaIsNamed(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	named, wrong := 0, 0
	for range 300 {
		sticky := run(10, probes.Band256k, func(_, i int) bool { return i == 11 && random.Float64() < 0.6 })
		for _, d := range Degraded(sticky, Policy{}) {
			if d.Sign == SignIdentity && d.Identity == "t11" {
				named++
			}
		}
		even := run(10, probes.Band256k, func(_, _ int) bool { return random.Float64() < 0.6/16 })
		wrong += signs(Degraded(even, Policy{}))[SignIdentity]
	}
	if named < 285 || wrong > 10 {
		t.Errorf("the bad one is named in %d of 300 campaigns, somebody without reason in %d", named, wrong)
	}
}

// Among many answers a small difference is improbable, and yet no more than a
// healthy model may show; above that it is somebody.
func TestSmallDifferencesNameNobody(t *testing.T) {
	for _, test := range []struct{ every, want int }{{10, 0}, {2, 1}} {
		s := run(1000, probes.BandWindow, func(n, i int) bool { return i == 11 && n%test.every == 0 })
		if got := signs(Degraded(s, Policy{}))[SignIdentity]; got != test.want {
			t.Errorf("one answer in %d missed by one of 16, none by the others: named %d, want %d", test.every, got, test.want)
		}
	}
}

// An episode is told from the same number of misses at random.
func TestEpisode(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	episode := run(200, probes.BandWindow, func(n, i int) bool { return i == 0 && n >= 90 && n < 100 })
	if got := signs(Degraded(episode, Policy{})); got[SignEpisode] != 1 {
		t.Errorf("ten rounds in a row of 200: signs %v", got)
	}
	scattered := run(200, probes.BandWindow, func(_, i int) bool { return i == 0 && random.Float64() < 0.05 })
	if got := signs(Degraded(scattered, Policy{})); got[SignEpisode] != 0 {
		t.Errorf("ten rounds at random of 200: signs %v", got)
	}
}

// Pairs that fail at the top alone are a cliff; as many on either side are none.
func TestCliff(t *testing.T) {
	for _, test := range []struct {
		main, control, want int
	}{{10, 0, 1}, {10, 9, 0}, {0, 10, 0}, {4, 0, 0}} {
		var s State
		for range test.main {
			s = Step(s, Round{Pairs: []Pair{{Cell: cellOf(probes.BandWindow), MainMissed: true}}})
		}
		for range test.control {
			s = Step(s, Round{Pairs: []Pair{{Cell: cellOf(probes.BandWindow), ControlMissed: true}}})
		}
		s = Step(s, Round{Pairs: []Pair{{Cell: cellOf(probes.BandWindow), MainMissed: true, ControlMissed: true}}})
		if got := signs(Degraded(s, Policy{})); got[SignCliff] != test.want {
			t.Errorf("%d at the top, %d at the control: signs %v", test.main, test.control, got)
		}
	}
}

// Step leaves the state it was given as it was, and a state survives JSON.
func TestStepIsPure(t *testing.T) {
	before := run(3, probes.Band4k, func(n, i int) bool { return n == i })
	text, err := json.Marshal(before)
	if err != nil {
		t.Fatal(err)
	}
	var back State
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	after := Step(before, Round{
		Trials: []Trial{{Cell: cellOf(probes.Band4k), Identity: "t01", Missed: true}, {Cell: cellOf(probes.Band32k), Identity: "t01", Missed: true}},
		Pairs:  []Pair{{Cell: cellOf(probes.Band4k), MainMissed: true}},
	})
	if diff := cmp.Diff(back, before); diff != "" {
		t.Errorf("the state given has changed (-before +after):\n%s", diff)
	}
	if len(after.Cells) != 2 || after.Cells[0].Seen.N != before.Cells[0].Seen.N+1 {
		t.Errorf("the state returned: %+v", after)
	}
}

// Identities are bounded.
func TestIdentitiesAreBounded(t *testing.T) {
	var s State
	for i := range 1000 {
		s = Step(s, Round{Trials: []Trial{{Cell: cellOf(probes.Band4k), Identity: fmt.Sprint(i)}}})
	}
	if n := len(s.Cells[0].Identities); n != maxIdentities {
		t.Errorf("%d identities are kept, want %d", n, maxIdentities)
	}
}

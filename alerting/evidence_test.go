package alerting

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/probes"
)

// TestArithmetic pins the numbers that the comment of Evidence gives.
func TestArithmetic(t *testing.T) {
	p := Policy{Probes: map[string]Schedule{"top": {Every: 20 * time.Minute}}}
	h := p.threshold(probes.Cell{Probe: "top"}, 10)
	if math.Abs(h-16.6) > 0.05 {
		t.Errorf("h = %.2f, want 16.6", h)
	}
	for rate, want := range map[float64]int{0.002: 3, 0.1: 8, 0.2: 11} {
		if got := int(math.Ceil(h / -math.Log(rate))); got != want {
			t.Errorf("a run at %g takes %d rounds, want %d", rate, got, want)
		}
	}
	more := p
	more.FalsePagesPerYear = 10
	if got := more.threshold(probes.Cell{Probe: "top"}, 10); math.Abs(h-got-math.Log(100)) > 1e-9 {
		t.Errorf("a hundred times the false pages lower h by %.3f, want ln 100", h-got)
	}
	for _, f := range []float64{math.NaN(), -1, 0} {
		more.FalsePagesPerYear = f
		if got := more.threshold(probes.Cell{Probe: "top"}, 10); got != h {
			t.Errorf("FalsePagesPerYear %g: h = %g, want the default's %g", f, got, h)
		}
	}
	more.FalsePagesPerYear = math.Inf(1)
	if got := more.threshold(probes.Cell{}, 0); got != minThreshold {
		t.Errorf("any number of false pages: h = %g, want %g", got, minThreshold)
	}
}

// TestFalseAlarms simulates healthy cells, at the rates that are taken for
// normal, and counts how often either test passes a threshold low enough to be
// passed at all. Each must stay below one in e^h rounds.
func TestFalseAlarms(t *testing.T) {
	const rounds = 100_000
	tests := []struct {
		name      string
		r         rate
		exchanges int
	}{
		{"short, one exchange", qualityRate(probes.Band4k), 1},
		{"short, bursts of 16", qualityRate(probes.Band4k), 16},
		{"128k", qualityRate(probes.Band128k), 1},
		{"512k", qualityRate(probes.Band512k), 2},
		{"window", qualityRate(probes.BandWindow), 1},
		{"window, at its cap", rate{0.2, 0.2}, 1},
		{"form", formRate(), 1},
	}
	for _, tt := range tests {
		for _, h := range []float64{5, 7} {
			r := rand.New(rand.NewPCG(7, uint64(h)))
			var e Evidence
			runs, scores := 0, 0
			for range rounds {
				failures := 0
				for range tt.exchanges {
					if r.Float64() < tt.r.prior {
						failures++
					}
				}
				step(&e, tt.r, tt.exchanges, failures)
				if e.Rounds >= 2 && e.Surprise >= h {
					runs++
					e.endRun()
				}
				if e.Failed >= 2 && e.Score >= h {
					scores++
					e.endScore()
				}
			}
			most := rounds * math.Exp(-h)
			t.Logf("%s, h %g: %d runs, %d scores in %d rounds, bound %.0f", tt.name, h, runs, scores, rounds, most)
			// Three standard deviations of a count of that mean.
			if limit := most + 3*math.Sqrt(most); float64(runs) > limit || float64(scores) > limit {
				t.Errorf("%s, h %g: %d runs, %d scores; want at most %.0f each", tt.name, h, runs, scores, limit)
			}
		}
	}
}

// step is one round of a cell with so many failures.
func step(e *Evidence, r rate, m, failures int) {
	if failures == 0 {
		e.pass(r, m)
		return
	}
	e.fail(failure{check: "recall", sightings: failures, checks: map[string]int{"recall": failures}}, r, m)
}

// TestHealthyYears runs whole targets for a year each: healthy models that miss
// seals as their length lets them. The target is so bad at its window that it is
// at the cap, which the prior does not know.
func TestHealthyYears(t *testing.T) {
	const years = 4
	pages := 0
	for y := range uint64(years) {
		r := rand.New(rand.NewPCG(y, 1))
		w := newWorld(t)
		w.p.Probes = map[string]Schedule{"pulse": {Every: 2 * time.Hour}, "top": {Every: 2 * time.Hour}}
		var s TargetState
		for n := range int(year / (2 * time.Hour)) {
			at := epoch.Add(time.Duration(n) * 2 * time.Hour)
			var sightings []Sighting
			for _, probe := range []string{"pulse", "top"} {
				c := checks.Sound
				if r.Float64() < map[string]float64{"pulse": 0.002, "top": 0.18}[probe] {
					c = checks.Damaged
				}
				x := w.sighting(probe, c)
				x.Exchange = uuid.Nil
				sightings = append(sightings, x)
			}
			var owed []Page
			s, owed = Step(w.p, s, Observation{Round: w.id(), Target: "edge", At: at, Sightings: sightings})
			for _, p := range owed {
				if p.Action == ActionTrigger {
					pages++
					t.Logf("year %d, day %d: %s", y, n/12, p.Incident.Summary)
				}
			}
		}
	}
	// 0.1 a year, so 0.4 in 4: more than 3 has a chance of 0.1 %.
	if pages > 3 {
		t.Errorf("%d false pages in %d years, want about %.1f at most", pages, years, years*DefaultFalsePagesPerYear)
	}
}

// TestFaultSinceLaunch: what has been broken from the first day on cannot become
// normal.
func TestFaultSinceLaunch(t *testing.T) {
	for name, share := range map[string]float64{"always": 1, "half of the time": 0.5} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 3))
			w := newWorld(t)
			for n := range 400 {
				c := checks.Sound
				if r.Float64() < share {
					c = checks.Damaged
				}
				if pages := w.rounds(1, 20*time.Minute, "top", c); len(pages) > 0 {
					t.Logf("paged after %d rounds", n+1)
					return
				}
			}
			t.Error("400 rounds without a page")
		})
	}
}

// TestBaseline: it starts at the prior, follows answers with contact, and stays
// below the cap.
func TestBaseline(t *testing.T) {
	r := qualityRate(probes.BandWindow)
	var e Evidence
	if got := e.healthy(r); got != r.prior {
		t.Errorf("nothing learnt: %g, want the prior %g", got, r.prior)
	}
	e.learn(1000, 150)
	if got := e.healthy(r); math.Abs(got-0.145) > 0.001 {
		t.Errorf("15 %% of 1,000: %g", got)
	}
	e.learn(1000, 1000)
	if got := e.healthy(r); got != r.cap {
		t.Errorf("above the cap: %g, want %g", got, r.cap)
	}
	for range 30 {
		e.learn(1000, 0)
	}
	if got := e.healthy(r); got > 0.01 || got < leastRate {
		t.Errorf("better for long: %g", got)
	}
	if e.Exchanges > maxLearnt {
		t.Errorf("%d exchanges kept", e.Exchanges)
	}

	t.Run("only contact teaches", func(t *testing.T) {
		w := newWorld(t)
		for range 200 {
			s := w.sighting("top", checks.Damaged)
			s.Contact = false
			w.step(20*time.Minute, s)
			sound := w.sighting("top", checks.Sound)
			sound.Contact = false
			w.step(20*time.Minute, sound)
		}
		for _, c := range w.s.Cells {
			if c.Quality.Exchanges != 0 || c.Quality.HeldExchanges != 0 {
				t.Errorf("learnt from answers without contact: %+v", c.Quality)
			}
		}
	})
	t.Run("not while an incident is open", func(t *testing.T) {
		w := newWorld(t)
		w.rounds(1, 0, "seedwatch", checks.Leak)
		w.rounds(50, time.Minute, "pulse", checks.Sound)
		for _, c := range w.s.Cells {
			if c.Quality.Exchanges != 0 {
				t.Errorf("learnt under an open incident: %+v", c.Quality)
			}
		}
	})
	t.Run("not from a fault", func(t *testing.T) {
		w := newWorld(t)
		w.rounds(3, time.Minute, "pulse", checks.Damaged)
		for _, c := range w.s.Cells {
			if c.Quality.Failures != 0 {
				t.Errorf("learnt from what paged: %+v", c.Quality)
			}
		}
	})
}

func TestMostFrequent(t *testing.T) {
	tests := []struct {
		counts map[string]int
		want   string
	}{
		{nil, ""},
		{map[string]int{"answer": 3, "recall": 2}, "answer"},
		{map[string]int{"answer": 2, "recall": 2, "usage": 2}, "usage"},
		{map[string]int{"zz": 1, "aa": 1}, "aa"},
	}
	for _, tt := range tests {
		if got := mostFrequent(tt.counts); got != tt.want {
			t.Errorf("mostFrequent(%v) = %q, want %q", tt.counts, got, tt.want)
		}
	}
}

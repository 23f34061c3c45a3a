package alerting

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"crosstalk/checks"
	"crosstalk/probes"
)

// TestArithmetic pins the numbers that the comment of Evidence gives.
func TestArithmetic(t *testing.T) {
	p := Policy{Probes: map[string]Schedule{"top": {Every: 20 * time.Minute}}}
	h := p.threshold(probes.Cell{Probe: "top"}, 10)
	if math.Abs(h-16.7) > 0.05 {
		t.Errorf("h = %.2f, want 16.7", h)
	}
	for rate, want := range map[float64]int{0.01: 4, 0.1: 8, 0.2: 11} {
		if got := int(math.Ceil(h / -math.Log(rate))); got != want {
			t.Errorf("a run at %g takes %d rounds, want %d", rate, got, want)
		}
	}
	if got, want := p.dailyAlpha(), 0.1/7/365; math.Abs(got-want) > 1e-12 {
		t.Errorf("alpha of a day %g, want %g", got, want)
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
	if got := more.dailyAlpha(); got != 0.01 {
		t.Errorf("any number of false pages: alpha of a day %g, want 0.01", got)
	}
}

// healthyTenants are those of the simulated years.
var healthyTenants = []string{"alpha", "bravo", "carol"}

// TestHealthyYears runs whole targets for a year each: healthy models that miss
// seals as their length lets them, at the window nearly as often as the cap, and
// whose answers are spoilt otherwise now and then.
func TestHealthyYears(t *testing.T) {
	const years = 4
	pages := 0
	for y := range uint64(years) {
		r := rand.New(rand.NewPCG(y, 1))
		w := newWorld(t)
		w.p.Probes = map[string]Schedule{"pulse": {Every: 2 * time.Hour}, "top": {Every: 2 * time.Hour}}
		var s TargetState
		for n := range int(year / (2 * time.Hour)) {
			w.now = epoch.Add(time.Duration(n) * 2 * time.Hour)
			var sightings []Sighting
			for _, probe := range []string{"pulse", "top"} {
				c := checks.Sound
				if r.Float64() < map[string]float64{"pulse": 0.01, "top": 0.18}[probe] {
					c = checks.Damaged
				}
				x := w.sighting(probe, c)
				x.Tenant = healthyTenants[n%len(healthyTenants)]
				if c == checks.Sound && r.Float64() < 0.005 {
					x.Class, x.Check = checks.Damaged, "usage"
				}
				sightings = append(sightings, x)
			}
			var owed []Page
			s, owed = Step(w.p, s, w.observation(sightings...))
			for _, p := range owed {
				if p.Action == ActionTrigger {
					pages++
					t.Logf("year %d, day %d: %s", y, n/12, p.Incident.Summary)
				}
			}
		}
		if got := s.Rates.Watch(cellOf("pulse")).Learnt.N; got < 1000 {
			t.Errorf("year %d: %d exchanges have taught what is normal", y, got)
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

// TestLearning: what is normal is learnt from sound answers and from misses of
// answers in contact, never under an open incident, never from a fault, never
// from rounds that confirm.
func TestLearning(t *testing.T) {
	learnt := func(w *world, probe string) int { return w.s.Rates.Watch(cellOf(probe)).Learnt.N }
	w := newWorld(t)
	w.rounds(50, time.Minute, "pulse", checks.Sound)
	w.rounds(1, time.Minute, "pulse", checks.Damaged)
	w.rounds(1, time.Minute, "pulse", checks.Sound)
	if got := w.s.Rates.Watch(cellOf("pulse")).Learnt; got.N != 52 || got.Failed != 1 {
		t.Errorf("learnt %+v, want 1 of 52", got)
	}
	s := w.sighting("top", checks.Sound)
	s.Confirms = true
	w.step(time.Minute, s)
	miss := w.sighting("top", checks.Damaged)
	miss.Check = "contact"
	w.step(time.Minute, miss)
	w.rounds(1, time.Minute, "top", checks.Inconclusive)
	if got := learnt(w, "top"); got != 0 {
		t.Errorf("%d exchanges learnt from a confirming round, one without contact and an undecided one", got)
	}

	w = newWorld(t)
	w.rounds(1, 0, "seedwatch", checks.Leak)
	w.rounds(50, time.Minute, "pulse", checks.Sound)
	if got := learnt(w, "pulse"); got != 0 {
		t.Errorf("%d exchanges learnt under an open incident", got)
	}

	w = newWorld(t)
	w.rounds(5, time.Minute, "pulse", checks.Damaged)
	if got := w.s.Rates.Watch(cellOf("pulse")); len(w.s.Open) != 1 || got.Learnt.N != 0 || got.Held.N != 0 {
		t.Errorf("learnt from what paged: %+v", got)
	}
}

func TestTrailCheck(t *testing.T) {
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
		if got := (Trail{Checks: tt.counts}).check(); got != tt.want {
			t.Errorf("check of %v = %q, want %q", tt.counts, got, tt.want)
		}
	}
}

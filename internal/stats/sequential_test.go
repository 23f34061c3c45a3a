package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The expected numbers of trials are those of the published table for alpha 1e-4
// and beta 0.05.
func TestSPRTExpectedN(t *testing.T) {
	for _, test := range []struct{ healthy, faulty, want float64 }{
		{0.001, 0.1, 23}, {0.01, 0.1, 59}, {0.02, 0.2, 29}, {0.05, 0.2, 61}, {0.01, 0.05, 207},
	} {
		s := SPRT{Bernoulli{test.healthy, test.faulty}, 1e-4, 0.05}
		if got := s.ExpectedN(); math.Abs(got-test.want) > 1 {
			t.Errorf("%v to %v: %.1f trials, want %v", test.healthy, test.faulty, got, test.want)
		}
	}
}

// On a healthy target the test is wrong in no more than alpha of the runs, on a
// faulty one in no more than beta, within five standard deviations.
func TestSPRTErrors(t *testing.T) {
	const runs = 20_000
	s := SPRT{Bernoulli{0.02, 0.2}, 0.01, 0.05}
	healthy, faulty := s.Bounds()
	wrong := func(rate float64, seed uint64) (fault, sound int, trials float64) {
		random := rand.New(rand.NewPCG(seed, 1))
		total := 0
		for range runs {
			sum := 0.0
			for sum > healthy && sum < faulty {
				f := Failures{N: 1}
				if random.Float64() < rate {
					f.Failed = 1
				}
				sum += s.LLR(f)
				total++
			}
			if sum >= faulty {
				fault++
			} else {
				sound++
			}
		}
		return fault, sound, float64(total) / runs
	}
	fault, _, _ := wrong(0.02, 1)
	if most := 0.01*runs + 5*math.Sqrt(0.01*runs); float64(fault) > most {
		t.Errorf("%d of %d healthy targets called faulty, want at most %.0f", fault, runs, most)
	}
	_, sound, n := wrong(0.2, 2)
	if most := 0.05*runs + 5*math.Sqrt(0.05*runs); float64(sound) > most {
		t.Errorf("%d of %d faulty targets called healthy, want at most %.0f", sound, runs, most)
	}
	// The overshoot that Wald's approximation leaves out makes it longer.
	if want := s.ExpectedN(); n < want || n > 1.5*want {
		t.Errorf("%.1f trials on average, expected about %.1f", n, want)
	}
}

// The chance ever to reach m is at most e^-m, looked at after every trial.
func TestAnytimeP(t *testing.T) {
	const runs, trials = 20_000, 400
	b := Bernoulli{0.02, 0.14}
	random := rand.New(rand.NewPCG(3, 1))
	below := 0
	for range runs {
		sum, most := 0.0, 0.0
		for range trials {
			f := Failures{N: 1}
			if random.Float64() < b.Healthy {
				f.Failed = 1
			}
			sum += b.LLR(f)
			most = max(most, sum)
		}
		if AnytimeP(most) <= 0.02 {
			below++
		}
	}
	if most := 0.02*runs + 5*math.Sqrt(0.02*runs); float64(below) > most || below == 0 {
		t.Errorf("p is 0.02 or less in %d of %d healthy runs, want at most %.0f and some", below, runs, most)
	}
}

// A healthy cell takes at least e^h trials on average until it passes h, and a
// faulty one about the delay that is stated.
func TestCUSUM(t *testing.T) {
	const runs = 2000
	c := CUSUM{Bernoulli{0.02, 0.14}, 5}
	mean := func(rate float64, seed uint64) float64 {
		random := rand.New(rand.NewPCG(seed, 1))
		total := 0
		for range runs {
			for sum := 0.0; !c.Alarm(sum); total++ {
				f := Failures{N: 1}
				if random.Float64() < rate {
					f.Failed = 1
				}
				sum = c.Step(sum, f)
			}
		}
		return float64(total) / runs
	}
	if got, least := mean(0.02, 4), math.Exp(c.Threshold); got < least {
		t.Errorf("a healthy cell passes after %.0f trials on average, want at least %.0f", got, least)
	}
	if got, about := mean(0.14, 5), c.Delay(); got < 0.7*about || got > 1.6*about {
		t.Errorf("a faulty cell is found after %.1f trials on average, want about %.1f", got, about)
	}
}

func TestCUSUMThreshold(t *testing.T) {
	for _, test := range []struct {
		trials float64
		cells  int
		alarms float64
		want   float64
	}{
		{26_280, 10, 0.1, 14.78},
		{26_280, 0, 0.1, 12.48},
		{1, 1, 10, 0},
		{1000, 1, 0, math.Inf(1)},
		{1000, 1, math.NaN(), math.Inf(1)},
	} {
		if got := CUSUMThreshold(test.trials, test.cells, test.alarms); math.Abs(got-test.want) > 0.01 {
			t.Errorf("%+v: threshold %.2f", test, got)
		}
	}
}

func TestFisherGreater(t *testing.T) {
	for _, test := range []struct {
		a, b Failures
		want float64
	}{
		{Failures{3, 4}, Failures{1, 4}, 0.242857}, // Fisher's tea
		{Failures{4, 4}, Failures{0, 4}, 1.0 / 70},
		{Failures{0, 10}, Failures{5, 10}, 1},
		{Failures{}, Failures{}, 1},
		{Failures{10, 10}, Failures{0, 150}, 4.4e-16},
	} {
		if got := FisherGreater(test.a, test.b); math.Abs(got/test.want-1) > 0.01 {
			t.Errorf("%+v against %+v: p = %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

func TestMcNemar(t *testing.T) {
	for _, test := range []struct {
		first, second int
		want          float64
	}{{0, 0, 1}, {5, 0, 1.0 / 32}, {0, 5, 1}, {8, 2, 56.0 / 1024}} {
		if got := McNemar(test.first, test.second); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%d against %d: p = %v, want %v", test.first, test.second, got, test.want)
		}
	}
}

// LongestRun agrees with counting every order.
func TestLongestRun(t *testing.T) {
	for n := range 13 {
		for r := range n + 2 {
			with, all := make([]int, n+1), make([]int, n+1)
			for order := range 1 << n {
				failed, run, longest := 0, 0, 0
				for i := range n {
					if order>>i&1 == 1 {
						failed++
						run++
						longest = max(longest, run)
					} else {
						run = 0
					}
				}
				all[failed]++
				if longest >= r {
					with[failed]++
				}
			}
			for failed := range n + 1 {
				want := float64(with[failed]) / float64(all[failed])
				if got := LongestRun(r, failed, n); math.Abs(got-want) > 1e-6 {
					t.Fatalf("run of %d, %d of %d failed: p = %v, want %v", r, failed, n, got, want)
				}
			}
		}
	}
	if p := LongestRun(40, 60, 10_000); p <= 0 || p > 1e-50 {
		t.Errorf("a run of 40 of 60 failures in 10,000: p = %v", p)
	}
}

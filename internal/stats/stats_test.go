package stats_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"crosstalk/internal/stats"
)

// near reports whether got is want to the digits that want is printed with.
func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance }

func TestUpperBound(t *testing.T) {
	tests := []struct {
		n         int
		alpha     float64
		want      float64
		tolerance float64
	}{
		{24, .05, .117, 5e-4},
		{168, .05, .0177, 5e-5},
		{720, .05, .00415, 5e-6},
		{2160, .05, .00139, 5e-6},
		{10_000, .05, .00030, 5e-6},
		{59, .05, .05, 1e-3},
		{299, .05, .01, 1e-4},
		{1, .05, .95, 1e-12},
		{0, .05, 1, 0},
		{-3, .05, 1, 0},
		{1_000_000_000, .05, 3e-9, 1e-11}, // the rule of three
	}
	for _, tt := range tests {
		if got := stats.UpperBound(tt.n, tt.alpha); !near(got, tt.want, tt.tolerance) {
			t.Errorf("UpperBound(%d, %v) = %v, want %v", tt.n, tt.alpha, got, tt.want)
		}
	}
	if got := stats.UpperBound(2160, .01) / stats.UpperBound(2160, .05); !near(got, 1.54, .01) {
		t.Errorf("99 %% over 95 %% is %v, want about 1.54", got)
	}
}

func TestNeededProbes(t *testing.T) {
	tests := []struct {
		rate   float64
		at, to int // probes for 95 and 99 %
	}{
		{1, 1, 1}, {.5, 5, 7}, {.25, 11, 17}, {.1, 29, 44}, {.05, 59, 90}, {.01, 299, 459}, {.001, 2995, 4603},
	}
	for _, tt := range tests {
		got := []int{stats.NeededProbes(tt.rate, .95), stats.NeededProbes(tt.rate, .99)}
		if diff := cmp.Diff([]int{tt.at, tt.to}, got); diff != "" {
			t.Errorf("rate %v (-want +got):\n%s", tt.rate, diff)
		}
	}
	if got := stats.NeededProbes(.5, .75); got != 2 {
		t.Errorf("a whole quotient gives %d, want 2", got)
	}
	for _, tt := range []struct {
		rate, power float64
		want        int
	}{{0, .95, math.MaxInt}, {.1, 1, math.MaxInt}, {.1, 0, 0}, {1e-300, .95, math.MaxInt}} {
		if got := stats.NeededProbes(tt.rate, tt.power); got != tt.want {
			t.Errorf("NeededProbes(%v, %v) = %d, want %d", tt.rate, tt.power, got, tt.want)
		}
	}
}

// TestSizingInverts holds the three sizing functions against each other.
func TestSizingInverts(t *testing.T) {
	for _, power := range []float64{.5, .8, .95, .99} {
		for _, rate := range []float64{.9, .3, .1, .017, 1e-4} {
			n := stats.NeededProbes(rate, power)
			if got := stats.Power(rate, n); got < power {
				t.Errorf("%d probes see rate %v with power %v, want at least %v", n, rate, got, power)
			}
			if n > 1 && stats.Power(rate, n-1) >= power {
				t.Errorf("%d probes would do for rate %v and power %v", n-1, rate, power)
			}
			if got := stats.SmallestFault(n, power); got > rate+1e-12 {
				t.Errorf("%d probes see %v with power %v, want %v or less", n, got, power, rate)
			}
		}
	}
}

func TestPower(t *testing.T) {
	tests := []struct {
		rate float64
		n    int
		want float64
	}{{.5, 2, .75}, {1, 1, 1}, {1, 0, 0}, {0, 100, 0}, {-1, 5, 0}, {2, 5, 1}, {.1, 29, .9529}}
	for _, tt := range tests {
		if got := stats.Power(tt.rate, tt.n); !near(got, tt.want, 5e-5) {
			t.Errorf("Power(%v, %d) = %v, want %v", tt.rate, tt.n, got, tt.want)
		}
	}
}

func TestClopperPearson(t *testing.T) {
	tests := []struct {
		k, n       int
		confidence float64
		want       stats.Interval
		tolerance  float64
	}{
		{3, 36, .95, stats.Interval{Low: .018, High: .225}, 5e-4},
		{8, 96, .95, stats.Interval{Low: .037, High: .158}, 5e-4},
		{5, 1000, .95, stats.Interval{Low: .0016, High: .012}, 5e-4},
		{0, 24, .95, stats.Interval{Low: 0, High: 1 - math.Pow(.025, 1./24)}, 1e-12},
		{24, 24, .95, stats.Interval{Low: math.Pow(.025, 1./24), High: 1}, 1e-12},
		{1, 1, .95, stats.Interval{Low: .025, High: 1}, 1e-12},
		{0, 0, .95, stats.Interval{Low: 0, High: 1}, 0},
		{5, 3, .95, stats.Interval{Low: math.Pow(.025, 1./3), High: 1}, 1e-12},
	}
	for _, tt := range tests {
		got := stats.ClopperPearson(tt.k, tt.n, tt.confidence)
		if diff := cmp.Diff(tt.want, got, cmpopts.EquateApprox(0, tt.tolerance)); diff != "" {
			t.Errorf("%d of %d (-want +got):\n%s", tt.k, tt.n, diff)
		}
	}
	if got, want := stats.ClopperPearsonUpper(0, 24, .95), stats.UpperBound(24, .05); !near(got, want, 1e-12) {
		t.Errorf("one-sided bound of no hits is %v, want %v", got, want)
	}
}

// TestClopperPearsonInverts checks the definition: at the ends of the interval
// the tails of the binomial distribution have half of the error each.
func TestClopperPearsonInverts(t *testing.T) {
	for _, n := range []int{1, 2, 7, 36, 500} {
		for k := range n + 1 {
			iv := stats.ClopperPearson(k, n, .95)
			if k < n {
				if got := tail(n, iv.High, 0, k); !near(got, .025, 1e-8) {
					t.Errorf("%d of %d: %v or fewer hits at the upper end, want .025", k, n, got)
				}
			}
			if k > 0 {
				if got := tail(n, iv.Low, k, n); !near(got, .025, 1e-8) {
					t.Errorf("%d of %d: %v or more hits at the lower end, want .025", k, n, got)
				}
			}
			if u := stats.ClopperPearsonUpper(k, n, .975); !near(u, iv.High, 1e-12) {
				t.Errorf("%d of %d: one-sided bound %v, want %v", k, n, u, iv.High)
			}
		}
	}
}

// tail sums binomial probabilities from i to j.
func tail(n int, p float64, i, j int) float64 {
	sum := 0.0
	for ; i <= j; i++ {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(i + 1))
		c, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(a - b - c + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}

func TestPercentileOf(t *testing.T) {
	sample := func(n int) []float64 {
		s := make([]float64, n)
		for i := range s {
			s[i] = float64(n - i) // n..1: not in order
		}
		return s
	}
	tests := []struct {
		name string
		n    int
		q    float64
		want stats.Percentile
	}{
		// Ranks from tables of the binomial distribution.
		{"median of 6", 6, .5, stats.Percentile{Value: 3, Interval: stats.Interval{Low: 1, High: 6}, Enough: true, N: 6, Needed: 6}},
		{"median of 5", 5, .5, stats.Percentile{Value: 3, N: 5, Needed: 6}},
		{"median of 20", 20, .5, stats.Percentile{Value: 10, Interval: stats.Interval{Low: 6, High: 15}, Enough: true, N: 20, Needed: 6}},
		{"median of 100", 100, .5, stats.Percentile{Value: 50, Interval: stats.Interval{Low: 40, High: 61}, Enough: true, N: 100, Needed: 6}},
		{"p99 of 100", 100, .99, stats.Percentile{Value: 99, N: 100, Needed: 368}},
		{"p99 of 368", 368, .99, stats.Percentile{Value: 365, Interval: stats.Interval{Low: 360, High: 368}, Enough: true, N: 368, Needed: 368}},
		{"p95 of 73", 73, .95, stats.Percentile{Value: 70, Interval: stats.Interval{Low: 65, High: 73}, Enough: true, N: 73, Needed: 72}},
		{"none", 0, .5, stats.Percentile{Value: math.NaN(), Needed: 6}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := sample(tt.n)
			got := stats.PercentileOf(in, tt.q, .95)
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !slices.Equal(in, sample(tt.n)) {
				t.Error("the sample was changed")
			}
		})
	}
}

// TestPercentileCoverage sums the exact probability that the interval holds the
// percentile: it must be the confidence or more for every size that has one.
func TestPercentileCoverage(t *testing.T) {
	for _, q := range []float64{.5, .9, .95, .99} {
		first := 0
		for n := 1; n <= 600; n++ {
			s := make([]float64, n)
			for i := range s {
				s[i] = float64(i + 1)
			}
			p := stats.PercentileOf(s, q, .95)
			if !p.Enough {
				if first > 0 {
					t.Fatalf("q %v: %d is enough, %d is not", q, first, n)
				}
				continue
			}
			if first == 0 {
				first = n
			}
			// Between rank r and s if r..s-1 values are below.
			cover := tail(n, q, int(p.Interval.Low), int(p.Interval.High)-1)
			if cover < .95-1e-9 {
				t.Fatalf("q %v, n %d: ranks %v cover %v", q, n, p.Interval, cover)
			}
		}
		if want := stats.NeededSample(q, .95); first != want {
			t.Errorf("q %v: the first size with an interval is %d, want %d", q, first, want)
		}
	}
	if got := stats.NeededSample(1, .95); got != math.MaxInt {
		t.Errorf("the maximum needs %d values, want that none suffice", got)
	}
}

func TestHolm(t *testing.T) {
	tests := []struct {
		name    string
		p, want []float64
	}{
		{"none", nil, []float64{}},
		{"one", []float64{.03}, []float64{.03}},
		{"textbook", []float64{.01, .04, .03, .005}, []float64{.03, .06, .06, .02}},
		{"capped", []float64{.9, .8}, []float64{1, 1}},
		{"not made", []float64{math.NaN(), .01}, []float64{1, .02}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := stats.Holm(tt.p)
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

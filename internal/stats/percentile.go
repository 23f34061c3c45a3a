package stats

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mathext"
)

// Percentile is a percentile of a distribution known by a sample.
type Percentile struct {
	// Value is the sample's percentile by nearest rank; NaN for no sample.
	Value float64
	// Interval holds the distribution's percentile with at least the
	// confidence asked for. Both ends are values of the sample. It is only
	// meaningful if Enough.
	Interval Interval
	// Enough says that the sample is large enough to have an interval.
	Enough bool
	// N is the size of the sample and Needed the least size that has an
	// interval: what a report says when it has none.
	N, Needed int
}

// PercentileOf is the percentile q, 0 < q < 1, of the distribution that sample
// was drawn from, with an interval of the given confidence. The interval is
// between two order statistics: the number of values below the percentile is
// binomial (n, q) for every continuous distribution, and each tail gets half of
// the error. sample is not changed.
func PercentileOf(sample []float64, q, confidence float64) Percentile {
	n := len(sample)
	p := Percentile{Value: math.NaN(), N: n, Needed: NeededSample(q, confidence)}
	if n == 0 {
		return p
	}
	sorted := slices.Sorted(slices.Values(sample))
	p.Value = sorted[min(max(int(math.Ceil(q*float64(n))), 1), n)-1]
	if n < p.Needed {
		return p
	}
	// Ranks count from 1. The percentile is below the value of rank r with
	// probability CDF(r-1), and above the value of rank s with 1-CDF(s-1).
	tail := (1 - confidence) / 2
	r := sort.Search(n, func(i int) bool { return binomialCDF(i, n, q) > tail })
	s := 1 + sort.Search(n, func(i int) bool { return binomialCDF(i, n, q) >= 1-tail })
	if r < 1 || s > n {
		return p
	}
	p.Interval = Interval{Low: sorted[r-1], High: sorted[s-1]}
	p.Enough = true
	return p
}

// NeededSample is the least size of a sample that has an interval for the
// percentile q: both the chance that all values are above it, (1-q)^n, and that
// all are below, q^n, must be within half of the error. It is math.MaxInt where
// none suffices.
func NeededSample(q, confidence float64) int {
	if !(q > 0 && q < 1 && confidence < 1) {
		return math.MaxInt
	}
	// NeededProbes(rate, power) is the least n with (1-rate)^n <= 1-power.
	power := (1 + confidence) / 2
	return max(NeededProbes(q, power), NeededProbes(1-q, power))
}

// binomialCDF is the probability of k or fewer hits in n trials of rate p, as a
// regularized incomplete beta function.
func binomialCDF(k, n int, p float64) float64 {
	switch {
	case k < 0:
		return 0
	case k >= n:
		return 1
	}
	return mathext.RegIncBeta(float64(n-k), float64(k+1), 1-p)
}

package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// UpperBound is the upper bound, with confidence 1 - alpha, of the rate of a
// fault that n probes did not show: 1 - alpha^(1/n), the one-sided
// Clopper-Pearson bound for no hits. It is 1 for n < 1.
func UpperBound(n int, alpha float64) float64 {
	if n < 1 {
		return 1
	}
	return -math.Expm1(math.Log(alpha) / float64(n))
}

// Power is the probability that a fault of the given rate hits at least one of
// n probes: 1 - (1-rate)^n.
func Power(rate float64, n int) float64 {
	switch {
	case n < 1 || rate <= 0:
		return 0
	case rate >= 1:
		return 1
	}
	return -math.Expm1(float64(n) * math.Log1p(-rate))
}

// NeededProbes is the least number of probes that see a fault of the given rate
// with at least the given power: ln(1-power) / ln(1-rate), rounded up. It is
// math.MaxInt when no number suffices.
func NeededProbes(rate, power float64) int {
	switch {
	case power <= 0:
		return 0
	case rate >= 1:
		return 1
	case rate <= 0 || power >= 1:
		return math.MaxInt
	}
	n := math.Ceil(math.Log1p(-power) / math.Log1p(-rate))
	if n >= math.MaxInt {
		return math.MaxInt
	}
	// The quotient may be off by a rounding error at whole numbers.
	if m := int(n) - 1; m >= 1 && Power(rate, m) >= power {
		return m
	}
	return int(n)
}

// SmallestFault is the smallest rate that n probes see with at least the given
// power: 1 - (1-power)^(1/n). It is 1 for n < 1. With no hits it is the same
// number as UpperBound(n, 1-power), read before the campaign instead of after.
func SmallestFault(n int, power float64) float64 { return UpperBound(n, 1-power) }

// Interval is a range that holds an unknown quantity with a stated confidence.
type Interval struct{ Low, High float64 }

// ClopperPearson is the exact two-sided interval, with the given confidence,
// of a rate that showed k hits in n probes, n fixed before. It is [0, 1] for
// n < 1; k is taken into 0..n.
func ClopperPearson(k, n int, confidence float64) Interval {
	tail := (1 - confidence) / 2
	return Interval{Low: lowerRate(k, n, tail), High: upperRate(k, n, tail)}
}

// ClopperPearsonUpper is the exact one-sided upper bound, with the given
// confidence, of a rate that showed k hits in n probes. For k = 0 it is
// UpperBound(n, 1-confidence).
func ClopperPearsonUpper(k, n int, confidence float64) float64 {
	return upperRate(k, n, 1-confidence)
}

// upperRate is the rate at which k or fewer hits have probability tail: a
// quantile of the beta distribution (Clopper and Pearson 1934).
func upperRate(k, n int, tail float64) float64 {
	switch {
	case n < 1 || k >= n:
		return 1
	case k <= 0:
		return UpperBound(n, tail)
	}
	return mathext.InvRegIncBeta(float64(k+1), float64(n-k), 1-tail)
}

// lowerRate is the rate at which k or more hits have probability tail.
func lowerRate(k, n int, tail float64) float64 {
	switch {
	case n < 1 || k <= 0:
		return 0
	case k >= n:
		return math.Pow(tail, 1/float64(n))
	}
	return mathext.InvRegIncBeta(float64(k), float64(n-k+1), tail)
}

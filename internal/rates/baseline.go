package rates

import (
	"math"

	"crosstalk/internal/stats"
	"crosstalk/probes"
)

// Baseline is a healthy and a faulty rate of failures per exchange: the most that
// is taken for normal, and the least that is worth finding.
type Baseline struct{ Healthy, Faulty float64 }

// NewBaseline is the baseline with that healthy rate. Worth finding is 10 %, and
// where healthy models fail often, clearly more than they.
func NewBaseline(healthy float64) Baseline { return Baseline{healthy, 0.1 + 2*healthy} }

// BaselineOf is the baseline of lost seals in a length band. Its healthy rate is
// a cap: whatever is learnt, no more is taken for normal. Published tests of long
// context put the misses of a single seal near none up to 128k tokens and at one
// in five at a million.
func BaselineOf(length string) Baseline {
	switch length {
	case probes.Band4k, probes.Band32k:
		return NewBaseline(0.01)
	case probes.Band128k:
		return NewBaseline(0.02)
	case probes.Band256k:
		return NewBaseline(0.05)
	case probes.Band512k:
		return NewBaseline(0.10)
	default: // the top of the window, beyond it, and where not known
		return NewBaseline(0.20)
	}
}

// round is the pair of rates at which a round of m exchanges has a failure:
// 1 - (1-rate)^m. In a large round both come so near to 1 that they are one
// number, and then it tells nothing; the faulty one is kept apart.
func (b Baseline) round(m int) stats.Bernoulli {
	of := func(rate float64) float64 { return -math.Expm1(float64(m) * math.Log1p(-rate)) }
	healthy := min(of(b.Healthy), 1-1e-9)
	return stats.Bernoulli{Healthy: healthy, Faulty: min(of(b.Faulty), 1-(1-healthy)/20)}
}

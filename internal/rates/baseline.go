package rates

import (
	"math"

	"crosstalk/internal/stats"
	"crosstalk/probes"
)

// BaselineOf is the pair of rates, per exchange, between which the tests of a
// length band decide: the most that a healthy model misses of the seals that
// decide, and the least that is worth finding. The first is a cap: it is never
// learnt. Published tests of long context put the misses of a single seal near
// none up to 128k tokens and at one in five at a million.
func BaselineOf(length string) Baseline {
	healthy := 0.20 // at the top of the window, beyond it, and where not known
	switch length {
	case probes.Band4k, probes.Band32k:
		healthy = 0.01
	case probes.Band128k:
		healthy = 0.02
	case probes.Band256k:
		healthy = 0.05
	case probes.Band512k:
		healthy = 0.10
	}
	return Baseline{healthy, 0.1 + 2*healthy}
}

// Baseline is a healthy and a faulty rate of misses per exchange.
type Baseline struct{ Healthy, Faulty float64 }

// round is the pair of rates at which a round of m exchanges has a miss:
// 1 - (1-rate)^m. The faulty one stays below 1.
func (b Baseline) round(m int) stats.Bernoulli {
	of := func(rate float64) float64 { return -math.Expm1(float64(m) * math.Log1p(-rate)) }
	const most = 0.999
	healthy := min(of(b.Healthy), most/1.1)
	return stats.Bernoulli{Healthy: healthy, Faulty: min(max(of(b.Faulty), 1.05*healthy), most)}
}

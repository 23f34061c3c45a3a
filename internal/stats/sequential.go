package stats

import "math"

// Failures is how often something failed.
type Failures struct{ Failed, N int }

// Bernoulli compares two rates of failure: Healthy, that of a target without
// fault, and Faulty, the least that is worth finding. 0 < Healthy < Faulty < 1.
type Bernoulli struct{ Healthy, Faulty float64 }

// LLR is the log-likelihood ratio, in nats, of the faulty rate against the
// healthy one after f:
//
//	failed ln(faulty/healthy) + (n-failed) ln((1-faulty)/(1-healthy))
func (b Bernoulli) LLR(f Failures) float64 {
	return float64(f.Failed)*math.Log(b.Faulty/b.Healthy) +
		float64(f.N-f.Failed)*(math.Log1p(-b.Faulty)-math.Log1p(-b.Healthy))
}

// drift is the mean of the ratio of one trial at a rate.
func (b Bernoulli) drift(rate float64) float64 {
	return rate*math.Log(b.Faulty/b.Healthy) + (1-rate)*(math.Log1p(-b.Faulty)-math.Log1p(-b.Healthy))
}

// SPRT is Wald's sequential probability ratio test (Wald, 1945): it stops as
// soon as the evidence suffices either way. It calls a healthy target faulty
// with probability Alpha at most, and a faulty one healthy with Beta, both
// approximately (Wald's bounds, without the overshoot).
type SPRT struct {
	Bernoulli
	Alpha, Beta float64
}

// Bounds are the ratios, in nats, at which the test calls the target healthy and
// faulty: ln(beta/(1-alpha)) and ln((1-beta)/alpha).
func (t SPRT) Bounds() (healthy, faulty float64) {
	return math.Log(t.Beta / (1 - t.Alpha)), math.Log((1 - t.Beta) / t.Alpha)
}

// ExpectedN is about how many trials the test takes on a target with the faulty
// rate: ((1-beta) A + beta B) / drift with the bounds A and B (Wald, 1945).
func (t SPRT) ExpectedN() float64 {
	b, a := t.Bounds()
	return ((1-t.Beta)*a + t.Beta*b) / t.drift(t.Faulty)
}

// AnytimeP is a p-value that holds however often one looks, from the greatest
// ratio reached, in nats: at the healthy rate or a lower one, the chance that the
// ratio ever reaches m is e^-m at most (Ville, 1939). It is 1 for m <= 0.
func AnytimeP(m float64) float64 { return min(1, math.Exp(-m)) }

// CUSUM is the sum of log-likelihood ratios that starts again at zero whenever it
// falls below (Page, 1954). It watches without end for a rate that rises, where an
// SPRT would long have said healthy.
type CUSUM struct {
	Bernoulli
	Threshold float64 // nats
}

// Step is the sum after f, which came after all that made it sum.
func (c CUSUM) Step(sum float64, f Failures) float64 { return max(0, sum+c.LLR(f)) }

// Alarm reports whether the sum has passed the threshold.
func (c CUSUM) Alarm(sum float64) bool { return sum >= c.Threshold }

// Delay is about how many trials it takes on average to find the faulty rate from
// a sum of zero: threshold over drift.
func (c CUSUM) Delay() float64 { return c.Threshold / c.drift(c.Faulty) }

// CUSUMThreshold is the threshold, in nats, at which a healthy target passes it
// at most so often a year, when so many trials a year are looked at in each of so
// many cells: ln(trials * cells / alarms). On average e^h trials go by before the
// sum of a healthy cell passes h (Lorden, 1971). It is at least 0.
func CUSUMThreshold(trialsPerYear float64, cells int, alarmsPerYear float64) float64 {
	if !(alarmsPerYear > 0) {
		return math.Inf(1)
	}
	return max(0, math.Log(trialsPerYear*float64(max(cells, 1))/alarmsPerYear))
}

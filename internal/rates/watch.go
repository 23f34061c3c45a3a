package rates

import (
	"math"

	"crosstalk/internal/stats"
)

// Watch is the evidence that the rounds of one cell have begun to fail more often
// than is normal. It is two sums of log-likelihood ratios (stats.CUSUM) that look
// for the two ways in which that happens. The zero Watch has seen nothing.
//
// A round of m exchanges fails if any of them does, which is normal with
// probability q = 1 - (1-p)^m at a rate p. Exchanges of one round fail together
// for reasons of their own, an overload say, and so count once.
//
// Each sum starts again at zero whenever it falls below, so that years of health
// do not stand against the fault of today. At the normal rate either takes e^h
// rounds or more, on average, until it passes h (Lorden 1971). That holds however
// the rounds are chosen, those that confirm a suspicion among them, as long as
// each is fresh.
type Watch struct {
	// Sum is that of a faulty rate against the normal one, in nats: for faults
	// that come and go.
	Sum float64 `json:"sum,omitempty"`
	// Surprise is that of a fault that is always there: ln(1/q) for each failing
	// round of the present run, in nats, and zero after a sound one.
	Surprise float64 `json:"surprise,omitempty"`
	// Failed counts the failing rounds since Sum was zero.
	Failed int `json:"failed,omitempty"`
	// Learnt are the exchanges, and failures among them, that the normal rate is
	// learnt from. Held are those of the present run: they are learnt when it
	// ends, and forgotten if it was a fault.
	Learnt stats.Failures `json:"learnt,omitzero"`
	Held   stats.Failures `json:"held,omitzero"`
}

const (
	// leastFailed is how many rounds must have failed: one alone never passes.
	leastFailed = 2
	// leastRate is the lowest rate that is learnt: nobody is perfect.
	leastRate = 0.001
	// capWeight is how many exchanges the cap counts for.
	capWeight = 100
	// maxLearnt is when what was learnt is halved, so that old exchanges fade.
	maxLearnt = 10_000
)

// Normal is the baseline with what was learnt: it begins at the cap, falls as
// sound answers come, and never rises above the cap, so that a fault that is
// there from the first day cannot become normal.
func (w Watch) Normal(limit Baseline) Baseline {
	p := (limit.Healthy*capWeight + float64(w.Learnt.Failed)) / (capWeight + float64(w.Learnt.N))
	return NewBaseline(min(max(p, leastRate), limit.Healthy))
}

// Step is the watch after a round of f.N exchanges; limit is the cap.
func (w Watch) Step(limit Baseline, f stats.Failures) Watch {
	if f.N <= 0 {
		return w
	}
	b := w.Normal(limit).round(f.N)
	failed := f.Failed > 0
	w.Sum = stats.CUSUM{Bernoulli: b}.Step(w.Sum, plus(stats.Failures{}, failed))
	if failed {
		w.Failed++
		w.Surprise -= math.Log(b.Healthy)
	} else {
		w.Surprise = 0
	}
	if w.Sum == 0 {
		w.Failed = 0
	}
	return w
}

// Learn is the watch with exchanges added to what is normal, once no run of
// failing rounds is under way.
func (w Watch) Learn(f stats.Failures) Watch {
	w.Held = stats.Failures{Failed: w.Held.Failed + f.Failed, N: w.Held.N + f.N}
	if w.Surprise > 0 {
		return w
	}
	w.Learnt = stats.Failures{Failed: w.Learnt.Failed + w.Held.Failed, N: w.Learnt.N + w.Held.N}
	w.Held = stats.Failures{}
	for w.Learnt.N > maxLearnt {
		w.Learnt = stats.Failures{Failed: w.Learnt.Failed / 2, N: w.Learnt.N / 2}
	}
	return w
}

// Passed reports whether either sum has passed a threshold, in nats.
func (w Watch) Passed(threshold float64) bool {
	return w.Failed >= leastFailed && max(w.Sum, w.Surprise) >= threshold
}

// Restart is the watch without the latest rounds: what is normal stays.
func (w Watch) Restart() Watch { return Watch{Learnt: w.Learnt} }

// Bounded is the watch with every number in the range it can have.
func (w Watch) Bounded() Watch {
	w.Sum, w.Surprise = min(max(w.Sum, 0), maxEvidence), min(max(w.Surprise, 0), maxEvidence)
	w.Failed = min(max(w.Failed, 0), maxCount)
	w.Learnt, w.Held = within(w.Learnt, maxLearnt), within(w.Held, maxLearnt)
	return w
}

// maxEvidence, in nats, and maxCount are far above what a week can show.
const (
	maxEvidence = 1e12
	maxCount    = 1 << 20
)

func within(f stats.Failures, most int) stats.Failures {
	f.N = min(max(f.N, 0), most)
	f.Failed = min(max(f.Failed, 0), f.N)
	return f
}

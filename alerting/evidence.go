package alerting

import (
	"math"

	"github.com/google/uuid"

	"crosstalk/probes"
)

// Evidence is what a cell has shown of one kind of fault: how often it is
// normal, and how far the latest rounds are from that.
//
// A healthy model loses a seal at a million tokens now and then, so one failure
// is not a page. How many are follows from the number of false pages that are
// accepted, F a year (Policy.FalsePagesPerYear). The unit is a round of the
// cell. A round of m decided exchanges fails if any of them does, which on a
// healthy target has probability at most
//
//	q = 1 - (1-p)^m
//
// for a rate p per exchange. Exchanges of one round fail together for reasons of
// their own, and so count once. Two tests are run side by side:
//
//   - A run: consecutive failing rounds, of the same check. A given run of k
//     rounds has probability q1 q2 ... qk, so Surprise adds ln(1/q) for each.
//   - A CUSUM, for faults that come and go: Score is the log-likelihood ratio
//     of a faulty rate p' against p, never below zero. Page (1954); by Lorden
//     (1971) it takes at least e^h rounds on average until it passes h on a
//     healthy target.
//
// So either passes h at most once in e^h rounds. A target with C cells of R
// rounds a year makes T C R such looks, for T tests, and pages falsely at most F
// times a year if
//
//	h = ln(T C R / F)
//
// For C = 10 cells of 26,280 rounds (every 20 minutes) and F = 0.1, h = 16.6: a
// run of 3 rounds at p = 0.2 %, of 8 at 10 %, of 11 at 20 %. A single round never
// pages for damage.
//
// p starts at a prior and is learnt, but only from answers to our own prompt,
// never while an incident of the target is open, and never above a cap for the
// length (see rateOf): a fault that is there from the first day cannot become
// normal.
type Evidence struct {
	// Exchanges and Failures are those the rate was learnt from.
	Exchanges int `json:"exchanges,omitempty"`
	Failures  int `json:"failures,omitempty"`
	// HeldExchanges and HeldFailures are those of the present run: they are
	// learnt when it ends, and forgotten when it was a fault.
	HeldExchanges int `json:"held_exchanges,omitempty"`
	HeldFailures  int `json:"held_failures,omitempty"`
	// Check is the check of the present run of failing rounds, Rounds its
	// length, Sightings its failing exchanges, Surprise its improbability in
	// nats.
	Check     string  `json:"check,omitempty"`
	Rounds    int     `json:"rounds,omitempty"`
	Sightings int     `json:"sightings,omitempty"`
	Surprise  float64 `json:"surprise,omitempty"`
	// Score is the CUSUM in nats, Checks the failing exchanges by check since
	// it was last zero, Failed the failing rounds.
	Score  float64        `json:"score,omitempty"`
	Failed int            `json:"failed,omitempty"`
	Checks map[string]int `json:"checks,omitempty"`
	// FirstRound and FirstExchange began the run, ScoreRound and
	// ScoreExchange the excursion of the score.
	FirstRound    uuid.UUID `json:"first_round,omitzero"`
	FirstExchange uuid.UUID `json:"first_exchange,omitzero"`
	ScoreRound    uuid.UUID `json:"score_round,omitzero"`
	ScoreExchange uuid.UUID `json:"score_exchange,omitzero"`
}

const (
	// tests is T: a run and a CUSUM for each of quality, form and foreign
	// answers.
	tests = 6
	// minThreshold keeps a policy that accepts any number of false pages
	// from paging on one failure.
	minThreshold = 4.0
	// priorWeight is how many exchanges the prior counts for.
	priorWeight = 100
	// leastRate is the lowest rate that can be learnt: nobody is perfect.
	leastRate = 0.001
)

// rate is a rate of failures per exchange on a healthy target: what it is taken
// for at first, and the most it can be learnt to be.
type rate struct{ prior, cap float64 }

// quality reports whether damage that the check names comes from the limits of a
// model: healthy ones lose seals, wander and repeat themselves at length. Other
// damage is a matter of form and protocol, which does not depend on length.
func quality(check string) bool {
	switch check {
	case "recall", "answer", "repetition", "foreigncontent", "contact", "empty":
		return true
	}
	return false
}

// qualityRate is the rate of damage of quality in a length band. Published
// long-context tests put a healthy model's misses of a single needle near 0 to
// 128k, and at one in five and more at a million tokens.
func qualityRate(length string) rate {
	switch length {
	case probes.Band4k, probes.Band32k:
		return rate{0.002, 0.01}
	case probes.Band128k:
		return rate{0.005, 0.02}
	case probes.Band256k:
		return rate{0.02, 0.05}
	case probes.Band512k:
		return rate{0.05, 0.10}
	default: // the top of the window, beyond it, and what is not known
		return rate{0.10, 0.20}
	}
}

// formRate is the rate of damage of form, at any length.
func formRate() rate { return rate{0.002, 0.01} }

// foreignRate is the rate of answers without contact. It is not learnt, and its
// cap of 1 % is what a healthy model may show at the top of its window.
func foreignRate(length string) rate {
	switch length {
	case probes.Band4k, probes.Band32k, probes.Band128k:
		return rate{0.001, 0.001}
	default:
		return rate{0.01, 0.01}
	}
}

// healthy is the rate p of failures per exchange that is normal for the cell.
func (e Evidence) healthy(r rate) float64 {
	learnt := (r.prior*priorWeight + float64(e.Failures)) / (priorWeight + float64(e.Exchanges))
	return min(max(learnt, leastRate), r.cap)
}

// faulty is the rate p' of a fault worth a page, for a normal rate p: 10 %, and
// where healthy models fail often, clearly more than they.
func faulty(p float64) float64 { return 0.1 + 2*p }

// failing is the probability that a round of m exchanges fails.
func failing(p float64, m int) float64 {
	return -math.Expm1(float64(m) * math.Log1p(-p))
}

// failure is how a round of a cell failed.
type failure struct {
	round     uuid.UUID
	exchange  uuid.UUID // the first, and last the last
	last      uuid.UUID
	check     string // the most frequent
	checks    map[string]int
	sightings int
}

// fail adds a round of m decided exchanges, some of which failed.
func (e *Evidence) fail(f failure, r rate, m int) {
	p := e.healthy(r)
	q := failing(p, m)
	if e.Check != f.check {
		e.endRun()
		e.Check, e.FirstRound, e.FirstExchange = f.check, f.round, f.exchange
	}
	e.Rounds++
	e.Sightings += f.sightings
	e.Surprise += -math.Log(q)

	if e.Score <= 0 {
		e.endScore()
		e.ScoreRound, e.ScoreExchange = f.round, f.exchange
	}
	e.Score += math.Log(failing(faulty(p), m) / q)
	e.Failed++
	if e.Checks == nil {
		e.Checks = map[string]int{}
	}
	for check, n := range f.checks {
		e.Checks[check] += n
	}
}

// pass adds a round of m decided exchanges that are all sound.
func (e *Evidence) pass(r rate, m int) {
	e.endRun()
	p := e.healthy(r)
	e.Score += float64(m) * (math.Log1p(-faulty(p)) - math.Log1p(-p))
	if e.Score <= 0 {
		e.endScore()
	}
}

// learn adds exchanges in contact with their prompt to what is normal, once no
// run is under way. Old ones fade, so that a healthy target that changes is
// followed within the cap.
func (e *Evidence) learn(exchanges, failures int) {
	e.HeldExchanges += exchanges
	e.HeldFailures += failures
	if e.Rounds > 0 {
		return
	}
	e.Exchanges += e.HeldExchanges
	e.Failures += e.HeldFailures
	e.HeldExchanges, e.HeldFailures = 0, 0
	if e.Exchanges > maxLearnt {
		e.Exchanges /= 2
		e.Failures /= 2
	}
}

const maxLearnt = 10_000

// alarmed reports whether the evidence passes the threshold, and by which check
// the fault goes: that of the run, else the most frequent.
func (e Evidence) alarmed(h float64) (alarm, bool) {
	if e.Rounds >= 2 && e.Surprise >= h {
		return alarm{e.Check, e.FirstRound, e.FirstExchange, e.Sightings}, true
	}
	if e.Failed >= 2 && e.Score >= h {
		a := alarm{round: e.ScoreRound, exchange: e.ScoreExchange}
		a.check = mostFrequent(e.Checks)
		for _, n := range e.Checks {
			a.sightings += n
		}
		return a, true
	}
	return alarm{}, false
}

// alarm is a test that passed its threshold.
type alarm struct {
	check           string
	round, exchange uuid.UUID
	sightings       int
}

// restart forgets the latest rounds, not what is normal.
func (e *Evidence) restart() {
	e.endRun()
	e.endScore()
	e.HeldExchanges, e.HeldFailures = 0, 0
}

func (e *Evidence) endRun() {
	e.Check, e.Rounds, e.Sightings, e.Surprise = "", 0, 0, 0
	e.FirstRound, e.FirstExchange = uuid.Nil, uuid.Nil
}

func (e *Evidence) endScore() {
	e.Score, e.Failed, e.Checks = 0, 0, nil
	e.ScoreRound, e.ScoreExchange = uuid.Nil, uuid.Nil
}

// mostFrequent is the check that failed most; of several, the one that explains
// most.
func mostFrequent(counts map[string]int) string {
	best := ""
	for check, n := range counts {
		if best == "" || n > counts[best] || n == counts[best] && before(check, best) {
			best = check
		}
	}
	return best
}

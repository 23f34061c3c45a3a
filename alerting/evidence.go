package alerting

import (
	"github.com/google/uuid"

	"crosstalk/internal/rates"
	"crosstalk/internal/stats"
	"crosstalk/probes"
)

// Evidence is what a cell has shown of one sort of failure: a watch for the
// moment at which failures become more frequent than is normal, and the trail of
// exchanges that it consists of.
//
// A healthy model loses a seal at a million tokens now and then, so one failure
// is not a page. How many are follows from the number of false pages that are
// accepted, F a year (Policy.FalsePagesPerYear). It is divided equally among
// seven tests. Six are sums of evidence, two in each of three watches (see
// rates.Watch): lost seals, other damage, and answers without contact. On a
// healthy target a sum passes h at most once in e^h rounds on average; C cells of
// R rounds a year make C R rounds, and so
//
//	h = ln(7 C R / F)
//
// The seventh is read once a day (see rates.Degraded), each time with a
// probability of F/7/365 to call a healthy target degraded.
//
// For C = 10 cells of 26,280 rounds (every 20 minutes) and F = 0.1, h = 16.7: a
// run of 4 rounds where 1 % of failures is normal, of 8 at 10 %, of 11 at 20 %. A
// single round never pages for damage.
//
// Lost seals have their watch in TargetState.Rates, with the counts of the day.
type Evidence struct {
	Watch rates.Watch `json:"watch,omitzero"`
	Trail Trail       `json:"trail,omitzero"`
}

// Trail is the failing exchanges since the sum of a watch was last zero.
type Trail struct {
	// Checks counts them by the check that explains them.
	Checks map[string]int `json:"checks,omitempty"`
	// Round and Exchange are the first, Last is the last exchange.
	Round    uuid.UUID `json:"round,omitzero"`
	Exchange uuid.UUID `json:"exchange,omitzero"`
	Last     uuid.UUID `json:"last,omitzero"`
}

// tests is how many tests share the false pages: see Evidence.
const tests = 7

// minThreshold keeps a policy that accepts any number of false pages from paging
// on two failures.
const minThreshold = 4.0

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

// formBaseline is the rate of damage other than lost seals, at any length.
func formBaseline() rates.Baseline { return rates.NewBaseline(0.01) }

// foreignBaseline is the rate of answers without contact.
func foreignBaseline(length string) rates.Baseline {
	switch length {
	case probes.Band4k, probes.Band32k, probes.Band128k:
		return rates.NewBaseline(0.001)
	default:
		return rates.NewBaseline(0.01)
	}
}

// failure is the failing exchanges of a round in one cell.
type failure struct {
	round     uuid.UUID
	sightings []Sighting
}

// step adds a round of so many decided exchanges.
func (e *Evidence) step(limit rates.Baseline, f failure, exchanges int) {
	e.Watch = e.Watch.Step(limit, stats.Failures{Failed: len(f.sightings), N: exchanges})
	e.Trail.follow(e.Watch, f)
}

// restart forgets the latest rounds, not what is normal.
func (e *Evidence) restart() { *e = Evidence{Watch: e.Watch.Restart()} }

// follow adds the failures of a round, after which the watch is w.
func (t *Trail) follow(w rates.Watch, f failure) {
	if w.Failed == 0 {
		*t = Trail{}
		return
	}
	for _, s := range f.sightings {
		if t.Exchange == uuid.Nil {
			t.Round, t.Exchange = f.round, s.Exchange
		}
		if t.Checks == nil {
			t.Checks = map[string]int{}
		}
		t.Checks[s.Check]++
		t.Last = s.Exchange
	}
}

// sightings is how many exchanges the trail has.
func (t Trail) sightings() int {
	all := 0
	for _, n := range t.Checks {
		all += n
	}
	return all
}

// check is the check that failed most; of several, the one that explains most.
func (t Trail) check() string {
	best := ""
	for check, n := range t.Checks {
		if best == "" || n > t.Checks[best] || n == t.Checks[best] && before(check, best) {
			best = check
		}
	}
	return best
}

package probes

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"crosstalk/corpus"
)

// OverLength tries the prompt limit from both sides, one prompt after the
// other: just below it the target must answer, above it it must refuse. An
// acceptance above the limit is how prompts are cut silently, and how requests
// that were never prefilled come to be answered from someone else's pages.
//
// The limit is what the target stated in a refusal, else the advertised window.
// A step whose interval holds the limit is lawful either way (ExpectEither).
// Once the calibration is narrow enough, two finer steps are added, as close to
// the limit as can be told apart from it.
type OverLength struct{}

// Kind is "overlength".
func (OverLength) Kind() string { return "overlength" }

// Plan lays out the steps from the shortest to the longest, all by the tenant
// whose turn it is. A target that stated a smaller limit than it advertises is
// also asked for what it advertises.
func (p OverLength) Plan(seed uint64, s State) (Plan, error) {
	d, err := newDraft(p.Kind(), seed, s)
	if err != nil {
		return Plan{}, err
	}
	tenant, family := d.tenant(), d.sizedFamily()
	ask := 1 + d.turn.next(defaultSeals)
	_, budget, err := d.shape(family)
	if err != nil {
		return Plan{}, err
	}
	limit := s.Target.Window
	if s.Limit > 0 {
		limit = s.Limit
	}
	w := wish{tenant: tenant, role: RoleMain, family: family, ask: ask, stream: true, room: unbounded, limit: limit}
	coarse, err := d.coarseStep(w)
	if err != nil {
		return Plan{}, err
	}
	for _, e := range edges(limit, budget, s.Target.Window, coarse, fineStep(d.calibration(family), limit)) {
		w.aim, w.room, w.limit = e.aim, e.room, e.limit
		if err := d.step(e.name, w); err != nil {
			return Plan{}, err
		}
	}
	slices.SortStableFunc(d.plan.Steps, func(a, b Step) int {
		return cmp.Compare(a.Intents[0].Tokens, b.Intents[0].Tokens)
	})
	return d.done()
}

// edge is one step of an over-length round.
type edge struct {
	name             string
	aim, room, limit int
}

// coarseStep is how far from the limit of w the coarse steps are, in per cent: 2,
// or so much more that the prompt above is surely above. At small windows prompts
// of one size differ by more than that, and one that fits after all, with no room
// left for the answer, tells nothing. It is 2 as well where no distance is enough,
// since the calibration knows too little.
func (d *draft) coarseStep(w wish) (int, error) {
	const least, most = 2, 25
	for percent := least; percent <= most; percent++ {
		w.aim = w.limit + w.limit*percent/100
		in, err := d.intent(w)
		if err != nil {
			return 0, err
		}
		if in.Expect == ExpectRefusal {
			return percent, nil
		}
	}
	return least, nil
}

// fineStep is how close to the limit a prompt can be and surely be on its side
// of it, in tenths of a per cent: half as much again as the half-width of the
// calibration's interval there. It is 0 where that is no closer than the coarse
// steps by far.
func fineStep(c corpus.Calibration, limit int) int {
	const coarsest = 5
	_, mid, high := c.Tokens(c.Bytes(limit))
	if mid <= 0 {
		return 0
	}
	half := float64(high-mid) / float64(mid)
	if tenths := int(math.Ceil(1.5 * half * 1000)); tenths <= coarsest {
		return tenths
	}
	return 0
}

// edges are the steps around a limit. Steps below leave room for the answer;
// steps above pass the limit by the prompt alone, since a target need not count
// the answer. coarse is in per cent, fine in tenths of a per cent, 0 for none.
func edges(limit, budget, window, coarse, fine int) []edge {
	below := limit - budget
	steps := []edge{
		{fmt.Sprintf("-%d%%", coarse), below - below*coarse/100, unbounded, limit},
		{fmt.Sprintf("+%d%%", coarse), limit + limit*coarse/100, unbounded, limit},
		{"x1.5", limit + limit/2, unbounded, limit},
	}
	if fine > 0 {
		steps = append(steps,
			edge{fmt.Sprintf("-0.%d%%", fine), below - below/1000*fine, unbounded, limit},
			edge{fmt.Sprintf("+0.%d%%", fine), limit + limit/1000*fine, unbounded, limit})
	}
	if limit < window {
		steps = append(steps, edge{"advertised", window - budget, window, window})
	}
	return steps
}

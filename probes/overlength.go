package probes

import (
	"cmp"
	"slices"
)

// OverLength tries the prompt limit from both sides, one prompt after the
// other: just below it the target must answer, above it it must refuse. An
// acceptance above the limit is how prompts are cut silently, and how requests
// that were never prefilled come to be answered from someone else's pages.
//
// The limit is what the target stated in a refusal, else the advertised window.
// Steps that lie within the calibration's interval of the limit are lawful
// either way (ExpectEither); the finer steps are planned only when the interval
// is narrow enough to tell them apart.
type OverLength struct{}

const (
	// fineSpread is the widest calibration interval that can still tell
	// 0.1 % above the limit from 0.1 % below.
	fineSpread = 0.0005
)

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
	for _, e := range edges(limit, budget, s.Target.Window, d.calibration(family).Spread) {
		err := d.step(e.name, wish{
			tenant: tenant, role: RoleMain, family: family, ask: ask, stream: true,
			aim: e.aim, room: e.room, limit: e.limit,
		})
		if err != nil {
			return Plan{}, err
		}
	}
	return d.done()
}

// edge is one step of an over-length round.
type edge struct {
	name             string
	aim, room, limit int
}

// edges are the steps around a limit, in order of length. Steps below leave
// room for the answer; steps above pass the limit by the prompt alone, since a
// target need not count the answer.
func edges(limit, budget, window int, interval float64) []edge {
	below := limit - budget
	steps := []edge{
		{"-2%", below - below/50, unbounded, limit},
		{"+2%", limit + limit/50, unbounded, limit},
		{"x1.5", limit + limit/2, unbounded, limit},
	}
	if interval < fineSpread {
		steps = append(steps,
			edge{"-0.1%", below - below/1000, unbounded, limit},
			edge{"+0.1%", limit + limit/1000, unbounded, limit})
	}
	if limit < window {
		steps = append(steps, edge{"advertised", window - budget, window, window})
	}
	slices.SortFunc(steps, func(a, b edge) int { return cmp.Compare(a.aim, b.aim) })
	return steps
}

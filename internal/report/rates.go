package report

import (
	"fmt"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/internal/rates"
	"crosstalk/probes"
)

// degradedCells says which cells of a run missed more seals than a healthy model
// explains. Confirming rounds do not count: they were sent because something was
// missed.
func degradedCells(run []*Outcome) []rates.Degradation {
	var state rates.State
	for _, o := range run {
		if o.Round.Plan.Confirm == uuid.Nil {
			state = rates.Step(state, rateRound(o))
		}
	}
	return rates.Degraded(state, rates.Policy{})
}

// rateRound is a round as the statistics of misses see it.
func rateRound(o *Outcome) rates.Round {
	missed := map[uuid.UUID]bool{}
	for _, f := range o.Report.Findings {
		if isMiss(f) {
			missed[f.Exchange] = true
		}
	}
	var r rates.Round
	decided := map[probes.Role]*probes.Exchange{} // one of each role, where there is one
	for _, x := range o.Round.Exchanges {
		if !counts(x, o.Report.Verdict(x.ID), missed[x.ID]) {
			continue
		}
		r.Trials = append(r.Trials, rates.Trial{Cell: x.Intent.Cell, Identity: x.Intent.Tenant, Missed: missed[x.ID]})
		decided[x.Intent.Role] = x
	}
	main, control := decided[probes.RoleMain], decided[probes.RoleControl]
	if main != nil && control != nil {
		r.Pairs = append(r.Pairs, rates.Pair{Cell: main.Intent.Cell, MainMissed: missed[main.ID], ControlMissed: missed[control.ID]})
	}
	return r
}

// isMiss reports whether a finding says that the answer lacks what decides.
func isMiss(f checks.Finding) bool {
	if f.Kind == checks.KindLostAskedSeal {
		return true
	}
	switch f.Check {
	case "recall", "answer", "contact":
		return f.Class == checks.Damaged || f.Class == checks.Foreign
	}
	return false
}

// counts reports whether an exchange is a trial: it should have been answered,
// and whether it was is decided.
func counts(x *probes.Exchange, verdict checks.Class, missed bool) bool {
	if x.Response == nil || x.Intent.Expect != probes.ExpectAnswer {
		return false
	}
	return missed || verdict != checks.Inconclusive
}

// degradedCells prints a line for each cell that has degraded.
func (p *printer) degradedCells(s *Summary) {
	for _, d := range s.DegradedCells {
		list := []string{d.Detail}
		if d.Sign == rates.SignRate || d.Sign == rates.SignIdentity {
			list = append(list, fmt.Sprintf("a rate of %.2g %% to %.2g %% (95 %%)", 100*d.Low, 100*d.High))
		}
		list = append(list, fmt.Sprintf("p = %.1g, adjusted for all cells", d.P))
		p.clauses(fmt.Sprintf("degraded cell, by %s: %s: ", d.Sign, CellName(d.Cell)), "  ", list)
	}
	if len(s.DegradedCells) > 0 {
		p.printf("\n")
	}
}

package report

import (
	"fmt"

	"crosstalk/internal/rates"
)

// degradedCells says which cells of a run missed more seals than a healthy model
// explains.
func degradedCells(run []*Outcome) []rates.Degradation {
	var state rates.State
	for _, o := range run {
		state = rates.Step(state, rates.Of(o.Round, o.Report))
	}
	return rates.Degraded(state, rates.Policy{})
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

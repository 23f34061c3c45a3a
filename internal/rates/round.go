package rates

import (
	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/probes"
)

// Round is what one round showed.
type Round struct {
	Trials []Trial `json:"trials,omitempty"`
	Pairs  []Pair  `json:"pairs,omitempty"`
	// Confirms says that the round was sent because something was missed. It is
	// evidence, but no sample: it moves the watch, and is not counted.
	Confirms bool `json:"confirms,omitempty"`
	// Learn says that what is normal may be learnt from the round.
	Learn bool `json:"learn,omitempty"`
}

// Trial is one decided exchange.
type Trial struct {
	Exchange uuid.UUID   `json:"exchange"`
	Cell     probes.Cell `json:"cell"`
	// Identity is what the target routes by, as far as is known: the tenant,
	// or the replica where the target names it.
	Identity string `json:"identity,omitempty"`
	Missed   bool   `json:"missed,omitempty"`
	// NoContact says that a missed answer is not one to its own prompt: such
	// ones teach nothing about a healthy model.
	NoContact bool `json:"no_contact,omitempty"`
}

// Pair is a long prompt and its control, of one round.
type Pair struct {
	Cell          probes.Cell `json:"cell"` // of the long prompt
	MainMissed    bool        `json:"main_missed,omitempty"`
	ControlMissed bool        `json:"control_missed,omitempty"`
}

// Of is a finished round as the statistics of lost seals see it. It learns
// nothing.
func Of(round *probes.Round, report checks.Report) Round {
	r := Round{Confirms: round.Plan.Confirm != uuid.Nil}
	missed, apart := map[uuid.UUID]bool{}, map[uuid.UUID]bool{}
	for _, f := range report.Findings {
		if isMiss(f) {
			missed[f.Exchange] = true
			apart[f.Exchange] = apart[f.Exchange] || f.Check == "contact"
		}
	}
	decided := map[probes.Role]*probes.Exchange{} // one of each role, where there is one
	for _, x := range round.Exchanges {
		if !counts(x, report.Verdict(x.ID), missed[x.ID]) {
			continue
		}
		r.Trials = append(r.Trials, Trial{
			Exchange: x.ID, Cell: x.Intent.Cell, Identity: x.Intent.Tenant,
			Missed: missed[x.ID], NoContact: apart[x.ID],
		})
		decided[x.Intent.Role] = x
	}
	main, control := decided[probes.RoleMain], decided[probes.RoleControl]
	if main != nil && control != nil {
		r.Pairs = append(r.Pairs, Pair{Cell: main.Intent.Cell, MainMissed: missed[main.ID], ControlMissed: missed[control.ID]})
	}
	return r
}

// isMiss reports whether a finding says that the answer lacks what decides. The
// one seal that alone decides counts when it is first lost, before a fresh round
// has shown whether it is lost again.
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

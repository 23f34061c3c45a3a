package checks

import (
	"fmt"
	"runtime"

	"github.com/google/uuid"
)

// Report is what the checks say of one round.
type Report struct {
	// Findings in the order of the checks, then of the exchanges.
	Findings []Finding `json:"findings"`
	// Verdicts has one entry for each exchange, in the order of the round.
	Verdicts []Verdict `json:"verdicts"`
}

// Verdict is what one exchange amounts to.
type Verdict struct {
	Exchange uuid.UUID `json:"exchange"`
	Class    Class     `json:"class"`
	// Reason is the kind of the finding that decided. When nothing did it
	// says why: the reason for not sending, the kind of the failure, or
	// "undecided".
	Reason string `json:"reason"`
}

// Verdict is the class of an exchange; Inconclusive for one that is not in the
// round.
func (r Report) Verdict(exchange uuid.UUID) Class {
	for _, v := range r.Verdicts {
		if v.Exchange == exchange {
			return v.Class
		}
	}
	return Inconclusive
}

// Has reports whether the exchange has a finding of that kind.
func (r Report) Has(exchange uuid.UUID, kind string) bool {
	for _, f := range r.Findings {
		if f.Exchange == exchange && f.Kind == kind {
			return true
		}
	}
	return false
}

// Class is the worst verdict of the round; Inconclusive for an empty one.
func (r Report) Class() Class {
	if len(r.Verdicts) == 0 {
		return Inconclusive
	}
	worst := Sound
	for _, v := range r.Verdicts {
		if v.Class.Worse(worst) {
			worst = v.Class
		}
	}
	return worst
}

// Run runs the checks over a finished round. It is pure: the same input gives
// the same report. A check that panics is contained: every exchange of the
// round then has an inconclusive finding that names the check, so that none is
// called sound on less than all checks.
func Run(in Input, list []Check) Report {
	var r Report
	if in.Round == nil {
		return r
	}
	in.facts = newFacts(&in)
	for _, c := range list {
		r.Findings = append(r.Findings, runContained(c, &in)...)
	}
	for _, x := range in.Round.Exchanges {
		r.Verdicts = append(r.Verdicts, judge(in.facts.subject(x), r.Findings))
	}
	return r
}

func runContained(c Check, in *Input) (found []Finding) {
	defer func() {
		if p := recover(); p != nil {
			found = nil
			for _, x := range in.Round.Exchanges {
				found = append(found, panicked(c.Name(), x.ID, p))
			}
		}
	}()
	return c.Run(in)
}

// panicked is the finding for a check that could not finish. The panic value
// is named by its type only, unless the runtime wrote it: it could hold text of
// a stranger.
func panicked(check string, exchange uuid.UUID, p any) Finding {
	cause := fmt.Sprintf("%T", p)
	if err, ok := p.(runtime.Error); ok {
		cause = err.Error()
	}
	return Finding{
		Check: check, Kind: KindPanic, Class: Inconclusive, Exchange: exchange,
		Detail: "the check did not finish on this answer: " + cause,
	}
}

// judge reduces the findings of one exchange to its verdict. It starts from
// inconclusive, and only a sound finding can make it better.
func judge(s *subject, findings []Finding) Verdict {
	v := Verdict{Exchange: s.x.ID, Class: Inconclusive, Reason: s.undecided()}
	for _, f := range findings {
		if f.Exchange == s.x.ID && f.Class == Sound {
			v.Class, v.Reason = Sound, f.Kind
			break
		}
	}
	named := v.Class == Sound
	for _, f := range findings {
		if f.Exchange != s.x.ID || f.Class == Sound {
			continue
		}
		if f.Class.Worse(v.Class) || f.Class == v.Class && !named {
			v.Class, v.Reason = f.Class, f.Kind
			named = true
		}
	}
	return v
}

// undecided says in a word why an exchange that nobody decided is undecided.
func (s *subject) undecided() string {
	switch {
	case s.x.Response == nil && s.x.Skipped != "":
		return s.x.Skipped
	case s.x.Response == nil:
		return "not sent"
	case s.x.Response.Failure != nil:
		return string(s.x.Response.Failure.Kind)
	default:
		return "undecided"
	}
}

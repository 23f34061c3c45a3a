package pipeline

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/internal/evidence"
	"crosstalk/internal/report"
)

// KindUnreproduced is the reason of the verdict on an exchange that was called
// a leak or foreign and, judged again from its bytes, was not.
const KindUnreproduced = "unreproduced"

// examine makes the record of a round in which something was found, judges a
// leak and foreign content once more from it, and hands it to Keep.
func (e *Engine) examine(ctx context.Context, in checks.Input, o *report.Outcome, api string) {
	class := o.Report.Class()
	again := disclosure(class) && e.Parse != nil
	if !evidence.Worth(class) || !again && e.Keep == nil {
		return
	}
	record := evidence.Capture(in, o.Report, api)
	if again {
		for id, detail := range e.doubts(record) {
			withdraw(&o.Report, id, detail)
			if e.Doubt != nil {
				e.Doubt(ctx, o.Round.Plan.Target, detail)
			}
		}
	}
	if e.Keep != nil {
		e.Keep(ctx, record)
	}
}

func disclosure(c checks.Class) bool { return c == checks.Leak || c == checks.Foreign }

// doubts judges a record from its bytes, and returns the exchanges that were
// called a leak or foreign and are not called so again, with a sentence on each.
func (e *Engine) doubts(r *evidence.Record) map[uuid.UUID]string {
	second, err := r.Judge(e.Codec, e.Parse, e.Checks)
	doubts := map[uuid.UUID]string{}
	for _, v := range r.Report.Verdicts {
		if !disclosure(v.Class) {
			continue
		}
		if got := second.Verdict(v.Exchange); err != nil {
			doubts[v.Exchange] = fmt.Sprintf("exchange %s was called %s and could not be judged again: %v", v.Exchange, v.Class, err)
		} else if !disclosure(got) {
			doubts[v.Exchange] = fmt.Sprintf("exchange %s was called %s and, judged again from its bytes, %s", v.Exchange, v.Class, got)
		}
	}
	return doubts
}

// withdraw makes a leak or foreign content that did not come out the same way
// twice inconclusive: what this program says of it cannot be relied on. The rest
// of what was found stands.
func withdraw(r *checks.Report, exchange uuid.UUID, detail string) {
	worst := checks.Verdict{Exchange: exchange, Class: checks.Inconclusive, Reason: KindUnreproduced}
	findings := make([]checks.Finding, len(r.Findings)) // the record has the old ones
	for i, f := range r.Findings {
		switch {
		case f.Exchange != exchange:
		case disclosure(f.Class):
			f.Class, f.Detail = checks.Inconclusive, f.Detail+"; "+detail
		case f.Class.Worse(worst.Class):
			worst.Class, worst.Reason = f.Class, f.Kind
		}
		findings[i] = f
	}
	verdicts := make([]checks.Verdict, len(r.Verdicts))
	for i, v := range r.Verdicts {
		if v.Exchange == exchange {
			v = worst
		}
		verdicts[i] = v
	}
	r.Findings, r.Verdicts = findings, verdicts
}

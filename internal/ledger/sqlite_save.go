package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"crosstalk/alerting"
	"crosstalk/checks"
	"crosstalk/internal/ledger/sqlitedb"
	"crosstalk/internal/pipeline"
	"crosstalk/internal/report"
)

// Save implements pipeline.Store.
func (l *SQLite) Save(ctx context.Context, o *report.Outcome, k pipeline.Known) error {
	return l.Keep(ctx, Settle(o, k))
}

// Keep implements Ledger.
func (l *SQLite) Keep(ctx context.Context, s Settled) error {
	return l.change(ctx, "save round "+s.Round.ID.String(), func(w *writing) error { return w.keep(ctx, s) })
}

// keep writes a finished round with all that follows from it. One that was
// saved before is left as it is.
func (w *writing) keep(ctx context.Context, s Settled) error {
	fresh, err := w.finish(ctx, s)
	if err != nil || !fresh {
		return err
	}
	for i, e := range s.Round.Exchanges {
		e.Unjournaled = s.Unjournaled
		if err := w.exchange(ctx, i, e); err != nil {
			return err
		}
	}
	if err := w.findings(ctx, s.Round); err != nil {
		return err
	}
	for _, c := range s.Cells {
		if err := w.cell(ctx, c, s.Round.Ended); err != nil {
			return err
		}
	}
	if err := w.confirm(ctx, s.Round); err != nil {
		return err
	}
	t, err := w.target(ctx, s.Round.Target)
	if err != nil {
		return err
	}
	if t.known, err = w.learn(ctx, t, s); err != nil {
		return err
	}
	if w.opts.isControl(s.Round.Target) {
		return w.putTarget(ctx, t)
	}
	pages, err := w.step(ctx, &t, func(p alerting.Policy, state alerting.TargetState) (alerting.TargetState, []alerting.Page, error) {
		next, pages := alerting.Step(p, state, s.Observation)
		return next, pages, nil
	})
	if err != nil {
		return err
	}
	return w.sight(ctx, t.state, pages, s.Observation)
}

// finish marks the round as saved. It is not fresh if it was saved before.
func (w *writing) finish(ctx context.Context, s Settled) (fresh bool, err error) {
	r := s.Round
	unknown, err := w.q.InsertRound(ctx, sqlitedb.InsertRoundParams{
		ID: r.ID.String(), Target: r.Target, Probe: r.Probe, Confirms: r.Confirms.String(), Root: r.ID.String(),
		Seed: int64(r.Seed), Begun: nanos(r.Begun),
	})
	if err != nil {
		return false, err
	}
	if unknown > 0 { // it was never begun here
		for _, p := range s.Prompts {
			if err := w.prompt(ctx, r.ID, r.Target, p, true); err != nil {
				return false, err
			}
		}
	}
	n, err := w.q.FinishRound(ctx, sqlitedb.FinishRoundParams{
		ID: r.ID.String(), Started: nanos(r.Started), Ended: nanos(r.Ended),
		Class: r.Class.String(), Severity: severity(r.Class),
	})
	return n > 0, err
}

// findings writes the findings of a round.
func (w *writing) findings(ctx context.Context, r RoundRecord) error {
	place := 0
	for _, e := range r.Exchanges {
		for _, f := range e.Findings {
			text, err := json.Marshal(f)
			if err != nil {
				return fmt.Errorf("finding of %s in exchange %s: %w", f.Check, e.ID, err)
			}
			err = w.q.PutFinding(ctx, sqlitedb.PutFindingParams{
				RoundID: r.ID.String(), Place: int64(place), ExchangeID: e.ID.String(),
				CheckName: f.Check, Kind: f.Kind, Class: f.Class.String(), Finding: string(text),
			})
			if err != nil {
				return err
			}
			place++
		}
	}
	return nil
}

// cell adds a round to the counts of a cell.
func (w *writing) cell(ctx context.Context, c CellCount, at time.Time) error {
	k, hour := c.Cell, nanos(at.UTC().Truncate(time.Hour))
	when := func(n int) int64 {
		if n == 0 {
			return 0
		}
		return nanos(at)
	}
	err := w.q.AddCell(ctx, sqlitedb.AddCellParams{
		Target: k.Target, Hour: hour, Probe: k.Probe, Length: k.Length, Concurrency: k.Concurrency, Warm: k.Warm, Stream: k.Stream,
		Planned: int64(c.Planned), Sent: int64(c.Sent), Decided: int64(c.Decided),
		Sound: int64(c.Sound), Degraded: int64(c.Degraded), Damaged: int64(c.Damaged),
		Strange: int64(c.Foreign), Leak: int64(c.Leak), Inconclusive: int64(c.Inconclusive),
		LastRound: when(c.Sent), LastDecided: when(c.Decided), LastSound: when(c.Sound),
	})
	if err != nil {
		return err
	}
	for _, tenant := range c.Tenants {
		err := w.q.AddCellTenant(ctx, sqlitedb.AddCellTenantParams{
			Target: k.Target, Hour: hour, Probe: k.Probe, Length: k.Length, Concurrency: k.Concurrency,
			Warm: k.Warm, Stream: k.Stream, Tenant: tenant,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// sight links the exchanges of a round to the incidents that they belong to:
// those still open, and those that a page of this round is about.
func (w *writing) sight(ctx context.Context, s alerting.TargetState, pages []alerting.Page, o alerting.Observation) error {
	incidents := s.Incidents()
	for _, p := range pages {
		incidents = append(incidents, p.Incident)
	}
	for _, i := range incidents {
		if i.FirstRound != uuid.Nil {
			if err := w.sighting(ctx, i, i.FirstRound, i.FirstExchange, i.Opened); err != nil {
				return err
			}
		}
		for _, x := range o.Sightings {
			if !belongs(x, i.Kind) {
				continue
			}
			if err := w.sighting(ctx, i, o.Round, x.Exchange, o.At); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *writing) sighting(ctx context.Context, i alerting.Incident, round, exchange uuid.UUID, at time.Time) error {
	return w.q.PutSighting(ctx, sqlitedb.PutSightingParams{
		IncidentID: i.ID.String(), RoundID: round.String(), ExchangeID: exchange.String(), At: nanos(at),
	})
}

// belongs reports whether an exchange is one that an incident is about.
func belongs(x alerting.Sighting, k alerting.Kind) bool {
	switch check, damage := k.Damage(); {
	case damage:
		return x.Class == checks.Damaged && x.Check == check
	case k == alerting.KindLeak:
		return x.Class == checks.Leak
	case k == alerting.KindForeign:
		return x.Class == checks.Foreign
	}
	return false
}

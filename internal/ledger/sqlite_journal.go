package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/internal/ledger/sqlitedb"
	"crosstalk/internal/report"
	"crosstalk/probes"
)

// Begin implements probes.Journal: it reserves the round's spend and records
// its markers, or does neither.
func (l *SQLite) Begin(ctx context.Context, round uuid.UUID, plan probes.Plan, bound []probes.Bound) error {
	b := Begun{Round: round, Plan: plan, Bound: bound, At: l.opts.now()}
	return l.change(ctx, "begin round "+round.String(), func(w *writing) error {
		if err := w.admit(ctx, b); err != nil {
			return err
		}
		return w.begin(ctx, b)
	})
}

// admit holds the spend of a round against every cap: that of the target's day,
// that of the round with all it confirms, and that of the day of all targets.
func (w *writing) admit(ctx context.Context, b Begun) error {
	root, err := w.rootOf(ctx, b)
	if err != nil {
		return err
	}
	run, err := w.q.SumRoot(ctx, root)
	if err != nil {
		return err
	}
	day, err := w.q.SumSpend(ctx, sqlitedb.SumSpendParams{Day: dayOf(b.At), Target: b.Plan.Target})
	if err != nil {
		return err
	}
	all, err := w.q.SumSpend(ctx, sqlitedb.SumSpendParams{Day: dayOf(b.At)})
	if err != nil {
		return err
	}
	return admit(w.opts, b.Plan, probes.Spend(run), probes.Spend(day), probes.Spend(all))
}

// admit holds the spend of a plan against the caps, after what its run, its
// target's day and the day of all have spent.
func admit(o Options, p probes.Plan, run, day, all probes.Spend) error {
	cost := p.Spend(o.pricing(p.Target))
	if err := o.limits(p.Target).Admit(run, day, cost); err != nil {
		return fmt.Errorf("reserve spend of %s on target %s: %w", p.Probe, p.Target, err)
	}
	if err := o.total().Admit(probes.Spend{}, all, cost); err != nil {
		return fmt.Errorf("reserve spend of %s on target %s, all targets together: %w", p.Probe, p.Target, err)
	}
	return nil
}

// rootOf is the round at the beginning of the chain of confirmations that the
// round belongs to: itself, if it confirms nothing.
func (w *writing) rootOf(ctx context.Context, b Begun) (string, error) {
	if b.Plan.Confirm == uuid.Nil {
		return b.Round.String(), nil
	}
	confirmed, err := w.q.GetRound(ctx, b.Plan.Confirm.String())
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return b.Plan.Confirm.String(), nil
	case err != nil:
		return "", err
	}
	return confirmed.Root, nil
}

// begin writes a round and its markers. A round that was begun before is left
// as it is.
func (w *writing) begin(ctx context.Context, b Begun) error {
	root, err := w.rootOf(ctx, b)
	if err != nil {
		return err
	}
	cost := b.Plan.Spend(w.opts.pricing(b.Plan.Target))
	fresh, err := w.q.InsertRound(ctx, sqlitedb.InsertRoundParams{
		ID: b.Round.String(), Target: b.Plan.Target, Probe: b.Plan.Probe, Confirms: b.Plan.Confirm.String(), Root: root,
		Seed: int64(b.Plan.Seed), Tokens: cost.Tokens, USD: cost.USD, Begun: nanos(b.At),
	})
	if err != nil || fresh == 0 {
		return err
	}
	err = w.q.AddSpend(ctx, sqlitedb.AddSpendParams{Target: b.Plan.Target, Day: dayOf(b.At), Tokens: cost.Tokens, USD: cost.USD})
	if err != nil {
		return err
	}
	for i, x := range b.Bound {
		ref := checks.PromptRef{Exchange: x.Exchange, Payload: x.Payload.Request(), Spec: x.Intent.Spec}
		if err := w.prompt(ctx, b.Round, b.Plan.Target, ref, b.Unjournaled); err != nil {
			return err
		}
		if err := w.exchange(ctx, i, inFlight(b, x)); err != nil {
			return err
		}
	}
	return nil
}

// inFlight is the record of an exchange before it is made.
func inFlight(b Begun, x probes.Bound) ExchangeRecord {
	return ExchangeRecord{
		Exchange: report.Exchange{
			ID: x.Exchange, Tenant: x.Intent.Tenant, Role: x.Intent.Role,
			Tokens: x.Intent.Tokens, Expect: x.Intent.Expect,
		},
		Round: b.Round, Payload: x.Payload.Request(), Cell: x.Intent.Cell, Unjournaled: b.Unjournaled,
	}
}

// prompt writes what gives a prompt's bytes.
func (w *writing) prompt(ctx context.Context, round uuid.UUID, target string, p checks.PromptRef, unjournaled bool) error {
	spec, err := json.Marshal(p.Spec)
	if err != nil {
		return fmt.Errorf("spec of exchange %s: %w", p.Exchange, err)
	}
	key := p.Key
	if key == "" {
		key = w.opts.KeyID
	}
	return w.q.InsertPrompt(ctx, sqlitedb.InsertPromptParams{
		ExchangeID: p.Exchange.String(), RoundID: round.String(), Target: target,
		Minted: int64(p.Payload.Second), Draw: int64(p.Payload.Draw), Tenant: int64(p.Payload.Tenant), KeyID: key,
		Spec: string(spec), Unjournaled: unjournaled,
	})
}

// exchange writes the record of an exchange, over the one that is there.
func (w *writing) exchange(ctx context.Context, place int, e ExchangeRecord) error {
	e.Findings = nil // they have a table
	record, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("record of exchange %s: %w", e.ID, err)
	}
	return w.q.PutExchange(ctx, sqlitedb.PutExchangeParams{
		ID: e.ID.String(), RoundID: e.Round.String(), Place: int64(place), Class: e.Class.String(), Record: string(record),
	})
}

// Interrupted implements Ledger.
func (l *SQLite) Interrupted(ctx context.Context, before time.Time) ([]RoundRecord, error) {
	var lost []RoundRecord
	err := l.change(ctx, "look for interrupted rounds", func(w *writing) error {
		rows, err := w.q.ListUnsavedRounds(ctx, nanos(before))
		if err != nil {
			return err
		}
		now := l.opts.now()
		for _, row := range rows {
			if err := w.q.LoseRound(ctx, sqlitedb.LoseRoundParams{ID: row.ID, At: nanos(now)}); err != nil {
				return err
			}
			row.Lost = nanos(now)
			r, err := readRound(ctx, w.q, row)
			if err != nil {
				return err
			}
			lost = append(lost, r)
			err = w.event(ctx, Event{
				At: now, Kind: EventLost, Target: r.Target, Probe: r.Probe, Reason: "interrupted",
				Detail: fmt.Sprintf("round %s was begun at %s and never saved", r.ID, r.Begun.Format(time.RFC3339)),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return lost, nil
}

// Spent implements Ledger.
func (l *SQLite) Spent(ctx context.Context, target string, t time.Time) (probes.Spend, error) {
	sum, err := l.queries().SumSpend(ctx, sqlitedb.SumSpendParams{Day: dayOf(t), Target: target})
	if err != nil {
		return probes.Spend{}, l.fail("read spend", err)
	}
	return probes.Spend(sum), nil
}

// dayOf is the day of a time in UTC, as it is stored.
func dayOf(t time.Time) int64 { return nanos(t.UTC().Truncate(24 * time.Hour)) }

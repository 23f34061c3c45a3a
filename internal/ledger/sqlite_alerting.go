package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"crosstalk/alerting"
	"crosstalk/internal/ledger/sqlitedb"
)

// stepper is one of the pure functions of alerting, with all but policy and
// state filled in.
type stepper func(alerting.Policy, alerting.TargetState) (alerting.TargetState, []alerting.Page, error)

// step takes the incidents of a target one step further, and writes their state,
// the incidents and the pages they owe.
func (w *writing) step(ctx context.Context, t *target, f stepper) ([]alerting.Page, error) {
	_, paused, err := w.paused(ctx, t.name)
	if err != nil {
		return nil, err
	}
	policy := policyFor(w.opts, t.name, t.known.Stopped, paused)
	next, pages, err := f(policy, t.state)
	if err != nil {
		return nil, err
	}
	t.state = next
	if err := w.putTarget(ctx, *t); err != nil {
		return nil, err
	}
	return pages, w.owe(ctx, next.Incidents(), pages)
}

// policyFor is the policy of a target, with what the ledger knows in it.
func policyFor(o Options, target string, stopped []string, paused bool) alerting.Policy {
	p := o.policy(target)
	p.Stopped = slices.Concat(p.Stopped, stopped)
	p.Paused = p.Paused || paused
	if target == ControlName || target == ControlRejudgement { // no probe looks at it, and no control is run
		p.Probes, p.ControlEvery = nil, 0
	}
	return p
}

// owe writes incidents as they stand, and pages into the outbox.
func (w *writing) owe(ctx context.Context, open []alerting.Incident, pages []alerting.Page) error {
	for _, p := range pages { // in order: the last is how a resolved one stands
		if err := w.putIncident(ctx, p.Incident); err != nil {
			return err
		}
		if err := w.putPage(ctx, p); err != nil {
			return err
		}
	}
	for _, i := range open {
		if err := w.putIncident(ctx, i); err != nil {
			return err
		}
	}
	w.pages = append(w.pages, pages...)
	return nil
}

func (w *writing) putIncident(ctx context.Context, i alerting.Incident) error {
	text, err := json.Marshal(i)
	if err != nil {
		return fmt.Errorf("incident %s: %w", i.ID, err)
	}
	return w.q.PutIncident(ctx, sqlitedb.PutIncidentParams{
		ID: i.ID.String(), Target: i.Target, Kind: string(i.Kind), State: string(i.State),
		Opened: nanos(i.Opened), LastSeen: nanos(i.LastSeen), Resolved: nanos(i.Resolved), Incident: string(text),
	})
}

// Tick implements Ledger.
func (l *SQLite) Tick(ctx context.Context, now time.Time) error {
	return l.change(ctx, "step the time", func(w *writing) error { return w.tick(ctx, now) })
}

// tick steps every target that is known or configured.
func (w *writing) tick(ctx context.Context, now time.Time) error {
	rows, err := w.q.ListTargets(ctx)
	if err != nil {
		return err
	}
	names := slices.Clone(w.opts.targets())
	for _, r := range rows {
		names = append(names, r.Target)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		t, err := w.target(ctx, name)
		if err != nil {
			return err
		}
		_, err = w.step(ctx, &t, func(p alerting.Policy, s alerting.TargetState) (alerting.TargetState, []alerting.Page, error) {
			next, pages := alerting.Tick(p, s, now)
			return next, pages, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Control implements Ledger.
func (l *SQLite) Control(ctx context.Context, name string, right bool, detail string, at time.Time) error {
	c := alerting.Control{Name: name, Right: right, Detail: detail, At: at}
	return l.change(ctx, "record the control "+name, func(w *writing) error { return w.control(ctx, c) })
}

func (w *writing) control(ctx context.Context, c alerting.Control) error {
	t, err := w.target(ctx, c.Name)
	if err != nil {
		return err
	}
	_, err = w.step(ctx, &t, func(p alerting.Policy, s alerting.TargetState) (alerting.TargetState, []alerting.Page, error) {
		next, pages := alerting.StepControl(p, s, c)
		return next, pages, nil
	})
	return err
}

// Acknowledge implements Ledger.
func (l *SQLite) Acknowledge(ctx context.Context, id uuid.UUID, by string, at time.Time) error {
	return l.decide(ctx, "acknowledge", id, func(_ alerting.Policy, s alerting.TargetState) (alerting.TargetState, []alerting.Page, error) {
		next, err := alerting.Acknowledge(s, id, by, at)
		return next, nil, err
	})
}

// ResolveIncident implements Ledger.
func (l *SQLite) ResolveIncident(ctx context.Context, id uuid.UUID, by string, at time.Time) error {
	return l.decide(ctx, "resolve", id, func(p alerting.Policy, s alerting.TargetState) (alerting.TargetState, []alerting.Page, error) {
		return alerting.Resolve(p, s, id, by, at)
	})
}

// decide steps the target of an incident by the word of a person.
func (l *SQLite) decide(ctx context.Context, what string, id uuid.UUID, f stepper) error {
	return l.change(ctx, what+" an incident", func(w *writing) error {
		row, err := w.q.GetIncident(ctx, id.String())
		if errors.Is(err, sql.ErrNoRows) {
			return notFound("incident", id)
		}
		if err != nil {
			return err
		}
		t, err := w.target(ctx, row.Target)
		if err != nil {
			return err
		}
		_, err = w.step(ctx, &t, f)
		return err
	})
}

// controlOf is a repair as the failure of a control: nothing that is said is to
// be relied on until somebody has looked.
func controlOf(r Repaired) alerting.Control {
	return alerting.Control{Name: ControlName, At: r.At, Detail: r.String()}
}

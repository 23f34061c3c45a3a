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

	"crosstalk/internal/ledger/sqlitedb"
)

// LastSlot implements Ledger.
func (l *SQLite) LastSlot(ctx context.Context, probe, target string) (time.Time, error) {
	slot, err := l.queries().GetSlot(ctx, sqlitedb.GetSlotParams{Probe: probe, Target: target})
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, nil
	}
	return timeOf(slot), l.fail("read the last slot", err)
}

// SetSlot implements Ledger.
func (l *SQLite) SetSlot(ctx context.Context, tx *sql.Tx, probe, target string, slot time.Time) error {
	err := l.prepared.WithTx(tx).PutSlot(ctx, sqlitedb.PutSlotParams{Probe: probe, Target: target, LastSlot: nanos(slot)})
	return l.fail("set the last slot", err)
}

// Pause implements Ledger.
func (l *SQLite) Pause(ctx context.Context, target, by, reason string, at time.Time) error {
	p := PauseRecord{Target: target, By: by, Reason: reason, At: at}
	return l.change(ctx, "pause", func(w *writing) error { return w.pause(ctx, p) })
}

func (w *writing) pause(ctx context.Context, p PauseRecord) error {
	err := w.q.PutPause(ctx, sqlitedb.PutPauseParams{Target: p.Target, PausedBy: p.By, Reason: p.Reason, At: nanos(p.At)})
	if err != nil {
		return err
	}
	return w.event(ctx, Event{At: p.At, Kind: EventPause, Target: p.Target, Detail: p.Reason, By: p.By})
}

// Resume implements Ledger.
func (l *SQLite) Resume(ctx context.Context, target, by string, at time.Time) error {
	return l.change(ctx, "resume", func(w *writing) error { return w.resume(ctx, Resumed{target, by}, at) })
}

func (w *writing) resume(ctx context.Context, r Resumed, at time.Time) error {
	if _, err := w.q.DeletePause(ctx, r.Target); err != nil {
		return err
	}
	if r.Target != "" {
		t, err := w.target(ctx, r.Target)
		if err != nil {
			return err
		}
		t.known.Stopped, t.resumed = nil, at
		if err := w.putTarget(ctx, t); err != nil {
			return err
		}
	}
	return w.event(ctx, Event{At: at, Kind: EventResume, Target: r.Target, By: r.By})
}

// Paused implements Ledger.
func (l *SQLite) Paused(ctx context.Context, target string) (PauseRecord, bool, error) {
	w := writing{q: l.queries()} // it only reads
	p, paused, err := w.paused(ctx, target)
	return p, paused, l.fail("read the pauses", err)
}

// paused is the pause of all, or that of the target.
func (w *writing) paused(ctx context.Context, target string) (PauseRecord, bool, error) {
	row, err := w.q.GetPause(ctx, target)
	if errors.Is(err, sql.ErrNoRows) {
		return PauseRecord{}, false, nil
	}
	if err != nil {
		return PauseRecord{}, false, err
	}
	return PauseRecord{Target: row.Target, By: row.PausedBy, Reason: row.Reason, At: timeOf(row.At)}, true, nil
}

// Record implements Ledger.
func (l *SQLite) Record(ctx context.Context, e Event) error {
	if e.At.IsZero() {
		e.At = l.opts.now()
	}
	return l.change(ctx, "record a fact", func(w *writing) error { return w.event(ctx, e) })
}

func (w *writing) event(ctx context.Context, e Event) error {
	e.At = instant(e.At)
	tally := e.tally()
	if tally != "" {
		row, err := w.q.GetTally(ctx, tally)
		if err == nil {
			return w.count(ctx, row, e)
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
	}
	text, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("event %s: %w", e.Kind, err)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("event id: %w", err)
	}
	return w.q.InsertEvent(ctx, sqlitedb.InsertEventParams{ID: id.String(), At: nanos(e.At), Kind: e.Kind, Event: string(text), Tally: tally})
}

// count adds an event to the one that stands for its hour. One that cannot be
// read any more is replaced.
func (w *writing) count(ctx context.Context, row sqlitedb.GetTallyRow, e Event) error {
	var sum Event
	if err := json.Unmarshal([]byte(row.Event), &sum); err == nil {
		e = sum.plus(e)
	}
	text, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("event %s: %w", e.Kind, err)
	}
	return w.q.PutTally(ctx, sqlitedb.PutTallyParams{ID: row.ID, At: nanos(e.At), Event: string(text)})
}

// Events implements Ledger.
func (l *SQLite) Events(ctx context.Context, since time.Time, kinds ...string) ([]Event, error) {
	texts, err := l.eventTexts(ctx, nanos(since), kinds)
	if err != nil {
		return nil, l.fail("list events", err)
	}
	var events []Event
	for _, text := range texts {
		var e Event
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			e = Event{Kind: "unreadable"}
		}
		events = append(events, e)
	}
	slices.SortStableFunc(events, func(a, b Event) int { return b.At.Compare(a.At) })
	return events, nil
}

func (l *SQLite) eventTexts(ctx context.Context, since int64, kinds []string) ([]string, error) {
	if len(kinds) == 0 {
		return l.queries().ListEvents(ctx, since)
	}
	var texts []string
	for _, k := range kinds {
		more, err := l.queries().ListEventsOf(ctx, sqlitedb.ListEventsOfParams{Kind: k, Since: since})
		if err != nil {
			return nil, err
		}
		texts = append(texts, more...)
	}
	return texts, nil
}

package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"crosstalk/alerting"
	"crosstalk/internal/ledger/sqlitedb"
)

// putPage puts a page into the outbox, once for each notifier that wants it.
func (w *writing) putPage(ctx context.Context, p alerting.Page) error {
	text, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("page %s: %w", p.ID, err)
	}
	for _, r := range w.opts.routes() {
		if !r.Wants(p) {
			continue
		}
		err := w.q.PutPage(ctx, sqlitedb.PutPageParams{
			PageID: p.ID.String(), Notifier: r.Notifier, IncidentID: p.Incident.ID.String(), At: nanos(p.At), Page: string(text),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Due implements alerting.Outbox: of the pages of an incident to a notifier, the
// oldest alone.
func (l *SQLite) Due(ctx context.Context, now time.Time, n int) ([]alerting.Delivery, error) {
	rows, err := l.queries().ListDue(ctx, sqlitedb.ListDueParams{Now: nanos(now), Most: int64(n)})
	if err != nil {
		return nil, l.fail("read the pages due", err)
	}
	var due []alerting.Delivery
	for _, r := range rows {
		d := alerting.Delivery{Notifier: r.Notifier, Attempts: int(r.Attempts)}
		if err := json.Unmarshal([]byte(r.Page), &d.Page); err != nil {
			// It cannot be sent, but it must not keep back the others.
			d.Page = unreadablePage(r.PageID)
		}
		due = append(due, d)
	}
	return due, nil
}

// unreadablePage stands for a page whose text has been damaged: something was
// owed, and somebody is to look.
func unreadablePage(id string) alerting.Page {
	page, _ := uuid.Parse(id)
	return alerting.Page{ID: page, Action: alerting.ActionTrigger, Incident: alerting.Incident{
		ID: page, Kind: alerting.KindProber, Severity: alerting.SeverityPage, State: alerting.StateOpen,
		DedupKey: "crosstalk-" + id, Reason: "unreadable",
		Summary: "prober: a page that was owed can no longer be read in the ledger: look at its incidents",
	}}
}

// Delivered implements alerting.Outbox.
func (l *SQLite) Delivered(ctx context.Context, d alerting.Delivery, at time.Time) error {
	return l.change(ctx, "record a delivery", func(w *writing) error { return w.delivered(ctx, d, at) })
}

func (w *writing) delivered(ctx context.Context, d alerting.Delivery, at time.Time) error {
	_, err := w.q.DeliverPage(ctx, sqlitedb.DeliverPageParams{At: nanos(at), PageID: d.Page.ID.String(), Notifier: d.Notifier})
	return err
}

// Failed implements alerting.Outbox.
func (l *SQLite) Failed(ctx context.Context, d alerting.Delivery, reason string, next time.Time) error {
	f := Failed{Delivery: d, Reason: reason, Next: next}
	return l.change(ctx, "record a failed delivery", func(w *writing) error { return w.failed(ctx, f, l.opts.now()) })
}

func (w *writing) failed(ctx context.Context, f Failed, at time.Time) error {
	p := sqlitedb.FailPageParams{
		Reason: f.Reason, Next: nanos(f.Next), PageID: f.Delivery.Page.ID.String(), Notifier: f.Delivery.Notifier,
	}
	if f.Next.IsZero() {
		p.GivenUp = nanos(at)
	}
	_, err := w.q.FailPage(ctx, p)
	return err
}

// Pages implements Ledger.
func (l *SQLite) Pages(ctx context.Context, id uuid.UUID) ([]PageRecord, error) {
	rows, err := l.queries().ListPages(ctx, id.String())
	if err != nil {
		return nil, l.fail("read the pages of an incident", err)
	}
	var pages []PageRecord
	for _, r := range rows {
		p := PageRecord{
			Delivery: alerting.Delivery{Notifier: r.Notifier, Attempts: int(r.Attempts)},
			Next:     timeOf(r.NextAttempt), Reason: r.LastReason, Delivered: timeOf(r.Delivered), GivenUp: timeOf(r.GivenUp),
		}
		if err := json.Unmarshal([]byte(r.Page), &p.Page); err != nil {
			p.Page = unreadablePage(r.PageID)
		}
		pages = append(pages, p)
	}
	return pages, nil
}

// Queue implements Ledger.
func (l *SQLite) Queue(ctx context.Context) (Queue, error) {
	q := l.queries()
	waiting, err := q.CountOutbox(ctx)
	if err != nil {
		return Queue{}, l.fail("count the pages due", err)
	}
	givenUp, err := q.CountGivenUp(ctx)
	if err != nil {
		return Queue{}, l.fail("count the pages given up", err)
	}
	return Queue{Waiting: int(waiting.Waiting), Oldest: timeOf(waiting.Oldest), GivenUp: int(givenUp)}, nil
}

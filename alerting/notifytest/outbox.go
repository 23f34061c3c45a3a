package notifytest

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"crosstalk/alerting"
)

// Outbox is an [alerting.Outbox] in memory. The zero Outbox is empty. Of the
// pages of one incident to one notifier, only the oldest is ever due.
type Outbox struct {
	mu   sync.Mutex
	rows []*Row
}

// Row is a delivery and what became of it.
type Row struct {
	alerting.Delivery
	Next      time.Time // when it is due
	Delivered time.Time // zero until it is
	GivenUp   bool
	Reasons   []string // of the attempts that failed
}

var _ alerting.Outbox = (*Outbox)(nil)

// Add puts pages into the outbox, for each of the notifiers.
func (o *Outbox) Add(pages []alerting.Page, notifiers ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range pages {
		for _, n := range notifiers {
			o.rows = append(o.rows, &Row{Delivery: alerting.Delivery{Page: p, Notifier: n}, Next: p.At})
		}
	}
}

// Rows is a copy of all deliveries to a notifier, in their order.
func (o *Outbox) Rows(notifier string) []Row {
	o.mu.Lock()
	defer o.mu.Unlock()
	var rows []Row
	for _, r := range o.rows {
		if r.Notifier == notifier {
			c := *r
			c.Reasons = slices.Clone(r.Reasons)
			rows = append(rows, c)
		}
	}
	return rows
}

// Due implements [alerting.Outbox].
func (o *Outbox) Due(_ context.Context, now time.Time, n int) ([]alerting.Delivery, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	type line struct {
		notifier string
		incident uuid.UUID
	}
	first := map[line]bool{}
	var due []alerting.Delivery
	for _, r := range o.rows {
		l := line{r.Notifier, r.Page.Incident.ID}
		if !r.Delivered.IsZero() || r.GivenUp || first[l] {
			continue
		}
		first[l] = true
		if !r.Next.After(now) && len(due) < n {
			due = append(due, r.Delivery)
		}
	}
	return due, nil
}

// Delivered implements [alerting.Outbox].
func (o *Outbox) Delivered(_ context.Context, d alerting.Delivery, at time.Time) error {
	o.update(d, func(r *Row) { r.Delivered = at })
	return nil
}

// Failed implements [alerting.Outbox].
func (o *Outbox) Failed(_ context.Context, d alerting.Delivery, reason string, next time.Time) error {
	o.update(d, func(r *Row) {
		r.Attempts++
		r.Reasons = append(r.Reasons, reason)
		r.Next, r.GivenUp = next, next.IsZero()
	})
	return nil
}

func (o *Outbox) update(d alerting.Delivery, f func(*Row)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, r := range o.rows {
		if r.Notifier == d.Notifier && r.Page.ID == d.Page.ID {
			f(r)
		}
	}
}

package alerting

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

// MemoryOutbox is an [Outbox] in memory. It is for when the ledger cannot be
// written, where a page that the next crash may lose is better than none, and for
// tests. The zero MemoryOutbox is empty. Of the pages of one incident to one
// notifier, only the oldest is ever due.
type MemoryOutbox struct {
	mu   sync.Mutex
	rows []*Row
}

// keptDelivered is how many deliveries are remembered once they are made.
const keptDelivered = 1024

// Row is a delivery of a MemoryOutbox and what became of it.
type Row struct {
	Delivery
	Next      time.Time // when it is due
	Delivered time.Time // zero until it is
	GivenUp   bool
	Reasons   []string // of the attempts that failed
}

var _ Outbox = (*MemoryOutbox)(nil)

// Add puts pages into the outbox, for each of the notifiers.
func (o *MemoryOutbox) Add(pages []Page, notifiers ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range pages {
		for _, n := range notifiers {
			o.rows = append(o.rows, &Row{Delivery: Delivery{Page: p, Notifier: n}, Next: p.At})
		}
	}
}

// Rows is a copy of the deliveries to a notifier, in their order.
func (o *MemoryOutbox) Rows(notifier string) []Row {
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

// Due implements [Outbox].
func (o *MemoryOutbox) Due(_ context.Context, now time.Time, n int) ([]Delivery, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	type line struct {
		notifier string
		incident uuid.UUID
	}
	first := map[line]bool{}
	var due []Delivery
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

// Delivered implements [Outbox].
func (o *MemoryOutbox) Delivered(_ context.Context, d Delivery, at time.Time) error {
	o.update(d, func(r *Row) { r.Delivered = at })
	o.mu.Lock()
	defer o.mu.Unlock()
	done := 0
	for _, r := range o.rows {
		if !r.Delivered.IsZero() {
			done++
		}
	}
	o.rows = slices.DeleteFunc(o.rows, func(r *Row) bool {
		old := !r.Delivered.IsZero() && done > keptDelivered
		if old {
			done--
		}
		return old
	})
	return nil
}

// Failed implements [Outbox].
func (o *MemoryOutbox) Failed(_ context.Context, d Delivery, reason string, next time.Time) error {
	o.update(d, func(r *Row) {
		r.Attempts++
		r.Reasons = append(r.Reasons, reason)
		r.Next, r.GivenUp = next, next.IsZero()
	})
	return nil
}

func (o *MemoryOutbox) update(d Delivery, f func(*Row)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, r := range o.rows {
		if r.Notifier == d.Notifier && r.Page.ID == d.Page.ID {
			f(r)
		}
	}
}

package ledger

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"crosstalk/alerting"
)

// queued is a delivery while the ledger cannot be written: one of a page owed
// meanwhile, or an attempt at one of the ledger's.
type queued struct {
	alerting.Delivery
	next  time.Time // when it is due
	ended bool      // delivered, or given up
}

// deliveryKey names a delivery.
type deliveryKey struct {
	page     uuid.UUID
	notifier string
}

func keyOf(d alerting.Delivery) deliveryKey { return deliveryKey{d.Page.ID, d.Notifier} }

// Due implements alerting.Outbox: what is due in the ledger, as far as it can be
// read, and then what is due here.
func (f *Fallback) Due(ctx context.Context, now time.Time, n int) ([]alerting.Delivery, error) {
	f.recovered(ctx)
	stored, err := f.Ledger.Due(ctx, now, n)
	if errors.Is(err, ErrDamaged) {
		f.lose(err) // met by reading, but it is no better for writing
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down == nil || err != nil && !errors.Is(err, ErrUnwritable) {
		return stored, err
	}
	type line struct {
		notifier string
		incident uuid.UUID
	}
	first := map[line]bool{}
	var due []alerting.Delivery
	for _, d := range stored {
		e := f.down.ended[keyOf(d)]
		switch {
		case e == nil:
		case e.ended:
			continue
		case e.next.After(now):
			first[line{d.Notifier, d.Page.Incident.ID}] = true
			continue
		default:
			d = e.Delivery
		}
		first[line{d.Notifier, d.Page.Incident.ID}] = true
		due = append(due, d)
	}
	for _, q := range f.down.queue {
		l := line{q.Notifier, q.Page.Incident.ID}
		if q.ended || first[l] {
			continue
		}
		first[l] = true
		if !q.next.After(now) {
			due = append(due, q.Delivery)
		}
	}
	return due[:min(len(due), n)], nil
}

// Owed is how many deliveries only memory holds: an end of the process loses
// them.
func (f *Fallback) Owed() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	if f.down != nil {
		for _, q := range f.down.queue {
			if !q.ended {
				n++
			}
		}
	}
	return n
}

// Delivered implements alerting.Outbox.
func (f *Fallback) Delivered(ctx context.Context, d alerting.Delivery, at time.Time) error {
	done, err := f.try(ctx, func() error { return f.Ledger.Delivered(ctx, d, at) })
	if done {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	q := f.outage().attempt(d)
	q.ended = true
	f.down.log = append(f.down.log, Deferred{At: at, Delivered: &d}) // beyond the bound too
	return nil
}

// Failed implements alerting.Outbox.
func (f *Fallback) Failed(ctx context.Context, d alerting.Delivery, reason string, next time.Time) error {
	done, err := f.try(ctx, func() error { return f.Ledger.Failed(ctx, d, reason, next) })
	if done {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	q := f.outage().attempt(d)
	q.Attempts++
	q.next, q.ended = next, next.IsZero()
	// If there is no room, the ledger will only not know of this attempt.
	_ = f.down.put(Deferred{At: f.opts.now(), Failed: &Failed{Delivery: d, Reason: reason, Next: next}})
	return nil
}

// attempt finds a delivery, or notes that of the ledger's.
func (d *outage) attempt(x alerting.Delivery) *queued {
	for _, q := range d.queue {
		if keyOf(q.Delivery) == keyOf(x) {
			return q
		}
	}
	q := d.ended[keyOf(x)]
	if q == nil {
		q = &queued{Delivery: x}
		d.ended[keyOf(x)] = q
	}
	return q
}

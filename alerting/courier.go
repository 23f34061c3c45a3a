package alerting

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/google/uuid"
)

// Courier carries pages from the outbox to the notifiers. Each notifier has a
// goroutine of its own, so that one that hangs delays no other, and none delays
// a probe: nothing but Wake is called from outside.
//
// Delivery is at least once. A page that fails is tried again, for ever: soon
// when the failure may pass, seldom when somebody must mend something, which is
// then said in the log and counted. The pages of one incident reach a notifier
// in their order.
//
// The fields are set before Run and only read afterwards.
type Courier struct {
	Outbox    Outbox
	Notifiers []Notifier
	// Open lists the open incidents, for notifiers that must be told again
	// and again (Refresher); nil if there are none of those.
	Open func(ctx context.Context) ([]Incident, error)
	// Backoff is how long to wait after a failure.
	Backoff Backoff
	// Attempt bounds one attempt, the notifier's own retries included; 0
	// means DefaultAttempt.
	Attempt time.Duration
	// Poll is how often the outbox is looked at without being woken; 0 means
	// DefaultPoll.
	Poll time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Log is where failures are told; nil means nowhere.
	Log *slog.Logger
	// Done, if set, is told of each attempt, reason being "" for a delivery
	// and one of Reasons otherwise: it counts them. It may be called from
	// several goroutines.
	Done func(d Delivery, reason string, took time.Duration)

	mu     sync.Mutex
	wake   chan struct{} // closed to wake everybody
	passed map[string]time.Time
}

// Defaults of a Courier.
const (
	DefaultAttempt = 30 * time.Second
	DefaultPoll    = 5 * time.Second
)

const (
	// batch is how many deliveries are asked for at a time, most how many
	// before the courier believes that none are its notifier's.
	batch = 64
	most  = 1 << 14
	// leastPause keeps a clock that stands still from spinning the courier.
	leastPause = 50 * time.Millisecond
)

// Run delivers until ctx is done, and returns when all goroutines have ended.
func (c *Courier) Run(ctx context.Context) {
	var wg sync.WaitGroup
	for _, n := range c.Notifiers {
		wg.Go(func() { c.serve(ctx, n) })
	}
	wg.Wait()
}

// Wake tells the courier that there are new pages. It never blocks. Call it
// after the transaction that put them into the outbox.
func (c *Courier) Wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wake != nil {
		close(c.wake)
	}
	c.wake = make(chan struct{})
}

// woken is closed by the next Wake.
func (c *Courier) woken() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wake == nil {
		c.wake = make(chan struct{})
	}
	return c.wake
}

// DeliverDue makes one attempt for everything that is due, and returns what went
// wrong with the outbox: what went wrong with a delivery is recorded there.
func (c *Courier) DeliverDue(ctx context.Context) error {
	errs := make([]error, len(c.Notifiers))
	var wg sync.WaitGroup
	for i, n := range c.Notifiers {
		wg.Go(func() { _, errs[i] = c.deliver(ctx, n, held{}) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Stuck is an error that names the notifiers whose goroutine has not come round
// for longer than an attempt may take: something in the path of a page hangs.
func (c *Courier) Stuck(now time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, n := range c.Notifiers {
		if last, ok := c.passed[n.Name()]; ok && now.Sub(last) > 2*c.attempt()+c.poll() {
			errs = append(errs, fmt.Errorf("notifier %s: no attempt has ended since %s", n.Name(), last.Format(time.RFC3339)))
		}
	}
	return errors.Join(errs...)
}

// held are the incidents of which a page has failed, with the time of its next
// attempt: later pages of theirs wait for it.
type held map[uuid.UUID]heldPage

type heldPage struct {
	page uuid.UUID
	next time.Time
}

// release forgets the pages that were due long ago and are not any more: the
// outbox has lost them or given them up, and nothing is to wait for them.
func (h held) release(before time.Time) {
	maps.DeleteFunc(h, func(_ uuid.UUID, w heldPage) bool { return w.next.Before(before) })
}

// serve is the goroutine of one notifier.
func (c *Courier) serve(ctx context.Context, n Notifier) {
	waiting := held{}
	refresher, _ := n.(Refresher)
	var refreshed time.Time
	for ctx.Err() == nil {
		woken := c.woken() // before looking: what comes after is not missed
		more, err := c.deliver(ctx, n, waiting)
		if err != nil && ctx.Err() == nil {
			c.warn(n, "look into the outbox", err)
		}
		if refresher != nil && c.now().Sub(refreshed) >= refresher.RefreshEvery() {
			refreshed = c.now()
			c.refresh(ctx, refresher)
		}
		c.pass(n)
		if more {
			continue
		}
		select {
		case <-ctx.Done():
		case <-woken:
		case <-time.After(c.pause(waiting)):
		}
	}
}

// pause is how long a notifier may sleep: to the next attempt, at most Poll.
func (c *Courier) pause(waiting held) time.Duration {
	wait := c.poll()
	for _, w := range waiting {
		wait = min(wait, max(leastPause, w.next.Sub(c.now())))
	}
	return wait
}

// deliver makes one attempt for each delivery that is due to a notifier. more
// says that there may be others already.
func (c *Courier) deliver(ctx context.Context, n Notifier, waiting held) (more bool, err error) {
	waiting.release(c.now().Add(-c.attempt()))
	mine, err := c.due(ctx, n)
	for _, d := range mine {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		id := d.Page.Incident.ID
		if w, ok := waiting[id]; ok && w.page != d.Page.ID {
			continue // an earlier page of the incident goes first
		}
		delivered, failure := c.attemptOne(ctx, n, d, waiting)
		if failure != nil {
			return false, failure
		}
		more = more || delivered
		c.pass(n)
	}
	return more, err
}

// due is what is due to one notifier. The outbox tells what is due to all, and
// the backlog of a pager that is down must not hide what is due to another.
func (c *Courier) due(ctx context.Context, n Notifier) ([]Delivery, error) {
	for k := batch; ; k *= 4 {
		all, err := c.Outbox.Due(ctx, c.now(), k)
		if err != nil {
			return nil, fmt.Errorf("read the pages due: %w", err)
		}
		var mine []Delivery
		for _, d := range all {
			if d.Notifier == n.Name() {
				mine = append(mine, d)
			}
		}
		if len(mine) > 0 || len(all) < k || k >= most {
			return mine, nil
		}
	}
}

// attemptOne makes one attempt and records how it went. The error is the
// outbox's.
func (c *Courier) attemptOne(ctx context.Context, n Notifier, d Delivery, waiting held) (bool, error) {
	start := c.now()
	failure := c.notify(ctx, n, d.Page)
	if ctx.Err() != nil && failure != nil {
		return false, ctx.Err() // the daemon stops: not the receiver's fault
	}
	// A delivery that was made is recorded even if the daemon stops now.
	record := context.WithoutCancel(ctx)
	now := c.now()
	if failure == nil {
		delete(waiting, d.Page.Incident.ID)
		c.done(d, "", now.Sub(start))
		return true, c.Outbox.Delivered(record, d, now)
	}
	next := now.Add(c.Backoff.Wait(d.Attempts+1, failure))
	waiting[d.Page.Incident.ID] = heldPage{page: d.Page.ID, next: next}
	c.done(d, failure.Reason, now.Sub(start))
	c.warn(n, "deliver a page", failure, "page", d.Page.ID, "attempt", d.Attempts+1, "next", next)
	return false, c.Outbox.Failed(record, d, failure.Reason, next)
}

// notify is one attempt under its time limit, whatever the notifier does.
func (c *Courier) notify(ctx context.Context, n Notifier, p Page) (failure *DeliveryError) {
	ctx, cancel := context.WithTimeout(ctx, c.attempt())
	defer cancel()
	result := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				result <- fmt.Errorf("the notifier panicked: %T", p)
			}
		}()
		result <- n.Notify(ctx, p)
	}()
	var err error
	select {
	case err = <-result:
	case <-ctx.Done():
		// One that does not heed its context is left behind.
		err = &DeliveryError{Notifier: n.Name(), Reason: ReasonTimeout, Retryable: true, Err: ctx.Err()}
	}
	switch {
	case err == nil:
		return nil
	case errors.As(err, &failure):
		return failure
	case errors.Is(err, context.DeadlineExceeded):
		return &DeliveryError{Notifier: n.Name(), Reason: ReasonTimeout, Retryable: true, Err: err}
	default:
		return &DeliveryError{Notifier: n.Name(), Reason: ReasonNetwork, Retryable: true, Err: err}
	}
}

// refresh tells a forgetful receiver of what is open. It runs in the goroutine
// that delivers, so that no resolution is overtaken by an older list.
func (c *Courier) refresh(ctx context.Context, n Refresher) {
	if c.Open == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, c.attempt())
	defer cancel()
	open, err := c.Open(ctx)
	if err == nil {
		err = n.Refresh(ctx, open)
	}
	if err != nil && ctx.Err() == nil {
		c.warn(n, "repeat the open incidents", err)
	}
}

func (c *Courier) pass(n Notifier) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.passed == nil {
		c.passed = map[string]time.Time{}
	}
	c.passed[n.Name()] = c.now()
}

func (c *Courier) done(d Delivery, reason string, took time.Duration) {
	if c.Done != nil {
		c.Done(d, reason, took)
	}
}

func (c *Courier) warn(n Notifier, what string, err error, args ...any) {
	if c.Log != nil {
		c.Log.Warn(what, append([]any{"notifier", n.Name(), "err", err}, args...)...)
	}
}

func (c *Courier) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}

func (c *Courier) attempt() time.Duration {
	if c.Attempt <= 0 {
		return DefaultAttempt
	}
	return c.Attempt
}

func (c *Courier) poll() time.Duration {
	if c.Poll <= 0 {
		return DefaultPoll
	}
	return c.Poll
}

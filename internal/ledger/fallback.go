package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"crosstalk/alerting"
	"crosstalk/checks"
	"crosstalk/internal/pipeline"
	"crosstalk/internal/report"
	"crosstalk/probes"
	"crosstalk/tenants"
)

const (
	// MaxUnjournaled is how long rounds are begun while the ledger cannot be
	// written: after that, markers that a crash would lose are too many.
	MaxUnjournaled = 10 * time.Minute
	// retryEvery is how often an unwritable ledger is tried again, and
	// tellAfter how long it may stay so before somebody is paged.
	retryEvery = 5 * time.Second
	tellAfter  = 30 * time.Second
	// maxDeferred is how much is held in memory.
	maxDeferred = 1 << 14
)

// Fallback is a ledger that goes on when the one beneath it cannot be written.
// It then holds in memory what it is told and steps incidents there; the pages
// they owe are in its outbox like any other, so that the courier carries them
// the same way. It tries the ledger again every few seconds, whatever it is
// asked, and writes back what it holds.
//
// While that lasts, exchanges are marked unjournaled; a person's decisions on
// incidents, transactions and pruning fail with ErrUnwritable; and after
// MaxUnjournaled no round is begun, but for those of controls. An outage of half
// a minute is an incident of its own, on ControlName, which ends with it.
//
// An outage by damage does not end: a page of the file that can still be written
// says nothing of the others, so nothing is written back before Close.
type Fallback struct {
	Ledger // the one beneath

	opts Options

	mu   sync.Mutex
	down *outage // nil while all is well
	last memory
}

var _ Ledger = (*Fallback)(nil)

// NewFallback puts a Fallback around a ledger. The options are those the ledger
// was opened with.
func NewFallback(l Ledger, o Options) *Fallback {
	return &Fallback{Ledger: l, opts: o, last: newMemory()}
}

// Degraded is since when and why the ledger cannot be written; the zero time and
// nil if it can.
func (f *Fallback) Degraded() (since time.Time, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down == nil {
		return time.Time{}, nil
	}
	return f.down.since, f.down.err
}

// try does something with the ledger beneath. done is false if that cannot be
// written: then it is to be done here.
func (f *Fallback) try(ctx context.Context, do func() error) (done bool, err error) {
	if !f.recovered(ctx) {
		return false, nil
	}
	if err := do(); !errors.Is(err, ErrUnwritable) {
		return true, err
	} else {
		f.lose(err)
	}
	return false, nil
}

// must is try for what cannot be done here.
func (f *Fallback) must(ctx context.Context, do func() error) error {
	done, err := f.try(ctx, do)
	if done {
		return err
	}
	since, err := f.Degraded()
	if err == nil { // it came back this instant
		return fmt.Errorf("%w: try again", ErrUnwritable)
	}
	return fmt.Errorf("since %s: %w", since.Format(time.RFC3339), err)
}

// lose begins an outage. Its reason is the last error, but damage stays one.
func (f *Fallback) lose(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.opts.now()
	if f.down == nil {
		f.down = newOutage(now)
	}
	f.down.tried = now
	if !errors.Is(f.down.err, ErrDamaged) {
		f.down.err = err
	}
}

// recovered reports whether the ledger can be written, as far as is known. In an
// outage it tries now and then to write back what is held.
func (f *Fallback) recovered(ctx context.Context) bool {
	f.mu.Lock()
	now := f.opts.now()
	pages := f.tell(ctx, now)
	ok := f.down == nil || !errors.Is(f.down.err, ErrDamaged) && now.Sub(f.down.tried) >= retryEvery && f.writeBack(ctx, now)
	f.mu.Unlock()
	f.opts.paged(pages)
	return ok
}

// tell opens the incident about an outage, once, when it has lasted.
func (f *Fallback) tell(ctx context.Context, now time.Time) []alerting.Page {
	if f.down == nil || f.down.told || now.Sub(f.down.since) < tellAfter {
		return nil
	}
	f.down.told = true
	return f.control(ctx, alerting.Control{Name: ControlName, At: now, Detail: f.down.err.Error()})
}

// writeBack replays what is held and ends the outage, if the ledger lets it.
func (f *Fallback) writeBack(ctx context.Context, now time.Time) bool {
	d := f.down
	log := append(slices.Clone(d.log), Deferred{At: now, Event: &Event{
		At: now, Kind: EventFallback, Reason: "unwritable",
		Detail: fmt.Sprintf("from %s to %s, %d things were held in memory: %v",
			d.since.Format(time.RFC3339), now.Format(time.RFC3339), len(d.log), d.err),
	}})
	if d.told {
		log = append(log, Deferred{At: now, Control: &alerting.Control{Name: ControlName, Right: true, At: now}})
	}
	// Whoever asks may give up; what is written back is everybody's.
	err := f.Ledger.Replay(context.WithoutCancel(ctx), log)
	if err != nil {
		d.tried, d.err = now, err
		return false
	}
	f.last.forget(d)
	f.down = nil
	return true
}

// Close writes back what is held, and closes the ledger.
func (f *Fallback) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var lost error
	if d := f.down; d != nil && !f.writeBack(context.Background(), f.opts.now()) {
		lost = fmt.Errorf("%d things held in memory since %s are lost: %w", len(d.log), d.since.Format(time.RFC3339), d.err)
	}
	return errors.Join(lost, f.Ledger.Close())
}

// Begin implements probes.Journal.
func (f *Fallback) Begin(ctx context.Context, round uuid.UUID, plan probes.Plan, bound []probes.Bound) error {
	b := Begun{Round: round, Plan: plan, Bound: bound, At: f.opts.now(), Unjournaled: true}
	done, err := f.try(ctx, func() error { return f.Ledger.Begin(ctx, round, plan, bound) })
	f.mu.Lock()
	defer f.mu.Unlock()
	if done {
		if err == nil {
			f.last.begun(ctx, f.Ledger, b, plan.Spend(f.opts.pricing(plan.Target)))
		}
		return err
	}
	return f.begin(ctx, b)
}

// Save implements pipeline.Store.
func (f *Fallback) Save(ctx context.Context, o *report.Outcome, k pipeline.Known) error {
	return f.Keep(ctx, Settle(o, k))
}

// Keep implements Ledger.
func (f *Fallback) Keep(ctx context.Context, s Settled) error {
	done, err := f.try(ctx, func() error { return f.Ledger.Keep(ctx, s) })
	f.mu.Lock()
	if done {
		if err == nil {
			f.last.settled(ctx, f.Ledger, s)
		}
		f.mu.Unlock()
		return err
	}
	pages, err := f.keep(ctx, s)
	f.mu.Unlock()
	f.opts.paged(pages)
	return err
}

// Tick implements Ledger.
func (f *Fallback) Tick(ctx context.Context, now time.Time) error {
	done, err := f.try(ctx, func() error { return f.Ledger.Tick(ctx, now) })
	if done {
		return err
	}
	f.mu.Lock()
	pages := f.tick(ctx, now)
	f.mu.Unlock()
	f.opts.paged(pages)
	return nil
}

// Control implements Ledger.
func (f *Fallback) Control(ctx context.Context, name string, right bool, detail string, at time.Time) error {
	done, err := f.try(ctx, func() error { return f.Ledger.Control(ctx, name, right, detail, at) })
	if done {
		return err
	}
	f.mu.Lock()
	pages := f.control(ctx, alerting.Control{Name: name, Right: right, Detail: detail, At: at})
	f.mu.Unlock()
	f.opts.paged(pages)
	return nil
}

// Record implements Ledger.
func (f *Fallback) Record(ctx context.Context, e Event) error {
	if e.At.IsZero() {
		e.At = f.opts.now()
	}
	done, err := f.try(ctx, func() error { return f.Ledger.Record(ctx, e) })
	if done {
		return err
	}
	return f.hold(Deferred{At: e.At, Event: &e})
}

// Pause implements Ledger.
func (f *Fallback) Pause(ctx context.Context, target, by, reason string, at time.Time) error {
	p := PauseRecord{Target: target, By: by, Reason: reason, At: at}
	done, err := f.try(ctx, func() error { return f.Ledger.Pause(ctx, target, by, reason, at) })
	if !done {
		err = f.hold(Deferred{At: at, Pause: &p})
	}
	if err == nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		if _, ok := f.last.pauses[target]; !ok {
			f.last.pauses[target] = p
		}
	}
	return err
}

// Resume implements Ledger.
func (f *Fallback) Resume(ctx context.Context, target, by string, at time.Time) error {
	done, err := f.try(ctx, func() error { return f.Ledger.Resume(ctx, target, by, at) })
	if !done {
		err = f.hold(Deferred{At: at, Resume: &Resumed{Target: target, By: by}})
	}
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.last.pauses, target)
	if f.down != nil && target != "" {
		t := f.target(ctx, target)
		t.known.Stopped = nil
	}
	return nil
}

// Paused implements Ledger.
func (f *Fallback) Paused(ctx context.Context, target string) (PauseRecord, bool, error) {
	since, _ := f.Degraded()
	if since.IsZero() {
		p, paused, err := f.Ledger.Paused(ctx, target)
		if !errors.Is(err, ErrUnwritable) {
			f.mu.Lock()
			defer f.mu.Unlock()
			if err == nil {
				f.last.paused(target, p, paused)
			}
			return p, paused, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if p, ok := f.last.pauses[""]; ok {
		return p, true, nil
	}
	p, ok := f.last.pauses[target]
	return p, ok, nil
}

// InTx implements Ledger.
func (f *Fallback) InTx(ctx context.Context, do func(tx *sql.Tx) error) error {
	return f.must(ctx, func() error { return f.Ledger.InTx(ctx, do) })
}

// Acknowledge implements Ledger.
func (f *Fallback) Acknowledge(ctx context.Context, id uuid.UUID, by string, at time.Time) error {
	return f.must(ctx, func() error { return f.Ledger.Acknowledge(ctx, id, by, at) })
}

// ResolveIncident implements Ledger.
func (f *Fallback) ResolveIncident(ctx context.Context, id uuid.UUID, by string, at time.Time) error {
	return f.must(ctx, func() error { return f.Ledger.ResolveIncident(ctx, id, by, at) })
}

// Known implements pipeline.Store.
func (f *Fallback) Known(ctx context.Context, target string) (pipeline.Known, error) {
	since, _ := f.Degraded()
	if since.IsZero() {
		k, err := f.Ledger.Known(ctx, target)
		if !errors.Is(err, ErrUnwritable) {
			return k, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.target(ctx, target).known, nil
}

// State implements Ledger.
func (f *Fallback) State(ctx context.Context, target string) (alerting.TargetState, error) {
	since, _ := f.Degraded()
	if since.IsZero() {
		return f.Ledger.State(ctx, target)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.target(ctx, target).state, nil
}

// Lookback implements pipeline.Store. If the ledger cannot be read either, it
// has what this process has begun lately.
func (f *Fallback) Lookback(ctx context.Context, since time.Time) ([]checks.PromptRef, error) {
	refs, err := f.Ledger.Lookback(ctx, since)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil && !errors.Is(err, ErrUnwritable) {
		return nil, err
	}
	var held []checks.PromptRef
	if f.down != nil {
		held = f.down.refs
	}
	if err != nil {
		held = slices.Concat(f.last.refs, held)
	}
	oldest := since.Truncate(time.Second)
	held = slices.DeleteFunc(slices.Clone(held), func(r checks.PromptRef) bool { return r.Payload.Time().Before(oldest) })
	slices.Reverse(held) // each is newer than what the ledger has
	return append(held, refs...), nil
}

// Seen implements Ledger.
func (f *Fallback) Seen(ctx context.Context, p tenants.Payload) (bool, error) {
	seen, err := f.Ledger.Seen(ctx, p)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down != nil && slices.ContainsFunc(f.down.refs, func(r checks.PromptRef) bool { return r.Payload == p.Request() }) {
		return true, nil
	}
	if errors.Is(err, ErrUnwritable) {
		return f.last.seen(p), nil
	}
	return seen, err
}

// Incidents implements Ledger.
func (f *Fallback) Incidents(ctx context.Context, filter IncidentFilter) ([]alerting.Incident, error) {
	list, err := f.Ledger.Incidents(ctx, filter)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down == nil || err != nil && !errors.Is(err, ErrUnwritable) {
		return list, err
	}
	return f.down.overlay(list, filter), nil
}

package scheduler

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"crosstalk/internal/ledger"
)

const (
	// walkEvery is the longest the walker waits before it looks at the clock
	// again: a clock that is set, or a machine that slept, is noticed.
	walkEvery = time.Second
	// clockBack is how far the last slot may lie ahead of the clock before the
	// clock is taken to have been set back.
	clockBack = time.Minute
	// queueRetry is how often a queue that did not start is tried again.
	queueRetry = 5 * time.Second
	// missedMost bounds how many missed slots are counted one by one.
	missedMost = 100_000
)

// track is where the walker is on a schedule.
type track struct {
	last, next time.Time
}

// begin puts the track at a time: the next slot is the first one after.
func (t *track) begin(s Schedule, at time.Time) { t.last, t.next = at, s.Next(at) }

// walker walks the schedules until ctx ends.
func (s *Scheduler) walker(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-s.wake:
		}
		if !s.queueUp.Load() && time.Since(s.tried) >= queueRetry {
			s.startQueue(ctx)
		}
		timer.Reset(min(walkEvery, max(time.Until(s.walk(ctx, time.Now())), time.Millisecond)))
	}
}

// nudge makes the walker look at once.
func (s *Scheduler) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// walk hands out every slot that is due at now and returns when the next one
// is. A schedule that cannot be advanced is left as it is, for the next walk.
func (s *Scheduler) walk(ctx context.Context, now time.Time) time.Time {
	s.walking.Lock()
	defer s.walking.Unlock()
	soonest := now.Add(walkEvery)
	for _, e := range s.snapshot() {
		next, err := s.advance(ctx, e, now)
		switch {
		case ctx.Err() != nil:
			return soonest
		case err != nil:
			s.options.Log.Error("schedule not advanced", "probe", e.Name, "target", e.Site.Target.Name, "err", err)
		case next.Before(soonest):
			soonest = next
		}
	}
	return soonest
}

// advance hands out what is due of one schedule and returns its next slot.
func (s *Scheduler) advance(ctx context.Context, e *Entry, now time.Time) (time.Time, error) {
	t, err := s.track(ctx, e, now)
	if err != nil {
		return time.Time{}, err
	}
	if t.last.After(now.Add(clockBack)) && !e.Schedule.Next(now).After(t.last) {
		s.record(ctx, ledger.Event{
			At: now, Kind: "clock", Target: e.Site.Target.Name, Probe: e.Name,
			Detail: fmt.Sprintf("the clock was set back by %s or more; the schedule begins again", t.last.Sub(now).Round(time.Second)),
		})
		t.begin(e.Schedule, now)
	}
	newest, passed := t.next, 0
	if !newest.After(now) {
		newest, passed = lastDue(e.Schedule, t.next, now)
		if err := s.hand(ctx, turnArgs{Probe: e.Name, Target: e.Site.Target.Name, Slot: newest}, true); err != nil {
			return time.Time{}, err
		}
		if passed > 0 {
			s.missed(ctx, e, t.next, newest, passed, now)
		}
		t.begin(e.Schedule, newest)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tracks[e.key()] = &t
	return t.next, nil
}

// track is where the schedule stands: in memory, in the ledger, or at now if
// it was never walked.
func (s *Scheduler) track(ctx context.Context, e *Entry, now time.Time) (track, error) {
	s.mu.Lock()
	known := s.tracks[e.key()]
	s.mu.Unlock()
	if known != nil {
		return *known, nil
	}
	target := e.Site.Target.Name
	last, err := s.options.Ledger.LastSlot(ctx, e.Name, target)
	if err != nil && !errors.Is(err, ledger.ErrUnwritable) {
		return track{}, fmt.Errorf("read last slot: %w", err)
	}
	if last.IsZero() {
		// From here on a slot that nobody walks is a missed one.
		last = now.Truncate(time.Millisecond)
		err := s.options.Ledger.InTx(ctx, func(tx *sql.Tx) error {
			return s.options.Ledger.SetSlot(ctx, tx, e.Name, target, last)
		})
		if err != nil && !errors.Is(err, ledger.ErrUnwritable) {
			return track{}, fmt.Errorf("begin schedule: %w", err)
		}
	}
	var t track
	t.begin(e.Schedule, last)
	return t, nil
}

// lastDue is the last slot at or before now, and how many came before it from
// first on, first included. Beyond missedMost it stops counting.
func lastDue(s Schedule, first, now time.Time) (newest time.Time, passed int) {
	newest = first
	for next := s.Next(newest); !next.After(now); next = s.Next(newest) {
		newest = next
		if passed++; passed == missedMost {
			newest = someDue(s, newest, now)
		}
	}
	return newest, passed
}

// someDue is a slot not long before now, or first if there is no later one.
func someDue(s Schedule, first, now time.Time) time.Time {
	for back := time.Minute; back < now.Sub(first); back *= 2 {
		if slot := s.Next(now.Add(-back)); !slot.After(now) {
			return slot
		}
	}
	return first
}

// hand turns a slot into a job, once, and advances the schedule with it. If the
// database cannot be used the turn is taken at once, without the queue.
func (s *Scheduler) hand(ctx context.Context, args turnArgs, scheduled bool) error {
	if !s.queueUp.Load() {
		s.take(ctx, args)
		return nil
	}
	err := s.options.Ledger.InTx(ctx, func(tx *sql.Tx) error {
		if scheduled {
			if err := s.options.Ledger.SetSlot(ctx, tx, args.Probe, args.Target, args.Slot); err != nil {
				return fmt.Errorf("advance schedule: %w", err)
			}
		}
		if _, err := s.client.InsertTx(ctx, tx, args, nil); err != nil {
			return fmt.Errorf("insert job: %w", err)
		}
		return nil
	})
	if errors.Is(err, ledger.ErrUnwritable) {
		s.take(ctx, args)
		return nil
	}
	return err
}

// take takes a turn without the queue.
func (s *Scheduler) take(ctx context.Context, args turnArgs) {
	ctx = context.WithoutCancel(ctx)
	if args.Extra == "" {
		s.mu.Lock()
		s.taken[key{args.Probe, args.Target}] = args.Slot
		s.mu.Unlock()
	}
	s.direct.Go(func() { s.turn(ctx, args, 1) })
}

// wasTaken reports whether the job's turn was taken without the queue: its
// transaction was committed although it seemed to fail.
func (s *Scheduler) wasTaken(args turnArgs) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return args.Extra == "" && !args.Slot.After(s.taken[key{args.Probe, args.Target}])
}

// extra makes a job that is on no schedule.
func (s *Scheduler) extra(ctx context.Context, e *Entry, at time.Time, why string) error {
	args := turnArgs{Probe: e.Name, Target: e.Site.Target.Name, Slot: at.UTC().Truncate(time.Millisecond), Extra: why}
	if err := s.hand(ctx, args, false); err != nil {
		return fmt.Errorf("run %s on target %s now: %w", e.Name, args.Target, err)
	}
	return nil
}

// missed counts and records the slots that passed while nobody walked. The
// newest one due is not among them: it is run.
func (s *Scheduler) missed(ctx context.Context, e *Entry, first, newest time.Time, n int, now time.Time) {
	target := e.Site.Target.Name
	detail := fmt.Sprintf("%d slots from %s to before %s were not run", n, first.UTC().Format(time.RFC3339), newest.UTC().Format(time.RFC3339))
	if f := s.options.Hooks.Skipped; f != nil {
		f(e.Name, target, ReasonDown, n)
	}
	s.options.Log.Warn("slots missed", "probe", e.Name, "target", target, "slots", n)
	s.record(ctx, ledger.Event{At: now, Kind: "missed", Target: target, Probe: e.Name, Reason: string(ReasonDown), Detail: detail})
}

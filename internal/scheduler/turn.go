package scheduler

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"crosstalk/checks"
	"crosstalk/internal/ledger"
	"crosstalk/internal/pipeline"
	"crosstalk/internal/report"
	"crosstalk/probes"
)

const (
	// A turn ends this share of the gap before the next slot, within bounds.
	endShare = 20
	endLeast = 100 * time.Millisecond
	endMost  = 5 * time.Second
	// A turn that would have less than this share of the gap is too late.
	lateShare = 10
)

// run is a turn in flight.
type run struct {
	key     key
	args    turnArgs
	attempt int
	site    *pipeline.Site
	cancel  context.CancelCauseFunc
	ended   chan struct{} // closed when it is over
	long    chan struct{} // held while it may have a long prompt at the target
}

// turn runs one slot. Whatever becomes of it is recorded; nothing comes back.
func (s *Scheduler) turn(ctx context.Context, args turnArgs, attempt int) {
	k := key{args.Probe, args.Target}
	defer func() {
		if v := recover(); v != nil {
			s.skipped(ctx, k, &skip{ReasonPanic, describePanic(v)})
		}
	}()
	e := s.entry(k)
	if e == nil {
		s.skipped(ctx, k, &skip{ReasonRemoved, "the probe is no longer configured"})
		return
	}
	now := time.Now()
	if f := s.options.Hooks.Due; f != nil {
		f(k.probe, k.target, now.Sub(args.Slot))
	}
	deadline, why := s.deadline(e, args, now)
	if why == nil {
		why = s.paused(e)
	}
	if why == nil {
		why = s.rules.admit(e, now, args.Extra != "")
	}
	if why == nil {
		why = s.enter(ctx, e, &run{key: k, args: args, attempt: attempt, site: e.Site, ended: make(chan struct{})}, deadline)
	}
	if why != nil {
		s.skipped(ctx, k, why)
	}
}

// deadline is when the turn has to end: before the next slot. A turn on no
// schedule only has the general bound, and holds up the slots it runs into.
func (s *Scheduler) deadline(e *Entry, args turnArgs, now time.Time) (time.Time, *skip) {
	most := now.Add(s.options.MaxRound)
	if args.Extra != "" {
		return most, nil
	}
	next := e.Schedule.Next(args.Slot)
	gap := next.Sub(args.Slot)
	end := next.Add(-min(max(gap/endShare, endLeast), endMost))
	if end.Sub(now) < gap/lateShare {
		return time.Time{}, &skip{ReasonLate, fmt.Sprintf("slot %s came to its turn %s late",
			args.Slot.UTC().Format(time.RFC3339), now.Sub(args.Slot).Round(time.Millisecond))}
	}
	if end.After(most) {
		end = most
	}
	return end, nil
}

// enter runs the turn as the only one of its schedule. A turn on no schedule
// waits for the one before it.
func (s *Scheduler) enter(ctx context.Context, e *Entry, r *run, deadline time.Time) *skip {
	ctx, stopTimer := context.WithDeadlineCause(ctx, deadline, &skip{ReasonDeadline, "the turn did not end before the next slot"})
	defer stopTimer()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.cancel = cancel
	if !s.begin(r) {
		return &skip{ReasonRemoved, "the probe is no longer configured"}
	}
	defer s.end(r)
	// A pause may have come between the first look and begin.
	if why := s.paused(e); why != nil {
		return why
	}
	lane := s.lane(r.key)
	select {
	case lane <- struct{}{}:
	default:
		if r.args.Extra == "" {
			return &skip{ReasonOverlap, "the run before has not ended"}
		}
		select {
		case lane <- struct{}{}:
		case <-ctx.Done():
			return cause(ctx)
		}
	}
	defer func() { <-lane }()
	return s.play(ctx, r, e)
}

// play runs the slot's round, and a surge if it calls for one.
func (s *Scheduler) play(ctx context.Context, r *run, e *Entry) *skip {
	k := e.key()
	site := *e.Site
	site.Tenants = s.rules.tenants(k.target, e.Site.Tenants, time.Now())
	if len(site.Tenants) == 0 && len(e.Site.Tenants) > 0 {
		return &skip{ReasonTenant, "the target refuses every tenant"}
	}
	probe := seeded{Probe: e.Probe, seed: s.seed(k)}
	if top, ok := e.Probe.(probes.Top); ok && s.rules.cold(k) {
		top.ColdEvery = 0
		probe.Probe = top
	}
	defer r.freeLong()
	outcomes, err := s.rounds(ctx, r, e, &site, probe)
	if why := s.explain(ctx, e, &site, outcomes, err); why != nil {
		return why
	}
	if len(outcomes) == 0 || !s.rules.surge(e, outcomes[len(outcomes)-1], time.Now()) {
		return nil
	}
	for range surgeRounds {
		outcomes, err := s.rounds(ctx, r, e, &site, probe)
		if why := s.explain(ctx, e, &site, outcomes, err); why != nil {
			return why
		}
		if class := worst(outcomes[len(outcomes)-1]); class == checks.Foreign || class == checks.Inconclusive {
			return nil
		}
	}
	return nil
}

// roundsFunc runs one round of a probe and the confirmations it calls for.
type roundsFunc func(ctx context.Context, r *run, e *Entry, site *pipeline.Site, p probes.Probe) ([]*report.Outcome, error)

// campaign is the roundsFunc of the daemon.
func (s *Scheduler) campaign(ctx context.Context, r *run, e *Entry, site *pipeline.Site, p probes.Probe) ([]*report.Outcome, error) {
	s.rules.started(e.key())
	c := pipeline.Campaign{
		Engine: s.options.Engine, Site: site, Items: []pipeline.Item{{Probe: p, Rounds: 1}},
		Before: func(plan probes.Plan) { s.takeLong(ctx, r, plan) },
		After:  func(o *report.Outcome) { s.heard(ctx, e, o) },
	}
	return c.Run(ctx)
}

// heard takes in the outcome of a round.
func (s *Scheduler) heard(ctx context.Context, e *Entry, o *report.Outcome) {
	k := e.key()
	for _, t := range s.rules.learn(k, o, time.Now()) {
		s.options.Log.Warn("tenant left out", "target", k.target, "tenant", t.tenant, "detail", t.detail)
		if f := s.options.Hooks.Refused; f != nil {
			f(k.target, t.tenant, t.detail)
		}
		s.record(ctx, ledger.Event{At: time.Now(), Kind: "tenant", Target: k.target, Probe: k.probe, Reason: string(ReasonTenant), Detail: t.detail})
	}
	if f := s.options.Hooks.Outcome; f != nil {
		f(o)
	}
}

// explain is why a round did not take place, or not to its end; nil if it did.
func (s *Scheduler) explain(ctx context.Context, e *Entry, site *pipeline.Site, outcomes []*report.Outcome, err error) *skip {
	var unplanned *planError
	switch {
	case ctx.Err() != nil:
		return cause(ctx)
	case err == nil && len(outcomes) > 0:
		last := outcomes[len(outcomes)-1]
		if len(last.Round.Exchanges) == 0 && len(last.Dropped) > 0 {
			return &skip{ReasonStopped, "its cells are stopped after a suspected disclosure until a person resumes the target"}
		}
		return nil
	case err == nil:
		return &skip{ReasonPlan, "the probe had nothing to send"}
	case errors.Is(err, probes.ErrBudget):
		return &skip{ReasonBudget, err.Error()}
	case errors.Is(err, probes.ErrNotAllowed):
		if probes.Permit(e.Site.Target, time.Now(), probes.ActProbe) != nil {
			return &skip{ReasonUnauthorized, err.Error()}
		}
		return &skip{ReasonNotAllowed, err.Error()}
	case errors.As(err, &unplanned) && len(site.Tenants) < len(e.Site.Tenants):
		return &skip{ReasonTenant, err.Error()}
	case errors.As(err, &unplanned):
		return &skip{ReasonPlan, err.Error()}
	}
	s.options.Log.Error("round not recorded", "probe", e.Name, "target", e.Site.Target.Name, "err", err)
	return &skip{ReasonLedger, err.Error()}
}

// cause is why a turn's context ended. What is not ours came from the queue,
// which ends jobs only when it is stopped.
func cause(ctx context.Context) *skip {
	var why *skip
	if errors.As(context.Cause(ctx), &why) {
		return why
	}
	return &skip{ReasonInterrupted, "the daemon was stopped"}
}

// seeded is a probe whose plans all have one seed, so that a confirmation and a
// surge go to the cell that called for them, with fresh markers.
type seeded struct {
	probes.Probe
	seed uint64
}

// Plan implements probes.Probe.
func (p seeded) Plan(_ uint64, state probes.State) (probes.Plan, error) {
	plan, err := p.Probe.Plan(p.seed, state)
	if err != nil {
		return plan, &planError{err}
	}
	return plan, nil
}

// planError says that a plan could not be made.
type planError struct{ err error }

func (e *planError) Error() string { return e.err.Error() }
func (e *planError) Unwrap() error { return e.err }

// seed is the seed of the next round of a schedule. Seeds are counters, so that
// rounds go through every combination of tenants, families and depths; they
// count rounds and not slots, because every second slot may be skipped.
func (s *Scheduler) seed(k key) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok := s.turns[k]
	if !ok {
		// Where an earlier process stopped is not known: begin anywhere.
		n = mix(uint64(time.Now().UnixMilli())^uint64(hash(k.probe+"\x00"+k.target, 1<<62))) >> 1
	}
	s.turns[k] = n + 1
	return n
}

// describePanic says where a panic came from, without the text of a value that
// may hold what a target sent.
func describePanic(v any) string {
	what := fmt.Sprintf("%T", v)
	if err, ok := v.(runtime.Error); ok {
		what = err.Error()
	}
	return "the round panicked: " + what
}

package ledger

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"crosstalk/alerting"
	"crosstalk/checks"
	"crosstalk/internal/pipeline"
	"crosstalk/probes"
)

// outage is what is held while the ledger cannot be written.
type outage struct {
	since time.Time
	err   error
	tried time.Time // to write back
	told  bool      // that there is an outage

	log     []Deferred
	tallies map[string]*Event  // of events in log, by what they count
	refs    []checks.PromptRef // begun, oldest first
	rounds  map[uuid.UUID]bool // begun
	targets map[string]*held
	queue   []*queued
	ended   map[deliveryKey]*queued // attempts at pages of the ledger's outbox
	// incidents are those stepped here, as they stand, oldest first.
	incidents []alerting.Incident
}

// held is what is known of a target while the ledger cannot be written.
type held struct {
	known pipeline.Known
	state alerting.TargetState
}

func newOutage(now time.Time) *outage {
	return &outage{
		since: now, err: ErrUnwritable,
		tallies: map[string]*Event{}, rounds: map[uuid.UUID]bool{}, targets: map[string]*held{}, ended: map[deliveryKey]*queued{},
	}
}

// outage is the one under way. If it has just ended, a new one begins, which the
// next call ends.
func (f *Fallback) outage() *outage {
	if f.down == nil {
		f.down = newOutage(f.opts.now())
	}
	return f.down
}

// hold puts something off.
func (f *Fallback) hold(d Deferred) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.outage().put(d)
}

// counted reports whether x is an event that one held already counts.
func (d *outage) counted(x Deferred) bool {
	if x.Event == nil {
		return false
	}
	sum := d.tallies[x.Event.tally()]
	if sum == nil {
		return false
	}
	*sum = sum.plus(*x.Event)
	return true
}

func (d *outage) put(x Deferred) error {
	if d.counted(x) {
		return nil
	}
	if len(d.log) >= maxDeferred {
		return fmt.Errorf("%w, and memory holds %d things already: %w", ErrUnwritable, len(d.log), d.err)
	}
	if n := len(d.log); x.Ticked && n > 0 && d.log[n-1].Ticked {
		d.log = d.log[:n-1] // nothing has happened between the two
	}
	d.log = append(d.log, x)
	if x.Event != nil && x.Event.tally() != "" {
		d.tallies[x.Event.tally()] = x.Event
	}
	return nil
}

// begin journals a round in memory.
func (f *Fallback) begin(ctx context.Context, b Begun) error {
	d, target := f.outage(), b.Plan.Target
	if b.At.Sub(d.since) >= MaxUnjournaled && !f.opts.isControl(target) {
		return fmt.Errorf("begin round %s: no rounds after %s without a ledger: %w: %w", b.Round, MaxUnjournaled, ErrUnwritable, d.err)
	}
	run := probes.Spend{}
	for _, x := range d.log {
		if c := x.Begun; c != nil && b.Plan.Confirm != uuid.Nil && (c.Round == b.Plan.Confirm || c.Plan.Confirm == b.Plan.Confirm) {
			run = run.Plus(c.Plan.Spend(f.opts.pricing(target)))
		}
	}
	day := f.last.spentIn(ctx, f.Ledger, target, b.At)
	all := f.last.spentIn(ctx, f.Ledger, "", b.At)
	if err := admit(f.opts, b.Plan, run, day, all); err != nil {
		return fmt.Errorf("begin round %s: %w", b.Round, err)
	}
	if err := d.put(Deferred{At: b.At, Begun: &b}); err != nil {
		return fmt.Errorf("begin round %s: %w", b.Round, err)
	}
	f.last.spend(target, b.At, b.Plan.Spend(f.opts.pricing(target)))
	d.rounds[b.Round] = true
	for _, x := range b.Bound {
		d.refs = append(d.refs, checks.PromptRef{Exchange: x.Exchange, Payload: x.Payload.Request(), Spec: x.Intent.Spec})
	}
	return nil
}

// target is what is known of a target, as well as can be told: what has been
// stepped here, what the ledger says if it can be read, what it said last.
func (f *Fallback) target(ctx context.Context, name string) *held {
	d := f.outage()
	if t := d.targets[name]; t != nil {
		return t
	}
	t := &held{known: f.last.known[name], state: f.last.states[name]}
	if k, err := f.Ledger.Known(ctx, name); err == nil {
		t.known = k
	}
	if s, err := f.Ledger.State(ctx, name); err == nil {
		t.state = s
	}
	if t.state.Target == "" {
		t.state.Target = name
	}
	d.targets[name] = t
	return t
}

// keep saves a round in memory: what was begun there is unjournaled.
func (f *Fallback) keep(ctx context.Context, s Settled) ([]alerting.Page, error) {
	d := f.outage()
	s.Unjournaled = d.rounds[s.Round.ID]
	if err := d.put(Deferred{At: s.Round.Ended, Settled: &s}); err != nil {
		return nil, fmt.Errorf("save round %s: %w", s.Round.ID, err)
	}
	t := f.target(ctx, s.Round.Target)
	stopped := mergeStops(target{known: t.known}, s)
	t.known = s.Known
	t.known.Stopped = stopped
	if f.opts.isControl(s.Round.Target) {
		return nil, nil
	}
	return f.step(ctx, s.Round.Target, func(p alerting.Policy, state alerting.TargetState) (alerting.TargetState, []alerting.Page, error) {
		next, pages := alerting.Step(p, state, s.Observation)
		return next, pages, nil
	}), nil
}

// step steps the incidents of a target in memory, and puts the pages they owe
// into the outbox there.
func (f *Fallback) step(ctx context.Context, name string, do stepper) []alerting.Page {
	d, t := f.outage(), f.target(ctx, name)
	_, paused := f.last.pauses[name]
	if _, all := f.last.pauses[""]; all {
		paused = true
	}
	next, pages, err := do(policyFor(f.opts, name, t.known.Stopped, paused), t.state)
	if err != nil {
		return nil // a person's mistake, and persons are not served here
	}
	t.state = next
	for _, p := range pages {
		d.incident(p.Incident)
		for _, r := range f.opts.routes() {
			if r.Wants(p) {
				d.queue = append(d.queue, &queued{Delivery: alerting.Delivery{Page: p, Notifier: r.Notifier}, next: p.At})
			}
		}
	}
	for _, i := range next.Incidents() {
		d.incident(i)
	}
	if len(pages) > 0 {
		// Beyond the bound too: they are few, and must not be lost.
		d.log = append(d.log, Deferred{At: pages[0].At, Pages: pages})
	}
	return pages
}

// tick steps the time of every target in memory.
func (f *Fallback) tick(ctx context.Context, now time.Time) []alerting.Page {
	d := f.outage()
	if err := d.put(Deferred{At: now, Ticked: true}); err != nil {
		return nil // as full as it gets; the rounds and pages in it matter more
	}
	names := slices.Clone(f.opts.targets())
	for name := range d.targets {
		names = append(names, name)
	}
	for name := range f.last.states {
		names = append(names, name)
	}
	slices.Sort(names)
	var pages []alerting.Page
	for _, name := range slices.Compact(names) {
		pages = append(pages, f.step(ctx, name, func(p alerting.Policy, s alerting.TargetState) (alerting.TargetState, []alerting.Page, error) {
			next, pages := alerting.Tick(p, s, now)
			return next, pages, nil
		})...)
	}
	return pages
}

// control steps a control in memory.
func (f *Fallback) control(ctx context.Context, c alerting.Control) []alerting.Page {
	if err := f.outage().put(Deferred{At: c.At, Control: &c}); err != nil {
		return nil
	}
	return f.step(ctx, c.Name, func(p alerting.Policy, s alerting.TargetState) (alerting.TargetState, []alerting.Page, error) {
		next, pages := alerting.StepControl(p, s, c)
		return next, pages, nil
	})
}

// incident notes how an incident stands.
func (d *outage) incident(i alerting.Incident) {
	at := slices.IndexFunc(d.incidents, func(x alerting.Incident) bool { return x.ID == i.ID })
	if at < 0 {
		d.incidents = append(d.incidents, i)
		return
	}
	d.incidents[at] = i
}

// overlay is a list of the ledger's with the incidents as they stand here.
func (d *outage) overlay(list []alerting.Incident, f IncidentFilter) []alerting.Incident {
	here := map[uuid.UUID]bool{}
	var all []alerting.Incident
	for _, i := range slices.Backward(d.incidents) {
		here[i.ID] = true
		if (f.Target == "" || f.Target == i.Target) && (f.Kind == "" || f.Kind == i.Kind) &&
			(!f.Open || i.State == alerting.StateOpen) {
			all = append(all, i)
		}
	}
	for _, i := range list {
		if !here[i.ID] {
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(a, b alerting.Incident) int { return b.Opened.Compare(a.Opened) })
	return all[:min(len(all), int(limit(f.Limit)))]
}

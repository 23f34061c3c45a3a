package scheduler

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"

	"crosstalk/internal/ledger"
	"crosstalk/internal/pipeline"
	"crosstalk/internal/report"
	"crosstalk/probes"
)

// Entry is one schedule: a probe, the site it probes, and when.
type Entry struct {
	// Name tells two entries of one kind and target apart; "" is the probe's
	// kind. It is the probe of the ledger's schedule and of every label.
	Name     string
	Probe    probes.Probe
	Site     *pipeline.Site
	Schedule Schedule
	Quiet    []Quiet // of the target
	// Control says that the target is a control in this process: nothing is
	// sent to anyone. It goes on while probing is paused, so that a long pause
	// does not look like a broken prober.
	Control bool
}

func (e *Entry) key() key { return key{e.Name, e.Site.Target.Name} }

// Ledger is what the scheduler needs of the ledger.
type Ledger interface {
	InTx(ctx context.Context, f func(tx *sql.Tx) error) error
	LastSlot(ctx context.Context, probe, target string) (time.Time, error)
	SetSlot(ctx context.Context, tx *sql.Tx, probe, target string, slot time.Time) error
	Paused(ctx context.Context, target string) (ledger.PauseRecord, bool, error)
	Record(ctx context.Context, e ledger.Event) error
}

// Hooks are told what happens, for metrics. Any may be nil. They are called on
// the goroutine of the round or the walker and must not block.
type Hooks struct {
	// Due is told that a slot has come to its turn, and how long after.
	Due func(probe, target string, late time.Duration)
	// Outcome is told each round: the slot's, its confirmations, a surge.
	Outcome func(*report.Outcome)
	// Skipped is told that n slots were not run, or one not to its end.
	Skipped func(probe, target string, reason Reason, n int)
	// Refused is told that a tenant is left out because the target refuses it.
	Refused func(target, tenant, said string)
	// Retired is told that no round uses a site any more that Reload took
	// out: its clients may be closed.
	Retired func(*pipeline.Site)
}

// Options are what a scheduler is made of.
type Options struct {
	// Driver is River's way to the database that Ledger writes to. Without one
	// no turn survives a restart; that is for a database that cannot be opened.
	Driver riverdriver.Driver[*sql.Tx]
	Ledger Ledger
	Engine *pipeline.Engine
	// Instance names this process among those that share the database: always
	// the same after a restart, and never two at once. Jobs that a process of
	// this name left running are taken up again at start.
	Instance string
	// StopFile stops all probing while a file of this path exists; "": none.
	StopFile string
	Silences []Silence
	// MaxRound bounds a slot's turn, confirmations included; 0 is
	// DefaultMaxRound. Most turns have to end earlier, before the next slot.
	MaxRound time.Duration
	// Grace is how long rounds in flight may go on when Run is told to end;
	// 0 is DefaultGrace.
	Grace time.Duration
	Hooks Hooks
	Log   *slog.Logger // nil: nothing is logged
}

const (
	// DefaultMaxRound lets two prompts of a million tokens be read at the
	// slowest pace that probes.DefaultTimeout waits for.
	DefaultMaxRound = time.Hour
	DefaultGrace    = 20 * time.Second
)

// Scheduler runs probes when they are due. Make one with New.
type Scheduler struct {
	options Options
	client  *river.Client[*sql.Tx]
	rules   *rules
	pauses  *pauses
	rounds  roundsFunc // runs a probe against a site; replaced in tests

	walking sync.Mutex // held by whoever walks the schedules
	wake    chan struct{}
	queueUp atomic.Bool    // the queue has been started
	tried   time.Time      // when it was last tried; of the walker
	direct  sync.WaitGroup // turns taken without the queue

	mu      sync.Mutex
	entries map[key]*Entry
	tracks  map[key]*track
	runs    map[*run]bool
	lanes   map[key]chan struct{}    // holds a token while a round of the schedule runs
	long    map[string]chan struct{} // holds a token while a long prompt is at the target
	turns   map[key]uint64           // seed of the next round
	taken   map[key]time.Time        // last slot whose turn was taken without the queue
	retired map[*pipeline.Site]bool  // waiting for their last round
}

// New returns a scheduler of the entries. It touches no database.
func New(o Options, entries []Entry) (*Scheduler, error) {
	if o.MaxRound == 0 {
		o.MaxRound = DefaultMaxRound
	}
	if o.Grace == 0 {
		o.Grace = DefaultGrace
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Instance == "" {
		return nil, errors.New("scheduler has no instance name: state one that stays the same after a restart")
	}
	table, err := index(entries)
	if err != nil {
		return nil, err
	}
	s := &Scheduler{
		options: o, rules: newRules(), wake: make(chan struct{}, 1),
		entries: table, tracks: map[key]*track{}, runs: map[*run]bool{}, lanes: map[key]chan struct{}{},
		long: map[string]chan struct{}{}, turns: map[key]uint64{}, taken: map[key]time.Time{}, retired: map[*pipeline.Site]bool{},
	}
	s.rules.silence(o.Silences)
	s.pauses = &pauses{ledger: o.Ledger, file: o.StopFile}
	s.rounds = s.campaign
	if o.Driver != nil {
		if s.client, err = s.newClient(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// index checks entries and gives each its name.
func index(entries []Entry) (map[key]*Entry, error) {
	table := map[key]*Entry{}
	for _, e := range entries {
		switch {
		case e.Probe == nil || e.Site == nil || e.Schedule == nil:
			return nil, fmt.Errorf("entry %q needs a probe, a site and a schedule", e.Name)
		case e.Name == "":
			e.Name = e.Probe.Kind()
		}
		k := e.key()
		if table[k] != nil {
			return nil, fmt.Errorf("probe %s of target %s is scheduled twice: give one of them another name", k.probe, k.target)
		}
		table[k] = &e
	}
	return table, nil
}

// Run runs probes until ctx ends. Then it hands out no more slots, lets rounds
// in flight go on for Grace, cuts short what is left, and returns when all of
// them have been recorded. The error says that some would not end.
//
// A database that cannot be used stops no probe: turns are then taken without
// the queue, and it is tried again every few seconds.
func (s *Scheduler) Run(ctx context.Context) error {
	s.look(ctx)
	s.startQueue(ctx)
	var loops sync.WaitGroup
	loops.Go(func() { s.walker(ctx) })
	loops.Go(func() { s.watchPauses(ctx) })
	<-ctx.Done()
	loops.Wait()
	return s.stop(context.WithoutCancel(ctx))
}

// stop ends what runs: first gently.
func (s *Scheduler) stop(ctx context.Context) error {
	gentle, cancel := context.WithTimeout(ctx, s.options.Grace)
	defer cancel()
	if s.ended(gentle, (*river.Client[*sql.Tx]).Stop) == nil {
		return nil
	}
	s.cut("", &skip{ReasonInterrupted, "the daemon was stopped"})
	// Rounds heed their context within moments; this is for those that do not,
	// and for a queue whose database is gone: it tries its last writes for
	// some ten seconds before it gives them up.
	const patience = 20 * time.Second
	hard, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := s.ended(hard, (*river.Client[*sql.Tx]).StopAndCancel); err != nil {
		return fmt.Errorf("rounds are still running %s after the stop: %w", s.options.Grace+patience, err)
	}
	return nil
}

// ended stops the queue that way and waits for the turns taken without it.
func (s *Scheduler) ended(ctx context.Context, stop func(*river.Client[*sql.Tx], context.Context) error) error {
	if s.queueUp.Load() {
		if err := stop(s.client, ctx); err != nil {
			return err
		}
	}
	done := make(chan struct{})
	go func() { s.direct.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Reload replaces the entries and the silences. Nothing changes if there is an
// error. Rounds in flight go on with the site they began with. A schedule that
// stays keeps its slots; one that is new or says something else begins now.
func (s *Scheduler) Reload(entries []Entry, silences []Silence) error {
	table, err := index(entries)
	if err != nil {
		return err
	}
	s.walking.Lock()
	defer s.walking.Unlock()
	now := time.Now()
	s.mu.Lock()
	old := s.entries
	s.entries = table
	for k, t := range s.tracks {
		switch e := table[k]; {
		case e == nil:
			delete(s.tracks, k)
		case !reflect.DeepEqual(e.Schedule, old[k].Schedule):
			t.begin(e.Schedule, now)
		}
	}
	s.mu.Unlock()
	s.rules.silence(silences)
	s.rules.keep(table)
	for k := range table {
		s.rules.forgive(k.target)
	}
	s.retire(old)
	s.nudge()
	return nil
}

// Next is the next slot of a schedule; false if there is no such schedule or
// it has not been looked at yet.
func (s *Scheduler) Next(probe, target string) (time.Time, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tracks[key{probe, target}]
	if t == nil || t.next.IsZero() {
		return time.Time{}, false
	}
	return t.next, true
}

// Standing is the state of a schedule, for pages.
func (s *Scheduler) Standing(probe, target string) Standing {
	k := key{probe, target}
	standing := s.rules.standingOf(k, time.Now())
	standing.Next, _ = s.Next(probe, target)
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.runs {
		standing.Running = standing.Running || r.key == k
	}
	return standing
}

// DeployedUntil is the end of the window after the last deploy of the target;
// zero if none was announced.
func (s *Scheduler) DeployedUntil(target string) time.Time { return s.rules.deployedUntil(target) }

// Refresh looks at pauses and the stop file now rather than within the second:
// whoever has just written a pause calls it. It returns when what was in flight
// at paused targets has ended, and nothing of it is sent any more; it waits for
// that a second at most.
func (s *Scheduler) Refresh(ctx context.Context) {
	s.look(ctx)
	ctx, cancel := context.WithTimeout(ctx, pauseTakes)
	defer cancel()
	for _, r := range s.inFlight() {
		if why := s.pauses.of(r.key.target); why == nil {
			continue
		}
		select {
		case <-r.ended:
		case <-ctx.Done():
			return
		}
	}
}

// Deployed says that the target was deployed just now: a round of each probe of
// the kind top is due at once, and cold.
func (s *Scheduler) Deployed(ctx context.Context, target string) error {
	now := time.Now()
	s.rules.deploy(target, now)
	s.record(ctx, ledger.Event{At: now, Kind: "deploy", Target: target})
	found := false
	for _, e := range s.snapshot() {
		if e.Site.Target.Name != target {
			continue
		}
		found = true
		if e.Probe.Kind() == (probes.Top{}).Kind() {
			if err := s.extra(ctx, e, now, "deploy"); err != nil {
				return err
			}
		}
	}
	if !found {
		return fmt.Errorf("target %s has no schedule: name a target of the configuration", target)
	}
	return nil
}

// snapshot is the entries as they are now.
func (s *Scheduler) snapshot() []*Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*Entry, 0, len(s.entries))
	for _, e := range s.entries {
		all = append(all, e)
	}
	return all
}

func (s *Scheduler) entry(k key) *Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.entries[k]
}

// record writes an event. What cannot be written is logged: probing goes on.
func (s *Scheduler) record(ctx context.Context, e ledger.Event) {
	if err := s.options.Ledger.Record(context.WithoutCancel(ctx), e); err != nil {
		s.options.Log.Error("event not recorded", "kind", e.Kind, "target", e.Target, "probe", e.Probe, "reason", e.Reason, "err", err)
	}
}

// skipped counts and records a slot that was not run.
func (s *Scheduler) skipped(ctx context.Context, k key, why *skip) {
	s.options.Log.Info("slot skipped", "probe", k.probe, "target", k.target, "reason", string(why.reason), "detail", why.detail)
	if f := s.options.Hooks.Skipped; f != nil {
		f(k.probe, k.target, why.reason, 1)
	}
	s.record(ctx, ledger.Event{
		At: time.Now(), Kind: "skip", Target: k.target, Probe: k.probe, Reason: string(why.reason), Detail: why.detail,
	})
}

package scheduler

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"crosstalk/checks"
	"crosstalk/internal/pipeline"
	"crosstalk/internal/report"
	"crosstalk/probes"
)

// within waits until cond holds.
func within(t *testing.T, d time.Duration, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(d); !cond(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %s within %s", what, d)
		}
	}
}

// states counts jobs by state and attempt, as in "completed 1".
func states(t *testing.T, db *sql.DB) map[string]int {
	t.Helper()
	rows, err := db.Query(`SELECT state, attempt, count(*) FROM river_job GROUP BY 1, 2`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := map[string]int{}
	for rows.Next() {
		var state string
		var attempt, n int
		if err := rows.Scan(&state, &attempt, &n); err != nil {
			t.Fatal(err)
		}
		all[fmt.Sprintf("%s %d", state, attempt)] = n
	}
	return all
}

// attemptsSeen notes turns that really began, and fails when one does twice.
type attemptsSeen struct {
	t    *testing.T
	mu   sync.Mutex
	seen map[string]int
}

// watch wraps the worker's way into turns.
func (a *attemptsSeen) watch(s *Scheduler) {
	play := s.rounds
	s.rounds = func(ctx context.Context, r *run, e *Entry, site *pipeline.Site, p probes.Probe) ([]*report.Outcome, error) {
		a.mu.Lock()
		name := fmt.Sprintf("%s %s attempt %d", e.Site.Target.Name, r.args.Slot.Format(time.RFC3339Nano), r.attempt)
		if a.seen[name]++; a.seen[name] > 1 {
			a.t.Errorf("%s ran %d times", name, a.seen[name])
		}
		a.mu.Unlock()
		return play(ctx, r, e, site, p)
	}
}

func (a *attemptsSeen) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.seen)
}

// TestQueueRestarts: over stops and starts, one database, every slot is run
// once and none is lost without a word.
func TestQueueRestarts(t *testing.T) {
	db := tempDB(t)
	e := local("edge", time.Second)
	o := on(db, Options{})
	seen := &attemptsSeen{t: t, seen: map[string]int{}}
	for i := range 4 {
		st := &stage{}
		s := st.newScheduler(t, o, e)
		seen.watch(s)
		stop := start(t, s)
		within(t, 20*time.Second, "round", func() bool { return len(st.rounds("")) > i%2 })
		stop()
	}
	b := o.Ledger.(*book)
	got := jobs(t, db)
	missed := 0
	for _, ev := range b.events {
		var n int
		if _, err := fmt.Sscanf(ev.Detail, "%d slots", &n); err == nil {
			missed += n
		}
	}
	all := slots(e.Schedule, got[0].Add(-1), got[len(got)-1])
	if len(all) != len(got)+missed {
		t.Errorf("of %d slots %d became jobs and %d are recorded as missed", len(all), len(got), missed)
	}
	late := b.reasons("skip")[ReasonLate]
	if ran := seen.count(); ran+late != len(got) {
		t.Errorf("of %d jobs %d ran and %d were late", len(got), ran, late)
	}
	for state := range states(t, db) {
		if state != "completed 1" {
			t.Errorf("jobs are left %v", states(t, db))
		}
	}
}

// TestQueueKilled: a process that dies in a round leaves a job that runs once
// more, as attempt 2, when a process of the same name starts. Dying is a copy
// of the database taken at that moment.
func TestQueueKilled(t *testing.T) {
	path := func(name string) string { return filepath.Join(t.TempDir(), name) }
	db := tempDB(t)
	e := local("edge", time.Hour)
	seen := &attemptsSeen{t: t, seen: map[string]int{}}
	release := make(chan struct{})
	hung := func(ctx context.Context, target string) (*report.Outcome, error) {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return outcome(target, checks.Sound, nil), nil
	}
	// life starts a process on a database whose slot hangs, copies the
	// database while it does, and returns the copy.
	life := func(db *sql.DB, extra bool) (copied *sql.DB, o Options) {
		t.Helper()
		st := &stage{play: hung}
		o = on(db, Options{Grace: 50 * time.Millisecond})
		s := st.newScheduler(t, o, e)
		seen.watch(s)
		stop := start(t, s)
		if extra {
			within(t, 20*time.Second, "queue", s.queueUp.Load)
			if err := s.extra(t.Context(), s.entry(key{"pulse", "edge"}), time.Now(), "test"); err != nil {
				t.Fatal(err)
			}
		}
		within(t, 20*time.Second, "round", func() bool { return len(st.rounds("")) == 1 })
		to := path("copy.db")
		if _, err := db.Exec(`VACUUM INTO ?`, to); err != nil {
			t.Fatal(err)
		}
		stop()
		return openDB(t, to), o
	}
	second, _ := life(db, true)
	if got := states(t, second); got["running 1"] != 1 {
		t.Fatalf("the copy has %v, want one job running", got)
	}
	third, o := life(second, false)
	if got := states(t, third); got["running 2"] != 1 {
		t.Fatalf("the copy has %v, want the job in its second attempt", got)
	}
	if n := o.Ledger.(*book).reasons("skip")[ReasonInterrupted]; n != 2 {
		t.Errorf("%d interruptions recorded, want that of the process before and that of the stop", n)
	}
	// Dying in the second attempt is the end of it.
	close(release)
	st := &stage{}
	s := st.newScheduler(t, on(third, Options{}), e)
	seen.watch(s)
	stop := start(t, s)
	within(t, 20*time.Second, "queue", s.queueUp.Load)
	within(t, 20*time.Second, "discarded job", func() bool { return states(t, third)["discarded 2"] == 1 })
	stop()
	if n := len(st.rounds("")); n != 0 || seen.count() != 2 {
		t.Errorf("%d further rounds, %d attempts in all, want two", n, seen.count())
	}
}

// TestQueueOthers: jobs of another process that runs are left to it.
func TestQueueOthers(t *testing.T) {
	db := tempDB(t)
	e := local("edge", time.Hour)
	st := &stage{play: hang}
	s := st.newScheduler(t, on(db, Options{Instance: "one", Grace: 50 * time.Millisecond}), e)
	stop := start(t, s)
	defer stop()
	within(t, 20*time.Second, "queue", s.queueUp.Load)
	if err := s.extra(t.Context(), s.entry(key{"pulse", "edge"}), time.Now(), "test"); err != nil {
		t.Fatal(err)
	}
	within(t, 20*time.Second, "round", func() bool { return len(st.rounds("")) == 1 })
	other := (&stage{}).newScheduler(t, on(db, Options{Instance: "two"}), e)
	if err := other.release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := states(t, db); got["running 1"] != 1 {
		t.Errorf("jobs are %v, want one running", got)
	}
}

// TestQueueLate: a turn that waited in the queue while the daemon was down is
// not run after its time.
func TestQueueLate(t *testing.T) {
	db := tempDB(t)
	e := local("edge", time.Hour)
	o := on(db, Options{})
	s := walked(t, o, e)
	old := e.Schedule.Next(time.Now().Add(-5 * time.Hour))
	if err := s.hand(t.Context(), turnArgs{Probe: "pulse", Target: "edge", Slot: old}, false); err != nil {
		t.Fatal(err)
	}
	st := &stage{}
	stop := start(t, st.newScheduler(t, o, e))
	within(t, 20*time.Second, "skip", func() bool { return o.Ledger.(*book).reasons("skip")[ReasonLate] == 1 })
	stop()
	if n := len(st.rounds("")); n != 0 {
		t.Errorf("%d rounds, want none", n)
	}
}

// TestQueueUnusable: a database that cannot take the queue's tables stops no
// probe.
func TestQueueUnusable(t *testing.T) {
	db := tempDB(t)
	o := on(db, Options{})
	o.Ledger = newBook(nil)
	db.Close()
	st := &stage{}
	stop := start(t, st.newScheduler(t, o, local("edge", time.Second)))
	within(t, 20*time.Second, "round", func() bool { return len(st.rounds("")) > 2 })
	stop()
}

// TestQueueGoesAway: when the database goes away under a running queue, the
// stop still comes to an end.
func TestQueueGoesAway(t *testing.T) {
	db := tempDB(t)
	st := &stage{}
	s := st.newScheduler(t, on(db, Options{Grace: time.Second}), local("edge", time.Second))
	stop := start(t, s)
	within(t, 20*time.Second, "round", func() bool { return len(st.rounds("")) > 0 })
	db.Close()
	began := time.Now()
	stop()
	if took := time.Since(began); took > 21*time.Second {
		t.Errorf("the stop took %s", took)
	}
}

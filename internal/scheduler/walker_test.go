package scheduler

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crosstalk/internal/ledger"
)

// walked is a scheduler whose queue takes jobs and works none.
func walked(t *testing.T, o Options, entries ...Entry) *Scheduler {
	t.Helper()
	s := (&stage{}).newScheduler(t, o, entries...)
	if err := s.migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.queueUp.Store(true)
	return s
}

// jobs are the slots that have become jobs, in order; none twice.
func jobs(t *testing.T, db *sql.DB) []time.Time {
	t.Helper()
	rows, err := db.Query(`SELECT json(args) FROM river_job ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []time.Time
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		var args turnArgs
		if err := json.Unmarshal([]byte(text), &args); err != nil {
			t.Fatal(err)
		}
		all = append(all, args.Slot)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for i, slot := range slices.SortedFunc(slices.Values(all), time.Time.Compare) {
		if i > 0 && slot.Equal(all[i-1]) {
			t.Fatalf("slot %s became two jobs", slot)
		}
	}
	return all
}

// TestWalkRestarts: however often the walker dies and wherever, each slot
// becomes one job.
func TestWalkRestarts(t *testing.T) {
	db := tempDB(t)
	e := local("edge", time.Minute)
	o := on(db, Options{})
	s := walked(t, o, e)
	s.walk(t.Context(), noon)
	rng := rand.New(rand.NewPCG(1, 2))
	now := noon
	for i := range 200 {
		now = now.Add(time.Duration(rng.IntN(int(30 * time.Second))))
		if rng.IntN(3) == 0 {
			s = walked(t, o, e)
		}
		if i == 100 { // River cleans up what is done
			if _, err := db.Exec(`DELETE FROM river_job WHERE id < (SELECT max(id) FROM river_job)`); err != nil {
				t.Fatal(err)
			}
		}
		if next := s.walk(t.Context(), now); !next.After(now) {
			t.Fatalf("at %s the next walk is due at %s", now, next)
		}
	}
	want := slots(e.Schedule, noon, now)
	got := jobs(t, db)
	if diff := cmp.Diff(want[len(want)-len(got):], got); diff != "" || len(got) < 20 {
		t.Errorf("%d slots became jobs: %s", len(got), diff)
	}
	if n := len(o.Ledger.(*book).events); n != 0 {
		t.Errorf("%d events, want none: %+v", n, o.Ledger.(*book).events)
	}
}

// TestWalkMissed: of the slots that passed while nobody walked one is run, and
// the rest are a recorded fact.
func TestWalkMissed(t *testing.T) {
	for _, down := range []time.Duration{90 * time.Second, time.Hour, 30 * 24 * time.Hour, 365 * 24 * time.Hour} {
		t.Run(down.String(), func(t *testing.T) {
			db := tempDB(t)
			e := local("edge", 30*time.Second)
			missed := 0
			o := on(db, Options{Hooks: Hooks{Skipped: func(_, _ string, r Reason, n int) {
				if r == ReasonDown {
					missed += n
				}
			}}})
			walked(t, o, e).walk(t.Context(), noon)
			now := noon.Add(down)
			s := walked(t, o, e)
			s.walk(t.Context(), now)
			got := jobs(t, db)
			if len(got) != 1 || now.Sub(got[0]) < 0 || now.Sub(got[0]) > 32*time.Second {
				t.Errorf("slots %v became jobs, want the newest before %s", got, now)
			}
			want := len(slots(e.Schedule, noon, now)) - 1
			if want > missedMost {
				if missed < missedMost || missed > want {
					t.Errorf("%d missed slots, want %d or more", missed, missedMost)
				}
			} else if missed != want {
				t.Errorf("%d missed slots, want %d", missed, want)
			}
			if diff := cmp.Diff(map[Reason]int{ReasonDown: 1}, o.Ledger.(*book).reasons("missed")); diff != "" {
				t.Error(diff)
			}
			if next, _ := s.Next("pulse", "edge"); !next.Equal(e.Schedule.Next(now)) {
				t.Errorf("next slot is %s, want %s", next, e.Schedule.Next(now))
			}
		})
	}
}

// TestWalkAtomic: a transaction that fails loses no slot and makes no job.
func TestWalkAtomic(t *testing.T) {
	db := tempDB(t)
	e := local("edge", time.Minute)
	o := on(db, Options{})
	s := walked(t, o, e)
	s.walk(t.Context(), noon)
	slot := e.Schedule.Next(noon)
	o.Ledger.(*book).fail(errors.New("locked"))
	s.walk(t.Context(), slot)
	if got := jobs(t, db); len(got) != 0 {
		t.Fatalf("%v became jobs although the transaction failed", got)
	}
	o.Ledger.(*book).fail(nil)
	s.walk(t.Context(), slot.Add(time.Second))
	if diff := cmp.Diff([]time.Time{slot}, jobs(t, db)); diff != "" {
		t.Error(diff)
	}
}

// TestWalkUnwritable: a ledger that cannot be written stops no probe, and what
// was run without the queue is not run again with it.
func TestWalkUnwritable(t *testing.T) {
	db := tempDB(t)
	e := local("edge", time.Minute)
	o := on(db, Options{})
	st := &stage{}
	s := st.newScheduler(t, o, e)
	if err := s.migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.queueUp.Store(true)
	s.walk(t.Context(), time.Now())
	slot := e.Schedule.Next(time.Now())
	o.Ledger.(*book).fail(fmt.Errorf("disk full: %w", ledger.ErrUnwritable))
	s.walk(t.Context(), slot)
	s.direct.Wait()
	if n := len(st.rounds("edge")); n != 1 {
		t.Fatalf("%d rounds while the ledger cannot be written, want 1", n)
	}
	if !s.wasTaken(turnArgs{Probe: "pulse", Target: "edge", Slot: slot}) {
		t.Error("a job of the same slot would be run again")
	}
	o.Ledger.(*book).fail(nil)
	next := e.Schedule.Next(slot)
	s.walk(t.Context(), next)
	if diff := cmp.Diff([]time.Time{next}, jobs(t, db)); diff != "" {
		t.Error(diff)
	}
	if s.wasTaken(turnArgs{Probe: "pulse", Target: "edge", Slot: next}) {
		t.Error("a later slot counts as run")
	}
}

// TestWalkClockSetBack: a clock that was ahead and is set back does not
// silence a schedule until it catches up.
func TestWalkClockSetBack(t *testing.T) {
	db := tempDB(t)
	e := local("edge", time.Minute)
	o := on(db, Options{})
	s := walked(t, o, e)
	s.walk(t.Context(), noon.Add(48*time.Hour))
	s.walk(t.Context(), noon)
	s.walk(t.Context(), noon.Add(2*time.Minute))
	if got := jobs(t, db); len(got) != 1 {
		t.Errorf("%d jobs in the two minutes after the clock was set back, want the newest slot", len(got))
	}
	if n := o.Ledger.(*book).reasons("clock"); len(n) != 1 {
		t.Errorf("the clock is recorded %v times", n)
	}
	// A correction within the minute is no reason to run anything again.
	next := e.Schedule.Next(noon.Add(2 * time.Minute))
	s.walk(t.Context(), next)
	s.walk(t.Context(), next.Add(-time.Second))
	s.walk(t.Context(), next)
	if got := jobs(t, db); len(got) != 2 {
		t.Errorf("%d jobs after a small correction, want 2", len(got))
	}
}

func BenchmarkWalkIdle(b *testing.B) {
	var entries []Entry
	for i := range 1000 {
		entries = append(entries, local(fmt.Sprintf("target-%d", i), time.Hour))
	}
	s, err := New(Options{Ledger: newBook(nil), Instance: "bench"}, entries)
	if err != nil {
		b.Fatal(err)
	}
	s.walk(context.Background(), noon)
	for b.Loop() {
		s.walk(context.Background(), noon.Add(time.Millisecond))
	}
}

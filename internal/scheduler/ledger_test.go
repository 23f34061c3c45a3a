package scheduler

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river/riverdriver/riversqlite"

	"crosstalk/checks"
	"crosstalk/internal/ledger"
	"crosstalk/internal/report"
	"crosstalk/probes"
)

var (
	_ Ledger = ledger.Ledger(nil)
	_ Ledger = (*ledger.SQLite)(nil)
	_ Ledger = (*ledger.Fallback)(nil)
)

// TestLedger runs rounds through the queue and the ledger of the daemon, in one
// file, over a restart and over a time in which the file cannot be written.
func TestLedger(t *testing.T) {
	path := filepath.Join(t.TempDir(), "crosstalk.db")
	seen := map[uuid.UUID]bool{}
	life := func(during func(l *ledger.Fallback, engine *ledger.SQLite, rounds func() int)) {
		t.Helper()
		options := ledger.Options{Targets: func() []string { return []string{"edge"} }}
		engine, err := ledger.Open(t.Context(), path, options)
		if err != nil {
			t.Fatal(err)
		}
		l := ledger.NewFallback(engine, options)
		defer l.Close()
		outcomes := make(chan *report.Outcome, 1000)
		s := real(t, newBook(nil), &client{answer: right}, probes.Limits{}, Hooks{Outcome: func(o *report.Outcome) { outcomes <- o }},
			local("edge", time.Second))
		s.options.Ledger, s.options.Driver, s.options.Engine.Store = l, riversqlite.New(engine.DB()), l
		s.pauses.ledger = l
		if s.client, err = s.newClient(); err != nil {
			t.Fatal(err)
		}
		stop := start(t, s)
		during(l, engine, func() int { return len(outcomes) })
		stop()
		close(outcomes)
		for o := range outcomes {
			if seen[o.Round.ID] {
				t.Errorf("round %s came twice", o.Round.ID)
			}
			seen[o.Round.ID] = true
			if o.Report.Class() != checks.Sound {
				t.Errorf("round %s is %s, want sound", o.Round.ID, o.Report.Class())
			}
		}
		if kept, err := engine.Rounds(t.Context(), ledger.RoundFilter{}); err != nil || len(kept) != len(seen) {
			t.Errorf("%d rounds are in the ledger (%v), want %d", len(kept), err, len(seen))
		}
	}
	more := func(t *testing.T, rounds func() int) {
		t.Helper()
		n := rounds()
		within(t, 30*time.Second, "further rounds", func() bool { return rounds() > n+1 })
	}
	life(func(l *ledger.Fallback, _ *ledger.SQLite, rounds func() int) {
		more(t, rounds)
		if slot, err := l.LastSlot(t.Context(), "pulse", "edge"); err != nil || time.Since(slot) > 30*time.Second {
			t.Errorf("last slot is %s (%v), want one of these seconds", slot, err)
		}
	})
	life(func(l *ledger.Fallback, engine *ledger.SQLite, rounds func() int) {
		more(t, rounds)
		if _, err := engine.DB().Exec(`PRAGMA query_only = true`); err != nil {
			t.Fatal(err)
		}
		more(t, rounds)
		if _, err := engine.DB().Exec(`PRAGMA query_only = false`); err != nil {
			t.Fatal(err)
		}
		within(t, 30*time.Second, "recovery", func() bool {
			since, _ := l.Degraded()
			return since.IsZero()
		})
		more(t, rounds)
	})
	life(func(l *ledger.Fallback, _ *ledger.SQLite, rounds func() int) {
		more(t, rounds)
		events, err := l.Events(t.Context(), time.Now().Add(-time.Hour), "missed", "skip")
		if err != nil {
			t.Fatal(err)
		}
		// What a busy machine does to slots of a second: nothing else may have
		// kept one from running.
		timely := []Reason{ReasonDown, ReasonLate, ReasonDeadline, ReasonOverlap, ReasonInterrupted}
		for _, e := range events {
			if !slices.Contains(timely, Reason(e.Reason)) {
				t.Errorf("unexpected event %+v", e)
			}
		}
	})
}

package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"crosstalk/alerting"
	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/internal/ledger"
	"crosstalk/internal/ledger/ledgertest"
	"crosstalk/internal/pipeline"
	"crosstalk/probes"
)

// failing is a ledger whose file can be made unusable, and mended.
type failing struct {
	name string
	fail func(t *testing.T, l *ledger.SQLite)
	mend func(t *testing.T, l *ledger.SQLite)
}

func execute(t *testing.T, l *ledger.SQLite, sql string) {
	t.Helper()
	if _, err := l.DB().ExecContext(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func failures() []failing {
	return []failing{
		{
			"disk full",
			// The file may not grow, and what is free in it is used up.
			func(t *testing.T, l *ledger.SQLite) {
				execute(t, l, "CREATE TABLE ballast (x BLOB)")
				execute(t, l, "PRAGMA max_page_count = 1")
				for _, err := l.DB().Exec("INSERT INTO ballast VALUES (zeroblob(3000))"); err == nil; {
					_, err = l.DB().Exec("INSERT INTO ballast VALUES (zeroblob(3000))")
				}
				for _, err := l.DB().Exec("INSERT INTO ballast VALUES (zeroblob(10))"); err == nil; {
					_, err = l.DB().Exec("INSERT INTO ballast VALUES (zeroblob(10))")
				}
			},
			func(t *testing.T, l *ledger.SQLite) { execute(t, l, "PRAGMA max_page_count = 1000000") },
		},
		{
			"read-only",
			func(t *testing.T, l *ledger.SQLite) { execute(t, l, "PRAGMA query_only = 1") },
			func(t *testing.T, l *ledger.SQLite) { execute(t, l, "PRAGMA query_only = 0") },
		},
	}
}

// wide is the number of exchanges of a wide round.
const wide = 40

// TestOutage: while the ledger cannot be written rounds are journaled and
// incidents paged from memory, and afterwards everything is in the ledger.
func TestOutage(t *testing.T) {
	for _, failure := range failures() {
		t.Run(failure.name, func(t *testing.T) {
			w := ledgertest.NewWorld(t)
			l := open(t, file(t), w.Options())
			f := ledger.NewFallback(l, w.Options())
			before := w.Round(f, "edge", "pulse", checks.Sound)
			// Wide, so that its findings need room.
			flying := w.Trip("edge", "top", slices.Repeat([]checks.Class{checks.Sound}, wide)...)
			w.Begin(f, flying)

			failure.fail(t, l)
			w.Save(f, flying)
			if since, err := f.Degraded(); since.IsZero() || !errors.Is(err, ledger.ErrUnwritable) {
				t.Fatalf("degraded since %s: %v", since, err)
			}
			leak := w.Round(f, "edge", "pulse", checks.Leak)
			damaged := w.Round(f, "edge", "pulse", checks.Damaged)
			if got := w.Deliver(f); len(got) != 2 || got[0] != "pager: trigger leak" || got[1] != "pager: trigger prober" {
				t.Fatalf("delivered %q, want the leak and the outage", got)
			}
			wantKnownHere(t, w, f, leak, before)

			failure.mend(t, l)
			w.Pass(time.Minute)
			if err := f.Tick(t.Context(), w.Now); err != nil {
				t.Fatal(err)
			}
			if since, err := f.Degraded(); !since.IsZero() || err != nil {
				t.Fatalf("still degraded since %s: %v", since, err)
			}
			if got := w.Deliver(f); len(got) != 1 || got[0] != "pager: resolve prober" {
				t.Errorf("delivered %q, want the end of the outage alone", got)
			}
			wantWrittenBack(t, w, l, flying, leak, damaged)
		})
	}
}

// wantKnownHere wants what is asked during an outage to be answered.
func wantKnownHere(t *testing.T, w *ledgertest.World, f *ledger.Fallback, trips ...ledgertest.Trip) {
	t.Helper()
	for _, trip := range trips {
		if seen, err := f.Seen(t.Context(), trip.Bound[0].Payload); !seen || err != nil {
			t.Errorf("marker of %s: %v, %v", trip.ID, seen, err)
		}
	}
	refs, err := f.Lookback(t.Context(), w.Now.Add(-time.Hour))
	if err != nil || len(refs) != wide+3 || refs[0].Payload.Second < refs[3].Payload.Second {
		t.Errorf("%d prompts, %v, want %d, newest first", len(refs), err, wide+3)
	}
	list, err := f.Incidents(t.Context(), ledger.IncidentFilter{Open: true, Target: "edge"})
	if err != nil || len(list) != 1 || list[0].Kind != alerting.KindLeak {
		t.Errorf("incidents %+v, %v", list, err)
	}
	if err := f.Acknowledge(t.Context(), list[0].ID, "ada", w.Now); !errors.Is(err, ledger.ErrUnwritable) {
		t.Errorf("acknowledge: %v", err)
	}
	if err := f.Pause(t.Context(), "edge", "ada", "stop it", w.Now); err != nil {
		t.Error(err)
	}
	if p, paused, err := f.Paused(t.Context(), "edge"); !paused || err != nil || p.By != "ada" {
		t.Errorf("paused %+v, %v, %v", p, paused, err)
	}
}

// wantWrittenBack wants the rounds of an outage in the ledger, those begun in it
// as unjournaled.
func wantWrittenBack(t *testing.T, w *ledgertest.World, l ledger.Ledger, flying, leak, damaged ledgertest.Trip) {
	t.Helper()
	for _, c := range []struct {
		trip        ledgertest.Trip
		unjournaled bool
	}{{flying, false}, {leak, true}, {damaged, true}} {
		r, err := l.Round(t.Context(), c.trip.ID)
		if err != nil {
			t.Fatal(err)
		}
		if r.Ended.IsZero() || r.Exchanges[0].Unjournaled != c.unjournaled || r.Reserved.Tokens != int64(1200*len(c.trip.Bound)) {
			t.Errorf("round %+v", r)
		}
	}
	list, err := l.Incidents(t.Context(), ledger.IncidentFilter{Open: true})
	if err != nil || len(list) != 1 || list[0].Kind != alerting.KindLeak || list[0].FirstExchange != leak.Bound[0].Exchange {
		t.Errorf("open incidents %+v, %v", list, err)
	}
	pages, err := l.Pages(t.Context(), list[0].ID)
	if err != nil || len(pages) != 1 || pages[0].Delivered.IsZero() {
		t.Errorf("pages %+v, %v, want the one delivered in the outage", pages, err)
	}
	if spent, err := l.Spent(t.Context(), "edge", w.Now); err != nil || spent.Tokens != (wide+3)*1200 {
		t.Errorf("spent %+v, %v", spent, err)
	}
	if _, paused, err := l.Paused(t.Context(), "edge"); !paused || err != nil {
		t.Errorf("paused %v, %v", paused, err)
	}
	if e, err := l.Events(t.Context(), time.Time{}, ledger.EventFallback); err != nil || len(e) != 1 {
		t.Errorf("events %+v, %v", e, err)
	}
}

// TestOutageBounds: caps hold in an outage, and it does not go on for ever.
func TestOutageBounds(t *testing.T) {
	w := ledgertest.NewWorld(t)
	w.Controls = map[string]bool{"seeded": true}
	w.Limits = probes.Limits{TokensPerDay: 3 * 1200}
	l := open(t, file(t), w.Options())
	f := ledger.NewFallback(l, w.Options())
	w.Round(f, "edge", "pulse", checks.Sound)
	execute(t, l, "PRAGMA query_only = 1")
	w.Round(f, "edge", "pulse", checks.Sound)
	w.Round(f, "edge", "pulse", checks.Sound)
	trip := w.Trip("edge", "pulse", checks.Sound)
	if err := f.Begin(t.Context(), trip.ID, trip.Plan, trip.Bound); !errors.Is(err, probes.ErrBudget) {
		t.Errorf("above the cap: %v", err)
	}
	w.Limits = probes.Limits{}
	w.Round(f, "edge", "pulse", checks.Sound)
	w.Pass(ledger.MaxUnjournaled)
	if err := f.Begin(t.Context(), trip.ID, trip.Plan, trip.Bound); !errors.Is(err, ledger.ErrUnwritable) {
		t.Errorf("after ten minutes: %v", err)
	}
	w.Round(f, "seeded", "pulse", checks.Sound)
}

// TestUnreadable: with the file gone altogether, what this process knows is
// still known, and a leak still pages.
func TestUnreadable(t *testing.T) {
	w := ledgertest.NewWorld(t)
	l := open(t, file(t), w.Options())
	f := ledger.NewFallback(l, w.Options())
	first := w.Trip("edge", "pulse", checks.Leak)
	w.Begin(f, first)
	known := pipeline.Known{Limit: 7, Calibration: map[string]corpus.Calibration{"prose": corpus.Prior()}}
	if err := f.Save(t.Context(), first.Outcome, known); err != nil {
		t.Fatal(err)
	}
	w.Pass(time.Minute)
	w.Deliver(f)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	w.Round(f, "edge", "pulse", checks.Leak)  // of the incident that is open
	w.Round(f, "other", "pulse", checks.Leak) // another one
	got := w.Deliver(f)
	if len(got) != 2 || got[0] != "pager: trigger prober" || got[1] != "pager: trigger leak" {
		t.Errorf("delivered %q, want the new leak and the outage", got)
	}
	if k, err := f.Known(t.Context(), "other"); err != nil || k.Limit != 0 {
		t.Errorf("known %+v, %v", k, err)
	}
	if seen, err := f.Seen(t.Context(), first.Bound[0].Payload); !seen || err != nil {
		t.Errorf("seen %v, %v", seen, err)
	}
	if refs, err := f.Lookback(t.Context(), w.Now.Add(-time.Hour)); err != nil || len(refs) != 3 {
		t.Errorf("%d prompts, %v, want 3", len(refs), err)
	}
	if err := f.Close(); !errors.Is(err, ledger.ErrUnwritable) {
		t.Errorf("what is lost for good is not said: %v", err)
	}
}

// rotten is a ledger some pages of whose file are damaged: outcomes cannot be
// saved and the outbox not be read, but what is only appended still goes through.
type rotten struct{ ledger.Ledger }

var errRotten = fmt.Errorf("%w: %w", ledger.ErrUnwritable, ledger.ErrDamaged)

func (rotten) Keep(context.Context, ledger.Settled) error { return errRotten }
func (rotten) Due(context.Context, time.Time, int) ([]alerting.Delivery, error) {
	return nil, errRotten
}

// TestDamageDoesNotPass: an outage by damage has one beginning, however often the
// file takes something in, and what only memory holds is counted until it is
// delivered.
func TestDamageDoesNotPass(t *testing.T) {
	w := ledgertest.NewWorld(t)
	f := ledger.NewFallback(rotten{open(t, file(t), w.Options())}, w.Options())
	if _, err := f.Due(t.Context(), w.Now, 10); err != nil {
		t.Fatalf("the damage shows while the outbox is read: %v", err)
	}
	began, err := f.Degraded()
	if began.IsZero() || !errors.Is(err, ledger.ErrDamaged) {
		t.Fatalf("degraded since %s, %v", began, err)
	}
	w.Round(f, "edge", "pulse", checks.Leak)
	if n := f.Owed(); n != 1 {
		t.Errorf("%d deliveries are only in memory, want the page of the leak", n)
	}
	w.Pass(20 * time.Second)
	if err := f.Record(t.Context(), ledger.Event{Kind: "reload"}); err != nil {
		t.Fatal(err)
	}
	if since, _ := f.Degraded(); !since.Equal(began) {
		t.Errorf("degraded since %s, want %s as before", since, began)
	}
	got := w.Deliver(f)
	if len(got) != 2 || got[0] != "pager: trigger leak" || got[1] != "pager: trigger prober" || f.Owed() != 0 {
		t.Errorf("delivered %q, %d owed; want the leak and the outage, and nothing", got, f.Owed())
	}
}

// TestFailedInOutage: a page that fails in an outage is tried again in its time,
// and one of the ledger's that was delivered is not sent twice.
func TestFailedInOutage(t *testing.T) {
	w := ledgertest.NewWorld(t)
	l := open(t, file(t), w.Options())
	f := ledger.NewFallback(l, w.Options())
	w.Round(f, "edge", "pulse", checks.Leak)
	execute(t, l, "PRAGMA query_only = 1")
	w.Round(f, "other", "pulse", checks.Leak)
	due := w.Due(f)
	if len(due) != 3 {
		t.Fatalf("%d are due, want two leaks and the outage", len(due))
	}
	for _, d := range []alerting.Delivery{due[0], due[2]} {
		if err := f.Delivered(t.Context(), d, w.Now); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Failed(t.Context(), due[1], alerting.ReasonTimeout, w.Now.Add(20*time.Second)); err != nil {
		t.Fatal(err)
	}
	if due := w.Due(f); len(due) != 0 {
		t.Errorf("due at once: %+v", due)
	}
	w.Pass(20 * time.Second)
	if again := w.Due(f); len(again) == 0 || again[0].Page.ID != due[1].Page.ID || again[0].Attempts != 1 {
		t.Errorf("due later: %+v", again)
	}
	execute(t, l, "PRAGMA query_only = 0")
	w.Pass(time.Minute)
	if again := w.Due(f); len(again) == 0 || again[0].Page.ID != due[1].Page.ID || again[0].Attempts != 1 {
		t.Errorf("due after the outage: %+v", again)
	}
}

// TestNoForeignText: nothing of what an answer said is in the files.
func TestNoForeignText(t *testing.T) {
	path, w := file(t), ledgertest.NewWorld(t)
	l := open(t, path, w.Options())
	trip := w.Trip("edge", "pulse", checks.Foreign, checks.Leak, checks.Damaged, checks.Sound)
	w.Begin(l, trip)
	w.Save(l, trip)
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) < 2 {
		t.Fatalf("files %v, %v", files, err)
	}
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if ledgertest.HoldsForeignText(content) {
			t.Errorf("%s holds text of an answer", filepath.Base(name))
		}
	}
}

// TestMovedFile: a file that has been moved away is not written any more.
func TestMovedFile(t *testing.T) {
	path, w := file(t), ledgertest.NewWorld(t)
	l := open(t, path, w.Options())
	f := ledger.NewFallback(l, w.Options())
	w.Round(f, "edge", "pulse", checks.Sound)
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	trip := w.Round(f, "edge", "pulse", checks.Sound)
	if _, err := f.Degraded(); !errors.Is(err, ledger.ErrUnwritable) {
		t.Errorf("degraded: %v", err)
	}
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	if err := f.Tick(t.Context(), w.Now); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Round(t.Context(), trip.ID); err != nil {
		t.Error(err)
	}
}

// TestFallbackCounts: skips do not fill up the memory of an outage: those of an
// hour are one thing held, and come back as one event that counts them.
func TestFallbackCounts(t *testing.T) {
	w := ledgertest.NewWorld(t)
	below := open(t, file(t), w.Options())
	l, failure := ledger.NewFallback(below, w.Options()), failures()[1]
	failure.fail(t, below)
	for range 3000 {
		w.Now = w.Now.Add(time.Second)
		if err := l.Record(t.Context(), ledger.Event{At: w.Now, Kind: ledger.EventSkip, Target: "edge", Probe: "pulse", Reason: "late"}); err != nil {
			t.Fatal(err)
		}
	}
	failure.mend(t, below)
	w.Pass(time.Minute)
	if err := l.Tick(t.Context(), w.Now); err != nil {
		t.Fatal(err)
	}
	skips, err := l.Events(t.Context(), w.Now.Add(-2*time.Hour), ledger.EventSkip)
	if err != nil || len(skips) != 1 || skips[0].Count != 3000 {
		t.Errorf("skips %+v, %v, want one event that counts 3000", skips, err)
	}
}

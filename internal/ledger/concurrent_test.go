package ledger_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/internal/ledger"
	"crosstalk/internal/ledger/ledgertest"
	"crosstalk/internal/pipeline"
	"crosstalk/tenants"
)

// TestConcurrent: rounds of many targets, a courier and a reader of pages at
// once, over an outage.
func TestConcurrent(t *testing.T) {
	w := ledgertest.NewWorld(t)
	o := w.Options()
	o.Now, o.Paged = time.Now, nil // the world is one goroutine's
	l := open(t, file(t), o)
	f := ledger.NewFallback(l, o)
	var trips [4][]ledgertest.Trip
	for i := range trips {
		for range 10 {
			trips[i] = append(trips[i], w.Trip([]string{"a", "b", "a", "c"}[i], "pulse", checks.Sound, checks.Leak))
		}
	}
	var rounds, others sync.WaitGroup
	for _, list := range trips {
		rounds.Go(func() {
			for _, trip := range list {
				if err := f.Begin(t.Context(), trip.ID, trip.Plan, trip.Bound); err != nil {
					t.Error(err)
				}
				if _, err := f.Lookback(t.Context(), tenants.Epoch); err != nil {
					t.Error(err)
				}
				if err := f.Save(t.Context(), trip.Outcome, pipeline.Known{IDs: map[string]uuid.UUID{trip.ID.String(): trip.ID}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	others.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			default:
			}
			due, err := f.Due(t.Context(), time.Now(), 10)
			if err != nil {
				t.Error(err)
			}
			for _, d := range due {
				if err := f.Delivered(t.Context(), d, time.Now()); err != nil {
					t.Error(err)
				}
			}
			if n == 3 { // an outage in the middle
				if _, err := l.DB().Exec("PRAGMA query_only = 1"); err != nil {
					t.Error(err)
				}
			}
			if n == 6 {
				if _, err := l.DB().Exec("PRAGMA query_only = 0"); err != nil {
					t.Error(err)
				}
			}
			if _, err := f.Rounds(t.Context(), ledger.RoundFilter{Limit: 3}); err != nil {
				t.Error(err)
			}
		}
	})
	rounds.Wait()
	close(done)
	others.Wait()
	if _, err := l.DB().Exec("PRAGMA query_only = 0"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

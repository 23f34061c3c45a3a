package ledger_test

import (
	"os"
	"testing"
	"time"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/internal/ledger"
	"crosstalk/internal/ledger/ledgertest"
	"crosstalk/internal/pipeline"
	"crosstalk/probes"
)

// BenchmarkRound is what the ledger adds to a round: Begin and Save.
func BenchmarkRound(b *testing.B) {
	for _, bench := range []struct {
		name      string
		exchanges int
		fallback  bool
	}{{"1", 1, false}, {"4", 4, false}, {"32", 32, false}, {"fallback/1", 1, true}} {
		b.Run(bench.name, func(b *testing.B) {
			w := ledgertest.NewWorld(b)
			l := ledger.Ledger(open(b, file(b), w.Options()))
			if bench.fallback {
				l = ledger.NewFallback(l, w.Options())
			}
			classes := make([]checks.Class, bench.exchanges)
			for i := range classes {
				classes[i] = checks.Sound
			}
			known := pipeline.Known{IDs: map[string]uuid.UUID{}}
			for range 2000 {
				known.IDs[uuid.NewString()] = uuid.Must(uuid.NewV7())
			}
			b.ReportAllocs()
			for b.Loop() {
				trip := w.Trip("edge", "pulse", classes...)
				w.Begin(l, trip)
				if err := l.Save(b.Context(), trip.Outcome, known); err != nil {
					b.Fatal(err)
				}
				w.Pass(time.Second)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rounds/s")
		})
	}
}

// day fills a ledger with a day of prompts, one every two seconds.
func day(b *testing.B, w *ledgertest.World, l ledger.Ledger) {
	b.Helper()
	var deferred []ledger.Deferred
	for range 43200 / 10 {
		var t ledgertest.Trip
		for range 10 {
			t = w.Trip("edge", "pulse", checks.Sound)
			w.Pass(2 * time.Second)
			deferred = append(deferred, ledger.Deferred{At: w.Now, Begun: &ledger.Begun{
				Round: t.ID, Plan: probes.Plan{Probe: "pulse", Target: "edge"}, Bound: t.Bound, At: w.Now,
			}})
		}
	}
	if err := l.Replay(b.Context(), deferred); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkLookback is a look back over a day of 43,200 prompts.
func BenchmarkLookback(b *testing.B) {
	w := ledgertest.NewWorld(b)
	l := open(b, file(b), w.Options())
	day(b, w, l)
	for b.Loop() {
		refs, err := l.Lookback(b.Context(), w.Now.Add(-pipeline.DefaultLookback))
		if err != nil || len(refs) < 43000 {
			b.Fatal(len(refs), err)
		}
		w.Pass(time.Second)
	}
}

// BenchmarkOpen is a start with nothing and with a day in the ledger: most of
// that is looking through the file for damage.
func BenchmarkOpen(b *testing.B) {
	for _, name := range []string{"empty", "day"} {
		b.Run(name, func(b *testing.B) {
			w := ledgertest.NewWorld(b)
			path := file(b)
			l := open(b, path, w.Options())
			if name == "day" {
				day(b, w, l)
			}
			if err := l.Close(); err != nil {
				b.Fatal(err)
			}
			info, err := os.Stat(path)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				l, err := ledger.Open(b.Context(), path, w.Options())
				if err != nil {
					b.Fatal(err)
				}
				if err := l.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(info.Size())/1e6, "MB")
		})
	}
}

// BenchmarkKnown is what is known of a target with 2,000 response ids.
func BenchmarkKnown(b *testing.B) {
	w := ledgertest.NewWorld(b)
	l := open(b, file(b), w.Options())
	known := pipeline.Known{IDs: map[string]uuid.UUID{}}
	for range 2000 {
		known.IDs[uuid.NewString()] = uuid.Must(uuid.NewV7())
	}
	trip := w.Trip("edge", "pulse", checks.Sound)
	w.Begin(l, trip)
	if err := l.Save(b.Context(), trip.Outcome, known); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if k, err := l.Known(b.Context(), "edge"); err != nil || len(k.IDs) != 2000 {
			b.Fatal(len(k.IDs), err)
		}
	}
}

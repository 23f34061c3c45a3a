// Package ledgertest is what every engine of the ledger passes.
package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"crosstalk/alerting"
	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/internal/ledger"
	"crosstalk/internal/pipeline"
	"crosstalk/probes"
)

// Run holds a ledger to its contract. open opens an empty one, and closes it
// when the test ends.
func Run(t *testing.T, open func(t *testing.T, o ledger.Options) ledger.Ledger) {
	tests := []struct {
		name string
		f    func(w *World, l ledger.Ledger)
	}{
		{"round", roundComesBack},
		{"begin is idempotent", beginTwice},
		{"save is idempotent", saveTwice},
		{"save of a round never begun", saveUnbegun},
		{"known", knownComesBack},
		{"known of overlapping rounds", knownMerges},
		{"look-back", lookback},
		{"seen", seen},
		{"interrupted", interrupted},
		{"budget of a day", budgetOfDay},
		{"budget of all targets", budgetOfAll},
		{"budget of a run", budgetOfRun},
		{"budget under load", budgetUnderLoad},
		{"leak", leakPages},
		{"order of pages", orderOfPages},
		{"failed pages", failedPages},
		{"routes", routes},
		{"acknowledge and resolve", decisions},
		{"foreign stops its cell", foreignStops},
		{"controls", controls},
		{"rejudgement", rejudgement},
		{"tick", tick},
		{"pause", pause},
		{"schedule", schedule},
		{"events", events},
		{"events that are counted", tallies},
		{"key of a prompt", promptKey},
		{"incidents of a round", incidentsOf},
		{"lists", lists},
		{"cells", cells},
		{"confirmed", confirmed},
		{"prune", prune},
		{"replay", replay},
		{"cancelled", cancelled},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := NewWorld(t)
			test.f(w, open(t, w.Options()))
		})
	}
}

func roundComesBack(w *World, l ledger.Ledger) {
	trip := w.Trip("edge", "burst", checks.Leak, checks.Sound, checks.Damaged)
	w.Begin(l, trip)
	ctx := w.T.Context()
	r, err := l.Round(ctx, trip.ID)
	if err != nil {
		w.T.Fatal(err)
	}
	if !r.Ended.IsZero() || len(r.Exchanges) != 3 || r.Reserved.Tokens != 3*1200 {
		w.T.Errorf("in flight it is %+v", r)
	}
	w.Save(l, trip)
	if r, err = l.Round(ctx, trip.ID); err != nil {
		w.T.Fatal(err)
	}
	want := ledger.Settle(trip.Outcome, pipeline.Known{}).Round
	want.Reserved = probes.Spend{Tokens: 3 * 1200}
	if diff := cmp.Diff(want, r, cmpopts.EquateEmpty()); diff != "" {
		w.T.Errorf("it came back changed (-want +got):\n%s", diff)
	}
	x := r.Exchanges[0]
	if x.RequestIDs["x-request-id"] != "req_0" || x.RequestIDs["cf-ray"] != "" {
		w.T.Errorf("request ids are %v, want the one that looks like an id", x.RequestIDs)
	}
	if len(x.Findings) != 1 || x.Findings[0].Origin == nil || x.Findings[0].Origin.PromptOffset != 12 {
		w.T.Errorf("findings are %+v", x.Findings)
	}
	if _, err := l.Round(ctx, uuid.New()); !errors.Is(err, ledger.ErrNotFound) {
		w.T.Errorf("a round that never was: %v", err)
	}
}

func beginTwice(w *World, l ledger.Ledger) {
	trip := w.Trip("edge", "pulse", checks.Sound)
	w.Begin(l, trip)
	w.Begin(l, trip)
	if spent, err := l.Spent(w.T.Context(), "edge", w.Now); err != nil || spent.Tokens != 1200 {
		w.T.Errorf("spent %+v, %v, want one round", spent, err)
	}
}

func saveTwice(w *World, l ledger.Ledger) {
	trip := w.Trip("edge", "pulse", checks.Leak)
	w.Begin(l, trip)
	w.Save(l, trip)
	w.Save(l, trip)
	cells, err := l.Cells(w.T.Context(), "edge", start)
	if err != nil || len(cells) != 1 || cells[0].Leak != 1 || cells[0].Planned != 1 {
		w.T.Errorf("cells %+v, %v, want one exchange", cells, err)
	}
	if len(w.Paged) != 1 || len(w.Due(l)) != 1 {
		w.T.Errorf("%d pages, %d due, want one", len(w.Paged), len(w.Due(l)))
	}
}

func saveUnbegun(w *World, l ledger.Ledger) {
	trip := w.Trip("edge", "pulse", checks.Sound)
	w.Save(l, trip)
	refs, err := l.Lookback(w.T.Context(), start)
	if err != nil || len(refs) != 1 || refs[0].Payload != trip.Bound[0].Payload {
		w.T.Errorf("look-back %+v, %v, want its marker", refs, err)
	}
}

// sample is knowledge with something in every field.
func sample() pipeline.Known {
	return pipeline.Known{
		Calibration: map[string]corpus.Calibration{"prose": corpus.Prior().Observe(4000, 1010), "code": corpus.Prior().Observe(9000, 3000)},
		Limit:       131072, MaxTokens: 512, Prefill: []float64{1.5e6, 987654.321},
		Lost: map[uuid.UUID][]probes.Cell{
			uuid.Must(uuid.NewV7()): {{Target: "edge", Probe: "top", Length: probes.BandWindow, Concurrency: "1", Warm: true}},
		},
		IDs:     map[string]uuid.UUID{"chatcmpl-1": uuid.Must(uuid.NewV7()), "chatcmpl-2": uuid.Must(uuid.NewV7())},
		Stopped: []string{probes.Band128k, probes.BandWindow},
	}
}

func knownComesBack(w *World, l ledger.Ledger) {
	ctx, want := w.T.Context(), sample()
	if k, err := l.Known(ctx, "edge"); err != nil || !cmp.Equal(k, pipeline.Known{}) {
		w.T.Errorf("before anything: %+v, %v", k, err)
	}
	trip := w.Trip("edge", "pulse", checks.Sound)
	w.Begin(l, trip)
	if err := l.Save(ctx, trip.Outcome, want); err != nil {
		w.T.Fatal(err)
	}
	got, err := l.Known(ctx, "edge")
	if err != nil {
		w.T.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		w.T.Errorf("it came back changed (-want +got):\n%s", diff)
	}
}

// knownMerges: of two rounds that began with the same knowledge, neither undoes
// what the other one learnt.
func knownMerges(w *World, l ledger.Ledger) {
	ctx := w.T.Context()
	first, second := w.Trip("edge", "top", checks.Foreign), w.Trip("edge", "pulse", checks.Sound)
	w.Begin(l, first)
	w.Begin(l, second)
	known := pipeline.Known{Stopped: []string{probes.Band4k}, IDs: map[string]uuid.UUID{"id-1": first.Bound[0].Exchange}}
	if err := l.Save(ctx, first.Outcome, known); err != nil {
		w.T.Fatal(err)
	}
	known = pipeline.Known{Limit: 7, IDs: map[string]uuid.UUID{"id-2": second.Bound[0].Exchange, secretText: first.ID, "Zanzibarium": first.ID}}
	if err := l.Save(ctx, second.Outcome, known); err != nil {
		w.T.Fatal(err)
	}
	got, err := l.Known(ctx, "edge")
	if err != nil {
		w.T.Fatal(err)
	}
	want := pipeline.Known{Limit: 7, Stopped: []string{probes.Band4k}, IDs: map[string]uuid.UUID{
		"id-1": first.Bound[0].Exchange, "id-2": second.Bound[0].Exchange,
	}}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		w.T.Errorf("known (-want +got):\n%s", diff)
	}
}

func lookback(w *World, l ledger.Ledger) {
	ctx := w.T.Context()
	var trips []Trip
	for range 5 {
		trip := w.Trip("edge", "pulse", checks.Sound)
		w.Begin(l, trip)
		trips = append(trips, trip)
		w.Pass(10 * time.Minute)
		for _, back := range []time.Duration{time.Hour, 25 * time.Minute} { // twice: it may be cached
			refs, err := l.Lookback(ctx, w.Now.Add(-back))
			if err != nil {
				w.T.Fatal(err)
			}
			want := min(len(trips), int(back/(10*time.Minute)))
			if len(refs) != want {
				w.T.Fatalf("%d prompts of the last %s, want %d", len(refs), back, want)
			}
			for i, r := range refs {
				b := trips[len(trips)-1-i].Bound[0]
				if diff := cmp.Diff(checks.PromptRef{Exchange: b.Exchange, Payload: b.Payload, Spec: b.Intent.Spec, Key: KeyID}, r); diff != "" {
					w.T.Errorf("prompt %d (-want +got):\n%s", i, diff)
				}
			}
		}
	}
	b := trips[0].Bound[0]
	if p, err := l.Prompt(ctx, b.Exchange); err != nil || p.Payload != b.Payload {
		w.T.Errorf("prompt %+v, %v", p, err)
	}
	if _, err := l.Prompt(ctx, uuid.New()); !errors.Is(err, ledger.ErrNotFound) {
		w.T.Errorf("a prompt that never was: %v", err)
	}
}

func seen(w *World, l ledger.Ledger) {
	trip := w.Trip("edge", "pulse", checks.Sound)
	w.Begin(l, trip)
	p := trip.Bound[0].Payload
	if ok, err := l.Seen(w.T.Context(), p); !ok || err != nil {
		w.T.Errorf("what was begun: %v, %v", ok, err)
	}
	p.Draw++
	if ok, err := l.Seen(w.T.Context(), p); ok || err != nil {
		w.T.Errorf("what was not: %v, %v", ok, err)
	}
	twin := w.Trip("edge", "pulse", checks.Sound)
	twin.Bound[0].Payload = trip.Bound[0].Payload
	if err := l.Begin(w.T.Context(), twin.ID, twin.Plan, twin.Bound); err == nil {
		w.T.Error("one marker was begun for two exchanges")
	}
}

func interrupted(w *World, l ledger.Ledger) {
	ctx := w.T.Context()
	saved := w.Round(l, "edge", "pulse", checks.Sound)
	lost := w.Trip("edge", "top", checks.Sound, checks.Sound)
	w.Begin(l, lost)
	w.Pass(time.Minute)
	running := w.Trip("edge", "pulse", checks.Sound)
	before := w.Now
	w.Begin(l, running)
	rounds, err := l.Interrupted(ctx, before)
	if err != nil {
		w.T.Fatal(err)
	}
	if len(rounds) != 1 || rounds[0].ID != lost.ID || len(rounds[0].Exchanges) != 2 || rounds[0].Lost.IsZero() {
		w.T.Fatalf("interrupted %+v, want round %s, not %s nor %s", rounds, lost.ID, saved.ID, running.ID)
	}
	if again, err := l.Interrupted(ctx, before); err != nil || len(again) != 0 {
		w.T.Errorf("told twice: %+v, %v", again, err)
	}
	if e, err := l.Events(ctx, start, ledger.EventLost); err != nil || len(e) != 1 || e[0].Target != "edge" {
		w.T.Errorf("events %+v, %v", e, err)
	}
	if spent, _ := l.Spent(ctx, "edge", w.Now); spent.Tokens != 4*1200 {
		w.T.Errorf("spent %d: what was in flight stays spent", spent.Tokens)
	}
}

// refused begins a round that is above a cap.
func refused(w *World, l ledger.Ledger, trip Trip) {
	w.T.Helper()
	err := l.Begin(w.T.Context(), trip.ID, trip.Plan, trip.Bound)
	if !errors.Is(err, probes.ErrBudget) {
		w.T.Errorf("error is %v, want one that wraps ErrBudget", err)
	}
	if _, err := l.Round(w.T.Context(), trip.ID); !errors.Is(err, ledger.ErrNotFound) {
		w.T.Errorf("a round that was refused is recorded: %v", err)
	}
	if seen, _ := l.Seen(w.T.Context(), trip.Bound[0].Payload); seen {
		w.T.Error("a marker that was refused is recorded")
	}
}

func budgetOfDay(w *World, l ledger.Ledger) {
	w.Price = probes.Pricing{Input: 1000, Output: 1000} // USD per million: 1.2 a round
	w.Limits = probes.Limits{USDPerDay: 3}
	w.Round(l, "edge", "pulse", checks.Sound)
	w.Round(l, "edge", "pulse", checks.Sound)
	refused(w, l, w.Trip("edge", "pulse", checks.Sound))
	w.Round(l, "other", "pulse", checks.Sound)
	w.Pass(12 * time.Hour) // the next day
	w.Round(l, "edge", "pulse", checks.Sound)
}

func budgetOfAll(w *World, l ledger.Ledger) {
	w.Total = probes.Limits{TokensPerDay: 2500, TokensPerRun: 1}
	w.Round(l, "edge", "pulse", checks.Sound)
	w.Round(l, "other", "pulse", checks.Sound)
	refused(w, l, w.Trip("third", "pulse", checks.Sound))
	if all, err := l.Spent(w.T.Context(), "", w.Now); err != nil || all.Tokens != 2400 {
		w.T.Errorf("all targets have spent %+v, %v", all, err)
	}
}

// budgetOfRun: what confirms a round is of its run.
func budgetOfRun(w *World, l ledger.Ledger) {
	w.Limits = probes.Limits{TokensPerRun: 3000}
	first := w.Round(l, "edge", "top", checks.Foreign)
	second := w.Trip("edge", "top", checks.Foreign).Confirming(first.ID)
	w.Begin(l, second)
	w.Save(l, second)
	refused(w, l, w.Trip("edge", "top", checks.Foreign).Confirming(second.ID))
	w.Round(l, "edge", "top", checks.Sound)
}

// budgetUnderLoad: many begin at once, and the cap holds.
func budgetUnderLoad(w *World, l ledger.Ledger) {
	w.Limits = probes.Limits{TokensPerDay: 10 * 1200}
	var trips []Trip
	for range 30 {
		trips = append(trips, w.Trip("edge", "pulse", checks.Sound))
	}
	var wg sync.WaitGroup
	errs := make([]error, len(trips))
	for i, trip := range trips {
		wg.Go(func() { errs[i] = l.Begin(w.T.Context(), trip.ID, trip.Plan, trip.Bound) })
	}
	wg.Wait()
	begun := 0
	for _, err := range errs {
		if err == nil {
			begun++
		} else if !errors.Is(err, probes.ErrBudget) {
			w.T.Error(err)
		}
	}
	if begun != 10 {
		w.T.Errorf("%d rounds were begun, want 10", begun)
	}
}

func cancelled(w *World, l ledger.Ledger) {
	ctx, cancel := context.WithCancel(w.T.Context())
	cancel()
	trip := w.Trip("edge", "pulse", checks.Sound)
	err := l.Begin(ctx, trip.ID, trip.Plan, trip.Bound)
	if !errors.Is(err, context.Canceled) || errors.Is(err, ledger.ErrUnwritable) {
		w.T.Errorf("error is %v, want the caller's", err)
	}
}

// told are pages as "action kind".
func told(pages []alerting.Page) []string {
	var list []string
	for _, p := range pages {
		list = append(list, fmt.Sprintf("%s %s", p.Action, p.Incident.Kind))
	}
	return list
}

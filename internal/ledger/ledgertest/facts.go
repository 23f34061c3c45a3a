package ledgertest

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"

	"crosstalk/checks"
	"crosstalk/internal/ledger"
)

func schedule(w *World, l ledger.Ledger) {
	ctx := w.T.Context()
	if at, err := l.LastSlot(ctx, "pulse", "edge"); err != nil || !at.IsZero() {
		w.T.Errorf("before anything: %s, %v", at, err)
	}
	set := func(slot time.Time, then error) error {
		return l.InTx(ctx, func(tx *sql.Tx) error {
			if err := l.SetSlot(ctx, tx, "pulse", "edge", slot); err != nil {
				return err
			}
			return then
		})
	}
	if err := set(start, nil); err != nil {
		w.T.Fatal(err)
	}
	boom := errors.New("boom")
	if err := set(start.Add(time.Hour), boom); !errors.Is(err, boom) {
		w.T.Errorf("error is %v", err)
	}
	if at, err := l.LastSlot(ctx, "pulse", "edge"); err != nil || !at.Equal(start) {
		w.T.Errorf("last slot %s, %v, want that of the transaction that was committed", at, err)
	}
}

func events(w *World, l ledger.Ledger) {
	ctx := w.T.Context()
	want := []ledger.Event{
		{At: start, Kind: "skip", Target: "edge", Probe: "top", Reason: "budget", Detail: "no money"},
		{At: start.Add(time.Minute), Kind: "missed", Target: "edge"},
		{At: start.Add(2 * time.Minute), Kind: "skip", By: "somebody"},
	}
	for _, e := range want {
		if err := l.Record(ctx, e); err != nil {
			w.T.Fatal(err)
		}
	}
	for _, test := range []struct {
		since time.Time
		kinds []string
		want  []ledger.Event
	}{
		{start, nil, []ledger.Event{want[2], want[1], want[0]}},
		{start, []string{"skip"}, []ledger.Event{want[2], want[0]}},
		{start, []string{"missed", "skip"}, []ledger.Event{want[2], want[1], want[0]}},
		{start.Add(time.Minute), nil, []ledger.Event{want[2], want[1]}},
		{start, []string{"other"}, nil},
	} {
		got, err := l.Events(ctx, test.since, test.kinds...)
		if err != nil {
			w.T.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			w.T.Errorf("since %s, %v (-want +got):\n%s", test.since, test.kinds, diff)
		}
	}
}

// tallies: what a target can cause once a slot is one event an hour.
func tallies(w *World, l ledger.Ledger) {
	ctx := w.T.Context()
	hour := start.Truncate(time.Hour)
	for i := range 130 { // a minute apart: three hours
		e := ledger.Event{At: hour.Add(time.Duration(i) * time.Minute), Kind: ledger.EventSkip, Target: "edge", Probe: "top", Reason: "budget", Detail: fmt.Sprint(i)}
		if err := l.Record(ctx, e); err != nil {
			w.T.Fatal(err)
		}
	}
	late := ledger.Event{At: hour.Add(time.Minute), Kind: ledger.EventSkip, Target: "edge", Probe: "top", Reason: "budget", Detail: "late"}
	other := ledger.Event{At: hour, Kind: ledger.EventSkip, Target: "edge", Probe: "top", Reason: "quiet"}
	for _, e := range []ledger.Event{late, other, {At: hour, Kind: "deploy", Target: "edge"}, {At: hour, Kind: "deploy", Target: "edge"}} {
		if err := l.Record(ctx, e); err != nil {
			w.T.Fatal(err)
		}
	}
	got, err := l.Events(ctx, hour, ledger.EventSkip)
	if err != nil {
		w.T.Fatal(err)
	}
	sum := func(first, last, n int) ledger.Event {
		return ledger.Event{
			At: hour.Add(time.Duration(last) * time.Minute), Kind: ledger.EventSkip, Target: "edge", Probe: "top", Reason: "budget",
			Detail: fmt.Sprint(last), Count: n, First: hour.Add(time.Duration(first) * time.Minute),
		}
	}
	want := []ledger.Event{sum(120, 129, 10), sum(60, 119, 60), sum(0, 59, 61), other}
	if diff := cmp.Diff(want, got); diff != "" {
		w.T.Errorf("skips (-want +got):\n%s", diff)
	}
	if deploys, err := l.Events(ctx, hour, "deploy"); err != nil || len(deploys) != 2 {
		w.T.Errorf("deploys %+v, %v, want each by itself", deploys, err)
	}
}

// promptKey: a prompt says which fleet key it was minted under, also in the
// look-back, and when it was written back after an outage.
func promptKey(w *World, l ledger.Ledger) {
	ctx := w.T.Context()
	begun, saved := w.Trip("edge", "pulse", checks.Sound), w.Trip("edge", "pulse", checks.Sound)
	w.Begin(l, begun)
	w.Save(l, saved)
	for _, trip := range []Trip{begun, saved} {
		if p, err := l.Prompt(ctx, trip.Bound[0].Exchange); err != nil || p.Key != KeyID {
			w.T.Errorf("prompt %+v, %v, want key %s", p, err, KeyID)
		}
	}
	refs, err := l.Lookback(ctx, start)
	if err != nil || len(refs) != 2 || refs[0].Key != KeyID || refs[1].Key != KeyID {
		w.T.Errorf("look-back %+v, %v", refs, err)
	}
}

// incidentsOf: a round leads to the incidents that have seen it.
func incidentsOf(w *World, l ledger.Ledger) {
	ctx := w.T.Context()
	trip := w.Round(l, "edge", "burst", checks.Leak, checks.Leak, checks.Sound)
	sound := w.Round(l, "edge", "burst", checks.Sound)
	open, err := l.Incidents(ctx, ledger.IncidentFilter{Open: true})
	if err != nil || len(open) != 1 {
		w.T.Fatalf("open %+v, %v", open, err)
	}
	if list, err := l.IncidentsOf(ctx, trip.ID); err != nil || len(list) != 1 || list[0].ID != open[0].ID {
		w.T.Errorf("of the leak: %+v, %v", list, err)
	}
	if list, err := l.IncidentsOf(ctx, sound.ID); err != nil || len(list) != 0 {
		w.T.Errorf("of the sound one: %+v, %v", list, err)
	}
}

// rejudgement: a prober that contradicts itself pages once, and stays an
// incident until a person resolves it.
func rejudgement(w *World, l ledger.Ledger) {
	ctx := w.T.Context()
	w.Policy.ControlEvery = time.Hour
	for range 3 {
		if err := l.Control(ctx, ledger.ControlRejudgement, false, "it was called a leak, and sound", w.Now); err != nil {
			w.T.Fatal(err)
		}
		w.Pass(time.Minute)
	}
	for range 30 {
		w.Pass(20 * time.Minute)
		if err := l.Tick(ctx, w.Now); err != nil {
			w.T.Fatal(err)
		}
	}
	open, err := l.Incidents(ctx, ledger.IncidentFilter{Open: true})
	if err != nil || len(open) != 1 || open[0].Target != ledger.ControlRejudgement {
		w.T.Fatalf("open %+v, %v, want the one", open, err)
	}
	triggers := 0
	for _, told := range w.Deliver(l) {
		if told == "pager: trigger prober" {
			triggers++
		}
	}
	if triggers != 1 {
		w.T.Errorf("%d pages opened it, want one", triggers)
	}
	if err := l.ResolveIncident(ctx, open[0].ID, "ada", w.Now); err != nil {
		w.T.Error(err)
	}
	w.Pass(24 * time.Hour)
	if err := l.Tick(ctx, w.Now); err != nil {
		w.T.Fatal(err)
	}
	if open, err := l.Incidents(ctx, ledger.IncidentFilter{Open: true}); err != nil || len(open) != 0 {
		w.T.Errorf("after its resolution %+v, %v", open, err)
	}
}

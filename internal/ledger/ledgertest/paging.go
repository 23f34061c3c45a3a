package ledgertest

import (
	"errors"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"crosstalk/alerting"
	"crosstalk/checks"
	"crosstalk/internal/ledger"
	"crosstalk/internal/pipeline"
	"crosstalk/probes"
)

// want compares what was told with what should have been.
func (w *World) want(what string, got []string, want ...string) {
	w.T.Helper()
	if !slices.Equal(got, want) {
		w.T.Errorf("%s: %q, want %q", what, got, want)
	}
}

// open is the one incident that is open.
func (w *World) open(l ledger.Ledger) alerting.Incident {
	w.T.Helper()
	list, err := l.Incidents(w.T.Context(), ledger.IncidentFilter{Open: true})
	if err != nil {
		w.T.Fatal(err)
	}
	if len(list) != 1 {
		w.T.Fatalf("%d incidents are open, want 1", len(list))
	}
	return list[0]
}

func leakPages(w *World, l ledger.Ledger) {
	ctx := w.T.Context()
	w.Round(l, "edge", "pulse", checks.Sound)
	w.want("sound", w.Deliver(l))
	first := w.Round(l, "edge", "pulse", checks.Sound, checks.Leak)
	again := w.Round(l, "edge", "pulse", checks.Leak)
	w.want("a leak", w.Deliver(l), "pager: trigger leak")
	i := w.open(l)
	if i.Sightings != 2 || i.FirstExchange != first.Bound[1].Exchange {
		w.T.Errorf("incident %+v", i)
	}
	seen, err := l.Sightings(ctx, i.ID)
	if err != nil || len(seen) != 2 || seen[0].ID != first.Bound[1].Exchange || seen[1].ID != again.Bound[0].Exchange {
		w.T.Errorf("sightings %+v, %v", seen, err)
	}
	if len(seen) == 2 && (len(seen[0].Findings) != 1 || seen[0].Findings[0].Class != checks.Leak) {
		w.T.Errorf("findings of the first sighting: %+v", seen[0].Findings)
	}
	for range 5 {
		w.Round(l, "edge", "pulse", checks.Sound)
	}
	w.want("five sound rounds", w.Deliver(l), "pager: resolve leak")
	got, err := l.Incident(ctx, i.ID)
	if err != nil || got.State != alerting.StateResolved || got.DedupKey != i.DedupKey {
		w.T.Errorf("incident %+v, %v", got, err)
	}
	w.want("told after the commit", told(w.Paged), "trigger leak", "resolve leak")
	state, err := l.State(ctx, "edge")
	if err != nil || state.Target != "edge" || len(state.Open) != 0 || len(state.Cells) == 0 {
		w.T.Errorf("state %+v, %v", state, err)
	}
}

// orderOfPages: of an incident, the oldest page alone is due, to each notifier.
func orderOfPages(w *World, l ledger.Ledger) {
	w.Routes = []alerting.Route{{Notifier: "pager"}, {Notifier: "chat"}}
	w.Round(l, "edge", "pulse", checks.Leak)
	w.Round(l, "other", "pulse", checks.Leak)
	for range 5 {
		w.Round(l, "edge", "pulse", checks.Sound)
	}
	due := w.Due(l)
	if len(due) != 4 {
		w.T.Fatalf("%d are due, want a trigger of two incidents to two notifiers", len(due))
	}
	for _, d := range due {
		if d.Page.Action != alerting.ActionTrigger {
			w.T.Errorf("a %s is due before its trigger was delivered", d.Page.Action)
		}
	}
	if few, err := l.Due(w.T.Context(), w.Now, 1); err != nil || len(few) != 1 || few[0].Page.Incident.Target != "edge" {
		w.T.Errorf("the oldest is %+v, %v", few, err)
	}
	if err := l.Delivered(w.T.Context(), due[0], w.Now); err != nil {
		w.T.Fatal(err)
	}
	if due := w.Due(l); len(due) != 4 || due[3].Page.Action != alerting.ActionResolve {
		w.T.Errorf("after one delivery %d are due, the resolution last", len(due))
	}
	if q, err := l.Queue(w.T.Context()); err != nil || q.Waiting != 5 || q.Oldest.IsZero() {
		w.T.Errorf("queue %+v, %v, want 5 waiting", q, err)
	}
}

func failedPages(w *World, l ledger.Ledger) {
	ctx := w.T.Context()
	w.Round(l, "edge", "pulse", checks.Leak)
	d := w.Due(l)[0]
	if err := l.Failed(ctx, d, alerting.ReasonTimeout, w.Now.Add(time.Minute)); err != nil {
		w.T.Fatal(err)
	}
	if due := w.Due(l); len(due) != 0 {
		w.T.Errorf("it is due again at once: %+v", due)
	}
	w.Pass(time.Minute)
	due := w.Due(l)
	if len(due) != 1 || due[0].Attempts != 1 || due[0].Page.ID != d.Page.ID {
		w.T.Fatalf("a minute later %+v", due)
	}
	if err := l.Failed(ctx, due[0], alerting.ReasonRefused, time.Time{}); err != nil {
		w.T.Fatal(err)
	}
	w.Pass(24 * time.Hour)
	if due := w.Due(l); len(due) != 0 {
		w.T.Errorf("what was given up is due: %+v", due)
	}
	pages, err := l.Pages(ctx, d.Page.Incident.ID)
	if err != nil || len(pages) != 1 || pages[0].Attempts != 2 || pages[0].Reason != alerting.ReasonRefused || pages[0].GivenUp.IsZero() {
		w.T.Errorf("pages %+v, %v", pages, err)
	}
	if q, err := l.Queue(ctx); err != nil || q.GivenUp != 1 || q.Waiting != 0 {
		w.T.Errorf("queue %+v, %v", q, err)
	}
}

func routes(w *World, l ledger.Ledger) {
	w.Routes = []alerting.Route{{Notifier: "all"}, {Notifier: "pages", PagesOnly: true}, {Notifier: "second", EscalatedOnly: true}}
	w.Policy = alerting.Policy{Probes: map[string]alerting.Schedule{"pulse": {Every: time.Minute}}}
	w.Targets = []string{"edge"}
	for range 4 { // nothing is sent: a ticket
		if err := l.Tick(w.T.Context(), w.Now); err != nil {
			w.T.Fatal(err)
		}
		w.Pass(time.Minute)
	}
	w.want("a ticket", w.Deliver(l), "all: trigger blind")
	w.Round(l, "edge", "pulse", checks.Leak)
	w.want("a page", w.Deliver(l), "all: trigger leak", "pages: trigger leak")
}

func decisions(w *World, l ledger.Ledger) {
	ctx := w.T.Context()
	w.Round(l, "edge", "pulse", checks.Leak)
	i := w.open(l)
	if err := l.Acknowledge(ctx, i.ID, "ada", w.Now); err != nil {
		w.T.Fatal(err)
	}
	if got := w.open(l); got.AcknowledgedBy != "ada" {
		w.T.Errorf("acknowledged by %q", got.AcknowledgedBy)
	}
	if err := l.ResolveIncident(ctx, i.ID, "ada", w.Now); err != nil {
		w.T.Fatal(err)
	}
	w.want("by a person", w.Deliver(l), "pager: trigger leak", "pager: resolve leak")
	if err := l.ResolveIncident(ctx, i.ID, "ada", w.Now); !errors.Is(err, alerting.ErrNotOpen) {
		w.T.Errorf("resolved twice: %v", err)
	}
	if err := l.Acknowledge(ctx, uuid.New(), "ada", w.Now); !errors.Is(err, ledger.ErrNotFound) {
		w.T.Errorf("an incident that never was: %v", err)
	}
}

// foreignStops: the cell of a foreign incident stays stopped until it is
// resumed, and the incident is open until then.
func foreignStops(w *World, l ledger.Ledger) {
	ctx := w.T.Context()
	first := w.Round(l, "edge", "top", checks.Foreign)
	second := w.Trip("edge", "top", checks.Foreign).Confirming(first.ID)
	w.Begin(l, second)
	w.Save(l, second)
	w.want("confirmed", w.Deliver(l), "pager: trigger foreign")
	stopped := func() []string {
		k, err := l.Known(ctx, "edge")
		if err != nil {
			w.T.Fatal(err)
		}
		return k.Stopped
	}
	w.want("stopped", stopped(), probes.Band4k)
	i := w.open(l)
	if err := l.ResolveIncident(ctx, i.ID, "ada", w.Now); !errors.Is(err, alerting.ErrStopped) {
		w.T.Errorf("resolved although its cells are stopped: %v", err)
	}
	if err := l.Resume(ctx, "", "ada", w.Now); err != nil {
		w.T.Fatal(err)
	}
	w.want("after a resume of all", stopped(), probes.Band4k)
	late := w.Trip("edge", "pulse", checks.Sound) // on its way when it is resumed
	w.Begin(l, late)
	w.Pass(time.Second)
	if err := l.Resume(ctx, "edge", "ada", w.Now); err != nil {
		w.T.Fatal(err)
	}
	if err := l.Save(ctx, late.Outcome, pipeline.Known{Stopped: []string{probes.Band4k}}); err != nil {
		w.T.Fatal(err)
	}
	w.want("after a resume of the target", stopped())
	if err := l.ResolveIncident(ctx, i.ID, "ada", w.Now); err != nil {
		w.T.Error(err)
	}
	w.want("resolved", w.Deliver(l), "pager: resolve foreign")
}

// controls: the rounds of a control are kept and page nobody, what it did does.
func controls(w *World, l ledger.Ledger) {
	ctx := w.T.Context()
	w.Controls = map[string]bool{"seeded": true}
	trip := w.Round(l, "seeded", "pulse", checks.Leak)
	w.want("a seeded leak", w.Deliver(l))
	if r, err := l.Round(ctx, trip.ID); err != nil || r.Class != checks.Leak {
		w.T.Errorf("round %+v, %v", r, err)
	}
	for _, right := range []bool{true, false, false, true} {
		if err := l.Control(ctx, "seeded", right, "it did not alarm", w.Now); err != nil {
			w.T.Fatal(err)
		}
		w.Pass(time.Hour)
	}
	w.want("a control that fails", w.Deliver(l), "pager: trigger prober", "pager: resolve prober")
}

// tick: what nobody probes turns blind, in the time of the ticks, and a target
// that is paused does not.
func tick(w *World, l ledger.Ledger) {
	ctx := w.T.Context()
	w.Targets = []string{"edge", "resting"}
	w.Policy = alerting.Policy{Probes: map[string]alerting.Schedule{"pulse": {Every: time.Minute}}}
	if err := l.Pause(ctx, "resting", "ada", "maintenance", w.Now); err != nil {
		w.T.Fatal(err)
	}
	for range 5 {
		if err := l.Tick(ctx, w.Now); err != nil {
			w.T.Fatal(err)
		}
		w.Pass(time.Minute)
	}
	w.want("after three intervals", w.Deliver(l), "pager: trigger blind")
	if i := w.open(l); i.Target != "edge" || i.Severity != alerting.SeverityTicket {
		w.T.Errorf("incident %+v", i)
	}
	w.Pass(24 * time.Hour)
	if err := l.Tick(ctx, w.Now); err != nil {
		w.T.Fatal(err)
	}
	w.want("after a day", w.Deliver(l), "pager: escalate blind")
}

func pause(w *World, l ledger.Ledger) {
	ctx := w.T.Context()
	want := func(target string, by string) {
		w.T.Helper()
		p, paused, err := l.Paused(ctx, target)
		if err != nil || p.By != by || paused != (by != "") {
			w.T.Errorf("target %q is paused %v by %q (%v), want by %q", target, paused, p.By, err, by)
		}
	}
	want("edge", "")
	must := func(err error) {
		w.T.Helper()
		if err != nil {
			w.T.Fatal(err)
		}
	}
	must(l.Pause(ctx, "edge", "ada", "maintenance", w.Now))
	must(l.Pause(ctx, "edge", "bob", "again", w.Now))
	want("edge", "ada")
	want("other", "")
	must(l.Pause(ctx, "", "eve", "all of it", w.Now))
	want("other", "eve")
	must(l.Resume(ctx, "", "eve", w.Now))
	want("other", "")
	want("edge", "ada")
	must(l.Resume(ctx, "edge", "ada", w.Now))
	want("edge", "")
	if e, err := l.Events(ctx, start, ledger.EventPause, ledger.EventResume); err != nil || len(e) != 5 {
		w.T.Errorf("%d events, %v, want 5", len(e), err)
	}
}

func lists(w *World, l ledger.Ledger) {
	ctx := w.T.Context()
	a := w.Round(l, "edge", "pulse", checks.Sound)
	b := w.Round(l, "edge", "top", checks.Damaged)
	c := w.Round(l, "other", "pulse", checks.Leak)
	d := w.Round(l, "other", "pulse", checks.Inconclusive)
	for _, test := range []struct {
		name string
		f    ledger.RoundFilter
		want []Trip
	}{
		{"all", ledger.RoundFilter{}, []Trip{d, c, b, a}},
		{"newest", ledger.RoundFilter{Limit: 2}, []Trip{d, c}},
		{"target", ledger.RoundFilter{Target: "edge"}, []Trip{b, a}},
		{"probe", ledger.RoundFilter{Probe: "pulse"}, []Trip{d, c, a}},
		{"both", ledger.RoundFilter{Probe: "pulse", Target: "edge"}, []Trip{a}},
		{"damaged or worse", ledger.RoundFilter{Worst: checks.Damaged}, []Trip{c, b}},
		{"sound or worse", ledger.RoundFilter{Worst: checks.Sound}, []Trip{d, c, b, a}},
		{"since", ledger.RoundFilter{Since: start.Add(time.Minute)}, []Trip{d, c}},
	} {
		rounds, err := l.Rounds(ctx, test.f)
		if err != nil {
			w.T.Fatal(err)
		}
		var got, want []uuid.UUID
		for _, r := range rounds {
			got = append(got, r.ID)
		}
		for _, t := range test.want {
			want = append(want, t.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			w.T.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	for range 5 {
		w.Round(l, "other", "pulse", checks.Sound)
	}
	w.Round(l, "edge", "pulse", checks.Leak)
	for _, test := range []struct {
		f    ledger.IncidentFilter
		want int
	}{
		{ledger.IncidentFilter{}, 2},
		{ledger.IncidentFilter{Open: true}, 1},
		{ledger.IncidentFilter{Target: "other"}, 1},
		{ledger.IncidentFilter{Target: "other", Open: true}, 0},
		{ledger.IncidentFilter{Kind: alerting.KindForeign}, 0},
		{ledger.IncidentFilter{Kind: alerting.KindLeak, Limit: 1}, 1},
	} {
		if got, err := l.Incidents(ctx, test.f); err != nil || len(got) != test.want {
			w.T.Errorf("%+v: %d incidents, %v, want %d", test.f, len(got), err, test.want)
		}
	}
}

func cells(w *World, l ledger.Ledger) {
	ctx := w.T.Context()
	for range 59 {
		w.Round(l, "edge", "pulse", checks.Sound)
	}
	w.Round(l, "edge", "top", checks.Leak, checks.Damaged, checks.Inconclusive)
	w.Round(l, "other", "top", checks.Sound)
	got, err := l.Cells(ctx, "edge", start)
	if err != nil || len(got) != 2 {
		w.T.Fatalf("%d cells, %v, want 2", len(got), err)
	}
	pulse, top := got[0], got[1]
	if pulse.Decided != 59 || pulse.Identities != 1 || !pulse.Enough || pulse.LastSound.IsZero() ||
		pulse.Disclosure.High < 0.0495 || pulse.Disclosure.High > 0.0496 { // 1 - 0.05^(1/59)
		w.T.Errorf("pulse %+v", pulse)
	}
	if top.Planned != 3 || top.Decided != 2 || top.Leak != 1 || top.Damaged != 1 || top.Identities != 3 ||
		top.Enough || !top.LastSound.IsZero() || top.Disclosure.Hits != 1 || top.Disclosure.Low <= 0 {
		w.T.Errorf("top %+v", top)
	}
	if late, err := l.Cells(ctx, "edge", w.Now.Add(time.Hour)); err != nil || len(late) != 0 {
		w.T.Errorf("cells of the hour to come: %+v, %v", late, err)
	}
}

// prune: old rounds go, but not what an open incident has seen, and no marker.
func prune(w *World, l ledger.Ledger) {
	ctx := w.T.Context()
	old := w.Round(l, "edge", "pulse", checks.Sound)
	leak := w.Round(l, "edge", "pulse", checks.Leak)
	w.Pass(8 * 24 * time.Hour)
	fresh := w.Round(l, "other", "pulse", checks.Sound)
	n, err := l.Prune(ctx, w.Now.Add(-7*24*time.Hour))
	if err != nil || n.Rounds != 1 || n.Markers != 0 {
		w.T.Errorf("pruned %+v, %v, want one round", n, err)
	}
	kept := func(what string, t Trip, want bool) {
		w.T.Helper()
		_, err := l.Round(ctx, t.ID)
		if want && err != nil || !want && !errors.Is(err, ledger.ErrNotFound) {
			w.T.Errorf("%s: %v", what, err)
		}
		if seen, err := l.Seen(ctx, t.Bound[0].Payload); !seen || err != nil {
			w.T.Errorf("the marker of %s: %v, %v", what, seen, err)
		}
	}
	kept("an old round", old, false)
	kept("an open leak", leak, true)
	kept("a fresh round", fresh, true)
	w.Pass(ledger.DefaultKeepMarkers)
	if n, err = l.Prune(ctx, w.Now); err != nil || n.Markers != 3 || n.Rounds != 1 {
		w.T.Errorf("pruned %+v, %v, want three markers", n, err)
	}
}

// replay: what was put off is done in order, once, without asking the caps.
func replay(w *World, l ledger.Ledger) {
	ctx := w.T.Context()
	w.Limits = probes.Limits{TokensPerDay: 1}
	trip := w.Trip("edge", "pulse", checks.Leak)
	s := ledger.Settle(trip.Outcome, sample())
	s.Unjournaled = true
	deferred := []ledger.Deferred{
		{At: w.Now, Begun: &ledger.Begun{Round: trip.ID, Plan: trip.Plan, Bound: trip.Bound, At: w.Now, Unjournaled: true}},
		{At: w.Now, Settled: &s},
		{At: w.Now, Ticked: true},
		{At: w.Now, Pause: &ledger.PauseRecord{Target: "edge", By: "ada", At: w.Now}},
		{At: w.Now, Event: &ledger.Event{At: w.Now, Kind: "skip"}},
	}
	for range 2 {
		if err := l.Replay(ctx, deferred); err != nil {
			w.T.Fatal(err)
		}
	}
	r, err := l.Round(ctx, trip.ID)
	if err != nil || r.Class != checks.Leak || !r.Exchanges[0].Unjournaled {
		w.T.Errorf("round %+v, %v", r, err)
	}
	if spent, err := l.Spent(ctx, "edge", w.Now); err != nil || spent.Tokens != 1200 {
		w.T.Errorf("spent %+v, %v", spent, err)
	}
	w.Pass(time.Minute)
	w.want("its page", w.Deliver(l), "pager: trigger leak")
	if len(w.Paged) != 0 {
		w.T.Errorf("pages that were told before are told again: %v", told(w.Paged))
	}
	if _, paused, err := l.Paused(ctx, "edge"); !paused || err != nil {
		w.T.Errorf("paused %v, %v", paused, err)
	}
}

// confirmed: a lost seal that a fresh round finds again is decided after all.
func confirmed(w *World, l ledger.Ledger) {
	ctx := w.T.Context()
	first := w.Trip("edge", "top", checks.Inconclusive, checks.Sound)
	first.Outcome.Report.Findings[0].Kind = checks.KindLostAskedSeal
	w.Begin(l, first)
	w.Save(l, first)
	want := func(class checks.Class, decided int) {
		w.T.Helper()
		if r, err := l.Round(ctx, first.ID); err != nil || r.Class != class || r.Exchanges[0].Class != class {
			w.T.Errorf("round %+v, %v, want %s", r, err, class)
		}
		if c, err := l.Cells(ctx, "edge", start); err != nil || c[0].Decided != decided || c[0].Inconclusive+c[0].Decided != c[0].Planned {
			w.T.Errorf("cells %+v, %v, want %d decided", c, err, decided)
		}
	}
	want(checks.Inconclusive, 1)
	again := w.Trip("edge", "top", checks.Sound).Confirming(first.ID)
	w.Begin(l, again)
	w.Save(l, again)
	want(checks.Degraded, 3)
}

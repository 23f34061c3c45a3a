package ledgertest

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"crosstalk/alerting"
	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/internal/ledger"
	"crosstalk/internal/pipeline"
	"crosstalk/internal/report"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

// start is when the worlds of the tests begin.
var start = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// KeyID names the fleet key of the worlds.
const KeyID = "0badcafe"

// World makes rounds for a ledger under test, in a time of its own.
type World struct {
	T   testing.TB
	Now time.Time
	// Limits and Total are the caps, Price what a target costs.
	Limits, Total probes.Limits
	Price         probes.Pricing
	Routes        []alerting.Route
	Policy        alerting.Policy
	Targets       []string
	Controls      map[string]bool
	Paged         []alerting.Page

	draws uint16
}

// NewWorld returns a world with one notifier, "pager".
func NewWorld(t testing.TB) *World {
	return &World{T: t, Now: start, Routes: []alerting.Route{{Notifier: "pager"}}}
}

// Options are those of a ledger in the world.
func (w *World) Options() ledger.Options {
	return ledger.Options{
		Now:       func() time.Time { return w.Now },
		KeyID:     KeyID,
		Targets:   func() []string { return w.Targets },
		Policy:    func(string) alerting.Policy { return w.Policy },
		Limits:    func(string) probes.Limits { return w.Limits },
		Total:     func() probes.Limits { return w.Total },
		Pricing:   func(string) probes.Pricing { return w.Price },
		Routes:    func() []alerting.Route { return w.Routes },
		IsControl: func(target string) bool { return w.Controls[target] },
		Paged:     func(p []alerting.Page) { w.Paged = append(w.Paged, p...) },
	}
}

// Pass lets time pass.
func (w *World) Pass(d time.Duration) { w.Now = w.Now.Add(d) }

// Trip is a round on its way: what Begin is given, and how it came out.
type Trip struct {
	ID      uuid.UUID
	Plan    probes.Plan
	Bound   []probes.Bound
	Outcome *report.Outcome
}

// Trip makes a round of one exchange for each class, which ends a second later.
func (w *World) Trip(target, probe string, classes ...checks.Class) Trip {
	id := uuid.Must(uuid.NewV7())
	trip := Trip{ID: id, Plan: probes.Plan{Probe: probe, Target: target, Seed: 1<<63 + 7, Steps: []probes.Step{{Name: "one"}}}}
	round := &probes.Round{ID: id, Started: w.Now, Ended: w.Now.Add(time.Second)}
	trip.Outcome = &report.Outcome{Round: round}
	for i, class := range classes {
		in := intent(target, probe, i)
		trip.Plan.Steps[0].Intents = append(trip.Plan.Steps[0].Intents, in)
		w.draws++
		payload := tenants.Payload{
			Tenant: uint16(i + 1), Second: uint32(w.Now.Unix() - tenants.Epoch.Unix()), Draw: w.draws & 0xfff,
		}
		x := &probes.Exchange{
			ID: uuid.Must(uuid.NewV7()), Intent: in, Tenant: payload.Tenant, Payload: payload, Started: w.Now,
			Response: response(i),
		}
		trip.Bound = append(trip.Bound, probes.Bound{Exchange: x.ID, Intent: in, Payload: payload})
		round.Exchanges = append(round.Exchanges, x)
		f := finding(class, x.ID)
		trip.Outcome.Report.Findings = append(trip.Outcome.Report.Findings, f)
		trip.Outcome.Report.Verdicts = append(trip.Outcome.Report.Verdicts, checks.Verdict{Exchange: x.ID, Class: class, Reason: f.Kind})
	}
	round.Plan = trip.Plan
	return trip
}

// Confirming makes the trip one that confirms a round.
func (t Trip) Confirming(round uuid.UUID) Trip {
	t.Plan.Confirm = round
	t.Outcome.Round.Plan = t.Plan
	return t
}

func intent(target, probe string, i int) probes.Intent {
	return probes.Intent{
		Tenant: []string{"alpha", "bravo", "charlie"}[i%3], Role: probes.RoleMain,
		Spec:   corpus.Spec{Version: 1, Family: "prose", Task: corpus.TaskSeals, Dress: corpus.DressWords, Sentences: 40, Seals: 5},
		Tokens: 1000, TokensLow: 900, TokensHigh: 1100, MaxTokens: 100, Stream: true, Expect: probes.ExpectAnswer,
		Cell: probes.Cell{Target: target, Probe: probe, Length: probes.Band4k, Concurrency: "1", Stream: true},
	}
}

// secretText stands for what a stranger wrote: it must not be in any ledger.
const secretText = "dear mrs okafor your biopsy is back"

func response(i int) *provider.Response {
	prompt, answer := 1000, 90
	return &provider.Response{
		Status: 200, Body: []byte(secretText), Content: secretText, Reasoning: secretText,
		Header:       http.Header{"X-Request-Id": {fmt.Sprintf("req_%d", i)}, "Cf-Ray": {secretText}},
		FinishReason: "stop", ID: secretText, Model: secretText,
		Usage: &provider.Usage{Prompt: &prompt, Completion: &answer},
		Times: provider.Times{FirstContent: 200 * time.Millisecond, End: time.Second},
		Conn:  provider.Conn{Remote: "127.0.0.1:1", Protocol: "HTTP/1.1", Ordinal: 1},
	}
}

// finding is what is found of a class in an exchange.
func finding(c checks.Class, x uuid.UUID) checks.Finding {
	f := checks.Finding{Class: c, Exchange: x, Channel: checks.ChannelContent, Offset: 3, Length: 80, Detail: "as it is told"}
	switch c {
	case checks.Leak:
		f.Check, f.Kind, f.PChance = "foreignmarker", checks.KindMarker, 1e-20
		f.Origin = &checks.Origin{Tenant: 2, Payload: tenants.Payload{Tenant: 2, Second: 7, Draw: 9}, PromptOffset: 12, Marker: 3}
	case checks.Foreign:
		f.Check, f.Kind = "contact", checks.KindNoContact
	case checks.Damaged:
		f.Check, f.Kind = "recall", checks.KindLostSeal
	case checks.Inconclusive:
		f.Check, f.Kind = "answer", checks.KindRefusal
	default:
		f.Check, f.Kind = "answer", checks.KindExact
	}
	return f
}

// Begin begins a round.
func (w *World) Begin(l ledger.Ledger, t Trip) {
	w.T.Helper()
	if err := l.Begin(w.T.Context(), t.ID, t.Plan, t.Bound); err != nil {
		w.T.Fatal(err)
	}
}

// Save saves a round with nothing learnt, at its end.
func (w *World) Save(l ledger.Ledger, t Trip) {
	w.T.Helper()
	if end := t.Outcome.Round.Ended; end.After(w.Now) {
		w.Now = end
	}
	if err := l.Save(w.T.Context(), t.Outcome, pipeline.Known{}); err != nil {
		w.T.Fatal(err)
	}
}

// Round begins and saves a round, and lets half a minute pass.
func (w *World) Round(l ledger.Ledger, target, probe string, classes ...checks.Class) Trip {
	w.T.Helper()
	t := w.Trip(target, probe, classes...)
	w.Begin(l, t)
	w.Save(l, t)
	w.Pass(30 * time.Second)
	return t
}

// Due are the deliveries due now, as "action kind".
func (w *World) Due(l ledger.Ledger) []alerting.Delivery {
	w.T.Helper()
	due, err := l.Due(w.T.Context(), w.Now, 100)
	if err != nil {
		w.T.Fatal(err)
	}
	return due
}

// Deliver delivers all that is due until nothing is, and says what it was.
func (w *World) Deliver(l ledger.Ledger) []string {
	w.T.Helper()
	var told []string
	for due := w.Due(l); len(due) > 0; due = w.Due(l) {
		for _, d := range due {
			told = append(told, fmt.Sprintf("%s: %s %s", d.Notifier, d.Page.Action, d.Page.Incident.Kind))
			if err := l.Delivered(w.T.Context(), d, w.Now); err != nil {
				w.T.Fatal(err)
			}
			if len(told) > 1000 {
				w.T.Fatal("what was delivered is due again and again")
			}
		}
	}
	return told
}

// HoldsForeignText reports whether the text that the answers of a World hold is
// in a file.
func HoldsForeignText(file []byte) bool { return bytes.Contains(file, []byte(secretText)) }

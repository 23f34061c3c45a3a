package web_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"crosstalk/alerting"
	"crosstalk/checks"
	"crosstalk/dashboards/web"
	"crosstalk/internal/ledger"
	"crosstalk/internal/report"
	"crosstalk/internal/stats"
	"crosstalk/probes"
	"crosstalk/tenants"
)

var now = time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)

// fake is a ledger of made-up records.
type fake struct {
	incidents []alerting.Incident
	sightings map[uuid.UUID][]ledger.ExchangeRecord
	pages     map[uuid.UUID][]ledger.PageRecord
	rounds    []ledger.RoundRecord
	cells     map[string][]ledger.CellRecord
	paused    map[string]ledger.PauseRecord
	err       error // of every call
}

func (f *fake) Incidents(_ context.Context, by ledger.IncidentFilter) ([]alerting.Incident, error) {
	var list []alerting.Incident
	for _, i := range f.incidents {
		if (by.Target == "" || i.Target == by.Target) && (!by.Open || i.State == alerting.StateOpen) && len(list) < by.Limit {
			list = append(list, i)
		}
	}
	return list, f.err
}

func (f *fake) Incident(_ context.Context, id uuid.UUID) (alerting.Incident, error) {
	for _, i := range f.incidents {
		if i.ID == id {
			return i, f.err
		}
	}
	return alerting.Incident{}, errors.Join(f.err, ledger.ErrNotFound)
}

func (f *fake) Sightings(_ context.Context, id uuid.UUID) ([]ledger.ExchangeRecord, error) {
	return slices.Clone(f.sightings[id]), f.err
}

func (f *fake) Pages(_ context.Context, id uuid.UUID) ([]ledger.PageRecord, error) {
	return f.pages[id], f.err
}

func (f *fake) Rounds(_ context.Context, by ledger.RoundFilter) ([]ledger.RoundRecord, error) {
	var list []ledger.RoundRecord
	for _, r := range f.rounds {
		if r.Target == by.Target && len(list) < by.Limit {
			list = append(list, r)
		}
	}
	return list, f.err
}

func (f *fake) Round(_ context.Context, id uuid.UUID) (ledger.RoundRecord, error) {
	for _, r := range f.rounds {
		if r.ID == id {
			return r, f.err
		}
	}
	return ledger.RoundRecord{}, errors.Join(f.err, ledger.ErrNotFound)
}

func (f *fake) Cells(_ context.Context, target string, _ time.Time) ([]ledger.CellRecord, error) {
	return slices.Clone(f.cells[target]), f.err
}

func (f *fake) Spent(context.Context, string, time.Time) (probes.Spend, error) {
	return probes.Spend{Tokens: 48_120_400, USD: 31.2}, f.err
}

func (f *fake) Paused(_ context.Context, target string) (ledger.PauseRecord, bool, error) {
	p, ok := f.paused[target]
	return p, ok, f.err
}

func site() web.Site {
	return web.Site{
		Version: "v0.3.0",
		Targets: []web.Target{
			{Name: "edge-glm", API: "openai-chat", Model: "glm-5.3", Window: 1048576},
			{Name: "core-qwen", API: "openai-chat", Model: "qwen-4-large", Window: 262144},
			{Name: "lab-mist", API: "openai-chat", Model: "mist-9b", Window: 131072},
		},
		Tenants: map[uint16]string{1: "alpha", 2: "bravo", 3: "charlie"},
	}
}

// id numbers the identifiers of a test.
func id(kind byte, n int) uuid.UUID {
	u := uuid.MustParse("01932f00-0000-7000-8000-000000000000")
	u[9], u[14], u[15] = kind, byte(n>>8), byte(n)
	return u
}

func cell(probe, length, concurrency string, decided, planned, leaks, damaged int) ledger.CellRecord {
	c := report.Cell{Cell: probes.Cell{Target: "edge-glm", Probe: probe, Length: length, Concurrency: concurrency, Stream: true}}
	c.Planned, c.Sent, c.Decided, c.Leak, c.Damaged = planned, planned, decided, leaks, damaged
	c.Sound, c.Identities = decided-leaks-damaged, 3
	c.Disclosure, c.Damage = bound(leaks, decided), bound(damaged, decided)
	r := ledger.CellRecord{Cell: c, LastRound: now.Add(-40 * time.Second)}
	if decided > 0 {
		r.LastDecided, r.LastSound = now.Add(-40*time.Second), now.Add(-5*time.Minute)
	}
	return r
}

func bound(hits, n int) report.Bound {
	b := report.Bound{Hits: hits, N: n, High: 1}
	switch {
	case n == 0:
	case hits == 0:
		b.High = stats.UpperBound(n, .05)
	default:
		i := stats.ClopperPearson(hits, n, .95)
		b.Low, b.High = i.Low, i.High
	}
	return b
}

// leaked is an answer that holds passages of another tenant's prompt.
func leaked(n int, marks int) ledger.ExchangeRecord {
	x := ledger.ExchangeRecord{
		Exchange: report.Exchange{
			ID: id('x', n), Tenant: "bravo", Role: probes.RoleMain, Tokens: 996_147, Status: 200,
			TTFT: 0.41, Seconds: 3.7, Class: checks.Leak,
		},
		Round: id('r', n), Started: now.Add(-3 * time.Minute),
		Cell:       probes.Cell{Target: "edge-glm", Probe: "seedwatch", Length: probes.BandWindow, Concurrency: "1", Stream: true},
		RequestIDs: map[string]string{"X-Request-Id": "req_7f3a9c", "Cf-Ray": "8c2f-FRA"},
		BodyHash:   "9f2c", BodyBytes: 4211,
	}
	donors := []checks.Origin{
		{Tenant: 1, Payload: tenants.Payload{Tenant: 1, Second: 28_891_612}, Exchange: id('x', 900)},
		{Tenant: 3, Payload: tenants.Payload{Tenant: 3, Second: 28_891_400}},
	}
	for i := range marks {
		o := donors[i/7%2]
		o.PromptOffset = int64(1_284_991 + i*41_000)
		f := checks.Finding{
			Check: "foreignfragment", Kind: checks.KindPassage, Class: checks.Leak, Exchange: x.ID, Channel: checks.ChannelContent,
			Offset: 60 + i*130, Length: 110, PChance: 3e-31, Origin: &o, Detail: "a passage of another tenant's prompt",
		}
		if i%5 == 2 {
			o.Marker = i/5 + 1
			f.Check, f.Kind, f.Length, f.PChance, f.Detail = "foreignmarker", checks.KindMarker, 83, 4e-18, "marker 1 of another tenant's request"
		}
		x.Findings = append(x.Findings, f)
	}
	x.Findings = append(x.Findings, checks.Finding{
		Check: "prefillrate", Kind: "skipped", Class: checks.Damaged, Detail: "996,147 tokens in 0.41 s: nobody read this prompt",
	})
	return x
}

// morning is a ledger on a bad morning.
func morning() *fake {
	leak := alerting.Incident{
		ID: id('i', 1), Target: "edge-glm", Kind: alerting.KindLeak, Severity: alerting.SeverityPage, State: alerting.StateOpen,
		DedupKey: "crosstalk/edge-glm/leak/01932f00", Opened: now.Add(-3 * time.Minute), LastSeen: now.Add(-40 * time.Second),
		Sightings: 4, FirstRound: id('r', 1), FirstExchange: id('x', 1), LastExchange: id('x', 4),
		Checks: []string{"foreignmarker", "foreignfragment"}, Tenants: []string{"bravo", "charlie"}, Origins: []uint16{1, 3},
		Cells:    []probes.Cell{{Target: "edge-glm", Probe: "seedwatch", Length: probes.BandWindow, Concurrency: "1", Stream: true}},
		Absorbed: map[string]int{"recall": 3, "prefillrate": 4},
		Summary:  "leak on edge-glm: bravo was given content of alpha's prompt (foreignmarker, p < 4e-18)",
	}
	foreign := alerting.Incident{
		ID: id('i', 2), Target: "core-qwen", Kind: alerting.KindForeign, Severity: alerting.SeverityPage, State: alerting.StateOpen,
		DedupKey: "crosstalk/core-qwen/foreign/01932f01", Opened: now.Add(-50 * time.Minute), LastSeen: now.Add(-48 * time.Minute),
		Acknowledged: now.Add(-44 * time.Minute), AcknowledgedBy: "jo", Sightings: 2, FirstRound: id('r', 70),
		Checks: []string{"contact"}, Tenants: []string{"alpha"},
		Cells:   []probes.Cell{{Target: "core-qwen", Probe: "top", Length: probes.BandWindow, Concurrency: "1"}},
		Summary: "foreign content on core-qwen: an answer without contact with its prompt, and its control is sound",
	}
	old := alerting.Incident{
		ID: id('i', 3), Target: "edge-glm", Kind: alerting.KindDamage("recall"), Severity: alerting.SeverityPage, State: alerting.StateResolved,
		Opened: now.Add(-72 * time.Hour), LastSeen: now.Add(-71 * time.Hour), Resolved: now.Add(-70 * time.Hour), Sightings: 9,
		Summary: "damaged on edge-glm: seals are lost at >512k tokens",
	}
	f := &fake{
		incidents: []alerting.Incident{leak, foreign, old},
		sightings: map[uuid.UUID][]ledger.ExchangeRecord{
			leak.ID: {leaked(1, 14), leaked(2, 3)},
			foreign.ID: {{
				Exchange: report.Exchange{ID: id('x', 70), Tenant: "alpha", Role: probes.RoleMain, Tokens: 249_036, Status: 200, Class: checks.Foreign},
				Round:    id('r', 70), Started: now.Add(-50 * time.Minute), Cell: foreign.Cells[0],
				Findings: []checks.Finding{{Check: "contact", Kind: checks.KindNoContact, Class: checks.Foreign, Detail: "62 words of readable text, none of them from the prompt"}},
			}},
		},
		pages: map[uuid.UUID][]ledger.PageRecord{leak.ID: {
			{Delivery: alerting.Delivery{Page: alerting.Page{ID: id('p', 1), Action: alerting.ActionTrigger, At: now.Add(-3 * time.Minute)}, Notifier: "oncall", Attempts: 1}, Delivered: now.Add(-178 * time.Second)},
			{Delivery: alerting.Delivery{Page: alerting.Page{ID: id('p', 1), Action: alerting.ActionTrigger, At: now.Add(-3 * time.Minute)}, Notifier: "chat", Attempts: 4}, Reason: "timeout"},
		}},
		paused: map[string]ledger.PauseRecord{"lab-mist": {Target: "lab-mist", By: "jo", Reason: "moving racks", At: now.Add(-2 * time.Hour)}},
		cells: map[string][]ledger.CellRecord{
			"edge-glm": {
				cell("pulse", probes.Band4k, "1", 8620, 8640, 0, 2), cell("burst", probes.Band4k, "9-32", 410, 430, 0, 0),
				cell("burst", probes.Band128k, "9-32", 96, 120, 0, 0), cell("seedwatch", probes.BandLong, "1", 150, 150, 0, 0),
				cell("seedwatch", probes.BandWindow, "1", 151, 160, 4, 1), cell("top", probes.BandWindow, "1", 22, 60, 0, 0),
				cell("top", probes.Band512k, "1", 40, 41, 0, 0), cell("overlength", probes.BandOver, "1", 0, 12, 0, 0),
				cell("overlength", probes.BandWindow, "1", 3, 12, 0, 0),
			},
			"core-qwen": {cell("pulse", probes.Band4k, "1", 1440, 1440, 0, 0), cell("top", probes.BandWindow, "1", 70, 72, 2, 0)},
		},
	}
	classes := []checks.Class{checks.Sound, checks.Sound, checks.Degraded, checks.Sound, checks.Inconclusive, checks.Sound, checks.Damaged}
	for n := range 160 {
		r := ledger.RoundRecord{
			ID: id('r', n+1), Target: "edge-glm", Probe: []string{"pulse", "seedwatch", "top"}[n%3], Seed: uint64(n),
			Started: now.Add(-time.Duration(n+1) * time.Minute), Ended: now.Add(-time.Duration(n+1)*time.Minute + 4*time.Second),
			Class: classes[n*n%7], Reserved: probes.Spend{Tokens: 1_950_000, USD: 1.21},
		}
		if n < 12 && n%3 == 1 {
			r.Class = checks.Leak
		}
		r.Exchanges = append(r.Exchanges, ledger.ExchangeRecord{
			Exchange: report.Exchange{ID: id('x', 900), Tenant: "alpha", Role: probes.RoleSeed, Tokens: 629_000, Status: 200, TTFT: 0.9, Seconds: 5.2, Class: checks.Sound},
			Cell:     probes.Cell{Target: "edge-glm", Probe: r.Probe, Length: probes.BandLong, Concurrency: "1", Stream: true},
		}, leaked(n+1, 4), ledger.ExchangeRecord{
			Exchange: report.Exchange{ID: id('x', 901), Tenant: "charlie", Role: probes.RoleMain, Tokens: 996_000, Skipped: "backoff: the target asked for 30 s", Class: checks.Inconclusive},
			Cell:     probes.Cell{Target: "edge-glm", Probe: r.Probe, Length: probes.BandWindow, Concurrency: "1"},
		})
		f.rounds = append(f.rounds, r)
	}
	return f
}

// hostile is text that must not come through as anything but text.
const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>` + "\u202e\x00'`${7*7}{{.}}"

// wicked has hostile text wherever text can come from outside.
func wicked() (*fake, web.Site) {
	f := morning()
	s := site()
	s.Version, s.Targets[0].Model, s.Targets[0].API = hostile, hostile, hostile
	s.Targets[0].Name = hostile
	s.Tenants[1] = hostile
	for i := range f.incidents {
		n := &f.incidents[i]
		n.Target, n.Summary, n.Reason, n.AcknowledgedBy, n.ResolvedBy, n.DedupKey = hostile, hostile, hostile, hostile, hostile, hostile
		n.Checks, n.Tenants = []string{hostile}, []string{hostile}
		n.Absorbed = map[string]int{hostile: 1}
		n.Cells = []probes.Cell{{Target: hostile, Probe: hostile, Length: hostile, Concurrency: hostile}}
	}
	spoil := func(x *ledger.ExchangeRecord) {
		x.Tenant, x.Skipped, x.Failure, x.Reason = hostile, hostile, hostile, hostile
		x.Cell = probes.Cell{Target: hostile, Probe: hostile, Length: hostile, Concurrency: hostile}
		x.RequestIDs = map[string]string{hostile: hostile}
		for k := range x.Findings {
			x.Findings[k].Check, x.Findings[k].Kind, x.Findings[k].Detail = hostile, hostile, hostile
		}
	}
	for _, list := range f.sightings {
		for i := range list {
			spoil(&list[i])
		}
	}
	for i := range f.rounds {
		f.rounds[i].Target, f.rounds[i].Probe = hostile, hostile
		for k := range f.rounds[i].Exchanges {
			spoil(&f.rounds[i].Exchanges[k])
		}
	}
	c := cell(hostile, hostile, hostile, 10, 10, 0, 0)
	f.cells = map[string][]ledger.CellRecord{hostile: {c}}
	f.paused = map[string]ledger.PauseRecord{hostile: {By: hostile, Reason: hostile, At: now}}
	return f, s
}

// huge has more of everything than a page can bear.
func huge() *fake {
	f := morning()
	for n := range 2000 {
		i := f.incidents[0]
		i.ID = id('i', 10+n)
		i.Summary = fmt.Sprintf("incident %d", n)
		f.incidents = append(f.incidents, i)
		f.cells["edge-glm"] = append(f.cells["edge-glm"], cell(fmt.Sprintf("probe-%d", n), probes.Band4k, "1", 1, 1, 0, 0))
	}
	many := leaked(1, 5000)
	for range 1000 {
		f.sightings[id('i', 1)] = append(f.sightings[id('i', 1)], many)
		f.rounds[0].Exchanges = append(f.rounds[0].Exchanges, many)
	}
	return f
}

package web

import (
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"time"

	"crosstalk/alerting"
	"crosstalk/checks"
	"crosstalk/internal/ledger"
	"crosstalk/internal/report"
)

// incidentsView lists incidents, open and closed.
type incidentsView struct {
	List []alerting.Incident
	More bool
}

func (incidentsView) title() string { return "incidents" }

// Incidents are all of them, for a table.
func (v incidentsView) Incidents(base string) incidentList { return incidentList{base, v.List} }

func (p *pages) incidents(r *http.Request) (any, error) {
	list, err := p.source.Incidents(r.Context(), ledger.IncidentFilter{Limit: mostIncidents + 1})
	if err != nil {
		return nil, fmt.Errorf("list incidents: %w", err)
	}
	var v incidentsView
	v.List, v.More = atMost(list, mostIncidents)
	return v, nil
}

// incidentView is one incident.
type incidentView struct {
	alerting.Incident
	State     State
	Origins   []string // names of the tenants whose content it was
	Cells     []string
	Maps      []pageMap
	Rows      []sightingRow
	MoreRows  bool
	Timeline  []moment
	Pages     []ledger.PageRecord
	Commands  []command
	Runbook   string
	HasAnswer bool // some exchange of it is still kept
}

func (v incidentView) title() string { return string(v.Kind) + " on " + v.Target }

// Foreign reports whether the donor is a stranger.
func (v incidentView) Foreign() bool { return v.Kind == alerting.KindForeign }

// Closed reports whether it is over.
func (v incidentView) Closed() bool { return v.Incident.State == alerting.StateResolved }

// sightingRow is one exchange of the incident.
type sightingRow struct {
	exchangeRow
	Findings []findingRow
}

// moment is one event in the life of an incident.
type moment struct {
	At   time.Time
	What string
}

// command is something to type.
type command struct{ Line, Why string }

func (p *pages) incident(r *http.Request) (any, error) {
	id, err := pathID(r)
	if err != nil {
		return nil, err
	}
	i, err := p.source.Incident(r.Context(), id)
	if err != nil {
		return nil, fmt.Errorf("read incident %s: %w", id, err)
	}
	seen, err := p.source.Sightings(r.Context(), id)
	if err != nil {
		return nil, fmt.Errorf("read what incident %s has seen: %w", id, err)
	}
	v := incidentView{
		Incident: i, State: stateOf(i.Kind), Timeline: timeline(i), Commands: commands(i),
		Runbook: i.RunbookName(), HasAnswer: len(seen) > 0,
	}
	if v.Pages, err = p.source.Pages(r.Context(), id); err != nil {
		return nil, fmt.Errorf("read the pages of incident %s: %w", id, err)
	}
	v.Pages, _ = atMost(v.Pages, mostRows)
	for _, o := range i.Origins {
		v.Origins = append(v.Origins, p.tenant(o))
	}
	for _, c := range i.Cells {
		v.Cells = append(v.Cells, report.CellName(c))
	}
	v.Maps = p.drawMaps(i, seen)
	seen, v.MoreRows = atMost(seen, mostRows)
	for k, x := range seen {
		v.Rows = append(v.Rows, p.sighting(k+1, x))
	}
	return v, nil
}

func (p *pages) sighting(n int, x ledger.ExchangeRecord) sightingRow {
	row := sightingRow{exchangeRow: exchangeRow{ExchangeRecord: x, Number: n, IDs: headerIDs(x)}}
	for _, f := range x.Findings {
		if f.Class.Worse(checks.Degraded) && len(row.Findings) < 12 {
			row.Findings = append(row.Findings, findingRow{Finding: f, Number: n, Donor: p.donor(f)})
		}
	}
	slices.SortStableFunc(row.Findings, func(a, b findingRow) int { return worst(a.Class, b.Class) })
	return row
}

// timeline is the life of an incident in order.
func timeline(i alerting.Incident) []moment {
	list := []moment{{i.Opened, "opened"}}
	if !i.Escalated.IsZero() {
		list = append(list, moment{i.Escalated, "escalated"})
	}
	if !i.Acknowledged.IsZero() {
		list = append(list, moment{i.Acknowledged, "taken by " + cut(i.AcknowledgedBy, 60)})
	}
	if i.Sightings > 1 {
		list = append(list, moment{i.LastSeen, "last seen"})
	}
	if !i.Resolved.IsZero() {
		by := "sound rounds"
		if i.ResolvedBy != "" {
			by = cut(i.ResolvedBy, 60)
		}
		list = append(list, moment{i.Resolved, "resolved by " + by})
	}
	slices.SortStableFunc(list, func(a, b moment) int { return a.At.Compare(b.At) })
	return list
}

// commands are what a person may do about an incident.
func commands(i alerting.Incident) []command {
	if i.State == alerting.StateResolved {
		return []command{{"crosstalk incidents show " + i.ID.String(), "everything that is kept of it"}}
	}
	var list []command
	if i.AcknowledgedBy == "" {
		list = append(list, command{"crosstalk incidents ack " + i.ID.String(), "take it: no more repeats"})
	}
	list = append(list, command{"crosstalk incidents show " + i.ID.String(), "everything that is kept of it"})
	if i.Kind == alerting.KindForeign {
		list = append(list, command{"crosstalk resume " + quoted(i.Target), "send to the stopped cells again, once the operator has agreed"})
	}
	if i.Kind.Disclosure() {
		list = append(list, command{"crosstalk pause " + quoted(i.Target), "stop every probe of the target"})
	}
	why := "end it by hand; sound rounds do it otherwise"
	if i.Kind == alerting.KindForeign {
		why = "end it: only a person can"
	}
	return append(list, command{"crosstalk incidents resolve " + i.ID.String(), why})
}

// quoted is a name that a shell takes as one word and nothing else.
func quoted(name string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./", r)
	}
	if name != "" && strings.IndexFunc(name, func(r rune) bool { return !plain(r) }) < 0 {
		return name
	}
	return "'" + strings.ReplaceAll(cut(name, 100), "'", `'\''`) + "'"
}

// runbookView is what to do about a kind of finding.
type runbookView struct{ Name, Text string }

func (v runbookView) title() string { return "runbook " + v.Name }

func (p *pages) runbook(r *http.Request) (any, error) {
	name := r.PathValue("name")
	if text, ok := alerting.Runbook(name); ok {
		return runbookView{name, text}, nil
	}
	if strings.ContainsAny(name, `/\`) {
		return nil, errNotFound
	}
	text, err := fs.ReadFile(files, "runbooks/"+name+".md")
	if err != nil {
		return nil, errNotFound
	}
	return runbookView{name, string(text)}, nil
}

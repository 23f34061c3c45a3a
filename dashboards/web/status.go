package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"crosstalk/alerting"
	"crosstalk/checks"
	"crosstalk/internal/ledger"
	"crosstalk/internal/report"
	"crosstalk/probes"
)

// statusView is the first page: every target at a glance.
type statusView struct {
	Open    []alerting.Incident
	More    bool // incidents left out
	Targets []targetView
	Window  time.Duration
	// Evidence says what is kept of answers.
	Evidence string
	// Silences are announced and not over.
	Silences []Silence
}

func (statusView) title() string { return "status" }

// Days is the window of the bounds.
func (v statusView) Days() int { return int(v.Window.Hours() / 24) }

// targetView is how one target stands.
type targetView struct {
	Target
	State
	Open             []alerting.Incident
	Paused           *ledger.PauseRecord
	LastRound        time.Time
	LastDecided      time.Time
	LastSound        time.Time
	Planned, Decided int
	Disclosures      int     // leak or foreign, in the window
	Bound            float64 // of the worst decided cell
	Undecided        int     // cells in which nothing is decided
	Cells            []ledger.CellRecord
	Spent            probes.Spend
	Heat             heatMap
}

// State is a word for how a target stands; Class is the style it is shown in.
type State struct{ Word, Class string }

func (p *pages) status(r *http.Request) (any, error) {
	open, err := p.source.Incidents(r.Context(), ledger.IncidentFilter{Open: true, Limit: mostIncidents + 1})
	if err != nil {
		return nil, fmt.Errorf("list open incidents: %w", err)
	}
	v := statusView{Window: p.o.Window}
	v.Open, v.More = atMost(open, mostIncidents)
	slices.SortStableFunc(v.Open, func(a, b alerting.Incident) int { return cmp.Compare(rank(a), rank(b)) })
	site := p.site()
	v.Silences, v.Evidence = site.Silences, site.Evidence
	for _, t := range site.Targets {
		tv, err := p.stand(r.Context(), t)
		if err != nil {
			return nil, err
		}
		v.Targets = append(v.Targets, tv)
	}
	return v, nil
}

// incidentList is what the rows of a table of incidents are made from.
type incidentList struct {
	Base string
	List []alerting.Incident
}

// Incidents are the open ones, for a table.
func (v statusView) Incidents(base string) incidentList { return incidentList{base, v.Open} }

// Incidents are the open ones, for a table.
func (v targetPage) Incidents(base string) incidentList { return incidentList{base, v.Open} }

// Resolved are those that were resolved lately, for a table.
func (v targetPage) Resolved(base string) incidentList { return incidentList{base, v.Closed} }

// stand gathers how a target stands.
func (p *pages) stand(ctx context.Context, t Target) (targetView, error) {
	now := p.o.Now()
	v := targetView{Target: t}
	var err error
	if v.Open, err = p.source.Incidents(ctx, ledger.IncidentFilter{Target: t.Name, Open: true, Limit: mostIncidents}); err != nil {
		return v, fmt.Errorf("list open incidents of target %s: %w", t.Name, err)
	}
	slices.SortStableFunc(v.Open, func(a, b alerting.Incident) int { return cmp.Compare(rank(a), rank(b)) })
	if v.Cells, err = p.source.Cells(ctx, t.Name, now.Add(-p.o.Window)); err != nil {
		return v, fmt.Errorf("read the cells of target %s: %w", t.Name, err)
	}
	if v.Spent, err = p.source.Spent(ctx, t.Name, now); err != nil {
		return v, fmt.Errorf("read what was spent on target %s: %w", t.Name, err)
	}
	if v.Paused, err = p.pauseOf(ctx, t.Name); err != nil {
		return v, err
	}
	for _, c := range v.Cells {
		v.Planned += c.Planned
		v.Decided += c.Decided
		v.Disclosures += c.Disclosure.Hits
		if c.Decided > 0 {
			v.Bound = max(v.Bound, c.Disclosure.High)
		} else {
			v.Undecided++
		}
		v.LastRound = later(v.LastRound, c.LastRound)
		v.LastDecided = later(v.LastDecided, c.LastDecided)
		v.LastSound = later(v.LastSound, c.LastSound)
	}
	slices.SortStableFunc(v.Cells, compareCells)
	v.Heat = drawHeat(v.Cells)
	v.State = v.state()
	return v, nil
}

// pauseOf is the pause of a target, or of all.
func (p *pages) pauseOf(ctx context.Context, target string) (*ledger.PauseRecord, error) {
	for _, name := range []string{target, ""} {
		pause, paused, err := p.source.Paused(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("read whether target %s is paused: %w", target, err)
		}
		if paused {
			return &pause, nil
		}
	}
	return nil, nil
}

// state is the worst that is true of the target.
func (v targetView) state() State {
	if len(v.Open) > 0 {
		return stateOf(v.Open[0].Kind)
	}
	switch {
	case v.Paused != nil:
		return State{"paused", "blind"}
	case v.LastRound.IsZero():
		return State{"not probed yet", "none"}
	case v.LastSound.IsZero():
		return State{"nothing sound yet", "blind"}
	default:
		return State{"sound", "sound"}
	}
}

func stateOf(k alerting.Kind) State {
	if check, ok := k.Damage(); ok {
		return State{"damaged: " + check, "damaged"}
	}
	switch k {
	case alerting.KindLeak, alerting.KindForeign, alerting.KindProber:
		return State{string(k), string(k)}
	default:
		return State{string(k), "blind"}
	}
}

// rank orders incidents, the worst first.
func rank(i alerting.Incident) int {
	order := []alerting.Kind{alerting.KindLeak, alerting.KindForeign, alerting.KindProber}
	if k := slices.Index(order, i.Kind); k >= 0 {
		return k
	}
	if _, ok := i.Kind.Damage(); ok {
		return len(order)
	}
	return len(order) + 1
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// atMost is the beginning of a list, and whether something is left out.
func atMost[T any](list []T, most int) ([]T, bool) {
	if len(list) > most {
		return list[:most], true
	}
	return list, false
}

// bands are the length bands from short to long.
func bands() []string {
	return []string{
		probes.Band4k, probes.Band32k, probes.Band128k, probes.Band256k,
		probes.Band512k, probes.BandLong, probes.BandWindow, probes.BandOver,
	}
}

func compareCells(a, b ledger.CellRecord) int {
	list := bands()
	x, y := a.Cell.Cell, b.Cell.Cell
	return cmp.Or(
		cmp.Compare(x.Probe, y.Probe),
		cmp.Compare(slices.Index(list, x.Length), slices.Index(list, y.Length)),
		cmp.Compare(x.Concurrency, y.Concurrency),
		cmp.Compare(report.CellName(x), report.CellName(y)),
	)
}

// targetPage is everything about one target.
type targetPage struct {
	targetView
	Strips []strip
	Recent []ledger.RoundRecord
	Closed []alerting.Incident // lately
	More   bool                // cells left out
}

func (v targetPage) title() string { return v.Name }

func (p *pages) target(r *http.Request) (any, error) {
	name := r.PathValue("name")
	i := slices.IndexFunc(p.site().Targets, func(t Target) bool { return t.Name == name })
	if i < 0 {
		return nil, errNotFound
	}
	tv, err := p.stand(r.Context(), p.site().Targets[i])
	if err != nil {
		return nil, err
	}
	v := targetPage{targetView: tv}
	v.Cells, v.More = atMost(v.Cells, mostRows)
	rounds, err := p.source.Rounds(r.Context(), ledger.RoundFilter{Target: name, Limit: mostRounds})
	if err != nil {
		return nil, fmt.Errorf("list the rounds of target %s: %w", name, err)
	}
	rounds, _ = atMost(rounds, mostRounds)
	v.Strips = drawStrips(rounds)
	v.Recent = notable(rounds, 20)
	all, err := p.source.Incidents(r.Context(), ledger.IncidentFilter{Target: name, Limit: 20})
	if err != nil {
		return nil, fmt.Errorf("list the incidents of target %s: %w", name, err)
	}
	for _, i := range all {
		if i.State == alerting.StateResolved {
			v.Closed = append(v.Closed, i)
		}
	}
	return v, nil
}

// notable are the newest rounds that say something: worse than sound first
// choice, any otherwise.
func notable(rounds []ledger.RoundRecord, most int) []ledger.RoundRecord {
	var bad []ledger.RoundRecord
	for _, r := range rounds {
		if r.Class.Worse(checks.Inconclusive) && len(bad) < most {
			bad = append(bad, r)
		}
	}
	if len(bad) > 0 {
		return bad
	}
	rounds, _ = atMost(rounds, most)
	return rounds
}

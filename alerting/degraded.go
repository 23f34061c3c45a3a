package alerting

import (
	"fmt"
	"slices"
	"time"

	"crosstalk/internal/rates"
	"crosstalk/probes"
)

const (
	// readEvery is how often the rates are read, and recountEvery how often
	// their counts begin anew. A week is long enough for one replica of 16 to be
	// met often, and short enough that what began today is not lost in it.
	readEvery    = 24 * time.Hour
	recountEvery = 7 * readEvery
)

// readRates reads once a day which cells have degraded by the counts of the
// week: what no single round shows. Of the signs there are, the daemon reads two.
// Episodes are what the watches are for; and of a thousand pairs a model that is
// merely weaker at length shows a cliff, so that sign is left to campaigns.
func (m *machine) readRates() {
	if m.s.RatesRead.IsZero() {
		m.s.RatesRead, m.s.RatesSince = m.now, m.now
	}
	if m.now.Sub(m.s.RatesRead) < readEvery || m.absorber() != nil {
		return
	}
	m.s.RatesRead = m.now
	policy := rates.Policy{Alpha: m.p.dailyAlpha(), Signs: []rates.Sign{rates.SignRate, rates.SignIdentity}}
	for _, d := range rates.Degraded(m.s.Rates, policy) {
		m.degraded(d)
	}
	if m.now.Sub(m.s.RatesSince) >= recountEvery {
		m.s.Rates, m.s.RatesSince = m.s.Rates.Recount(), m.now
	}
}

// degraded opens the incident of a cell that has degraded, or makes the cell a
// member of the open one. A cell that is a member of another kind of damage is
// accounted for.
func (m *machine) degraded(d rates.Degradation) {
	var trail Trail
	if c := m.cell(d.Cell); c != nil {
		trail = c.Lost
	}
	check := trail.check()
	if check == "" {
		check = "recall"
	}
	kind := KindDamage(check)
	for i := range m.s.Open {
		o := &m.s.Open[i]
		switch _, damage := o.Incident.Kind.Damage(); {
		case damage && slices.Contains(o.Incident.Cells, d.Cell):
			return
		case o.Incident.Kind == kind:
			o.join(d.Cell)
			o.Identity = "" // of another cell
			return
		}
	}
	s := Sighting{Cell: d.Cell, Check: check, Tenant: d.Identity}
	i := incidentOf(kind, trail.Round, s, d.Detail)
	i.FirstExchange, i.LastExchange, i.Sightings = trail.Exchange, trail.Last, d.Misses
	o := m.open(i, fmt.Sprint(d.Sign, d.Cell, m.now.UnixNano()))
	o.Identity = d.Identity
}

// includes reports whether a round of a cell says something about the incident:
// where one routing identity of several is bad, a round without it does not.
func (o *OpenIncident) includes(t tally) bool {
	return o.Identity == "" || slices.ContainsFunc(t.sightings, func(s Sighting) bool { return s.Tenant == o.Identity })
}

// in are the sightings of a cell.
func in(c probes.Cell, list []Sighting) []Sighting {
	var of []Sighting
	for _, s := range list {
		if s.Cell == c {
			of = append(of, s)
		}
	}
	return of
}

package alerting

import (
	"fmt"

	"github.com/google/uuid"

	"crosstalk/checks"
)

// foreign takes the foreign answers of a round. Supported by a second kind of
// evidence, one is enough. Alone it is a suspicion until a fresh round, in which
// all markers are new, shows another; or until its cell has shown more of them
// than a healthy model does.
//
// What that costs in false pages: if a healthy model answers without contact at
// a rate u per exchange, N exchanges a year lead to N u suspicions, of which 2 u
// are confirmed by the two confirming exchanges, so N 2 u^2 pages. At u = 1e-5
// and N = 1,000,000 that is one in 5,000 years; at 1e-4, one in 50. A model that
// does it more often is worth a page.
func (m *machine) foreign(o Observation) {
	for _, s := range o.Sightings {
		if s.Class == checks.Foreign {
			m.foreignAnswer(o.Round, s)
		}
	}
	for _, t := range tallies(o) {
		m.foreignRate(o.Round, t)
		m.clearSuspicion(o.Round, t)
	}
	if p := m.s.Suspected; p != nil && m.now.Sub(p.At) > suspectedFor {
		m.s.Suspected = nil
	}
}

// foreignAnswer takes one foreign answer.
func (m *machine) foreignAnswer(round uuid.UUID, s Sighting) {
	p := m.s.Suspected
	switch o := m.incident(KindForeign); {
	case o != nil:
		m.see(o, round, s)
	case p != nil && p.Round != round && m.now.Sub(p.At) <= suspectedFor:
		o := m.open(incidentOf(KindForeign, p.Round, p.Sighting, fmt.Sprintf(
			"an answer to tenant %s without contact with its prompt, confirmed by a fresh round", p.Sighting.Tenant)),
			p.Sighting.Exchange.String())
		m.see(o, round, s)
		m.amend(o)
		m.s.Suspected = nil
	case s.Supported:
		m.open(incidentOf(KindForeign, round, s, fmt.Sprintf(
			"an answer to tenant %s without contact with its prompt, and a second sign that the prompt was not read", s.Tenant)),
			s.Exchange.String())
		m.s.Suspected = nil
	case p == nil || p.Round != round:
		m.s.Suspected = &Suspicion{Round: round, At: m.now, Sighting: s}
	}
}

// amend makes the page just owed show the incident as it stands now: opening
// and confirming are one event.
func (m *machine) amend(o *OpenIncident) {
	m.pages[len(m.pages)-1].Incident = o.Incident.clone()
}

// foreignRate steps the cell's test for foreign answers that come and go.
func (m *machine) foreignRate(round uuid.UUID, t tally) {
	c := m.cell(t.cell)
	if c == nil || t.decided == 0 || m.incident(KindForeign) != nil {
		return
	}
	f := failure{round: round}
	for _, s := range t.sightings {
		if s.Class == checks.Foreign {
			f.sightings = append(f.sightings, s)
		}
	}
	c.Foreign.step(foreignBaseline(t.cell.Length), f, t.decided)
	if !c.Foreign.Watch.Passed(m.p.threshold(t.cell, len(m.s.Cells))) {
		return
	}
	trail := c.Foreign.Trail
	s := Sighting{Exchange: trail.Exchange, Cell: t.cell, Check: trail.check(), Tenant: t.sightings[0].Tenant}
	o := m.open(incidentOf(KindForeign, trail.Round, s, fmt.Sprintf(
		"%s without contact with their prompts", plural(trail.sightings(), "answer"))), trail.Exchange.String())
	o.Incident.Sightings, o.Incident.LastExchange = trail.sightings(), trail.Last
	m.amend(o)
	m.s.Suspected = nil
	c.Foreign.restart()
}

// clearSuspicion ends a suspicion that fresh rounds of its cell did not
// confirm.
func (m *machine) clearSuspicion(round uuid.UUID, t tally) {
	p := m.s.Suspected
	if p == nil || p.Round == round || p.Sighting.Cell != t.cell || !t.confirms || t.decided == 0 || t.foreign > 0 {
		return
	}
	if p.Cleared++; p.Cleared >= clearedAfter {
		m.s.Suspected = nil
	}
}

// plural is a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

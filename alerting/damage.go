package alerting

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/internal/rates"
	"crosstalk/internal/stats"
)

// damage takes the damaged exchanges of a round. Those of a kind with an open
// incident are sightings of it; others are absorbed by an open leak or foreign
// incident; what is left is evidence.
func (m *machine) damage(o Observation) {
	absorber := m.absorber()
	lost := m.lost(o)
	var other []Sighting
	for _, s := range o.Sightings {
		if s.Class != checks.Damaged || s.suspect() {
			continue
		}
		switch i := m.incident(KindDamage(s.Check)); {
		case i != nil:
			m.see(i, o.Round, s)
		case absorber != nil:
			absorber.absorb(m, s)
		case !lost[s.Exchange]:
			other = append(other, s)
		}
	}
	if absorber != nil {
		return // evidence stands still under it
	}
	learn := len(m.s.Open) == 0 && !o.Rates.Confirms
	m.countTrials(o, lost, learn)
	for _, t := range tallies(o) {
		m.testLost(o.Round, t, lost)
		m.testForm(failure{o.Round, in(t.cell, other)}, t, learn)
	}
}

// absorb counts damage under an open leak or foreign incident. In a member cell
// it also delays the resolution.
func (o *OpenIncident) absorb(m *machine, s Sighting) {
	i := &o.Incident
	if i.Absorbed == nil {
		i.Absorbed = map[string]int{}
	}
	if _, ok := i.Absorbed[s.Check]; ok || len(i.Absorbed) < keptMembers {
		i.Absorbed[s.Check]++
	}
	i.Checks = member(i.Checks, s.Check)
	if slices.Contains(i.Cells, s.Cell) {
		i.LastSeen = m.now
		clear(o.Sound)
	}
}

// lost are the exchanges whose lost seals are evidence: nothing but the limits of
// the model explains them, and no open incident accounts for them. The one seal
// that alone decides is among them when it is first lost, and still undecided.
func (m *machine) lost(o Observation) map[uuid.UUID]bool {
	missed := map[uuid.UUID]bool{}
	for _, t := range o.Rates.Trials {
		missed[t.Exchange] = t.Missed
	}
	for _, s := range o.Sightings {
		model := (s.Class == checks.Damaged || s.Class == checks.Inconclusive) && quality(s.Check) && !s.suspect()
		if missed[s.Exchange] && (!model || m.incident(KindDamage(s.Check)) != nil) {
			delete(missed, s.Exchange)
		}
	}
	return missed
}

// countTrials adds the trials of a round to the rates of the target, but for
// misses that are explained otherwise.
func (m *machine) countTrials(o Observation, lost map[uuid.UUID]bool, learn bool) {
	r := rates.Round{Confirms: o.Rates.Confirms, Learn: learn}
	for _, t := range o.Rates.Trials {
		if !t.Missed || lost[t.Exchange] {
			r.Trials = append(r.Trials, t)
		}
	}
	m.s.Rates = rates.Step(m.s.Rates, r)
}

// testLost opens an incident when a cell loses seals more often than is normal.
func (m *machine) testLost(round uuid.UUID, t tally, lost map[uuid.UUID]bool) {
	c := m.cell(t.cell)
	if c == nil {
		return
	}
	f := failure{round: round}
	for _, s := range t.sightings {
		if lost[s.Exchange] {
			f.sightings = append(f.sightings, s)
		}
	}
	w := m.s.Rates.Watch(t.cell)
	c.Lost.follow(w, f)
	if w.Passed(m.p.threshold(t.cell, len(m.s.Cells))) {
		trail := c.Lost
		c.Lost, m.s.Rates = Trail{}, m.s.Rates.Restart(t.cell)
		m.openDamage(trail, t)
	}
}

// testForm opens an incident when answers of a cell are damaged otherwise more
// often than is normal.
func (m *machine) testForm(f failure, t tally, learn bool) {
	c := m.cell(t.cell)
	n := t.sound + t.damaged
	if c == nil || n == 0 {
		return
	}
	c.Form.step(formBaseline(), f, n)
	if learn {
		c.Form.Watch = c.Form.Watch.Learn(stats.Failures{Failed: len(f.sightings), N: n})
	}
	if c.Form.Watch.Passed(m.p.threshold(t.cell, len(m.s.Cells))) {
		trail := c.Form.Trail
		c.Form.restart()
		m.openDamage(trail, t)
	}
}

// openDamage opens the incident that a trail led to, or makes the cell a member
// of the one that another cell has just opened.
func (m *machine) openDamage(trail Trail, t tally) {
	kind := KindDamage(trail.check())
	if o := m.incident(kind); o != nil {
		o.join(t.cell)
		return
	}
	s := Sighting{Exchange: trail.Exchange, Cell: t.cell, Check: trail.check()}
	o := m.open(incidentOf(kind, trail.Round, s, fmt.Sprintf(
		"%s damaged, more than is normal", plural(trail.sightings(), "answer"))), trail.Exchange.String())
	o.Incident.Sightings, o.Incident.LastExchange = trail.sightings(), trail.Last
	for _, s := range t.sightings {
		if s.Class == checks.Damaged {
			o.Incident.Tenants = member(o.Incident.Tenants, s.Tenant)
		}
	}
	m.amend(o)
}

// before reports whether check a explains more than b, or comes first by name.
func before(a, b string) bool {
	x, y := explains(checks.Finding{Check: a}), explains(checks.Finding{Check: b})
	if x != y {
		return x < y
	}
	return a < b
}

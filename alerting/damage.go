package alerting

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"crosstalk/checks"
)

// damage takes the damaged exchanges of a round in one cell. Those of a kind
// with an open incident are sightings of it; others are absorbed by an open leak
// or foreign incident; what is left is evidence.
func (m *machine) damage(round uuid.UUID, t tally) {
	absorber := m.absorber()
	var left []Sighting
	for _, s := range t.sightings {
		if s.Class != checks.Damaged || s.suspect() {
			continue
		}
		switch o := m.incident(KindDamage(s.Check)); {
		case o != nil:
			m.see(o, round, s)
		case absorber != nil:
			absorber.absorb(m, s)
		default:
			left = append(left, s)
		}
	}
	if absorber == nil {
		m.testDamage(round, t, left)
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

// testDamage steps the two tests of a cell for damage, and opens an incident for
// one that passes its threshold.
func (m *machine) testDamage(round uuid.UUID, t tally, left []Sighting) {
	c := m.cell(t.cell)
	n := t.sound + t.quality + t.form
	if c == nil || n == 0 {
		return
	}
	h := m.p.threshold(t.cell, len(m.s.Cells))
	calm := len(m.s.Open) == 0
	for _, test := range []struct {
		e        *Evidence
		r        rate
		of       func(Sighting) bool
		failures int
	}{
		{&c.Quality, qualityRate(t.cell.Length), func(s Sighting) bool { return quality(s.Check) }, t.qualityContact},
		{&c.Form, formRate(), func(s Sighting) bool { return !quality(s.Check) }, t.formContact},
	} {
		f := failed(round, tally{sightings: left}, test.of)
		if f.sightings == 0 {
			test.e.pass(test.r, n)
		} else {
			test.e.fail(f, test.r, n)
		}
		if calm {
			test.e.learn(t.contact, test.failures)
		}
		if a, ok := test.e.alarmed(h); ok {
			test.e.restart()
			m.openDamage(a, f, t)
		}
	}
}

// openDamage opens the incident of an alarm.
func (m *machine) openDamage(a alarm, f failure, t tally) {
	if m.incident(KindDamage(a.check)) != nil {
		return
	}
	s := Sighting{Exchange: a.exchange, Cell: t.cell, Check: a.check}
	o := m.open(incidentOf(KindDamage(a.check), a.round, s, fmt.Sprintf(
		"%s damaged, more than a healthy model shows", plural(a.sightings, "answer"))), a.exchange.String())
	o.Incident.Sightings, o.Incident.LastExchange = a.sightings, f.last
	for _, s := range t.sightings {
		if s.Class == checks.Damaged {
			o.Incident.Tenants = member(o.Incident.Tenants, s.Tenant)
		}
	}
	m.amend(o)
}

// failed sums up the sightings of a round that failed in one way.
func failed(round uuid.UUID, t tally, of func(Sighting) bool) failure {
	f := failure{round: round, checks: map[string]int{}}
	for _, s := range t.sightings {
		if !of(s) {
			continue
		}
		if f.sightings == 0 {
			f.exchange = s.Exchange
		}
		f.last = s.Exchange
		f.sightings++
		f.checks[s.Check]++
	}
	f.check = mostFrequent(f.checks)
	return f
}

// before reports whether check a explains more than b, or comes first by name.
func before(a, b string) bool {
	x, y := explains(checks.Finding{Check: a}), explains(checks.Finding{Check: b})
	if x != y {
		return x < y
	}
	return a < b
}

package alerting

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/probes"
)

// Step takes a finished round into the state of its target and returns the new
// state and the pages it owes. It is pure. A round that was stepped before, and
// one of another target, changes nothing.
func Step(p Policy, s TargetState, o Observation) (TargetState, []Page) {
	if slices.Contains(s.Rounds, o.Round) || s.Target != "" && s.Target != o.Target {
		return s, nil
	}
	m := begin(p, s, o.At)
	m.s.Target = o.Target
	m.remember(o.Round)
	for _, t := range tallies(o) {
		m.meet(t)
	}
	for _, s := range o.Sightings {
		if s.Class == checks.Leak {
			m.leak(o.Round, s)
		}
	}
	m.foreign(o)
	m.damage(o)
	for _, t := range tallies(o) {
		m.credit(t)
	}
	m.pass()
	return m.end()
}

// Tick takes the passing of time into the state of a target: cells that turn
// blind, incidents that resolve, repeats and escalations. Call it about once a
// minute; Step does the same at the time of its round.
func Tick(p Policy, s TargetState, now time.Time) (TargetState, []Page) {
	m := begin(p, s, now)
	m.pass()
	return m.end()
}

// pass does what depends on time alone.
func (m *machine) pass() {
	m.blind()
	m.absentControl()
	m.recovered()
	m.readRates()
	m.outlook()
	m.remind()
}

// remember keeps the round, so that it is not stepped again.
func (m *machine) remember(round uuid.UUID) {
	m.s.Rounds = append(m.s.Rounds, round)
	if n := len(m.s.Rounds); n > keptRounds {
		m.s.Rounds = slices.Clone(m.s.Rounds[n-keptRounds:])
	}
}

// tally is a round as one cell has seen it.
type tally struct {
	cell      probes.Cell
	sightings []Sighting
	// decided counts the exchanges that were; of them, damaged, foreign and
	// leaks are what their names say, and suspects are neither sound nor
	// failures.
	decided, sound, damaged, foreign, leaks, suspects int
	confirms                                          bool
	reason                                            string // of the last undecided one
}

// tallies sorts the sightings of a round by cell, in the order of their first.
func tallies(o Observation) []tally {
	var list []tally
	for _, s := range o.Sightings {
		i := slices.IndexFunc(list, func(t tally) bool { return t.cell == s.Cell })
		if i < 0 {
			i = len(list)
			list = append(list, tally{cell: s.Cell})
		}
		list[i].add(s)
	}
	return list
}

func (t *tally) add(s Sighting) {
	t.sightings = append(t.sightings, s)
	t.confirms = t.confirms || s.Confirms
	if s.Class == checks.Inconclusive {
		t.reason = bounded(s.Reason)
		return
	}
	t.decided++
	switch {
	case s.Class == checks.Leak:
		t.leaks++
	case s.Class == checks.Foreign:
		t.foreign++
	case s.suspect():
		t.suspects++
	case s.Class == checks.Damaged:
		t.damaged++
	default:
		t.sound++
	}
}

// meet notes that a cell was met by a round.
func (m *machine) meet(t tally) {
	m.s.Suspects += t.suspects
	c := m.cell(t.cell)
	if c == nil {
		return
	}
	c.LastRound = m.now
	if t.reason != "" {
		c.Reason = t.reason
	}
	if t.decided > 0 {
		c.LastDecided, c.Reason = m.now, ""
	}
	if t.sound > 0 && t.sound == t.decided {
		c.LastSound = m.now
	}
}

// leak pages on one exchange: a leak is proof.
func (m *machine) leak(round uuid.UUID, s Sighting) {
	o := m.incident(KindLeak)
	if o == nil {
		m.open(incidentOf(KindLeak, round, s, fmt.Sprintf(
			"content of tenant %s in an answer to tenant %s, proved by %s", m.p.tenant(s.Origin), s.Tenant, s.Check)),
			s.Exchange.String())
		return
	}
	m.see(o, round, s)
}

// incidentOf is a new incident with one sighting.
func incidentOf(k Kind, round uuid.UUID, s Sighting, what string) Incident {
	i := Incident{
		Kind: k, Severity: SeverityPage,
		Sightings: 1, FirstRound: round, FirstExchange: s.Exchange, LastExchange: s.Exchange,
		Checks: member(nil, s.Check), Cells: member(nil, s.Cell), Tenants: member(nil, s.Tenant),
		Summary: fmt.Sprintf("%s on %s: %s (%s)", k, s.Cell.Target, what, describe(s.Cell)),
	}
	if s.Origin != 0 {
		i.Origins = []uint16{s.Origin}
	}
	return i
}

// describe is a cell for a person.
func describe(c probes.Cell) string {
	if c.Length == "" {
		return "probe " + c.Probe
	}
	state := "cold"
	if c.Warm {
		state = "warm"
	}
	return fmt.Sprintf("probe %s, length %s tokens, %s at once, %s", c.Probe, c.Length, c.Concurrency, state)
}

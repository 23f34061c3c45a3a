package alerting

import (
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"crosstalk/probes"
)

// machine is one step under way: a copy of the state that may be changed, the
// time it happens at, and the pages it owes.
type machine struct {
	p     Policy
	s     TargetState
	now   time.Time
	pages []Page
}

// begin starts a step at t. Time never goes back: rounds may end in another
// order than they began.
func begin(p Policy, s TargetState, t time.Time) *machine {
	m := &machine{p: p, s: s.mend()}
	t = instant(t)
	if t.Before(m.s.Now) {
		t = m.s.Now
	}
	m.s.Now, m.now = t, t
	return m
}

// end is the state and the pages of a finished step.
func (m *machine) end() (TargetState, []Page) { return m.s, m.pages }

// find is where a cell is kept, or would be.
func (m *machine) find(c probes.Cell) (int, bool) {
	return slices.BinarySearchFunc(m.s.Cells, c, func(s CellState, c probes.Cell) int {
		return compareCells(s.Cell, c)
	})
}

// cell is the state of a cell; a new one is watched from now on. It is nil when
// there are too many. The pointer is good until the next call.
func (m *machine) cell(c probes.Cell) *CellState {
	i, ok := m.find(c)
	if ok {
		return &m.s.Cells[i]
	}
	if len(m.s.Cells) >= keptCells {
		return nil
	}
	m.s.Cells = slices.Insert(m.s.Cells, i, CellState{Cell: c, Watched: m.now})
	return &m.s.Cells[i]
}

// incident is the open incident of a kind, nil if there is none.
func (m *machine) incident(k Kind) *OpenIncident {
	for i := range m.s.Open {
		if m.s.Open[i].Incident.Kind == k {
			return &m.s.Open[i]
		}
	}
	return nil
}

// absorber is the open incident that absorbs damage, nil if there is none.
func (m *machine) absorber() *OpenIncident {
	if o := m.incident(KindLeak); o != nil {
		return o
	}
	return m.incident(KindForeign)
}

// open opens an incident and owes its page. origin is what began it, and with
// the fingerprint gives its identity.
func (m *machine) open(i Incident, origin string) *OpenIncident {
	i.Target = m.s.Target
	i.ID = identity(i.Target, string(i.Kind), origin)
	i.DedupKey = "crosstalk-" + i.ID.String()
	i.State, i.Opened, i.LastSeen = StateOpen, m.now, m.now
	m.s.Open = append(m.s.Open, OpenIncident{Incident: i, Sound: make([]int, len(i.Cells))})
	o := &m.s.Open[len(m.s.Open)-1]
	m.page(o, ActionTrigger)
	return o
}

// page owes a page about an incident.
func (m *machine) page(o *OpenIncident, a Action) {
	o.Pages++
	o.Notified = m.now
	m.pages = append(m.pages, Page{
		ID:     identity(o.Incident.ID.String(), string(a), strconv.Itoa(o.Pages)),
		Action: a, At: m.now, Incident: o.Incident.clone(),
	})
}

// resolve ends an incident and owes its last page. by is "" when sound rounds
// did it.
func (m *machine) resolve(k Kind, by string) {
	i := slices.IndexFunc(m.s.Open, func(o OpenIncident) bool { return o.Incident.Kind == k })
	o := &m.s.Open[i]
	o.Incident.State, o.Incident.Resolved, o.Incident.ResolvedBy = StateResolved, m.now, by
	o.Incident.Waits = nil
	m.page(o, ActionResolve)
	m.restart(o.Incident)
	m.s.Open = slices.Delete(m.s.Open, i, i+1)
}

// restart lets the cells of an ended incident begin anew, so that what it was
// about cannot count once more.
func (m *machine) restart(i Incident) {
	for _, c := range i.Cells {
		j, ok := m.find(c)
		if !ok {
			continue
		}
		s := &m.s.Cells[j]
		if i.Kind != KindBlind { // which was about seeing, not about what is seen
			s.Lost, m.s.Rates = Trail{}, m.s.Rates.Restart(c)
			s.Form.restart()
			s.Foreign.restart()
		}
		if i.ResolvedBy != "" || i.Kind == KindForeign {
			s.Watched = m.now
		}
	}
	if i.Kind == KindProber && i.ResolvedBy != "" && m.s.Control != nil {
		m.s.Control.At = m.now
	}
	if i.Kind == KindForeign {
		m.s.Suspected = nil
		for j := range m.s.Cells { // their bands were stopped
			m.s.Cells[j].Watched = m.now
		}
	}
}

// see adds a sighting to an open incident: it is seen again, and must be sound
// anew everywhere before it resolves.
func (m *machine) see(o *OpenIncident, round uuid.UUID, s Sighting) {
	i := &o.Incident
	i.LastSeen = m.now
	i.Sightings++
	i.LastExchange = s.Exchange
	i.Checks = member(i.Checks, s.Check)
	i.Tenants = member(i.Tenants, s.Tenant)
	if s.Origin != 0 {
		i.Origins = member(i.Origins, s.Origin)
	}
	o.join(s.Cell)
	clear(o.Sound)
	if i.FirstExchange == uuid.Nil {
		i.FirstRound, i.FirstExchange = round, s.Exchange
	}
}

// join makes a cell a member of an incident.
func (o *OpenIncident) join(c probes.Cell) {
	cells := member(o.Incident.Cells, c)
	if len(cells) > len(o.Incident.Cells) {
		o.Incident.Cells, o.Sound = cells, append(o.Sound, 0)
	}
}

// member is the list with x in it, unless it is full or x is nothing.
func member[T comparable](list []T, x T) []T {
	var zero T
	if x == zero || len(list) >= keptMembers || slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}

// identity derives an identifier from what it names: the same inputs give the
// same one, on any machine and at any time.
func identity(parts ...string) uuid.UUID {
	space := uuid.NewSHA1(uuid.NameSpaceURL, []byte("crosstalk:alerting"))
	var name []byte
	for _, p := range parts {
		name = append(name, strconv.Quote(p)...)
	}
	return uuid.NewSHA1(space, name)
}

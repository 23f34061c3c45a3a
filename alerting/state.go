package alerting

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"crosstalk/internal/rates"
	"crosstalk/probes"
)

// TargetState is what the machine knows of one target between two steps. It is
// a value: no function of this package changes the one it is given. As JSON it
// is stored beside the round that led to it. The zero TargetState is that of a
// target never probed.
type TargetState struct {
	Version int    `json:"version"` // 2
	Target  string `json:"target"`
	// Now is the latest time the machine was told; time never goes back.
	Now time.Time `json:"now,omitzero"`
	// Open are the open incidents in the order in which they were opened.
	Open []OpenIncident `json:"open,omitempty"`
	// Cells are the cells met or expected, in a fixed order.
	Cells []CellState `json:"cells,omitempty"`
	// Rates is what the cells have shown of lost seals, counted since
	// RatesSince and last read at RatesRead.
	Rates      rates.State `json:"rates,omitzero"`
	RatesSince time.Time   `json:"rates_since,omitzero"`
	RatesRead  time.Time   `json:"rates_read,omitzero"`
	// Suspected is a foreign answer that waits for its confirmation.
	Suspected *Suspicion `json:"suspected,omitempty"`
	// Control is what the last control did, for the target of a control.
	Control *ControlState `json:"control,omitempty"`
	// Suspects counts the fragments short of proof: they page nobody.
	Suspects int `json:"suspects,omitempty"`
	// Rounds are the newest rounds stepped, so that none is stepped twice.
	Rounds []uuid.UUID `json:"rounds,omitempty"`
}

// OpenIncident is an open incident with what its paging needs.
type OpenIncident struct {
	Incident Incident `json:"incident"`
	// Sound counts, for each of Incident.Cells, the fresh rounds without fault
	// since the last sighting.
	Sound []int `json:"sound,omitempty"`
	// Pages counts the pages sent, Notified is when the last one was.
	Pages    int       `json:"pages"`
	Notified time.Time `json:"notified,omitzero"`
	// Identity is the one routing identity that it is about, "" if it is about
	// all: then only rounds with it count towards the resolution.
	Identity string `json:"identity,omitempty"`
}

// CellState is what the machine knows of a cell. A cell with nothing but target
// and probe stands for all cells of a probe that has not yet been run.
type CellState struct {
	Cell probes.Cell `json:"cell"`
	// Watched is since when a decided exchange is expected.
	Watched     time.Time `json:"watched,omitzero"`
	LastRound   time.Time `json:"last_round,omitzero"`
	LastDecided time.Time `json:"last_decided,omitzero"`
	LastSound   time.Time `json:"last_sound,omitzero"`
	// Reason is why the last undecided exchange was undecided.
	Reason string `json:"reason,omitempty"`
	// Lost is the trail of the watch for lost seals, which TargetState.Rates
	// has; Form, for other damage, and Foreign have their own.
	Lost    Trail    `json:"lost,omitzero"`
	Form    Evidence `json:"form,omitzero"`
	Foreign Evidence `json:"foreign,omitzero"`
}

// Suspicion is a foreign answer without a second kind of evidence.
type Suspicion struct {
	Round    uuid.UUID `json:"round"`
	At       time.Time `json:"at"`
	Sighting Sighting  `json:"sighting"`
	// Cleared counts the confirming rounds of its cell without another.
	Cleared int `json:"cleared,omitempty"`
}

// ControlState is what a control did last.
type ControlState struct {
	Name  string    `json:"name"`
	At    time.Time `json:"at"`
	Right bool      `json:"right"`
	Runs  int       `json:"runs"` // counted
}

// stateVersion is the version of the JSON form of a TargetState. Version 1 had
// other sums of evidence, under other names: they are not read, and all the rest
// of such a state is taken over.
const stateVersion = 2

// Bounds of what is kept, whatever is fed.
const (
	keptRounds  = 64
	keptCells   = 512
	keptMembers = 128
)

// Incidents are the open incidents as they stand.
func (s TargetState) Incidents() []Incident {
	var list []Incident
	for _, o := range s.Open {
		list = append(list, o.Incident.clone())
	}
	return list
}

// clone is a deep copy that nobody else can change.
func (s TargetState) clone() TargetState {
	s.Open = slices.Clone(s.Open)
	for i := range s.Open {
		s.Open[i].Incident = s.Open[i].Incident.clone()
		s.Open[i].Sound = slices.Clone(s.Open[i].Sound)
	}
	s.Cells = slices.Clone(s.Cells)
	for i := range s.Cells {
		c := &s.Cells[i]
		for _, t := range []*Trail{&c.Lost, &c.Form.Trail, &c.Foreign.Trail} {
			t.Checks = maps.Clone(t.Checks)
		}
	}
	if s.Suspected != nil {
		suspected := *s.Suspected
		s.Suspected = &suspected
	}
	if s.Control != nil {
		control := *s.Control
		s.Control = &control
	}
	s.Rounds = slices.Clone(s.Rounds)
	return s
}

func (i Incident) clone() Incident {
	i.Checks = slices.Clone(i.Checks)
	i.Cells = slices.Clone(i.Cells)
	i.Tenants = slices.Clone(i.Tenants)
	i.Origins = slices.Clone(i.Origins)
	i.Absorbed = maps.Clone(i.Absorbed)
	i.Waits = slices.Clone(i.Waits)
	return i
}

// mend makes a state of any content one that the machine can work on. The
// ledger sets a damaged file aside; what this is for is a state written by
// another version, or by hand.
func (s TargetState) mend() TargetState {
	s = s.clone()
	s.Version = stateVersion
	s.Rates = s.Rates.Bounded()
	s.Now = instant(s.Now)
	fingerprints := map[Kind]bool{}
	s.Open = slices.DeleteFunc(s.Open, func(o OpenIncident) bool {
		double := fingerprints[o.Incident.Kind]
		fingerprints[o.Incident.Kind] = true
		return double || o.Incident.Kind == ""
	})
	for i := range s.Open {
		o := &s.Open[i]
		o.Incident.State, o.Pages = StateOpen, max(0, o.Pages)
		o.Incident.Cells = unique(o.Incident.Cells)
		o.Sound = append(o.Sound, make([]int, len(o.Incident.Cells))...)[:len(o.Incident.Cells)]
	}
	slices.SortStableFunc(s.Cells, func(a, b CellState) int { return compareCells(a.Cell, b.Cell) })
	s.Cells = slices.CompactFunc(s.Cells, func(a, b CellState) bool { return a.Cell == b.Cell })
	for i := range s.Cells {
		c := &s.Cells[i]
		c.Form.Watch, c.Foreign.Watch = c.Form.Watch.Bounded(), c.Foreign.Watch.Bounded()
	}
	return s
}

// unique is the list without doubles; it keeps the order of a list that has
// none, because counters run beside it.
func unique(cells []probes.Cell) []probes.Cell {
	var out []probes.Cell
	for _, c := range cells {
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// compareCells is the order in which cells are kept.
func compareCells(a, b probes.Cell) int {
	bit := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(a.Target, b.Target),
		cmp.Compare(a.Probe, b.Probe),
		cmp.Compare(a.Length, b.Length),
		cmp.Compare(a.Concurrency, b.Concurrency),
		cmp.Compare(bit(a.Warm), bit(b.Warm)),
		cmp.Compare(bit(a.Stream), bit(b.Stream)),
	)
}

// instant is t as it is after a journey through JSON.
func instant(t time.Time) time.Time { return t.Round(0).UTC() }

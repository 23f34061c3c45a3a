package rates

import (
	"maps"
	"slices"

	"crosstalk/internal/stats"
	"crosstalk/probes"
)

// State is what the cells of one target have shown. The zero State has seen
// nothing. It is a value, and is kept as JSON.
type State struct {
	Cells []Cell `json:"cells,omitempty"` // in order of first sight
}

// Cell is what one cell has shown. All but the watch is for one reading, and
// begins anew with [State.Recount].
type Cell struct {
	Cell probes.Cell `json:"cell"`
	// Watch is the evidence of a shift, over all time.
	Watch Watch `json:"watch,omitzero"`
	// Seen counts all trials and misses.
	Seen stats.Failures `json:"seen"`
	// Ratio is the log-likelihood ratio of all trials, in nats, Most the
	// greatest it has been.
	Ratio float64 `json:"ratio,omitempty"`
	Most  float64 `json:"most,omitempty"`
	// Rounds counts the rounds with a trial (N) and those with a miss; Run is
	// the present run of such rounds and Longest the longest.
	Rounds  stats.Failures `json:"rounds"`
	Run     int            `json:"run,omitempty"`
	Longest int            `json:"longest,omitempty"`
	// Identities counts by routing identity.
	Identities map[string]stats.Failures `json:"identities,omitempty"`
	// MainOnly and ControlOnly count the pairs of which one side alone missed.
	MainOnly    int `json:"main_only,omitempty"`
	ControlOnly int `json:"control_only,omitempty"`
}

// Bounds of what is kept, whatever is fed.
const (
	maxIdentities = 256 // of a cell; further ones are not told apart
	maxCells      = 512 // further ones are not counted
)

// Step returns the state with a round added. It leaves s as it was.
func Step(s State, r Round) State {
	s.Cells = slices.Clone(s.Cells)
	var order []probes.Cell
	of := map[probes.Cell][]Trial{}
	for _, t := range r.Trials {
		if of[t.Cell] == nil {
			order = append(order, t.Cell)
		}
		of[t.Cell] = append(of[t.Cell], t)
	}
	for _, key := range order {
		if c := s.cell(key); c != nil {
			c.add(of[key], r)
		}
	}
	if r.Confirms {
		return s
	}
	for _, p := range r.Pairs {
		c := s.cell(p.Cell)
		if c == nil {
			continue
		}
		switch {
		case p.MainMissed && !p.ControlMissed:
			c.MainOnly++
		case p.ControlMissed && !p.MainMissed:
			c.ControlOnly++
		}
	}
	return s
}

// cell is the state of a cell, a new one if it has not been seen; nil when there
// are too many.
func (s *State) cell(key probes.Cell) *Cell {
	i := s.index(key)
	if i < 0 {
		if len(s.Cells) >= maxCells {
			return nil
		}
		i = len(s.Cells)
		s.Cells = append(s.Cells, Cell{Cell: key})
	}
	return &s.Cells[i]
}

func (s State) index(key probes.Cell) int {
	return slices.IndexFunc(s.Cells, func(c Cell) bool { return c.Cell == key })
}

func plus(f stats.Failures, failed bool) stats.Failures {
	f.N++
	if failed {
		f.Failed++
	}
	return f
}

// add adds the trials of a round.
func (c *Cell) add(trials []Trial, r Round) {
	var round, lesson stats.Failures
	for _, t := range trials {
		round = plus(round, t.Missed)
		if !t.NoContact {
			lesson = plus(lesson, t.Missed)
		}
	}
	c.Watch = c.Watch.Step(BaselineOf(c.Cell.Length), round)
	if r.Learn {
		c.Watch = c.Watch.Learn(lesson)
	}
	if r.Confirms || c.Seen.N >= maxCount {
		return
	}
	c.Identities = maps.Clone(c.Identities)
	if c.Identities == nil {
		c.Identities = map[string]stats.Failures{}
	}
	for _, t := range trials {
		c.Seen = plus(c.Seen, t.Missed)
		if _, known := c.Identities[t.Identity]; known || len(c.Identities) < maxIdentities {
			c.Identities[t.Identity] = plus(c.Identities[t.Identity], t.Missed)
		}
	}
	c.endRound(round)
}

// endRound counts a round: trials that fail together for a reason of their own,
// such as an overload, are one failure.
func (c *Cell) endRound(f stats.Failures) {
	failed := f.Failed > 0
	c.Rounds = plus(c.Rounds, failed)
	c.Ratio += BaselineOf(c.Cell.Length).round(f.N).LLR(plus(stats.Failures{}, failed))
	c.Most = max(c.Most, c.Ratio)
	if !failed {
		c.Run = 0
		return
	}
	c.Run++
	c.Longest = max(c.Longest, c.Run)
}

// Watch is the watch of a cell.
func (s State) Watch(key probes.Cell) Watch {
	if i := s.index(key); i >= 0 {
		return s.Cells[i].Watch
	}
	return Watch{}
}

// Restart is the state in which a cell begins anew, all but what is normal in it:
// what led to an incident cannot count once more.
func (s State) Restart(key probes.Cell) State {
	s.Cells = slices.Clone(s.Cells)
	if i := s.index(key); i >= 0 {
		s.Cells[i] = Cell{Cell: key, Watch: s.Cells[i].Watch.Restart()}
	}
	return s
}

// Recount is the state in which all that is for one reading begins anew. With
// many months in one count, a fault of this week would be lost among them, and
// every small difference would be improbable.
func (s State) Recount() State {
	cells := slices.Clone(s.Cells)
	for i, c := range cells {
		cells[i] = Cell{Cell: c.Cell, Watch: c.Watch}
	}
	return State{cells}
}

// Only is the state of the cells that keep names.
func (s State) Only(keep func(probes.Cell) bool) State {
	kept := slices.DeleteFunc(slices.Clone(s.Cells), func(c Cell) bool { return !keep(c.Cell) })
	if len(kept) == 0 {
		return State{} // as it comes back from JSON
	}
	return State{kept}
}

// Bounded is the state with every number in the range it can have: for one that
// may have been written by another version, or by hand.
func (s State) Bounded() State {
	seen := map[probes.Cell]bool{}
	s = s.Only(func(c probes.Cell) bool {
		first := !seen[c] && len(seen) < maxCells
		seen[c] = true
		return first
	})
	for i := range s.Cells {
		s.Cells[i].bound()
	}
	return s
}

func (c *Cell) bound() {
	c.Watch = c.Watch.Bounded()
	c.Seen, c.Rounds = within(c.Seen, maxCount), within(c.Rounds, maxCount)
	c.Ratio, c.Most = min(max(c.Ratio, -maxEvidence), maxEvidence), min(max(c.Most, 0), maxEvidence)
	for _, n := range []*int{&c.Run, &c.Longest, &c.MainOnly, &c.ControlOnly} {
		*n = min(max(*n, 0), maxCount)
	}
	for _, f := range c.Identities {
		g := within(f, c.Seen.N)
		if g.Failed = min(g.Failed, c.Seen.Failed); g == f && len(c.Identities) <= maxIdentities {
			continue
		}
		c.Identities = nil // not of our making
		break
	}
}

package rates

import (
	"maps"
	"slices"

	"crosstalk/internal/stats"
	"crosstalk/probes"
)

// Trial is one decided exchange.
type Trial struct {
	Cell probes.Cell
	// Identity is what the target routes by, as far as is known: the tenant,
	// or the replica where the target names it.
	Identity string
	Missed   bool
}

// Pair is a long prompt and its control, of one round.
type Pair struct {
	Cell                      probes.Cell // of the long prompt
	MainMissed, ControlMissed bool
}

// Round is what one round showed. Rounds that confirm a suspicion are left out by
// whoever makes it: they are sent because something was missed.
type Round struct {
	Trials []Trial
	Pairs  []Pair
}

// State is what the cells of one target have shown. The zero State has seen
// nothing. It is kept as JSON.
type State struct {
	Cells []Cell `json:"cells,omitempty"` // in order of first sight
}

// Cell is what one cell has shown.
type Cell struct {
	Cell probes.Cell `json:"cell"`
	// Seen counts all trials and misses.
	Seen stats.Failures `json:"seen"`
	// Ratio is the log-likelihood ratio of all trials, in nats, Most the
	// greatest it has been.
	Ratio float64 `json:"ratio"`
	Most  float64 `json:"most"`
	// Sum is the CUSUM, in nats.
	Sum float64 `json:"sum"`
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

// maxIdentities bounds the identities of a cell; further ones are not told apart.
const maxIdentities = 256

// Step returns the state with a round added. It leaves s as it was.
func Step(s State, r Round) State {
	s.Cells = slices.Clone(s.Cells)
	missed := map[probes.Cell]stats.Failures{}
	own := map[probes.Cell]bool{} // whose identities were cloned
	for _, t := range r.Trials {
		c := s.cell(t.Cell)
		if !own[t.Cell] {
			c.Identities, own[t.Cell] = cloned(c.Identities), true
		}
		c.add(t)
		f := missed[t.Cell]
		missed[t.Cell] = plus(f, t.Missed)
	}
	for key, f := range missed {
		s.cell(key).endRound(f)
	}
	for _, p := range r.Pairs {
		switch c := s.cell(p.Cell); {
		case p.MainMissed && !p.ControlMissed:
			c.MainOnly++
		case p.ControlMissed && !p.MainMissed:
			c.ControlOnly++
		}
	}
	return s
}

func cloned(m map[string]stats.Failures) map[string]stats.Failures {
	if m == nil {
		return map[string]stats.Failures{}
	}
	return maps.Clone(m)
}

// cell is the state of a cell, a new one if it has not been seen.
func (s *State) cell(key probes.Cell) *Cell {
	i := slices.IndexFunc(s.Cells, func(c Cell) bool { return c.Cell == key })
	if i < 0 {
		i = len(s.Cells)
		s.Cells = append(s.Cells, Cell{Cell: key})
	}
	return &s.Cells[i]
}

func plus(f stats.Failures, failed bool) stats.Failures {
	f.N++
	if failed {
		f.Failed++
	}
	return f
}

// add adds a trial.
func (c *Cell) add(t Trial) {
	c.Seen = plus(c.Seen, t.Missed)
	if _, known := c.Identities[t.Identity]; known || len(c.Identities) < maxIdentities {
		c.Identities[t.Identity] = plus(c.Identities[t.Identity], t.Missed)
	}
}

// endRound adds the evidence of a round: trials that fail together for a reason
// of their own, such as an overload, count as one failure.
func (c *Cell) endRound(f stats.Failures) {
	m := f.N
	failed := f.Failed > 0
	c.Rounds = plus(c.Rounds, failed)
	b := BaselineOf(c.Cell.Length).round(m)
	llr := b.LLR(plus(stats.Failures{}, failed))
	c.Ratio += llr
	c.Most = max(c.Most, c.Ratio)
	c.Sum = max(0, c.Sum+llr)
	if !failed {
		c.Run = 0
		return
	}
	c.Run++
	c.Longest = max(c.Longest, c.Run)
}

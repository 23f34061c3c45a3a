// Package report turns the outcomes of a run into something to read: text for a
// person, JSON for a program, JUnit and SARIF for a build, Markdown for a
// ticket.
//
// A report answers in this order: what was found and whose it is, what every
// cell was worth, what was not covered. Zero findings are never printed as
// "none": they are printed as the upper bound that so many decided exchanges
// support, and a cell that could not be decided is named.
//
// No report holds text of an answer. Findings carry offsets, lengths, counts
// and names; what a stranger wrote stays sealed elsewhere.
package report

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/internal/rates"
	"crosstalk/probes"
)

// Exit codes of one-shot commands. They are the product of such a command.
const (
	ExitSound        = 0 // sound, or degraded
	ExitDamaged      = 1
	ExitUsage        = 2 // usage or configuration error
	ExitInconclusive = 3
	ExitLeak         = 4 // leak or foreign
)

// decidedShare is the share of a cell's planned exchanges that must be decided
// for the run to have an opinion of the cell.
const decidedShare = 0.8

// confidence is the confidence of every bound in a report.
const confidence = 0.95

// Outcome is a finished round with its judgement.
type Outcome struct {
	Round   *probes.Round
	Report  checks.Report
	Dropped []probes.Intent // planned, not sent: their cell is stopped
}

// Header says what a run was.
type Header struct {
	Command string    `json:"command"`
	Version string    `json:"version"`
	Target  string    `json:"target"`
	Model   string    `json:"model"`
	Seed    uint64    `json:"seed"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	// Notes are said before anything else: an ephemeral key, an early end.
	Notes []string `json:"notes,omitempty"`
}

// Summary is a run summed up; its JSON form is the contract of --json.
type Summary struct {
	Schema int `json:"schema"` // 1
	Header
	Class    checks.Class   `json:"class"`
	ExitCode int            `json:"exit_code"`
	Totals   Counts         `json:"totals"`
	Tokens   int64          `json:"tokens_reserved"`
	USD      float64        `json:"usd_reserved"`
	Cells    []Cell         `json:"cells"`
	Findings []Finding      `json:"findings"`
	NotSent  map[string]int `json:"not_sent,omitempty"` // by reason
	Rounds   []Round        `json:"rounds"`
	Undecid  map[string]int `json:"undecided,omitempty"` // by reason
	// DegradedCells are the cells in which more seals were missed than a
	// healthy model explains.
	DegradedCells []rates.Degradation `json:"degraded_cells,omitempty"`
	// NeverBegun are the planned rounds that an early end left undone. Their
	// exchanges are planned and not decided.
	NeverBegun []NeverBegun `json:"never_begun,omitempty"`
	Routes     Routes       `json:"routes"`
	// NotCovered is what no probe triggers.
	NotCovered []string          `json:"not_covered"`
	tenants    map[uint16]string // index to name
}

// NeverBegun counts the rounds of a probe that were planned and not begun.
type NeverBegun struct {
	Probe  string `json:"probe"`
	Rounds int    `json:"rounds"`
}

// Routes is how much of what lies behind the target a run can have reached: a
// key-hashed router sends a tenant to one replica always.
type Routes struct {
	Tenants int    `json:"tenants"` // that something was sent from
	Note    string `json:"note"`
}

// Counts are exchanges by class.
type Counts struct {
	Planned      int `json:"planned"`
	Sent         int `json:"sent"`
	Decided      int `json:"decided"`
	Sound        int `json:"sound"`
	Degraded     int `json:"degraded"`
	Damaged      int `json:"damaged"`
	Foreign      int `json:"foreign"`
	Leak         int `json:"leak"`
	Inconclusive int `json:"inconclusive"`
}

// Cell is what one cell of a run is worth.
type Cell struct {
	probes.Cell
	Counts
	// Identities counts the distinct tenants that sent: a key-hashed route
	// does not move with a new connection.
	Identities int `json:"identities"`
	// Disclosure and Damage bound the rates of leak-or-foreign and of damage
	// (95 %): one-sided from zero hits, two-sided otherwise.
	Disclosure Bound `json:"disclosure"`
	Damage     Bound `json:"damage"`
	// Enough says that at least 80 % of the planned exchanges were decided.
	Enough bool `json:"enough"`
}

// Bound is an interval of a rate with what it rests on.
type Bound struct {
	Hits  int     `json:"hits"`
	N     int     `json:"n"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	ByIDs float64 `json:"high_by_identities"` // upper bound on the share of bad routes, zero hits only
}

// Finding is a finding with the names a person needs.
type Finding struct {
	checks.Finding
	Round      uuid.UUID   `json:"round"`
	Probe      string      `json:"probe"`
	Tenant     string      `json:"tenant"`
	OriginName string      `json:"origin_tenant,omitempty"`
	Role       probes.Role `json:"role"`
	Tokens     int         `json:"tokens"`
	cell       probes.Cell
}

// Round is one round of the run.
type Round struct {
	ID        uuid.UUID  `json:"id"`
	Probe     string     `json:"probe"`
	Confirms  uuid.UUID  `json:"confirms,omitzero"`
	Exchanges []Exchange `json:"exchanges"`
}

// Exchange is one exchange of the run, without its text.
type Exchange struct {
	ID           uuid.UUID     `json:"id"`
	Tenant       string        `json:"tenant"`
	Role         probes.Role   `json:"role"`
	Tokens       int           `json:"tokens"`
	Expect       probes.Expect `json:"expect"`
	Status       int           `json:"status,omitempty"`
	Failure      string        `json:"failure,omitempty"`
	Skipped      string        `json:"skipped,omitempty"`
	TTFT         float64       `json:"ttft_seconds,omitempty"`
	Seconds      float64       `json:"seconds,omitempty"`
	PromptTokens *int          `json:"prompt_tokens,omitempty"`
	Class        checks.Class  `json:"class"`
	// Reason is why the exchange is inconclusive though something came back:
	// a key of Summary.Undecid.
	Reason string `json:"reason,omitempty"`
}

// Summarize sums a run up. names gives a tenant's name for its index, pricing
// is the target's.
func Summarize(h Header, run []*Outcome, names map[uint16]string, pricing probes.Pricing) *Summary {
	s := &Summary{
		Schema: 1, Header: h, Cells: []Cell{}, Findings: []Finding{}, Rounds: []Round{},
		NotSent: map[string]int{}, Undecid: map[string]int{}, NotCovered: NotCovered(), tenants: names,
	}
	confirmed := confirmedRounds(run)
	cells := map[probes.Cell]*cellTally{}
	s.Class = checks.Sound
	for _, o := range run {
		spend := o.Round.Plan.Spend(pricing)
		s.Tokens += spend.Tokens
		s.USD += spend.USD
		s.addRound(o, confirmed, cells)
	}
	for _, t := range cells {
		s.Cells = append(s.Cells, t.cell())
	}
	s.sortCells()
	s.Routes = routes(run)
	s.DegradedCells = degradedCells(run)
	slices.SortStableFunc(s.Findings, func(a, b Finding) int {
		switch {
		case a.Class.Worse(b.Class):
			return -1
		case b.Class.Worse(a.Class):
			return 1
		}
		return 0
	})
	s.ExitCode = s.exitCode()
	return s
}

// confirmedRounds holds the rounds whose lost seal a fresh round found again:
// their exchanges are decided after all.
func confirmedRounds(run []*Outcome) map[uuid.UUID]bool {
	confirmed := map[uuid.UUID]bool{}
	for _, o := range run {
		if o.Round.Plan.Confirm == uuid.Nil {
			continue
		}
		for _, x := range o.Round.Exchanges {
			if v := o.Report.Verdict(x.ID); x.Intent.Role == probes.RoleMain && (v == checks.Sound || v == checks.Degraded) {
				confirmed[o.Round.Plan.Confirm] = true
			}
		}
	}
	return confirmed
}

func (s *Summary) addRound(o *Outcome, confirmed map[uuid.UUID]bool, cells map[probes.Cell]*cellTally) {
	r := Round{ID: o.Round.ID, Probe: o.Round.Plan.Probe, Confirms: o.Round.Plan.Confirm}
	reasons := map[uuid.UUID]string{}
	for _, v := range o.Report.Verdicts {
		reasons[v.Exchange] = v.Reason
	}
	for _, x := range o.Round.Exchanges {
		verdict := o.Report.Verdict(x.ID)
		if verdict == checks.Inconclusive && confirmed[o.Round.ID] && o.Report.Has(x.ID, checks.KindLostAskedSeal) {
			verdict = checks.Degraded
		}
		if x.Skipped != "" {
			s.NotSent[x.SkipReason()]++
		}
		row := exchangeRow(x, verdict)
		if verdict == checks.Inconclusive && x.Response != nil {
			row.Reason = reasons[x.ID]
			s.Undecid[row.Reason]++
		}
		t := tallyOf(cells, x.Intent.Cell)
		t.add(x, verdict)
		s.Totals.add(x.Response != nil, verdict)
		if verdict.Worse(s.Class) {
			s.Class = verdict
		}
		r.Exchanges = append(r.Exchanges, row)
	}
	for _, in := range o.Dropped {
		s.NotSent["stopped"]++
		tallyOf(cells, in.Cell).Planned++
		s.Totals.Planned++
	}
	s.addFindings(o)
	s.Rounds = append(s.Rounds, r)
}

func (s *Summary) addFindings(o *Outcome) {
	byID := map[uuid.UUID]*probes.Exchange{}
	for _, x := range o.Round.Exchanges {
		byID[x.ID] = x
	}
	for _, f := range o.Report.Findings {
		if f.Class == checks.Sound {
			continue
		}
		row := Finding{Finding: f, Round: o.Round.ID, Probe: o.Round.Plan.Probe}
		if x := byID[f.Exchange]; x != nil {
			row.Tenant, row.Role, row.Tokens, row.cell = x.Intent.Tenant, x.Intent.Role, x.Intent.Tokens, x.Intent.Cell
		}
		if f.Origin != nil {
			row.OriginName = s.tenantName(f.Origin.Tenant)
		}
		s.Findings = append(s.Findings, row)
	}
}

func (s *Summary) tenantName(index uint16) string {
	if name, ok := s.tenants[index]; ok {
		return name
	}
	return fmt.Sprintf("tenant %d", index)
}

func exchangeRow(x *probes.Exchange, verdict checks.Class) Exchange {
	row := Exchange{
		ID: x.ID, Tenant: x.Intent.Tenant, Role: x.Intent.Role, Tokens: x.Intent.Tokens,
		Expect: x.Intent.Expect, Skipped: x.Skipped, Class: verdict,
	}
	if resp := x.Response; resp != nil {
		row.Status = resp.Status
		row.TTFT, row.Seconds = resp.Times.FirstContent.Seconds(), resp.Times.End.Seconds()
		if resp.Failure != nil {
			row.Failure = string(resp.Failure.Kind)
		}
		if resp.Usage != nil {
			row.PromptTokens = resp.Usage.Prompt
		}
	}
	return row
}

// exitCode is the exit code of DESIGN: the worst class decides; without one, a
// cell that is not decided well enough does.
func (s *Summary) exitCode() int {
	switch {
	case s.Totals.Leak+s.Totals.Foreign > 0:
		return ExitLeak
	case s.Totals.Damaged > 0:
		return ExitDamaged
	}
	if len(s.Cells) == 0 || slices.ContainsFunc(s.Cells, func(c Cell) bool { return !c.Enough }) {
		return ExitInconclusive
	}
	return ExitSound
}

// Thin returns the cells too few of whose exchanges were decided.
func (s *Summary) Thin() []Cell {
	return slices.DeleteFunc(slices.Clone(s.Cells), func(c Cell) bool { return c.Enough })
}

func (s *Summary) sortCells() {
	slices.SortFunc(s.Cells, func(a, b Cell) int { return compareCells(a.Cell, b.Cell) })
}

// routes counts the tenants that something was sent from.
func routes(run []*Outcome) Routes {
	from := map[string]bool{}
	for _, o := range run {
		for _, x := range o.Round.Exchanges {
			if x.Response != nil {
				from[x.Intent.Tenant] = true
			}
		}
	}
	return Routes{Tenants: len(from), Note: "a fault on a share of replicas that no tenant's requests reach is not covered"}
}

// alone reports whether one tenant sent everything: nothing of another's could
// be given to it that would be known as such.
func (s *Summary) alone() bool { return s.Routes.Tenants == 1 }

// AddPlanned adds rounds that were planned and never begun: nothing of them is
// decided, and a cell they were to fill is not passed over. plan is one such
// round as it was laid out.
func (s *Summary) AddPlanned(plan probes.Plan, rounds int) {
	if rounds < 1 {
		return
	}
	for in := range plan.Intents() {
		i := slices.IndexFunc(s.Cells, func(c Cell) bool { return c.Cell == in.Cell })
		if i < 0 {
			i = len(s.Cells)
			s.Cells = append(s.Cells, (&cellTally{key: in.Cell}).cell())
		}
		c := &s.Cells[i]
		c.Planned += rounds
		c.Enough = enough(c.Counts)
		s.Totals.Planned += rounds
		s.NotSent["never begun"] += rounds
	}
	s.NeverBegun = append(s.NeverBegun, NeverBegun{plan.Probe, rounds})
	s.sortCells()
	s.ExitCode = s.exitCode()
	s.Shortened()
}

// Shortened says that the run did not do all that was planned: it cannot be
// sound any more.
func (s *Summary) Shortened() {
	if s.ExitCode == ExitSound {
		s.ExitCode = ExitInconclusive
		s.Class = checks.Inconclusive
	}
}

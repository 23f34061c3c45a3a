package alerting

import (
	"fmt"
	"time"

	"crosstalk/internal/rates"
	"crosstalk/internal/stats"
	"crosstalk/probes"
)

// Policy is what an operator decides about paging, and what the daemon knows
// that a round does not tell. The zero Policy pages by the defaults and judges
// no cell blind.
type Policy struct {
	// FalsePagesPerYear is how many pages about damage, on a healthy target,
	// are accepted in a year; 0 means DefaultFalsePagesPerYear. It is for one
	// target: divide what is accepted for a fleet by the number of targets.
	FalsePagesPerYear float64
	// Probes says, by kind, how often each probe looks at the target. Cells
	// of a probe that is not listed are not judged blind and, when other
	// probes are listed, are forgotten: the probe is no longer configured.
	Probes map[string]Schedule
	// Unsent says, by kind of probe, why its rounds are not being sent at the
	// moment: "budget", "backoff". It becomes the reason of a blind cell that
	// nothing was sent to.
	Unsent map[string]string
	// Tenants are the names of the tenants by index: a leak knows its donor by
	// that alone.
	Tenants map[uint16]string
	// Stopped are the length bands in which nothing is sent after a suspected
	// disclosure. They are not called blind while a foreign incident is open
	// in them, and it cannot be resolved before they are resumed.
	Stopped []string
	// Paused says that a person has stopped the probes, or said beforehand that
	// they rest now (a silence, quiet hours): nothing turns blind.
	Paused bool
	// DeployedUntil is the end of the window after the last deploy of the
	// target. Inside it, being blind pages at once.
	DeployedUntil time.Time
	// ControlEvery is how often a control is run; 0 means that its absence is
	// not noticed here.
	ControlEvery time.Duration

	// RepeatEvery is how often a page that nobody has acknowledged is
	// repeated; 0 means DefaultRepeatEvery, negative means never.
	RepeatEvery time.Duration
	// EscalateAfter is how long a page may stay unacknowledged before it is
	// escalated, once; 0 means never.
	EscalateAfter time.Duration
	// SoundRounds is how many fresh rounds each member cell must pass before
	// an incident resolves; 0 means DefaultSoundRounds.
	SoundRounds int
	// Quiet is how long there must have been no sighting; 0 means
	// DefaultQuiet, negative means no wait.
	Quiet time.Duration
}

// Schedule is how often a probe looks at a target.
type Schedule struct {
	// Every is the time between two rounds; of several schedules of one kind,
	// or one that is uneven, the longest.
	Every time.Duration
	// PerYear is how many rounds there are in a year, if that is not one every
	// Every: it counts the chances of a false page.
	PerYear float64
	// Rounds is in how many rounds each cell of the probe is met at least
	// once: probes that rotate do not meet all in each. 0 means that it is not
	// known. Then a cell is not judged blind for rounds that passed it over,
	// only for rounds that met it and decided nothing, and for none at all.
	Rounds int
}

// Defaults of a Policy.
const (
	DefaultFalsePagesPerYear = 0.1
	DefaultRepeatEvery       = 4 * time.Hour
	DefaultSoundRounds       = 5
	DefaultQuiet             = 60 * time.Second
)

const (
	blindIntervals = 3              // without a decided exchange: blind
	blindPageAfter = 24 * time.Hour // a blind ticket becomes a page
	// suspectedFor is how long an unconfirmed foreign answer waits for its
	// confirmation, and clearedAfter how many sound confirmations end it.
	suspectedFor = 24 * time.Hour
	clearedAfter = 2
	year         = 365 * 24 * time.Hour
	// defaultEvery is taken for a probe without a schedule. A short interval
	// is the careful guess: more rounds, higher thresholds.
	defaultEvery = time.Minute
)

func (p Policy) falsePages() float64 {
	// Written so that NaN takes the default too.
	if p.FalsePagesPerYear > 0 {
		return p.FalsePagesPerYear
	}
	return DefaultFalsePagesPerYear
}

func (p Policy) repeatEvery() time.Duration {
	if p.RepeatEvery == 0 {
		return DefaultRepeatEvery
	}
	return p.RepeatEvery
}

func (p Policy) soundRounds() int {
	if p.SoundRounds <= 0 {
		return DefaultSoundRounds
	}
	return p.SoundRounds
}

func (p Policy) quiet() time.Duration {
	if p.Quiet == 0 {
		return DefaultQuiet
	}
	return p.Quiet
}

// interval is the time in which a cell is met at least once; 0 if the policy
// does not tell.
func (p Policy) interval(c probes.Cell) time.Duration {
	s := p.Probes[c.Probe]
	if s.Every <= 0 {
		return 0
	}
	return s.Every * time.Duration(max(1, s.Rounds))
}

// configured reports whether the probe of a cell still looks at the target.
func (p Policy) configured(c probes.Cell) bool {
	if len(p.Probes) == 0 {
		return true
	}
	_, ok := p.Probes[c.Probe]
	return ok
}

// threshold is the evidence, in nats, at which a cell of a target with so many
// cells pages for damage: see Evidence for the arithmetic.
func (p Policy) threshold(c probes.Cell, cells int) float64 {
	s := p.Probes[c.Probe]
	every := s.Every
	if every <= 0 {
		every = defaultEvery
	}
	perYear := max(1, s.PerYear, float64(year)/float64(every))
	return max(minThreshold, stats.CUSUMThreshold(perYear, tests*max(1, cells), p.falsePages()))
}

// dailyAlpha is the probability that the daily reading calls a healthy target
// degraded.
func (p Policy) dailyAlpha() float64 {
	return min(rates.DefaultAlpha, p.falsePages()/tests/365)
}

// tenant is the name of a tenant.
func (p Policy) tenant(index uint16) string {
	if name := p.Tenants[index]; name != "" {
		return name
	}
	return fmt.Sprint(index)
}

package rates

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"crosstalk/internal/stats"
	"crosstalk/probes"
)

// Sign is how a cell shows that it has degraded. A shift has no p-value, and so is
// none of them: see [Watch].
type Sign string

const (
	SignRate     Sign = "rate"
	SignIdentity Sign = "identity"
	SignEpisode  Sign = "episode"
	SignCliff    Sign = "cliff"
)

// Policy is how many false calls are accepted, and what is read. The zero Policy
// takes the defaults and reads all signs.
type Policy struct {
	// Alpha is the probability that a healthy target is called degraded in one
	// reading; 0 means DefaultAlpha.
	Alpha float64
	// Signs are those that are read; nil means all.
	Signs []Sign
}

// DefaultAlpha is one false call in a hundred readings.
const DefaultAlpha = 0.01

// Degradation is one cell that has degraded, by one sign.
type Degradation struct {
	Cell probes.Cell `json:"cell"`
	Sign Sign        `json:"sign"`
	// P is the p-value, adjusted for all that was tested beside it.
	P float64 `json:"p"`
	// Misses of N trials: of the cell, or of the Identity, or of the pairs.
	Misses   int    `json:"misses"`
	N        int    `json:"n"`
	Identity string `json:"identity,omitempty"`
	// Low and High are the exact 95 % interval of the rate of misses.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Detail says it in words.
	Detail string `json:"detail"`
}

// leastMisses is how many misses an identity, an episode or a cliff must have:
// fewer may be improbable and still are an accident.
const leastMisses = 3

// confidence of the interval of a rate.
const confidence = 0.95

// Degraded returns the cells that have degraded, the surest first.
func Degraded(s State, p Policy) []Degradation {
	if p.Alpha <= 0 {
		p.Alpha = DefaultAlpha
	}
	var tested []Degradation
	for i := range s.Cells {
		tested = append(tested, s.Cells[i].tests()...)
	}
	if p.Signs != nil {
		tested = slices.DeleteFunc(tested, func(d Degradation) bool { return !slices.Contains(p.Signs, d.Sign) })
	}
	raw := make([]float64, len(tested))
	for i := range tested {
		raw[i] = tested[i].P
	}
	var out []Degradation
	for i, adjusted := range stats.Holm(raw) {
		if adjusted <= p.Alpha {
			tested[i].P = adjusted
			out = append(out, tested[i])
		}
	}
	slices.SortStableFunc(out, func(a, b Degradation) int { return cmp.Compare(a.P, b.P) })
	return out
}

// tests are the signs of a cell that have a p-value, each with it. A cell that
// missed nothing is tested all the same: its p-value of 1 keeps the number of
// tests what it was before anything was seen.
func (c *Cell) tests() []Degradation {
	b := BaselineOf(c.Cell.Length)
	rate := c.degradation(SignRate, c.Seen)
	rate.P = stats.AnytimeP(c.Most)
	rate.Detail = fmt.Sprintf("%d of %d answers missed a seal, up to %.0f %% are normal", c.Seen.Failed, c.Seen.N, 100*b.Healthy)
	list := []Degradation{rate, c.identity()}

	episode := c.degradation(SignEpisode, c.Rounds)
	episode.P = stats.LongestRun(c.Longest, c.Rounds.Failed, c.Rounds.N)
	if c.Longest < leastMisses {
		episode.P = 1
	}
	episode.Detail = fmt.Sprintf("%d of the %d rounds with a miss, of %d in all, came one behind the other", c.Longest, c.Rounds.Failed, c.Rounds.N)
	list = append(list, episode)

	if pairs := c.MainOnly + c.ControlOnly; pairs > 0 {
		cliff := c.degradation(SignCliff, stats.Failures{Failed: c.MainOnly, N: pairs})
		cliff.P = stats.McNemar(c.MainOnly, c.ControlOnly)
		cliff.Detail = fmt.Sprintf("of %d pairs in which one side missed, %d missed at this length and not at half of it", pairs, c.MainOnly)
		list = append(list, cliff)
	}
	return list
}

// identity compares each routing identity with the others of the cell, and
// returns the one that stands out most, its p-value multiplied by their number
// (Bonferroni). One that misses no more than a healthy model may is none, however
// improbable: of many answers, every small difference is.
func (c *Cell) identity() Degradation {
	best, worst := 1.0, ""
	healthy := BaselineOf(c.Cell.Length).Healthy
	for name, f := range c.Identities {
		if f.Failed < leastMisses || float64(f.Failed) <= healthy*float64(f.N) {
			continue
		}
		rest := stats.Failures{Failed: c.Seen.Failed - f.Failed, N: c.Seen.N - f.N}
		if p := stats.FisherGreater(f, rest); p < best || p == best && worst != "" && name < worst {
			best, worst = p, name
		}
	}
	d := c.degradation(SignIdentity, c.Identities[worst])
	d.Identity = worst
	if worst != "" && d.Low > healthy {
		d.P = math.Min(1, best*float64(len(c.Identities)))
	}
	d.Detail = fmt.Sprintf("%d of the %d answers to %s missed a seal, %d of %d to the %d others: one replica of several may be bad",
		d.Misses, d.N, worst, c.Seen.Failed-d.Misses, c.Seen.N-d.N, len(c.Identities)-1)
	return d
}

func (c *Cell) degradation(sign Sign, f stats.Failures) Degradation {
	ci := stats.ClopperPearson(f.Failed, f.N, confidence)
	return Degradation{Cell: c.Cell, Sign: sign, P: 1, Misses: f.Failed, N: f.N, Low: ci.Low, High: ci.High}
}

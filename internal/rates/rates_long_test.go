//go:build long

package rates

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"crosstalk/internal/stats"
	"crosstalk/probes"
)

// What the daemon's tests cost and find, for the table of docs/rates.md: a target
// of ten cells, a round of each every 20 minutes. alerting.Evidence says how the
// false pages of a year are divided among seven tests; the watch of lost seals has
// two of them, the daily reading one.
const (
	cells     = 10
	dayRounds = 72
	perYear   = 365 * dayRounds
	shares    = 7
)

func threshold(falsePages float64) float64 {
	return stats.CUSUMThreshold(perYear, shares*cells, falsePages)
}

// TestLongFalsePages counts the false pages of healthy targets in many years, at
// the rates that are the worst of what is healthy.
func TestLongFalsePages(t *testing.T) {
	const years = 200
	for _, falsePages := range []float64{0.1, 10, 1000} {
		for _, length := range []string{probes.Band32k, probes.Band128k, probes.Band512k, probes.BandWindow} {
			limit, h := BaselineOf(length), threshold(falsePages)
			c := cellUnderWatch{limit: limit, exchanges: 1, random: rand.New(rand.NewPCG(1, 9))}
			pages := 0
			for range years * perYear {
				if c.round(limit.Healthy); c.watch.Passed(h) {
					c.watch = c.watch.Restart()
					pages++
				}
			}
			got, allowed := cells*float64(pages)/years, falsePages*2/shares
			t.Logf("%s at its cap of %2.0f %%, false_pages_per_year %4g: %.3g a year on ten cells, of %.3g that the watch may", length, 100*limit.Healthy, falsePages, got, allowed)
			if got > allowed*1.5 && pages > 3 {
				t.Errorf("%s: %g false pages a year, want at most %g", length, got, allowed)
			}
		}
	}
}

// TestLongDelay measures how many rounds it takes to find a shift.
func TestLongDelay(t *testing.T) {
	const runs = 2000
	h := threshold(0.1)
	for _, length := range []string{probes.Band32k, probes.Band128k, probes.Band512k, probes.BandWindow} {
		for _, after := range []float64{0.1, 0.2, 0.5, 1} {
			for _, healthy := range []int{0, 2000} {
				var delays []int
				for seed := range uint64(runs) {
					c := cellUnderWatch{limit: BaselineOf(length), exchanges: 1, random: rand.New(rand.NewPCG(seed, 2))}
					for range healthy {
						c.round(min(0.01, BaselineOf(length).Healthy))
					}
					c.watch = c.watch.Restart() // that it passed before is not the question
					if n, passed := c.rounds(after, h, 2000); passed {
						delays = append(delays, n)
					}
				}
				t.Logf("%s, %3.0f %% after %4d healthy rounds at 1 %%: %s", length, 100*after, healthy, delaysOf(delays, runs, "rounds"))
			}
		}
	}
}

// delaysOf is the mean and the 95th percentile of what was found.
func delaysOf(found []int, of int, unit string) string {
	if len(found) < of/2 {
		return fmt.Sprintf("found in %d of %d", len(found), of)
	}
	slices.Sort(found)
	sum := 0
	for _, n := range found {
		sum += n
	}
	return fmt.Sprintf("found in %d of %d, after %.1f %s on average, %d for 95 %% of them",
		len(found), of, float64(sum)/float64(len(found)), unit, found[len(found)*95/100])
}

// TestLongIdentity is one bad replica of 16 behind a sticky router, by the daily
// reading of the counts of a week, and as many years without it.
func TestLongIdentity(t *testing.T) {
	policy := Policy{Alpha: 0.1 / shares / 365, Signs: []Sign{SignRate, SignIdentity}}
	for _, length := range []string{probes.Band32k, probes.Band128k, probes.BandWindow} {
		for _, bad := range []float64{0, 0.5, 1} {
			random := rand.New(rand.NewPCG(4, 4))
			const runs = 100
			var delays []int
			wrong := 0
			for range runs {
				days := 365
				if bad > 0 {
					days = 21
				}
				day, d := firstCall(random, length, bad, days, policy)
				switch {
				case day == 0:
				case bad > 0 && d.Sign == SignIdentity && d.Identity == "t07":
					delays = append(delays, day)
				default:
					wrong++
				}
			}
			if bad == 0 {
				t.Logf("%s, a healthy year: %d of %d called degraded", length, wrong, runs)
			} else {
				t.Logf("%s, one of 16 loses %.0f %%, the others %.1f %%: %s, %d called by its rate",
					length, 100*bad, 100*BaselineOf(length).Healthy/2, delaysOf(delays, runs, "days"), wrong)
			}
			if wrong > 3 || bad == 1 && len(delays) < runs*9/10 {
				t.Errorf("%s, %g: found in %d, called by its rate in %d of %d", length, bad, len(delays), wrong, runs)
			}
		}
	}
}

// firstCall is the first day on which a cell whose 16 tenants take turns is called
// degraded, 0 if none is.
func firstCall(random *rand.Rand, length string, bad float64, days int, p Policy) (int, Degradation) {
	var s State
	n := 0
	for day := 1; day <= days; day++ {
		for range dayRounds {
			n++
			rate := BaselineOf(length).Healthy / 2
			if n%16 == 7 {
				rate = max(rate, bad)
			}
			s = Step(s, Round{Trials: []Trial{{Cell: cellOf(length), Identity: fmt.Sprintf("t%02d", n%16), Missed: random.Float64() < rate}}})
		}
		if found := Degraded(s, p); len(found) > 0 {
			return day, found[0]
		}
		if day%7 == 0 {
			s = s.Recount()
		}
	}
	return 0, Degradation{}
}

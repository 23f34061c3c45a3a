package report

import (
	"cmp"
	"fmt"
	"slices"

	"crosstalk/checks"
	"crosstalk/internal/stats"
	"crosstalk/probes"
)

func (c *Counts) add(sent bool, verdict checks.Class) {
	c.Planned++
	if sent {
		c.Sent++
	}
	switch verdict {
	case checks.Leak:
		c.Leak++
	case checks.Foreign:
		c.Foreign++
	case checks.Damaged:
		c.Damaged++
	case checks.Degraded:
		c.Degraded++
	case checks.Sound:
		c.Sound++
	default:
		c.Inconclusive++
		return
	}
	c.Decided++
}

// cellTally gathers a cell.
type cellTally struct {
	Counts
	key        probes.Cell
	identities map[string]bool
}

func tallyOf(cells map[probes.Cell]*cellTally, key probes.Cell) *cellTally {
	t := cells[key]
	if t == nil {
		t = &cellTally{key: key, identities: map[string]bool{}}
		cells[key] = t
	}
	return t
}

func (t *cellTally) add(x *probes.Exchange, verdict checks.Class) {
	t.Counts.add(x.Response != nil, verdict)
	if x.Response != nil {
		t.identities[x.Intent.Tenant] = true
	}
}

func (t *cellTally) cell() Cell { return NewCell(t.key, t.Counts, len(t.identities)) }

// NewCell is a cell with what its counts say of rates. identities is how many
// tenants were sent from.
func NewCell(key probes.Cell, counts Counts, identities int) Cell {
	c := Cell{Cell: key, Counts: counts, Identities: identities}
	c.Disclosure = bound(c.Leak+c.Foreign, c.Decided, c.Identities)
	c.Damage = bound(c.Damaged, c.Decided, c.Identities)
	c.Enough = enough(c.Counts)
	return c
}

func enough(c Counts) bool {
	return c.Decided > 0 && float64(c.Decided) >= decidedShare*float64(c.Planned)
}

func bound(hits, n, identities int) Bound {
	b := Bound{Hits: hits, N: n, High: 1, ByIDs: 1}
	switch {
	case n == 0:
	case hits == 0:
		b.High = stats.UpperBound(n, 1-confidence)
		b.ByIDs = stats.UpperBound(identities, 1-confidence)
	default:
		ci := stats.ClopperPearson(hits, n, confidence)
		b.Low, b.High = ci.Low, ci.High
	}
	return b
}

func compareCells(a, b probes.Cell) int {
	return cmp.Or(
		cmp.Compare(a.Target, b.Target), cmp.Compare(a.Probe, b.Probe),
		cmp.Compare(slices.Index(bands, a.Length), slices.Index(bands, b.Length)), cmp.Compare(a.Length, b.Length),
		cmp.Compare(a.Concurrency, b.Concurrency), cmp.Compare(fmt.Sprint(a.Warm, a.Stream), fmt.Sprint(b.Warm, b.Stream)),
	)
}

// bands is the order of the length bands in a report.
var bands = []string{
	probes.Band4k, probes.Band32k, probes.Band128k, probes.Band256k, probes.Band512k,
	probes.BandLong, probes.BandWindow, probes.BandOver,
}

package web

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"crosstalk/internal/ledger"
	"crosstalk/internal/report"
)

// heatMap is the bound of every probe and length band of a target.
type heatMap struct {
	Width, Height int
	Columns       []heatLabel
	Rows          []heatLabel
	Fields        []heatField
}

type heatLabel struct {
	X, Y int
	Text string
}

// heatField is the worst cell of a probe and a length band.
type heatField struct {
	X, Y, W, H       int
	Class            string // style: hit, none, or e0 (nothing excluded) to e4
	Bound, Base, Tip string
}

// Geometry of the heat map, in pixels.
const (
	heatLeft, heatTop = 96, 26
	heatW, heatH      = 88, 44
	heatGap           = 3
)

// drawHeat draws a field for each probe and length band that was met.
func drawHeat(cells []ledger.CellRecord) heatMap {
	worst := map[[2]string]ledger.CellRecord{}
	met := map[string]bool{}
	var rows []string
	for _, c := range cells {
		cell := c.Cell.Cell
		key := [2]string{cell.Probe, cell.Length}
		met[cell.Length] = true
		if !slices.Contains(rows, cell.Probe) {
			rows = append(rows, cell.Probe)
		}
		if old, ok := worst[key]; !ok || worse(c, old) {
			worst[key] = c
		}
	}
	slices.Sort(rows)
	rows, _ = atMost(rows, 30)
	columns := slices.DeleteFunc(bands(), func(b string) bool { return !met[b] })
	m := heatMap{
		Width:  heatLeft + len(columns)*(heatW+heatGap),
		Height: heatTop + len(rows)*(heatH+heatGap),
	}
	for j, b := range columns {
		m.Columns = append(m.Columns, heatLabel{heatLeft + j*(heatW+heatGap) + heatW/2, heatTop - 9, b})
	}
	for i, probe := range rows {
		y := heatTop + i*(heatH+heatGap)
		m.Rows = append(m.Rows, heatLabel{heatLeft - 10, y + heatH/2 + 4, cut(probe, 12)})
		for j, b := range columns {
			f := heatField{X: heatLeft + j*(heatW+heatGap), Y: y, W: heatW, H: heatH, Class: "none", Bound: "–", Tip: "not covered"}
			if c, ok := worst[[2]string{probe, b}]; ok {
				f.fill(c)
			}
			m.Fields = append(m.Fields, f)
		}
	}
	return m
}

// worse reports whether a cell says worse than another: more hits, or less
// excluded.
func worse(a, b ledger.CellRecord) bool {
	if a.Disclosure.Hits != b.Disclosure.Hits {
		return a.Disclosure.Hits > b.Disclosure.Hits
	}
	return a.Disclosure.High > b.Disclosure.High
}

// fill says what a cell supports.
func (f *heatField) fill(c ledger.CellRecord) {
	f.Tip = cut(report.CellName(c.Cell.Cell), 100) + ": " + boundText(c.Disclosure) + " leak or foreign"
	f.Base = "of " + report.Number(int64(c.Decided))
	switch {
	case c.Decided == 0:
		f.Class, f.Bound, f.Base = "none", "?", "0 decided"
		return
	case c.Disclosure.Hits > 0:
		f.Class, f.Bound = "hit", fmt.Sprintf("%s hit", report.Number(int64(c.Disclosure.Hits)))
		if c.Disclosure.Hits > 1 {
			f.Bound += "s"
		}
		return
	}
	f.Bound = "≤ " + percent(c.Disclosure.High)
	f.Class = "e0"
	for i, limit := range []float64{.5, .1, .02, .004} {
		if c.Disclosure.High <= limit {
			f.Class = fmt.Sprintf("e%d", i+1)
		}
	}
}

// boundText is a bound as a sentence has it.
func boundText(b report.Bound) string {
	switch {
	case b.N == 0:
		return "nothing decided"
	case b.Hits == 0:
		return fmt.Sprintf("0 of %s, at most %s", report.Number(int64(b.N)), percent(b.High))
	default:
		return fmt.Sprintf("%s of %s, %s to %s", report.Number(int64(b.Hits)), report.Number(int64(b.N)), percent(b.Low), percent(b.High))
	}
}

// strip is the newest rounds of a probe, the newest to the right.
type strip struct {
	Probe         string
	Width, Height int
	Marks         []stripMark
}

type stripMark struct {
	X, Y, H int
	Class   string
	ID      uuid.UUID
	Tip     string
}

const (
	stripStep   = 11
	stripHeight = 30
	stripMost   = 60
)

// drawStrips draws one strip for each probe. The height of a mark says its class
// as its colour does.
func drawStrips(rounds []ledger.RoundRecord) []strip {
	byProbe := map[string][]ledger.RoundRecord{}
	var order []string
	for _, r := range rounds {
		if byProbe[r.Probe] == nil {
			order = append(order, r.Probe)
		}
		byProbe[r.Probe] = append(byProbe[r.Probe], r)
	}
	slices.Sort(order)
	order, _ = atMost(order, 30)
	var strips []strip
	for _, probe := range order {
		list, _ := atMost(byProbe[probe], stripMost)
		s := strip{Probe: probe, Width: stripMost * stripStep, Height: stripHeight}
		for i, r := range list {
			h := stripMarkHeight(r)
			s.Marks = append(s.Marks, stripMark{
				X: s.Width - (i+1)*stripStep, Y: stripHeight - h, H: h, Class: r.Class.String(), ID: r.ID,
				Tip: fmt.Sprintf("%s, %s", r.Class, stamp(r.Ended)),
			})
		}
		strips = append(strips, s)
	}
	return strips
}

func stripMarkHeight(r ledger.RoundRecord) int {
	switch r.Class.String() {
	case "leak", "foreign":
		return 30
	case "damaged":
		return 23
	case "inconclusive":
		return 8
	case "degraded":
		return 16
	default:
		return 13
	}
}

package web

import (
	"fmt"
	"math"
	"slices"

	"github.com/google/uuid"

	"crosstalk/alerting"
	"crosstalk/checks"
	"crosstalk/internal/ledger"
	"crosstalk/internal/report"
)

// pageMap draws where in the donor's prompt the content of one answer stood: the
// answer runs to the right, the prompt upwards.
type pageMap struct {
	Width, Height    int
	Left, Right      float64 // of the field
	Top, Bottom      float64
	MiddleX, MiddleY float64
	Exchange, Round  uuid.UUID
	Tenant           string // who got the answer
	Channel          string
	Donors           []mapDonor
	Marks            []mapMark
	XTicks, YTicks   []mapTick
	More             bool
	Span             string // how much of the prompt the marks cover
}

// mapDonor is a request whose content came out.
type mapDonor struct {
	Class    string // style: d0 to d4
	Tenant   string
	Sent     string
	Exchange uuid.UUID
	Count    int
}

// mapMark is one finding.
type mapMark struct {
	Number       int
	Class        string // style of its donor
	Whole        bool   // a whole marker: drawn as a diamond
	X, Y, X2, Y2 float64
	Diamond      string // points
	Tip          string
	Finding      checks.Finding
}

type mapTick struct {
	At   float64
	Text string
}

// Geometry of a page map, in pixels.
const (
	mapWidth, mapHeight = 820, 400
	mapLeft, mapRight   = 110, 800
	mapTop, mapBottom   = 20, 345
	mostMaps            = 4
	donorStyles         = 5
)

// drawMaps draws one map for each channel of each answer that held content with
// a known place, the first answers first.
func (p *pages) drawMaps(i alerting.Incident, seen []ledger.ExchangeRecord) []pageMap {
	if i.Kind != alerting.KindLeak {
		return nil
	}
	var maps []pageMap
	for _, x := range seen {
		if len(maps) == mostMaps {
			break
		}
		byChannel := map[checks.Channel][]checks.Finding{}
		for _, f := range x.Findings {
			if f.Origin != nil && f.Origin.PromptOffset >= 0 && f.Class == checks.Leak {
				byChannel[f.Channel] = append(byChannel[f.Channel], f)
			}
		}
		for _, c := range checks.Channels() {
			if len(maps) < mostMaps && len(byChannel[c]) > 0 {
				maps = append(maps, p.drawMap(x, c, byChannel[c]))
			}
		}
	}
	return maps
}

func (p *pages) drawMap(x ledger.ExchangeRecord, c checks.Channel, findings []checks.Finding) pageMap {
	m := pageMap{
		Width: mapWidth, Height: mapHeight, Left: mapLeft, Right: mapRight, Top: mapTop, Bottom: mapBottom,
		MiddleX: (mapLeft + mapRight) / 2, MiddleY: (mapTop + mapBottom) / 2,
		Exchange: x.ID, Round: x.Round, Tenant: x.Tenant, Channel: string(c),
	}
	slices.SortStableFunc(findings, func(a, b checks.Finding) int { return a.Offset - b.Offset })
	findings, m.More = atMost(findings, mostMarks)
	answer, low, high := 0, int64(math.MaxInt64), int64(0)
	for _, f := range findings {
		answer = max(answer, f.Offset+max(0, f.Length))
		low = min(low, f.Origin.PromptOffset)
		high = max(high, f.Origin.PromptOffset+int64(max(0, f.Length)))
	}
	x0 := axisOf(0, float64(answer), mapLeft, mapRight)
	y0 := axisOf(float64(low), float64(high), mapBottom, mapTop)
	m.XTicks, m.YTicks = x0.ticks(), y0.ticks()
	for n, f := range findings {
		m.Marks = append(m.Marks, m.mark(n+1, f, p.donorIndex(&m, f), x0.at, y0.at))
	}
	whose := "the donor's prompt"
	if len(m.Donors) > 1 {
		whose = "the donors' prompts"
	}
	m.Span = fmt.Sprintf("bytes %s to %s of %s", report.Number(low), report.Number(high), whose)
	return m
}

// donorIndex finds or adds the donor of a finding.
func (p *pages) donorIndex(m *pageMap, f checks.Finding) int {
	sent := stamp(f.Origin.Payload.Time())
	name := p.tenant(f.Origin.Tenant)
	i := slices.IndexFunc(m.Donors, func(d mapDonor) bool {
		return d.Tenant == name && d.Exchange == f.Origin.Exchange && d.Sent == sent
	})
	if i < 0 {
		i = len(m.Donors)
		m.Donors = append(m.Donors, mapDonor{
			Class: fmt.Sprintf("d%d", i%donorStyles), Tenant: name, Sent: sent, Exchange: f.Origin.Exchange,
		})
	}
	m.Donors[i].Count++
	return i
}

func (m *pageMap) mark(n int, f checks.Finding, donor int, xs, ys func(float64) float64) mapMark {
	length := float64(max(0, f.Length))
	k := mapMark{
		Number: n, Class: m.Donors[donor].Class, Whole: f.Kind == checks.KindMarker, Finding: f,
		X: xs(float64(f.Offset)), Y: ys(float64(f.Origin.PromptOffset)),
		X2: xs(float64(f.Offset) + length), Y2: ys(float64(f.Origin.PromptOffset) + length),
		Tip: fmt.Sprintf("%d: %s, answer byte %s, prompt byte %s", n, cut(f.Kind, 30),
			report.Number(int64(f.Offset)), report.Number(f.Origin.PromptOffset)),
	}
	k.Diamond = fmt.Sprintf("%.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f", k.X, k.Y-7, k.X+7, k.Y, k.X, k.Y+7, k.X-7, k.Y)
	return k
}

// axis maps values from low to high onto pixels.
type axis struct{ low, high, step, from, to float64 }

// axisOf is an axis that holds both values and begins, ends and is marked at
// numbers a person can read. It begins at 0 unless the values are so far from it
// that they could not be told apart.
func axisOf(low, high, from, to float64) axis {
	if high-low > high/2 {
		low = 0
	}
	step := niceStep((high - low) / 5)
	return axis{
		low: math.Floor(low/step) * step, high: max(math.Ceil(high/step)*step, math.Floor(low/step)*step+step),
		step: step, from: from, to: to,
	}
}

// niceStep is the next of 1, 2, 2.5, 5 times a power of ten, and at least 1.
func niceStep(v float64) float64 {
	if v <= 1 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, f := range []float64{1, 2, 2.5, 5} {
		if v <= f*power {
			return f * power
		}
	}
	return 10 * power
}

// at is the pixel of a value.
func (a axis) at(v float64) float64 {
	return math.Round((a.from+(v-a.low)/(a.high-a.low)*(a.to-a.from))*10) / 10
}

func (a axis) ticks() []mapTick {
	var list []mapTick
	for i := range int(math.Round((a.high-a.low)/a.step)) + 1 {
		v := a.low + float64(i)*a.step
		list = append(list, mapTick{a.at(v), report.Number(int64(v))})
	}
	return list
}

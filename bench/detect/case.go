package detect

import (
	"iter"
	"slices"
	"strings"

	"crosstalk/checks"
	"crosstalk/internal/stats"
	"crosstalk/tenants"
)

// Case is one labelled exchange: the first of the round in In.
type Case struct {
	ID string
	// Class is the group a case is counted in, Row how it was made.
	Class, Row string
	// Want lists the classes that are right for it.
	Want []checks.Class
	// Kinds lists findings one of which must be there, as "check/kind"; none
	// means that the class is enough.
	Kinds []string
	// Origin is the request that a leak must be attributed to; the zero value
	// asks for none.
	Origin tenants.Payload
	// Bar is the least share of the row's cases that must be right; 0 for
	// rows that are reported only.
	Bar float64
	In  checks.Input
}

// Outcome is what the checks made of a case.
type Outcome struct {
	Case   Case
	Got    checks.Class
	Report checks.Report
	Right  bool
	Why    string // what is not right, "" if it is
}

// Judge runs every check over a case.
func Judge(c Case) Outcome {
	report := checks.Run(c.In, checks.All())
	o := Outcome{Case: c, Report: report}
	if len(report.Verdicts) == 0 {
		o.Why = "no exchange"
		return o
	}
	o.Got = report.Verdicts[0].Class
	o.Why = c.fault(o.Got, report)
	o.Right = o.Why == ""
	return o
}

// fault says what is not right about a verdict, "" if nothing is.
func (c Case) fault(got checks.Class, r checks.Report) string {
	switch {
	case !slices.Contains(c.Want, got):
		return "called " + got.String()
	case len(c.Kinds) > 0 && !slices.ContainsFunc(r.Findings, c.named):
		return "without " + strings.Join(c.Kinds, " or ")
	case c.Origin != (tenants.Payload{}) && !slices.ContainsFunc(r.Findings, c.attributed):
		return "not attributed to its request"
	}
	return ""
}

func (c Case) named(f checks.Finding) bool {
	return slices.Contains(c.Kinds, f.Check+"/"+f.Kind)
}

func (c Case) attributed(f checks.Finding) bool {
	return f.Class == checks.Leak && f.Origin != nil && f.Origin.Payload.Request() == c.Origin
}

// Row is the count of all cases made in one way.
type Row struct {
	Class    string         `json:"class"`
	Name     string         `json:"name"`
	N        int            `json:"n"`
	Right    int            `json:"right"`
	Interval stats.Interval `json:"interval"` // of the share right, 95 %
	Bar      float64        `json:"bar,omitempty"`
	// Got counts the verdicts by the name of their class.
	Got map[string]int `json:"got"`
	// Missed are the first few cases that are not right, and why.
	Missed []string `json:"missed,omitempty"`
}

// Share is the share of the cases that were judged right.
func (r Row) Share() float64 { return float64(r.Right) / float64(max(1, r.N)) }

// BelowBar reports whether the row does not reach its bar.
func (r Row) BelowBar() bool { return r.Bar > 0 && r.Share() < r.Bar }

// Result is what a run of cases came to.
type Result struct {
	Rows []Row `json:"rows"`
	// Confusion counts verdicts by the class that was wanted: [wanted][got]. A
	// case with several right classes is wanted to be the first of them, or the
	// one it got if that is right too.
	Confusion map[string]map[string]int `json:"confusion"`
	// FalseLeaks and FalseForeign count verdicts that no label allows.
	FalseLeaks   int `json:"false_leaks"`
	FalseForeign int `json:"false_foreign"`
	Cases        int `json:"cases"`
}

// maxMissed is how many cases of a row are named that were not right.
const maxMissed = 8

// Run judges all cases. Rows come in the order of their first case. see, if not
// nil, is told of each outcome.
func Run(cases iter.Seq[Case], see func(Outcome)) Result {
	res := Result{Confusion: map[string]map[string]int{}}
	index := map[string]int{}
	for c := range cases {
		o := Judge(c)
		key := c.Class + "\x00" + c.Row
		i, ok := index[key]
		if !ok {
			i = len(res.Rows)
			index[key] = i
			res.Rows = append(res.Rows, Row{Class: c.Class, Name: c.Row, Bar: c.Bar, Got: map[string]int{}})
		}
		res.Rows[i].add(o)
		res.count(o)
		if see != nil {
			see(o)
		}
	}
	for i := range res.Rows {
		r := &res.Rows[i]
		r.Interval = stats.ClopperPearson(r.Right, r.N, 0.95)
	}
	return res
}

func (r *Row) add(o Outcome) {
	r.N++
	r.Got[o.Got.String()]++
	if o.Right {
		r.Right++
	} else if len(r.Missed) < maxMissed {
		r.Missed = append(r.Missed, o.Case.ID+": "+o.Why)
	}
}

func (res *Result) count(o Outcome) {
	res.Cases++
	want := checks.Sound
	if len(o.Case.Want) > 0 {
		want = o.Case.Want[0]
	}
	if slices.Contains(o.Case.Want, o.Got) {
		want = o.Got
	} else {
		switch o.Got {
		case checks.Leak:
			res.FalseLeaks++
		case checks.Foreign:
			res.FalseForeign++
		}
	}
	if res.Confusion[want.String()] == nil {
		res.Confusion[want.String()] = map[string]int{}
	}
	res.Confusion[want.String()][o.Got.String()]++
}

// BelowBar are the rows that do not reach their bar.
func (res Result) BelowBar() []Row {
	return slices.DeleteFunc(slices.Clone(res.Rows), func(r Row) bool { return !r.BelowBar() })
}

// Passed reports whether every row reaches its bar and no verdict was a false
// leak or a false disclosure.
func (res Result) Passed() bool {
	return len(res.BelowBar()) == 0 && res.FalseLeaks == 0 && res.FalseForeign == 0
}

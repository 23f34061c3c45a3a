package report

import (
	"fmt"
	"strings"

	"crosstalk/checks"
)

// NotCovered names what no probe of this version triggers; a report that did
// not say so would promise too much.
func NotCovered() []string {
	return []string{
		"aborted requests", "shared prefixes", "kept-alive connections", "stored objects", "tools", "images", "adapters",
	}
}

// coverage says line by line what the numbers of a run do not cover.
func (s *Summary) coverage() []string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if len(s.NeverBegun) > 0 {
		var parts []string
		for _, n := range s.NeverBegun {
			parts = append(parts, fmt.Sprintf("%s %s", n.Probe, Plural(n.Rounds, "round")))
		}
		add("never begun: %s", strings.Join(parts, ", "))
	}
	if len(s.Undecid) > 0 {
		add("could not tell: %s", counted(s.Undecid))
	}
	if len(s.NotSent) > 0 {
		add("not sent: %s", counted(s.NotSent))
	}
	// Where no cell has enough, the verdict says it all.
	if thin := s.Thin(); len(thin) > 0 && len(thin) < len(s.Cells) {
		add("too little decided (under %.0f %% of what was planned): %s", 100*decidedShare, cellNames(thin))
	}
	switch n := s.Routes.Tenants; {
	case n == 1:
		add("routes: 1 tenant was sent from; a fault on a share of replicas that it does not reach is not covered")
	case n > 1:
		add("routes: %d tenants were sent from; a fault on a share of replicas that none of them reaches is not covered", n)
	}
	add("not covered: %s", strings.Join(s.NotCovered, ", "))
	return lines
}

func cellNames(cells []Cell) string {
	var names []string
	for _, c := range cells {
		names = append(names, CellName(c.Cell))
	}
	return strings.Join(names, "; ")
}

// disclosure is what a cell supports about leaks. Where one tenant sent
// everything there was nobody whose content it could have been given and known
// again: only foreign content could be seen.
func (s *Summary) disclosure(c Cell) string {
	if s.alone() && c.Leak == 0 && c.Disclosure.N > 0 {
		return "foreign only: " + c.Disclosure.String()
	}
	return c.Disclosure.String()
}

// degradation is a kind of degraded finding with how often it was seen.
type degradation struct {
	check, kind, detail string // detail of the first
	exchanges           int
}

// degradations are the reasons why answers are called degraded, a line each.
func (s *Summary) degradations() []degradation {
	var list []degradation
	at := map[string]int{}
	seen := map[string]bool{}
	for _, f := range s.Findings {
		if f.Class != checks.Degraded {
			continue
		}
		name := f.Check + "/" + f.Kind
		i, ok := at[name]
		if !ok {
			i = len(list)
			at[name] = i
			list = append(list, degradation{check: f.Check, kind: f.Kind, detail: strings.TrimSuffix(f.Detail, ".")})
		}
		if key := name + f.Exchange.String(); !seen[key] {
			seen[key] = true
			list[i].exchanges++
		}
	}
	return list
}

func (d degradation) String() string {
	return fmt.Sprintf("%s/%s in %s, for example: %s", d.check, d.kind, Plural(d.exchanges, "exchange"), d.detail)
}

package preflight

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"crosstalk/internal/report"
)

// Report is what was read and what it amounts to.
type Report struct {
	// Schema is the version of the JSON form.
	Schema int `json:"schema"`
	// Version of crosstalk.
	Version string    `json:"crosstalk"`
	At      time.Time `json:"at"`
	// Authorization says on whose word an engine on another machine was read.
	Authorization string      `json:"authorization,omitempty"`
	Advertised    *Fact       `json:"advertised,omitempty"`
	Nodes         []*Node     `json:"nodes"`
	Judgements    []Judgement `json:"judgements"`
	Verdict       string      `json:"verdict"`
	ExitCode      int         `json:"exit_code"`
}

// Options say how facts are judged.
type Options struct {
	// Advertised is the window customers are told, in tokens; 0: not known.
	// From names where that stands.
	Advertised int
	From       string
	// Accept lists judgements whose findings and unknowns are known and
	// accepted.
	Accept []string
	// Strict makes every unknown count, not only those of pool and window.
	Strict bool
}

// Judge judges the facts of all nodes of one deployment. The nodes are not
// changed.
func Judge(nodes []*Node, o Options) (*Report, error) {
	known, err := KnownFaults()
	if err != nil {
		return nil, err
	}
	d := &deployment{nodes: nodes, known: known}
	if o.Advertised > 0 {
		d.advertised = &Fact{Name: Advertised, Value: Count(int64(o.Advertised)), Unit: "tokens", Where: o.From}
	}
	r := &Report{Schema: 1, Nodes: nodes, Advertised: d.advertised, Judgements: d.judge()}
	for i := range r.Judgements {
		j := &r.Judgements[i]
		if (j.Outcome == Finding || j.Outcome == Unknown) && slices.Contains(o.Accept, j.ID) {
			j.Outcome = Accepted
		}
		j.Required = j.Required || o.Strict
		if j.Read == nil {
			j.Read = []Fact{} // a list in JSON
		}
	}
	r.conclude()
	return r, nil
}

// conclude counts and decides: a finding is 1 whatever else could not be read;
// without one, anything that could not be read or judged is 3.
func (r *Report) conclude() {
	counts := map[Outcome]int{}
	blind := len(r.problems())
	for _, j := range r.Judgements {
		counts[j.Outcome]++
		if j.Outcome == Unknown && j.Required {
			blind++
		}
	}
	switch {
	case counts[Finding] > 0:
		r.ExitCode = report.ExitDamaged
		r.Verdict = report.Plural(counts[Finding], "finding")
	case blind > 0 || len(r.Nodes) == 0:
		r.ExitCode = report.ExitInconclusive
		r.Verdict = "could not tell"
	default:
		r.ExitCode = report.ExitSound
		r.Verdict = "fine"
		if counts[Unknown] > 0 {
			r.Verdict = "no finding"
		}
	}
	if n := counts[Warning]; n > 0 {
		r.Verdict += ", " + report.Plural(n, "warning")
	}
	for _, o := range []Outcome{Unknown, Accepted} {
		if n := counts[o]; n > 0 {
			r.Verdict += fmt.Sprintf(", %d %s", n, o)
		}
	}
}

// problems are those of all nodes.
func (r *Report) problems() []Problem {
	var out []Problem
	for _, n := range r.Nodes {
		out = append(out, n.Problems...)
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

package preflight

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"crosstalk/internal/report"
)

// Write writes the report in one of report.Formats.
func (r *Report) Write(w io.Writer, format string) error {
	switch format {
	case "text":
		return r.text(w)
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	case "junit":
		return r.junit(w)
	case "sarif":
		return r.sarif(w)
	case "markdown":
		return r.markdown(w)
	}
	return fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(report.Formats(), ", "))
}

// VerdictLine is the verdict in one line, for standard error.
func (r *Report) VerdictLine() string {
	return fmt.Sprintf("verdict: %s (exit %d)", r.Verdict, r.ExitCode)
}

// loud are the outcomes in the order in which a person should read them.
func loud() []Outcome { return []Outcome{Finding, Unknown, Warning, Accepted, Fine} }

func (r *Report) text(w io.Writer) error {
	p := &lines{w: w}
	for _, n := range r.Nodes {
		p.line("node %s: %s", n.Name, n.describe())
	}
	if r.Advertised != nil {
		p.line("advertised window: %s tokens (%s)", r.Advertised.Value, r.Advertised.Where)
	}
	if r.Authorization != "" {
		p.line("authorization: %s", r.Authorization)
	}
	for _, problem := range r.problems() {
		p.line("\nunreadable  %s\n            %s\n            do: %s", problem.Where, problem.Why, problem.Do)
	}
	for _, o := range loud() {
		for _, j := range r.Judgements {
			if j.Outcome != o {
				continue
			}
			p.line("\n%-10s  %s (%s)\n            %s", o, j.ID, j.Node, j.Means)
			for _, f := range j.Read[:min(len(j.Read), mostShown)] {
				p.line("            read: %s", f)
			}
			if more := len(j.Read) - mostShown; more > 0 {
				p.line("            and %s more", report.Plural(more, "fact"))
			}
			if j.Do != "" {
				p.line("            do: %s", j.Do)
			}
		}
	}
	p.line("\n%s", r.VerdictLine())
	return p.err
}

// mostShown bounds the facts shown below one judgement; JSON has all.
const mostShown = 12

// describe says in a few words what a node is.
func (n *Node) describe() string {
	engine := n.engine()
	if engine == "" {
		return "engine not known"
	}
	if v := n.text(Version); v != "" {
		engine += " " + v
	}
	if role := n.role(); role != RoleUnified {
		engine += ", " + role
	}
	if m := n.text(Model); m != "" {
		engine += ", model " + m
	}
	return engine
}

// junit writes a case for each judgement and each problem: a finding is a
// failure, what could not be read or judged an error.
func (r *Report) junit(w io.Writer) error {
	suite := report.JUnitSuite{Name: "crosstalk preflight", Time: "0.000", Timestamp: r.At.UTC().Format("2006-01-02T15:04:05Z")}
	for _, j := range r.Judgements {
		c := report.JUnitCase{Class: j.Node, Name: j.ID, Output: j.Outcome.String() + ": " + j.Means}
		problem := &report.JUnitProblem{Type: j.Outcome.String(), Message: j.Means, Text: j.evidence()}
		switch {
		case j.Outcome == Finding:
			c.Failure = problem
		case j.Outcome == Unknown && j.Required:
			c.Error = problem
		}
		suite.Cases = append(suite.Cases, c)
	}
	for _, n := range r.Nodes {
		for _, p := range n.Problems {
			suite.Cases = append(suite.Cases, report.JUnitCase{
				Class: n.Name, Name: "read " + p.Where, Error: &report.JUnitProblem{Type: "unreadable", Message: p.Why, Text: p.Do + "\n"},
			})
		}
	}
	return suite.Write(w)
}

// evidence is what a judgement rests on, and what to do, a line each.
func (j Judgement) evidence() string {
	var b strings.Builder
	for _, f := range j.Read {
		fmt.Fprintf(&b, "read: %s\n", f)
	}
	if j.Do != "" {
		fmt.Fprintf(&b, "do: %s\n", j.Do)
	}
	return b.String()
}

func (r *Report) sarif(w io.Writer) error {
	log := report.SARIFLog{Version: r.Version, Decided: r.ExitCode != report.ExitInconclusive, ExitCode: r.ExitCode, Started: r.At, Ended: r.At}
	for _, j := range r.Judgements {
		level, shown := map[Outcome]string{Finding: "error", Warning: "note", Unknown: "warning", Accepted: "note"}[j.Outcome]
		if shown {
			text := j.Means
			if j.Do != "" {
				text += ". Do: " + j.Do
			}
			log.Results = append(log.Results, report.SARIFResult{
				Rule: "preflight/" + j.ID, Level: level, Text: text, Where: j.Node, Properties: map[string]any{"outcome": j.Outcome, "read": j.Read},
			})
		}
	}
	for _, n := range r.Nodes {
		for _, p := range n.Problems {
			log.Results = append(log.Results, report.SARIFResult{
				Rule: "preflight/unreadable", Level: "warning", Text: p.Why + ". Do: " + p.Do, Where: n.Name + "/" + p.Where,
				Properties: map[string]any{"outcome": Unknown},
			})
		}
	}
	return log.Write(w)
}

func (r *Report) markdown(w io.Writer) error {
	p := &lines{w: w}
	p.line("## Preflight: %s\n", cell(r.Verdict))
	for _, n := range r.Nodes {
		p.line("- **%s**: %s", cell(n.Name), cell(n.describe()))
	}
	for _, problem := range r.problems() {
		p.line("- **unreadable** %s: %s. %s.", cell(problem.Where), cell(problem.Why), cell(problem.Do))
	}
	p.line("\n| outcome | question | node | what it means | what to do |\n|---|---|---|---|---|")
	for _, o := range loud() {
		for _, j := range r.Judgements {
			if j.Outcome == o {
				p.line("| %s | `%s` | %s | %s | %s |", o, j.ID, cell(j.Node), cell(j.Means), cell(j.Do))
			}
		}
	}
	return p.err
}

// cell makes a text fit for a Markdown table.
func cell(s string) string {
	return strings.NewReplacer("|", "\\|", "<", "&lt;", "\n", " ", "`", "'", "[", "\\[").Replace(s)
}

// lines writes until the first error and keeps it.
type lines struct {
	w   io.Writer
	err error
}

func (l *lines) line(format string, args ...any) {
	if l.err == nil {
		_, l.err = fmt.Fprintf(l.w, format+"\n", args...)
	}
}

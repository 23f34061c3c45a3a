package report

import (
	"io"
	"strings"
)

// Markdown writes the summary for a ticket or a pull request.
func (s *Summary) Markdown(w io.Writer) error {
	p := &printer{w: w}
	p.printf("## crosstalk %s: %s\n\n", s.Command, s.Class)
	p.printf("Target `%s` (`%s`), %s of %s sent, %s tokens reserved (USD %.2f), %s, exit %d.\n\n",
		s.Target, s.Model, Number(int64(s.Totals.Sent)), Plural(s.Totals.Planned, "exchange"), Number(s.Tokens), s.USD, round(s.Ended.Sub(s.Started)), s.ExitCode)
	for _, n := range s.Notes {
		p.printf("> %s\n\n", n)
	}
	if gs := groups(s.Findings); len(gs) > 0 {
		p.printf("| class | exchange | finding |\n|---|---|---|\n")
		for i, g := range gs {
			if i == 5*shown {
				p.printf("| | | %s |\n", Plural(len(gs)-i, "more exchange"))
				break
			}
			for _, same := range g.byDonor() {
				f := same[0]
				p.printf("| %s | `%s` %s, %s tokens, %s | %s/%s: %s |\n", f.Class, f.Exchange, f.Probe, Number(int64(f.Tokens)), f.Tenant,
					f.Check, f.Kind, escaped(strings.Join(clauses(same), "; ")))
			}
		}
		p.printf("\n")
	}
	p.printf("| cell | planned | decided | sound | degraded | damaged | foreign | leak | leak or foreign (95 %%) | damage (95 %%) |\n")
	p.printf("|---|---:|---:|---:|---:|---:|---:|---:|---|---|\n")
	for _, c := range s.Cells {
		p.printf("| %s | %d | %d | %d | %d | %d | %d | %d | %s | %s |\n", strings.ReplaceAll(CellName(c.Cell), "|", "\\|"),
			c.Planned, c.Decided, c.Sound, c.Degraded, c.Damaged, c.Foreign, c.Leak, s.disclosure(c), c.Damage)
	}
	p.printf("\n")
	for _, d := range s.degradations() {
		p.printf("- Degraded: %s.\n", escaped(d.String()))
	}
	for _, line := range s.coverage() {
		p.printf("- %s.\n", capitalized(escaped(line)))
	}
	if s.ExitCode == ExitInconclusive || s.alone() {
		p.printf("- %s.\n", capitalized(s.VerdictLine()))
	}
	return p.err
}

// escaped keeps a text from ending a cell of a table or opening a tag.
func escaped(s string) string { return strings.NewReplacer("|", "\\|", "<", "&lt;").Replace(s) }

func capitalized(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

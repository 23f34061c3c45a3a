package report

import (
	"io"
	"strings"
)

// Markdown writes the summary for a ticket or a pull request.
func (s *Summary) Markdown(w io.Writer) error {
	p := &printer{w: w}
	p.printf("## crosstalk %s: %s\n\n", s.Command, s.Class)
	p.printf("Target `%s` (`%s`), %d of %d exchanges sent, %s tokens reserved (USD %.2f), %s, exit %d.\n\n",
		s.Target, s.Model, s.Totals.Sent, s.Totals.Planned, Number(s.Tokens), s.USD, round(s.Ended.Sub(s.Started)), s.ExitCode)
	for _, n := range s.Notes {
		p.printf("> %s\n\n", n)
	}
	if gs := groups(s.Findings); len(gs) > 0 {
		p.printf("| class | exchange | finding |\n|---|---|---|\n")
		for i, g := range gs {
			if i == 5*shown {
				p.printf("| | | %d more exchanges |\n", len(gs)-i)
				break
			}
			for _, f := range g.findings {
				p.printf("| %s | `%s` %s, %s tokens, %s | %s/%s: %s |\n", f.Class, f.Exchange, f.Probe, Number(int64(f.Tokens)), f.Tenant,
					f.Check, f.Kind, strings.ReplaceAll(sentence(f), "|", "\\|"))
			}
		}
		p.printf("\n")
	}
	p.printf("| cell | planned | decided | sound | degraded | damaged | foreign | leak | leak or foreign (95 %%) | damage (95 %%) |\n")
	p.printf("|---|---:|---:|---:|---:|---:|---:|---:|---|---|\n")
	for _, c := range s.Cells {
		p.printf("| %s | %d | %d | %d | %d | %d | %d | %d | %s | %s |\n", strings.ReplaceAll(CellName(c.Cell), "|", "\\|"),
			c.Planned, c.Decided, c.Sound, c.Degraded, c.Damaged, c.Foreign, c.Leak, c.Disclosure, c.Damage)
	}
	p.printf("\n")
	if len(s.Undecid) > 0 {
		p.printf("Could not tell: %s.\n", counted(s.Undecid))
	}
	if len(s.NotSent) > 0 {
		p.printf("Not sent: %s.\n", counted(s.NotSent))
	}
	p.printf("Not covered: %s.\n", NotCovered)
	return p.err
}

package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"crosstalk/checks"
	"crosstalk/probes"
)

// Text writes the summary for a person at a terminal.
func (s *Summary) Text(w io.Writer) error {
	p := &printer{w: w}
	p.head(s)
	p.findings(s, "")
	p.runbook(s)
	p.degraded(s)
	p.degradedCells(s)
	p.cells(s)
	p.coverage(s)
	p.verdict(s)
	return p.err
}

// WriteFindings writes the findings of the summary alone, indented.
func (s *Summary) WriteFindings(w io.Writer, indent string) error {
	p := &printer{w: w}
	p.findings(s, indent)
	return p.err
}

// printer writes until the first error and keeps it.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) head(s *Summary) {
	p.printf("target %s (%s): %s of %s sent in %s, %s tokens reserved (USD %.2f), seed %d\n",
		s.Target, s.Model, Number(int64(s.Totals.Sent)), Plural(s.Totals.Planned, "exchange"), round(s.Ended.Sub(s.Started)), Number(s.Tokens), s.USD, s.Seed)
	for _, n := range s.Notes {
		p.clauses("note: ", "  ", strings.Split(n, "; "))
	}
	p.printf("\n")
}

func (p *printer) cells(s *Summary) {
	if len(s.Cells) == 0 || p.err != nil {
		return
	}
	tw := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	row := func(cols ...any) {
		if p.err == nil {
			_, p.err = fmt.Fprintln(tw, tabbed(cols))
		}
	}
	row("cell", "planned", "decided", "sound", "degraded", "damaged", "foreign", "leak", "leak or foreign (95 %)", "damage (95 %)")
	for _, c := range s.Cells {
		row(CellName(c.Cell), c.Planned, c.Decided, c.Sound, c.Degraded, c.Damaged, c.Foreign, c.Leak, s.disclosure(c), c.Damage)
	}
	if p.err == nil {
		p.err = tw.Flush()
	}
	p.printf("\n")
}

func tabbed(cols []any) string {
	parts := make([]string, len(cols))
	for i, c := range cols {
		parts[i] = fmt.Sprint(c)
	}
	return strings.Join(parts, "\t")
}

// String is the bound as a person reads it.
func (b Bound) String() string {
	switch {
	case b.N == 0:
		return "not decided"
	case b.Hits == 0:
		return "< " + percent(b.High)
	default:
		return fmt.Sprintf("%s to %s", percent(b.Low), percent(b.High))
	}
}

// CellName is a cell in a few words, without its target.
func CellName(c probes.Cell) string {
	name := fmt.Sprintf("%s %s, %s at once", c.Probe, c.Length, c.Concurrency)
	if c.Warm {
		name += ", warm"
	}
	if c.Stream {
		name += ", streamed"
	}
	return name
}

func (p *printer) coverage(s *Summary) {
	for _, line := range s.coverage() {
		p.printf("%s\n", line)
	}
	p.printf("\n")
}

func (p *printer) verdict(s *Summary) {
	switch s.ExitCode {
	case ExitInconclusive:
		p.printf("verdict: inconclusive (exit %d): not enough was decided to speak of this target", s.ExitCode)
		if open := s.Totals.Planned - s.Totals.Decided; open > 0 {
			p.printf("; %s of %s could not be told", Number(int64(open)), Plural(s.Totals.Planned, "planned exchange"))
		}
		p.printf("\n")
	case ExitSound:
		p.printf("verdict: %s (exit 0)", s.Class)
		if s.alone() {
			p.printf("; leaks between tenants were not tested: one tenant")
		}
		p.printf("\n")
	default:
		p.printf("verdict: %s (exit %d)\n", s.verdictClass(), s.ExitCode)
	}
}

// verdictClass is the class that the exit code stands for.
func (s *Summary) verdictClass() checks.Class {
	if s.ExitCode == ExitDamaged {
		return checks.Damaged
	}
	return s.Class
}

// VerdictLine is the verdict in a line, for a terminal whose report goes to a
// file.
func (s *Summary) VerdictLine() string {
	var b strings.Builder
	p := &printer{w: &b}
	p.verdict(s)
	return strings.TrimSuffix(b.String(), "\n")
}

// reasonName spells out a reason whose short name says too little.
func reasonName(reason string) string {
	switch reason {
	case checks.KindBudget:
		return "answer budget used up"
	case checks.KindLostAskedSeal:
		return "asked seal lost"
	default:
		return reason
	}
}

func counted(m map[string]int) string {
	var parts []string
	for _, k := range sortedKeys(m) {
		parts = append(parts, fmt.Sprintf("%s %s", reasonName(k), Number(int64(m[k]))))
	}
	return strings.Join(parts, ", ")
}

// Plural is n of the thing, e.g. "1 target", "2 targets".
func Plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Number(int64(n)) + " " + thing
}

// Number writes n with thousands separated, as prompts and offsets are read.
func Number(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func percent(p float64) string {
	switch {
	case p >= 0.1:
		return fmt.Sprintf("%.0f %%", 100*p)
	case p >= 0.001:
		return fmt.Sprintf("%.2g %%", 100*p)
	default:
		return fmt.Sprintf("%.1g %%", 100*p)
	}
}

func round(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(100 * time.Millisecond)
}

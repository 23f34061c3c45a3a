package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"crosstalk/checks"
	"crosstalk/probes"
)

// shown is how many exchanges of one class a text report spells out.
const shown = 6

// Text writes the summary for a person at a terminal.
func (s *Summary) Text(w io.Writer) error {
	p := &printer{w: w}
	p.head(s)
	p.findings(s, "")
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
	p.printf("target %s (%s): %d of %d exchanges sent in %s, %s tokens reserved (USD %.2f), seed %d\n",
		s.Target, s.Model, s.Totals.Sent, s.Totals.Planned, round(s.Ended.Sub(s.Started)), Number(s.Tokens), s.USD, s.Seed)
	for _, n := range s.Notes {
		p.printf("note: %s\n", n)
	}
	p.printf("\n")
}

// findings lists what was found, one paragraph an exchange, worst first.
func (p *printer) findings(s *Summary, indent string) {
	listed := map[checks.Class]int{}
	for _, g := range groups(s.Findings) {
		listed[g.class]++
		if listed[g.class] > shown {
			continue
		}
		f := g.findings[0]
		p.printf("%s%s  %s\n", indent, strings.ToUpper(g.class.String()), headline(g))
		p.printf("%s  %s (%s), prompt of %s tokens by %s, exchange %s\n", indent, f.Probe, f.Role, Number(int64(f.Tokens)), f.Tenant, f.Exchange)
		for _, f := range g.findings {
			p.printf("%s  %s/%s: %s\n", indent, f.Check, f.Kind, sentence(f))
		}
		p.printf("\n")
	}
	for _, class := range []checks.Class{checks.Leak, checks.Foreign, checks.Damaged} {
		if n := listed[class] - shown; n > 0 {
			p.printf("%sand %d more exchanges with %s; --format json lists every one\n\n", indent, n, class)
		}
	}
}

// group is what was found in one exchange.
type group struct {
	class    checks.Class
	findings []Finding
}

// groups gathers the findings worth a person's time by exchange. The findings
// are sorted worst first, and so are the groups.
func groups(findings []Finding) []group {
	var out []group
	at := map[string]int{}
	for _, f := range findings {
		if f.Class != checks.Leak && f.Class != checks.Foreign && f.Class != checks.Damaged {
			continue
		}
		key := f.Exchange.String()
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, group{class: f.Class})
		}
		out[i].findings = append(out[i].findings, f)
	}
	return out
}

// headline says in a line what an exchange's findings amount to.
func headline(g group) string {
	f := g.findings[0]
	switch g.class {
	case checks.Leak:
		return fmt.Sprintf("content of %s's prompt was given to %s", f.OriginName, f.Tenant)
	case checks.Foreign:
		return fmt.Sprintf("%s was given content that its prompt cannot explain; the donor is unknown", f.Tenant)
	default:
		return fmt.Sprintf("the answer to %s is damaged", f.Tenant)
	}
}

// sentence is the detail of a finding with where it stands and how sure it is.
func sentence(f Finding) string {
	var b strings.Builder
	b.WriteString(strings.TrimSuffix(f.Detail, "."))
	if f.Channel != "" && f.Length > 0 {
		fmt.Fprintf(&b, "; %s at %d, %d bytes", f.Channel, f.Offset, f.Length)
	}
	if o := f.Origin; o != nil {
		fmt.Fprintf(&b, "; from request %s of %s", requestName(f), f.OriginName)
		if o.PromptOffset >= 0 {
			fmt.Fprintf(&b, " at prompt offset %s", Number(o.PromptOffset))
		}
		fmt.Fprintf(&b, " (sent %s)", o.Payload.Time().UTC().Format(time.RFC3339))
	}
	if f.PChance > 0 {
		fmt.Fprintf(&b, "; chance of accident %.1g", f.PChance)
	}
	return b.String()
}

func requestName(f Finding) string {
	if id := f.Origin.Exchange.String(); !strings.HasPrefix(id, "00000000-0000") {
		return id
	}
	p := f.Origin.Payload
	return fmt.Sprintf("%d.%d.%d", p.Tenant, p.Second, p.Draw)
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
		row(CellName(c.Cell), c.Planned, c.Decided, c.Sound, c.Degraded, c.Damaged, c.Foreign, c.Leak, c.Disclosure, c.Damage)
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
	if len(s.Undecid) > 0 {
		p.printf("could not tell: %s\n", counted(s.Undecid))
	}
	if len(s.NotSent) > 0 {
		p.printf("not sent: %s\n", counted(s.NotSent))
	}
	for _, c := range s.Thin() {
		p.printf("too little decided: %s: %d of %d\n", CellName(c.Cell), c.Decided, c.Planned)
	}
	if n := slices.MaxFunc(append(s.Cells, Cell{}), func(a, b Cell) int { return a.Identities - b.Identities }).Identities; n > 0 {
		p.printf("routes: %d tenants were sent from; a fault on a share of replicas that none of them reaches is not covered\n", n)
	}
	p.printf("not covered: %s\n\n", NotCovered)
}

// NotCovered names what no probe of this version triggers; a report that did
// not say so would promise too much.
const NotCovered = "aborted requests, shared prefixes, kept-alive connections, stored objects, tools, images, adapters"

func (p *printer) verdict(s *Summary) {
	switch s.ExitCode {
	case ExitLeak:
		p.printf("verdict: %s (exit %d)\n", s.Class, s.ExitCode)
	case ExitInconclusive:
		p.printf("verdict: inconclusive (exit %d): not enough was decided to speak of this target\n", s.ExitCode)
	case ExitSound:
		p.printf("verdict: %s (exit 0)\n", s.Class)
	default:
		p.printf("verdict: damaged (exit %d)\n", s.ExitCode)
	}
}

func counted(m map[string]int) string {
	var parts []string
	for _, k := range sortedKeys(m) {
		parts = append(parts, fmt.Sprintf("%s %d", k, m[k]))
	}
	return strings.Join(parts, ", ")
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

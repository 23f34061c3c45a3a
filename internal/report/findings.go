package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"crosstalk/checks"
	"crosstalk/tenants"
)

// shown is how many exchanges of one class a text report spells out.
const shown = 6

// lineWidth is where a line of a text report is broken between clauses.
const lineWidth = 110

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
		for _, same := range g.byDonor() {
			f := same[0]
			p.clauses(fmt.Sprintf("%s  %s/%s: ", indent, f.Check, f.Kind), indent+"    ", clauses(same))
		}
		p.printf("\n")
	}
	for _, class := range []checks.Class{checks.Leak, checks.Foreign, checks.Damaged} {
		if n := listed[class] - shown; n > 0 {
			p.printf("%sand %s with %s; --format json lists every one\n\n", indent, Plural(n, "more exchange"), class)
		}
	}
}

// runbook names what to do about the worst finding.
func (p *printer) runbook(s *Summary) {
	if gs := groups(s.Findings); len(gs) > 0 {
		p.printf("what to do: crosstalk runbook %s\n\n", gs[0].findings[0].Check)
	}
}

func (p *printer) degraded(s *Summary) {
	list := s.degradations()
	for _, d := range list {
		p.clauses("degraded: ", "  ", strings.Split(d.String(), "; "))
	}
	if len(list) > 0 {
		p.printf("\n")
	}
}

// clauses prints the clauses after the head, separated by semicolons, and
// begins a new line at indent where the next would pass the width. A clause is
// never broken, so that it can be searched for.
func (p *printer) clauses(head, indent string, list []string) {
	line := head
	for i, c := range list {
		if i < len(list)-1 {
			c += ";"
		}
		switch {
		case i == 0:
			line += c
		case len(line)+1+len(c) > lineWidth:
			p.printf("%s\n", line)
			line = indent + c
		default:
			line += " " + c
		}
	}
	p.printf("%s\n", line)
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

// byDonor gathers the findings of one exchange that a person reads as one: all
// markers of one request of a donor in one channel.
func (g group) byDonor() [][]Finding {
	type donor struct {
		check, kind string
		channel     checks.Channel
		request     tenants.Payload
	}
	var out [][]Finding
	at := map[donor]int{}
	for _, f := range g.findings {
		if f.Origin == nil || f.Origin.Marker == 0 {
			out = append(out, []Finding{f})
			continue
		}
		d := donor{f.Check, f.Kind, f.Channel, f.Origin.Payload}
		d.request.Index = 0
		i, ok := at[d]
		if !ok {
			i = len(out)
			at[d] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], f)
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
func sentence(f Finding) string { return strings.Join(clauses([]Finding{f}), "; ") }

// clauses are the parts of the sentence about findings that are read as one:
// what it is, where it stands, whose it is, and how sure that is.
func clauses(same []Finding) []string {
	f := same[0]
	if len(same) == 1 {
		out := []string{strings.TrimSuffix(f.Detail, ".")}
		if f.Channel != "" && f.Length > 0 {
			out = append(out, fmt.Sprintf("%s at %s, %s", f.Channel, Number(int64(f.Offset)), Plural(f.Length, "byte")))
		}
		return append(out, provenance(f, "prompt offset", []int64{promptOffset(f)}, f.PChance)...)
	}
	var markers, places []int64
	var prompt []int64
	best := f.PChance
	for _, f := range same {
		markers = append(markers, int64(f.Origin.Marker))
		places = append(places, int64(f.Offset))
		prompt = append(prompt, promptOffset(f))
		best = min(best, f.PChance)
	}
	slices.Sort(markers)
	out := []string{
		fmt.Sprintf("markers %s of one request of %s", enumerated(slices.Compact(markers)), f.OriginName),
		fmt.Sprintf("%s at %s", f.Channel, enumerated(places)),
	}
	if _, note, ok := strings.Cut(f.Detail, "): "); ok {
		out = append(out, note) // what is odd about the marker, see checks
	}
	return append(out, provenance(f, "prompt offsets", prompt, best)...)
}

func promptOffset(f Finding) int64 {
	if f.Origin == nil {
		return -1
	}
	return f.Origin.PromptOffset
}

// provenance is from where a finding's text came and how sure that is; one
// chance stands for several markers, the smallest.
func provenance(f Finding, offsets string, prompt []int64, chance float64) []string {
	var out []string
	if o := f.Origin; o != nil {
		from := fmt.Sprintf("from request %s of %s", requestName(f), f.OriginName)
		known := slices.DeleteFunc(prompt, func(n int64) bool { return n < 0 })
		if len(known) > 0 {
			from += fmt.Sprintf(" at %s %s", offsets, enumerated(known))
		}
		out = append(out, from+fmt.Sprintf(" (sent %s)", o.Payload.Time().UTC().Format(time.RFC3339)))
	}
	if chance > 0 {
		out = append(out, fmt.Sprintf("chance of accident %.1g", chance))
	}
	return out
}

// enumerated lists numbers: 2, 3 and 5.
func enumerated(list []int64) string {
	var parts []string
	for _, n := range list {
		parts = append(parts, Number(n))
	}
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

func requestName(f Finding) string {
	if id := f.Origin.Exchange.String(); !strings.HasPrefix(id, "00000000-0000") {
		return id
	}
	p := f.Origin.Payload
	return fmt.Sprintf("%d.%d.%d", p.Tenant, p.Second, p.Draw)
}

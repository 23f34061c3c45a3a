package detect

import (
	"fmt"
	"io"
	"strings"

	"crosstalk/checks"
)

// Text writes the result as aligned lines, one for each row.
func (res Result) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-34s %-42s %6s %7s  %-15s %5s  %s\n", "class", "row", "cases", "right", "95 % interval", "bar", "verdicts")
	for _, r := range res.Rows {
		fmt.Fprintf(&b, "%-34s %-42s %6d %6.1f%%  %-15s %5s  %s%s\n", r.Class, r.Name, r.N, 100*r.Share(), r.interval(), r.bar(), r.verdicts(), r.mark())
		for _, m := range missed(r) {
			fmt.Fprintf(&b, "  missed %s\n", m)
		}
	}
	b.WriteString("\n" + res.summary() + "\n\n")
	res.confusion(&b, "%-14s", "%14s")
	_, err := io.WriteString(w, b.String())
	return err
}

// missed names the misses of a row that has a bar and is below it.
func missed(r Row) []string {
	if !r.BelowBar() {
		return nil
	}
	return r.Missed
}

// Markdown writes the result as tables for a document.
func (res Result) Markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("| class | made by | cases | right | 95 % interval | bar | verdicts |\n|---|---|---:|---:|---|---:|---|\n")
	for _, r := range res.Rows {
		fmt.Fprintf(&b, "| %s | %s | %d | %.1f %% | %s | %s | %s%s |\n", r.Class, r.Name, r.N, 100*r.Share(), r.interval(), r.bar(), r.verdicts(), r.mark())
	}
	b.WriteString("\n" + res.summary() + "\n\nVerdicts (columns) by the class that was right (rows):\n\n|")
	for _, c := range checks.Classes() {
		fmt.Fprintf(&b, " | %s", c)
	}
	b.WriteString(" |\n|---" + strings.Repeat("|---:", len(checks.Classes())) + "|\n")
	for _, want := range checks.Classes() {
		if got := res.Confusion[want.String()]; got != nil {
			fmt.Fprintf(&b, "| %s", want)
			for _, c := range checks.Classes() {
				fmt.Fprintf(&b, " | %d", got[c.String()])
			}
			b.WriteString(" |\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (res Result) confusion(b *strings.Builder, first, rest string) {
	fmt.Fprintf(b, first, "right \\ got")
	for _, c := range checks.Classes() {
		fmt.Fprintf(b, rest, c)
	}
	b.WriteString("\n")
	for _, want := range checks.Classes() {
		got := res.Confusion[want.String()]
		if got == nil {
			continue
		}
		fmt.Fprintf(b, first, want)
		for _, c := range checks.Classes() {
			fmt.Fprintf(b, rest, fmt.Sprint(got[c.String()]))
		}
		b.WriteString("\n")
	}
}

func (res Result) summary() string {
	return fmt.Sprintf("%d cases; %d false leaks, %d false disclosures; %d of %d rows below their bar.",
		res.Cases, res.FalseLeaks, res.FalseForeign, len(res.BelowBar()), len(res.Rows))
}

func (r Row) interval() string {
	return fmt.Sprintf("%.1f to %.1f %%", 100*r.Interval.Low, 100*r.Interval.High)
}

func (r Row) bar() string {
	if r.Bar == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100*r.Bar)
}

// verdicts lists what the cases were called, worst first.
func (r Row) verdicts() string {
	var parts []string
	for _, c := range checks.Classes() {
		if n := r.Got[c.String()]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", c, n))
		}
	}
	return strings.Join(parts, ", ")
}

func (r Row) mark() string {
	if r.BelowBar() {
		return " (below its bar)"
	}
	return ""
}

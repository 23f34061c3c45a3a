package probes

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"crosstalk/corpus"
)

// WriteTable writes the plan for a person to read before anything is spent: a
// line per exchange with who is asked, for what, how long the prompt is with
// its interval, what should happen and what it costs, and the sums.
func (p Plan) WriteTable(w io.Writer, pr Pricing) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "%s on %s, seed %d\n", p.Probe, p.Target, p.Seed)
	fmt.Fprintln(tw, "STEP\tTENANT\tROLE\tPROMPT\tTOKENS\tINTERVAL\tANSWER\tVIA\tEXPECT\tUSD")
	for _, step := range p.Steps {
		for _, in := range step.Intents {
			fmt.Fprintln(tw, strings.Join(row(step.Name, in, pr), "\t"))
		}
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	most := p.Spend(pr)
	_, err := fmt.Fprintf(w, "about %s tokens and %.4f USD; at most %s tokens and %.4f USD are reserved\n",
		thousands(p.Tokens()), p.Cost(pr), thousands(most.Tokens), most.USD)
	return err
}

// row is one line of the table.
func row(step string, in Intent, pr Pricing) []string {
	via := "whole"
	if in.Stream {
		via = "stream"
	}
	if in.Delay > 0 {
		via += " +" + in.Delay.Round(time.Millisecond).String()
	}
	return []string{
		step, in.Tenant, string(in.Role), describe(in.Spec),
		thousands(int64(in.Tokens)),
		thousands(int64(in.TokensLow)) + " - " + thousands(int64(in.TokensHigh)),
		strconv.Itoa(in.MaxTokens), via, string(in.Expect),
		fmt.Sprintf("%.4f", in.Likely(pr).USD),
	}
}

// describe says in a few words what a prompt is.
func describe(spec corpus.Spec) string {
	var b strings.Builder
	b.WriteString(spec.Family)
	if spec.Task == corpus.TaskEcho {
		b.WriteString(", echo")
	} else {
		fmt.Fprintf(&b, ", %d seals", spec.Seals)
	}
	if spec.Ask > 0 {
		fmt.Fprintf(&b, ", %d first", spec.Ask)
	}
	if spec.Prefix != nil {
		b.WriteString(", warm")
	}
	return b.String()
}

// thousands writes n with commas.
func thousands(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

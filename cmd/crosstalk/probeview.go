package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"crosstalk/checks"
	"crosstalk/internal/pipeline"
	"crosstalk/internal/report"
	"crosstalk/probes"
)

// probeView is one exchange for a person or a program.
type probeView struct {
	site    *pipeline.Site
	wanted  int               // tokens asked for
	before  []*report.Outcome // short prompts before it in which something was found
	outcome *report.Outcome
	summary *report.Summary
	answer  bool
}

func (v probeView) exchange() *probes.Exchange { return v.outcome.Round.Exchanges[0] }

// secretHeaders are response headers whose values are not shown.
var secretHeaders = []string{"Set-Cookie", "Authorization", "Www-Authenticate"}

func (v probeView) json(w io.Writer) error {
	x := v.exchange()
	out := struct {
		Exchange probes.Intent    `json:"intent"`
		Wanted   int              `json:"tokens_wanted"`
		Bytes    int64            `json:"prompt_bytes"`
		Result   report.Exchange  `json:"result"`
		Findings []checks.Finding `json:"findings"`
		Answer   *string          `json:"answer,omitempty"`
	}{Exchange: x.Intent, Wanted: v.wanted, Result: v.summary.Rounds[len(v.summary.Rounds)-1].Exchanges[0], Findings: v.outcome.Report.Findings}
	if x.Prompt != nil {
		out.Bytes = x.Prompt.Size()
	}
	if out.Findings == nil {
		out.Findings = []checks.Finding{}
	}
	if v.answer && x.Response != nil {
		out.Answer = &x.Response.Content
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

func (v probeView) text(w io.Writer) error {
	var errs []error
	line := func(name, format string, args ...any) {
		_, err := fmt.Fprintf(w, "%-10s %s\n", name, fmt.Sprintf(format, args...))
		errs = append(errs, err)
	}
	x := v.exchange()
	line("target", "%s, model %s, advertised window %s", v.site.Target.Name, v.site.Target.Model, report.Number(int64(v.site.Target.Window)))
	line("sent", "%s filler, task %s, %d seals, as tenant %s", x.Intent.Spec.Family, x.Intent.Spec.Task, x.Intent.Spec.Seals, x.Intent.Tenant)
	if x.Prompt != nil {
		line("", "%s bytes, about %s tokens (%s to %s); expected: %s; answer budget %d tokens", report.Number(x.Prompt.Size()), report.Number(int64(x.Intent.Tokens)),
			report.Number(int64(x.Intent.TokensLow)), report.Number(int64(x.Intent.TokensHigh)), x.Intent.Expect, x.Intent.MaxTokens)
	}
	if short := v.shorter(); short != "" {
		line("shorter", "%s", short)
	}
	line("", "request id %s, marker of tenant index %d minted %s", x.ID, x.Payload.Tenant, x.Payload.Time().UTC().Format(time.RFC3339))
	if x.Response == nil {
		line("not sent", "%s", x.Skipped)
	} else {
		v.response(line)
	}
	for _, o := range v.before {
		for _, f := range o.Report.Findings {
			if f.Class.Worse(checks.Degraded) {
				line(f.Class.String(), "in a short prompt before it: %s/%s: %s", f.Check, f.Kind, f.Detail)
			}
		}
	}
	for _, f := range v.outcome.Report.Findings {
		line(f.Class.String(), "%s/%s: %s", f.Check, f.Kind, f.Detail)
	}
	line("verdict", "%s (exit %d)", v.summary.Class, v.summary.ExitCode)
	if v.answer && x.Response != nil {
		_, err := fmt.Fprintf(w, "\n%s\n", printable(x.Response.Content))
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// shorter says why the prompt is much shorter than asked for, "" if it is not.
func (v probeView) shorter() string {
	in := v.exchange().Intent
	got, told := in.Tokens, "the target counted nothing"
	if r := v.exchange().Response; r != nil && r.Usage != nil && r.Usage.Prompt != nil {
		got = *r.Usage.Prompt
		told = "the target counted " + report.Number(int64(got))
	}
	if float64(got) >= 0.95*float64(v.wanted) && float64(in.Tokens) >= 0.95*float64(v.wanted) {
		return ""
	}
	why := "its count was not what the plan expected"
	switch {
	case float64(in.Tokens) >= 0.95*float64(v.wanted):
	case in.TokensHigh > 2*in.Tokens:
		why = "the target's tokenizer is not known and the prompt must surely fit the window"
	default:
		why = "prompt and answer together must surely fit the window"
	}
	return fmt.Sprintf("wanted %s tokens, planned %s because %s; %s", report.Number(int64(v.wanted)), report.Number(int64(in.Tokens)), why, told)
}

// response shows what came back.
func (v probeView) response(line func(name, format string, args ...any)) {
	r := v.exchange().Response
	if r.Status == 0 {
		// Nothing came back: a line of zeros for everything would say no more.
		line("answer", "none was received")
		if f := r.Failure; f != nil {
			line("failure", "%s: %s", f.Kind, printable(f.Message))
		}
		return
	}
	line("answer", "HTTP %d %s, %s bytes of body, finish reason %q, model %q, id %q", r.Status, http.StatusText(r.Status), report.Number(int64(len(r.Body))), r.FinishReason, r.Model, r.ID)
	if f := r.Failure; f != nil {
		line("failure", "%s: %s", f.Kind, printable(f.Message))
		if f.Limit > 0 {
			line("", "the target states a limit of %s tokens and counted %s", report.Number(int64(f.Limit)), report.Number(int64(f.Given)))
		}
	}
	if u := r.Usage; u != nil {
		line("usage", "prompt %s, completion %s, cached %s, reasoning %s", count(u.Prompt), count(u.Completion), count(u.Cached), count(u.Reasoning))
	}
	line("channels", "%s of content, %s of reasoning, %s, %s", report.Plural(len(r.Content), "byte"), report.Number(int64(len(r.Reasoning))),
		report.Plural(len(r.Tools), "tool call"), report.Plural(len(r.Extra), "further text"))
	t := r.Times
	line("times", "connected %s, body written %s, header %s, first content %s, end %s", ms(t.Connected), ms(t.Wrote), ms(t.FirstByte), ms(t.FirstContent), ms(t.End))
	line("connection", "%s to %s, %s, reused %t", r.Conn.Local, r.Conn.Remote, r.Conn.Protocol, r.Conn.Reused)
	if s := r.Stream; s != nil {
		line("stream", "%d events, terminator seen %t, %d finish reasons, %d ids", len(s.Events), s.Done, s.Finishes, len(s.IDs))
	}
	for _, p := range r.Problems {
		line("protocol", "%s at byte %d: %s", p.Kind, p.Offset, printable(p.Detail))
	}
	for _, name := range sortedKeys(r.Header) {
		if !slices.Contains(secretHeaders, name) {
			line("header", "%s: %s", name, printable(strings.Join(r.Header.Values(name), ", ")))
		}
	}
}

func count(n *int) string {
	if n == nil {
		return "not told"
	}
	return report.Number(int64(*n))
}

func ms(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return d.Round(100 * time.Microsecond).String()
}

// printable keeps a hostile answer from writing to the terminal: control
// characters other than newline and tab are shown as their code.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if (r < ' ' && r != '\n' && r != '\t') || (r >= 0x7f && r < 0xa0) || (r >= 0x202a && r <= 0x202e) || (r >= 0x2066 && r <= 0x2069) {
			fmt.Fprintf(&b, "\\u%04x", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

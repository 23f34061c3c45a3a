package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"crosstalk/checks"
	"crosstalk/internal/config"
	"crosstalk/internal/pipeline"
	"crosstalk/internal/report"
	"crosstalk/probes"
	"crosstalk/tenants"
)

// probeFlags are the flags of probe.
type probeFlags struct {
	config             configFlags
	url, model, key    string
	window             int
	tenant             string
	tokens             int
	share              float64
	stream, over       bool
	asJSON, showAnswer bool
	seed               uint64
}

func newProbe(e *env) *cobra.Command {
	f := &probeFlags{}
	cmd := &cobra.Command{
		Use:   "probe",
		Short: "send one request and explain everything that came back",
		Long: `probe sends one prompt and shows what was sent, how the connection and the answer
went, what every check saw, and what it all amounts to.

It uses a target of the configuration, or, for an endpoint on this machine, --url
alone. Any other endpoint needs a configuration, because a target that is not on
this machine must state who allowed it to be probed.

Exit codes: 0 sound, 1 damaged, 3 could not tell, 4 leak or foreign content,
2 usage or configuration.`,
		Example: `  crosstalk probe
  crosstalk probe --tokens 100000 --stream --tenant bravo
  crosstalk probe --share 0.95
  crosstalk probe --url http://127.0.0.1:8000/v1 --model my-model --window 32768`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return probe(cmd.Context(), e, f) },
	}
	f.config.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.url, "url", "", "base URL of an endpoint on this machine, instead of a configuration")
	fl.StringVar(&f.model, "model", "default", "model name, with --url")
	fl.StringVar(&f.key, "key", "", "API key by reference (env:NAME or file:PATH), with --url")
	fl.IntVar(&f.window, "window", 32768, "context window in tokens, with --url")
	fl.StringVar(&f.tenant, "tenant", "", "tenant to send as (default: any)")
	fl.IntVar(&f.tokens, "tokens", 600, "prompt length wanted, in tokens")
	fl.Float64Var(&f.share, "share", 0, "prompt length as a share of the window, instead of --tokens")
	fl.BoolVar(&f.over, "over", false, "allow a prompt longer than the window")
	fl.BoolVar(&f.stream, "stream", false, "ask for a stream")
	fl.BoolVar(&f.showAnswer, "show-answer", false, "print the answer's text; it may hold somebody else's data")
	fl.BoolVar(&f.asJSON, "json", false, "write JSON")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of the plan")
	return cmd
}

func probe(ctx context.Context, e *env, f *probeFlags) error {
	site, codec, limits, err := f.site(e)
	if err != nil {
		return err
	}
	defer site.Close()
	single := probes.Single{Tenant: f.tenant, Tokens: f.tokens, Stream: f.stream, Over: f.over}
	if f.share > 0 {
		single.Tokens = int(f.share * float64(site.Target.Window))
	}
	if single.Tokens < 1 {
		return usageError(fmt.Errorf("a prompt of %d tokens is not a prompt", single.Tokens), "give --tokens or --share a positive number")
	}
	engine, _ := newEngine(e, codec, limits, func(string) probes.Pricing { return site.Target.Pricing })
	state, err := engine.State(ctx, site, [16]byte{})
	if err != nil {
		return err
	}
	plan, err := single.Plan(f.seed, state)
	if err != nil {
		return usageError(err, "choose another length or tenant, or correct the target's window")
	}
	p := newProgress(e)
	p.say("one prompt of about %d tokens", plan.Tokens())
	o, err := engine.Round(ctx, site, plan)
	p.end()
	if errors.Is(err, probes.ErrBudget) {
		return usageError(err, "raise budget in the configuration, or ask for a shorter prompt")
	}
	if err != nil {
		return err
	}
	s := report.Summarize(report.Header{Command: "probe", Target: site.Target.Name}, []*report.Outcome{o}, tenantNames(site.Tenants), site.Target.Pricing)
	view := probeView{site: site, outcome: o, summary: s, answer: f.showAnswer}
	if f.asJSON {
		err = view.json(e.stdout)
	} else {
		err = view.text(e.stdout)
	}
	if err != nil {
		return fmt.Errorf("write probe: %w", err)
	}
	return withVerdict(s.ExitCode)
}

// site is the configured site, or one of --url alone.
func (f *probeFlags) site(e *env) (*pipeline.Site, *tenants.Codec, probes.Limits, error) {
	if f.url == "" {
		cfg, err := f.config.load(e)
		if err != nil {
			return nil, nil, probes.Limits{}, err
		}
		return f.configured(e, cfg)
	}
	if !(config.Target{BaseURL: f.url}).Probe().Loopback {
		return nil, nil, probes.Limits{}, usageError(fmt.Errorf("--url %s is not on this machine", f.url),
			"put the target into a configuration with its authorization: crosstalk config init")
	}
	t := tenants.Tenant{Name: "tenant", Index: 1}
	ref, lookup := f.key, e.lookup
	if ref == "" {
		// A server on this machine mostly wants no key; it gets one that says so.
		ref, lookup = "env:NO_KEY", func(string) (string, bool) { return "none", true }
	}
	var err error
	if t.Credential, err = tenants.NewCredential(ref, ".", lookup); err != nil {
		return nil, nil, probes.Limits{}, usageError(fmt.Errorf("--key: %w", err), "write it as env:NAME or file:PATH")
	}
	list := []tenants.Tenant{t}
	clients, err := clientsFor(dial{api: "openai-chat", baseURL: f.url}, list)
	if err != nil {
		return nil, nil, probes.Limits{}, usageError(err, "give --url like http://127.0.0.1:8000/v1")
	}
	codec, _, err := ephemeralCodec()
	target := probes.Target{Name: "url", API: "openai-chat", Model: f.model, Window: f.window, Loopback: true}
	return &pipeline.Site{Target: target, Tenants: list, Clients: clients}, codec, probes.Limits{}, err
}

func (f *probeFlags) configured(e *env, cfg *config.Config) (*pipeline.Site, *tenants.Codec, probes.Limits, error) {
	limits := cfg.Budget.Limits()
	target, err := f.config.choose(cfg)
	if err != nil {
		return nil, nil, limits, err
	}
	site, err := newSite(cfg, target)
	if err != nil {
		return nil, nil, limits, err
	}
	codec, note, err := newCodec(cfg)
	if err != nil {
		return nil, nil, limits, err
	}
	if note != "" {
		fmt.Fprintf(e.stderr, "crosstalk: note: %s\n", note)
	}
	return site, codec, limits, nil
}

// probeView is one exchange for a person or a program.
type probeView struct {
	site    *pipeline.Site
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
		Bytes    int64            `json:"prompt_bytes"`
		Result   report.Exchange  `json:"result"`
		Findings []checks.Finding `json:"findings"`
		Answer   *string          `json:"answer,omitempty"`
	}{Exchange: x.Intent, Result: v.summary.Rounds[0].Exchanges[0], Findings: v.outcome.Report.Findings}
	if x.Prompt != nil {
		out.Bytes = x.Prompt.Size()
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
	line("", "request id %s, marker of tenant index %d minted %s", x.ID, x.Payload.Tenant, x.Payload.Time().UTC().Format(time.RFC3339))
	if x.Response == nil {
		line("not sent", "%s", x.Skipped)
	} else {
		v.response(line)
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

// response shows what came back.
func (v probeView) response(line func(name, format string, args ...any)) {
	r := v.exchange().Response
	line("answer", "HTTP %d %s, %d bytes of body, finish reason %q, model %q, id %q", r.Status, http.StatusText(r.Status), len(r.Body), r.FinishReason, r.Model, r.ID)
	if f := r.Failure; f != nil {
		line("failure", "%s: %s", f.Kind, printable(f.Message))
		if f.Limit > 0 {
			line("", "the target states a limit of %d tokens and counted %d", f.Limit, f.Given)
		}
	}
	if u := r.Usage; u != nil {
		line("usage", "prompt %s, completion %s, cached %s, reasoning %s", count(u.Prompt), count(u.Completion), count(u.Cached), count(u.Reasoning))
	}
	line("channels", "%d bytes of content, %d of reasoning, %d tool calls, %d further texts", len(r.Content), len(r.Reasoning), len(r.Tools), len(r.Extra))
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

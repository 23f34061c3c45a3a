package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

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

A prompt of more than 4,096 tokens is preceded by two short ones, from which the
target's tokenizer is learnt: without them it would have to be much shorter than
asked, to be sure to fit.

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
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return probe(cmd.Context(), e, f)
		},
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
	if err := requireCredential(site); err != nil {
		return err
	}
	single := probes.Single{Tenant: f.tenant, Tokens: f.tokens, Stream: f.stream, Over: f.over}
	if f.share > 0 {
		single.Tokens = int(f.share * float64(site.Target.Window))
	}
	engine, _ := newEngine(e, codec, limits, func(string) probes.Pricing { return site.Target.Pricing })
	r := &probeRun{env: e, engine: engine, site: site, seed: f.seed, line: newProgress(e)}
	o, err := r.run(ctx, single)
	r.line.end()
	if err != nil {
		return err
	}
	return f.show(e, site, single.Tokens, o, r.suspicious)
}

// show prints the outcome, and what was found in the short prompts before it,
// and ends with the verdict of all of them.
func (f *probeFlags) show(e *env, site *pipeline.Site, wanted int, o *report.Outcome, before []*report.Outcome) error {
	s := report.Summarize(report.Header{Command: "probe", Target: site.Target.Name}, append(before, o), tenantNames(site.Tenants), site.Target.Pricing)
	view := probeView{site: site, wanted: wanted, before: before, outcome: o, summary: s, answer: f.showAnswer}
	var err error
	if f.asJSON {
		err = view.json(e.stdout)
	} else {
		err = view.text(e.stdout)
	}
	if err != nil {
		return fmt.Errorf("write probe: %w", err)
	}
	if hint := failureHint(view.exchange(), site.Target); hint != "" && s.ExitCode != report.ExitSound {
		fmt.Fprintf(e.stderr, "crosstalk: hint: %s\n", hint)
	}
	return withVerdict(s.ExitCode)
}

// check refuses flags that contradict each other or make no sense.
func (f *probeFlags) check(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	for _, pair := range [][3]string{
		{"share", "tokens", "choose the length by one of them"},
		{"url", "config", "name an endpoint or a configuration"},
		{"url", "target", "a target is one of a configuration; leave out --url"},
		{"url", "tenant", "--url has one tenant; put several into a configuration"},
	} {
		if err := exclusive(cmd, pair[0], pair[1], pair[2]); err != nil {
			return err
		}
	}
	for _, name := range []string{"model", "window", "key"} {
		if given(name) && f.url == "" {
			return usageError(fmt.Errorf("--%s goes with --url only", name), "a target of the configuration has its own; correct it there")
		}
	}
	switch {
	case f.tokens < 1:
		return usageError(fmt.Errorf("a prompt of %d tokens is not a prompt", f.tokens), "give --tokens or --share a positive number")
	case given("share") && !(f.share > 0 && f.share <= 1000):
		return usageError(fmt.Errorf("--share is %v, not a share of the window", f.share), "write it like --share 0.95")
	case given("share") && f.share > 1 && !f.over:
		return usageError(fmt.Errorf("--share %v is longer than the window", f.share), "add --over to send a prompt that should be refused")
	}
	if f.url != "" {
		if err := checkAddress("url", f.url); err != nil {
			return err
		}
	}
	return atLeast(cmd, "window", f.window, 256)
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

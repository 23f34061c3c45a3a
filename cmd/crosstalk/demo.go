package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/spf13/cobra"

	"crosstalk/checks"
	"crosstalk/internal/pipeline"
	"crosstalk/internal/report"
	"crosstalk/internal/simulator"
	"crosstalk/probes"
	"crosstalk/tenants"
)

// demoFlags are the flags of demo.
type demoFlags struct {
	asJSON bool
	reuse  string
	window int
	speed  float64
	seed   uint64
}

func newDemo(e *env) *cobra.Command {
	f := &demoFlags{}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "see the incident happen and be caught",
		Long: `demo runs four simulated engines one after another, all on loopback, all with a
context window of 1,048,576 tokens, and sends each the same kinds of prompt from
two accounts, alpha and bravo:

  faulty, own donors   a KV pool of 681,280 tokens; a longer prompt is rejected but
                       still decoded, over the pages that the last request left
  faulty, strangers    the same, with 99.99 % of the pages last written by people
                       without markers: what the incident looks like from outside
  fixed                a pool of 2,040,000 tokens and a proper refusal
  honest               the small pool, but with a proper refusal

Exit codes: 0 both faulty engines were caught, the fixed one raised nothing, and
the honest one was found to be smaller than advertised and nothing worse; 1 it
did not go so; 3 it could not be run to its end; 2 usage.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := atLeast(cmd, "window", f.window, minDemoWindow); err != nil {
				return err
			}
			if err := above0("speed", f.speed); err != nil {
				return err
			}
			return demo(cmd.Context(), e, f)
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.asJSON, "json", false, "write the same as data")
	fl.StringVar(&f.reuse, "page-reuse", "lifo", "order in which the engines use freed pages again; off takes the fault's mechanism away, and demo must then exit 1")
	fl.IntVar(&f.window, "window", 1048576, "context window of the engines in tokens, at least 8192; pools are scaled with it")
	fl.Float64Var(&f.speed, "speed", 1, "multiplies the simulated prefill rate of 1M tokens a second")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of the plans and of the strangers")
	return cmd
}

// minDemoWindow is the smallest window at which the demo shows what it is to
// show: below it the prompts have no room for their markers beside the pool.
const minDemoWindow = 8192

// demoArm is one engine of the demo and what must be said of it.
type demoArm struct {
	name, story string
	preset      string
	strangers   float64
	kinds       []string
	// wrong is empty when the summary says what it should.
	wrong func(*report.Summary) string
}

func demoArms() []demoArm {
	return []demoArm{
		{
			name: "faulty, own donors", preset: simulator.PresetFaulty, kinds: []string{"pulse", "seedwatch"},
			story: "a pool of 65 % of the window; the pages of a too long prompt are those that our other account just left",
			wrong: wrongUnlessLeak,
		},
		{
			name: "faulty, strangers", preset: simulator.PresetFaulty, strangers: 0.9999, kinds: []string{"pulse", "seedwatch"},
			story: "the same fault as seen from outside: 99.99 % of the pages belong to people without markers",
			wrong: wrongUnlessForeign,
		},
		{
			name: "fixed", preset: simulator.PresetFixed, kinds: []string{"pulse", "seedwatch", "overlength"},
			story: "the pool is twice the window, longer prompts are refused",
			wrong: wrongUnlessSound,
		},
		{
			name: "honest", preset: simulator.PresetHonest, kinds: []string{"pulse", "seedwatch"},
			story: "the small pool again, but what does not fit is refused",
			wrong: wrongUnlessWindow,
		},
	}
}

func wrongUnlessLeak(s *report.Summary) string {
	for _, f := range s.Findings {
		if f.Class == checks.Leak && f.Origin != nil && f.Origin.PromptOffset >= 0 && f.PChance < 1e-12 && f.OriginName != f.Tenant {
			return shorterSound(s)
		}
	}
	return "no leak with its donor was found"
}

func wrongUnlessForeign(s *report.Summary) string {
	switch {
	case s.Totals.Foreign == 0:
		return "no foreign answer was found"
	case s.Totals.Leak > 0:
		return "a donor was named though the donors were strangers"
	}
	return shorterSound(s)
}

// shorterSound says which prompt that fitted the pool was not answered soundly.
func shorterSound(s *report.Summary) string {
	n := 0
	for _, r := range s.Rounds {
		for _, x := range r.Exchanges {
			if x.Role == probes.RoleSeed || r.Probe == "pulse" {
				n++
				if x.Class != checks.Sound {
					return fmt.Sprintf("a prompt of %s tokens, which fits the pool, was judged %s", report.Number(int64(x.Tokens)), x.Class)
				}
			}
		}
	}
	if n == 0 {
		return "no prompt that fits the pool was sent"
	}
	return ""
}

func wrongUnlessSound(s *report.Summary) string {
	if s.ExitCode != report.ExitSound {
		return fmt.Sprintf("it was judged %s (exit %d)", s.Class, s.ExitCode)
	}
	refused := false
	for _, r := range s.Rounds {
		for _, x := range r.Exchanges {
			refused = refused || x.Failure == "overlength"
		}
	}
	if !refused {
		return "no prompt above the window was refused"
	}
	return ""
}

func wrongUnlessWindow(s *report.Summary) string {
	switch {
	case s.Totals.Leak+s.Totals.Foreign > 0:
		return fmt.Sprintf("%d leak, %d foreign on an honest engine", s.Totals.Leak, s.Totals.Foreign)
	case s.Totals.Damaged == 0:
		return "the window it does not have was not noticed"
	}
	for _, f := range s.Findings {
		if f.Class == checks.Damaged && (f.Check != "overlength" || f.Kind != "window") {
			return fmt.Sprintf("%s/%s on an honest engine", f.Check, f.Kind)
		}
	}
	return shorterSound(s)
}

// demoResult is the demo as data.
type demoResult struct {
	Window  int             `json:"window"`
	Seconds float64         `json:"seconds"`
	Caught  bool            `json:"caught"` // everything was as it should be
	Arms    []demoArmResult `json:"arms"`
}

type demoArmResult struct {
	Name        string          `json:"name"`
	Story       string          `json:"story"`
	PrefillPool int             `json:"prefill_pool"`
	Strangers   float64         `json:"strangers"`
	Right       bool            `json:"right"`
	Wrong       string          `json:"wrong,omitempty"`
	Summary     *report.Summary `json:"summary"`
}

func demo(ctx context.Context, e *env, f *demoFlags) error {
	p := newProgress(e)
	result := demoResult{Window: f.window, Caught: true}
	start := e.now()
	for _, arm := range demoArms() {
		p.say("%s: starting the engine", arm.name)
		r, err := f.run(ctx, e, arm, p)
		if err != nil {
			p.end()
			return err
		}
		result.Arms = append(result.Arms, *r)
		result.Caught = result.Caught && r.Right
	}
	p.end()
	result.Seconds = e.now().Sub(start).Seconds()
	if err := result.write(e.stdout, f.asJSON); err != nil {
		return fmt.Errorf("write demo: %w", err)
	}
	if !result.Caught {
		return withVerdict(report.ExitDamaged)
	}
	return nil
}

// run starts the arm's engine, runs its probes against it and judges the
// judgement.
func (f *demoFlags) run(ctx context.Context, e *env, arm demoArm, p *progress) (*demoArmResult, error) {
	o, err := simulator.Preset(arm.preset)
	if err != nil {
		return nil, err
	}
	o = o.Scale(f.window)
	o.Strangers, o.Reuse, o.Speed, o.Seed, o.AnyModel = arm.strangers, simulator.Reuse(f.reuse), f.speed, f.seed, true
	server, err := simulator.New(o)
	if err != nil {
		return nil, usageError(err, "see 'crosstalk demo --help'")
	}
	defer server.Close()
	base, stop, err := serveOnLoopback(ctx, server)
	if err != nil {
		return nil, err
	}
	s, err := f.probe(ctx, e, arm, base, p)
	if err := errors.Join(err, stop()); err != nil {
		return nil, err
	}
	r := &demoArmResult{Name: arm.name, Story: arm.story, PrefillPool: o.PrefillPool, Strangers: arm.strangers, Summary: s}
	r.Wrong = arm.wrong(s)
	r.Right = r.Wrong == ""
	return r, nil
}

// serveOnLoopback serves the engine on a free port; stop ends it.
func serveOnLoopback(ctx context.Context, server *simulator.Server) (base string, stop func() error, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("listen on loopback: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- serveUntil(ctx, l, server) }()
	return "http://" + l.Addr().String() + "/v1", func() error { cancel(); return <-done }, nil
}

// probe runs the arm's probes: one round each.
func (f *demoFlags) probe(ctx context.Context, e *env, arm demoArm, base string, p *progress) (*report.Summary, error) {
	codec, _, err := ephemeralCodec()
	if err != nil {
		return nil, err
	}
	site, err := demoSite(base, f.window)
	if err != nil {
		return nil, err
	}
	defer site.Close()
	engine, _ := newEngine(e, codec, probes.Limits{}, func(string) probes.Pricing { return probes.Pricing{} })
	c := &pipeline.Campaign{Engine: engine, Site: site, Seed: f.seed}
	for _, kind := range arm.kinds {
		probe, err := probeKind(kind, 0)
		if err != nil {
			return nil, err
		}
		c.Items = append(c.Items, pipeline.Item{Probe: probe, Rounds: 1})
	}
	c.Before = func(plan probes.Plan) { p.say("%s: %s, %d tokens", arm.name, plan.Probe, plan.Tokens()) }
	h := report.Header{Command: "demo", Version: version(), Target: arm.name, Model: "simulated", Seed: f.seed, Started: e.now()}
	outcomes, err := c.Run(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", arm.name, err)
	}
	h.Ended = e.now()
	return report.Summarize(h, outcomes, tenantNames(site.Tenants), probes.Pricing{}), nil
}

// demoSite is a simulated target with the demo's two accounts.
func demoSite(base string, window int) (*pipeline.Site, error) {
	var list []tenants.Tenant
	for i, name := range []string{"alpha", "bravo"} {
		// The engine takes any key; each is a tenant of its own.
		key := func(string) (string, bool) { return "demo-key-of-" + name, true }
		credential, err := tenants.NewCredential("env:DEMO_KEY", ".", key)
		if err != nil {
			return nil, fmt.Errorf("credential of %s: %w", name, err)
		}
		list = append(list, tenants.Tenant{Name: name, Index: uint16(i + 1), Credential: credential, Domain: name})
	}
	clients, err := clientsFor(dial{api: "openai-chat", baseURL: base}, list)
	if err != nil {
		return nil, err
	}
	target := probes.Target{Name: "simulated", API: "openai-chat", Model: "simulated", Window: window, Loopback: true}
	return &pipeline.Site{Target: target, Tenants: list, Clients: clients}, nil
}

func (r demoResult) write(w io.Writer, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	}
	p := &demoPrinter{w: w}
	p.printf("four engines, each with an advertised context window of %s tokens\n\n", report.Number(int64(r.Window)))
	for i, a := range r.Arms {
		p.arm(i+1, a)
	}
	if r.Caught {
		p.printf("both faulty engines were caught, the sound ones raised nothing worse than they deserve (%.0f s)\n", r.Seconds)
		p.printf("next: crosstalk config init, then crosstalk validate --dry-run\n")
	} else {
		p.printf("the demo did not go as it should; see the lines marked WRONG\n")
	}
	return p.err
}

// demoPrinter writes until the first error.
type demoPrinter struct {
	w   io.Writer
	err error
}

func (p *demoPrinter) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *demoPrinter) arm(n int, a demoArmResult) {
	p.printf("%d. %s: prefill pool of %s tokens\n   %s\n\n", n, a.Name, report.Number(int64(a.PrefillPool)), a.Story)
	for _, r := range a.Summary.Rounds {
		for _, x := range r.Exchanges {
			answer := fmt.Sprintf("HTTP %d", x.Status)
			if x.Status == 0 {
				answer = "no answer"
			}
			if x.Failure != "" {
				answer += " " + x.Failure
			}
			p.printf("   %-10s %-6s %10s tokens  %-20s %s\n", r.Probe, x.Tenant, report.Number(int64(x.Tokens)), answer, x.Class)
		}
	}
	p.printf("\n")
	if p.err == nil {
		p.err = a.Summary.WriteFindings(p.w, "   ")
	}
	if a.Wrong != "" {
		p.printf("   WRONG: %s\n\n", a.Wrong)
	}
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"crosstalk/internal/config"
	"crosstalk/internal/pipeline"
	"crosstalk/internal/report"
	"crosstalk/probes"
)

// validateFlags are the flags of validate.
type validateFlags struct {
	config  configFlags
	format  string
	output  string
	only    []string
	dryRun  bool
	yes     bool
	asJSON  bool
	seed    uint64
	hasSeed bool
}

func newValidate(e *env) *cobra.Command {
	f := &validateFlags{}
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "judge a target once: a gate after a rollout",
		Long: `validate runs the probes of the configuration (by default pulse 20 rounds, burst 3,
seedwatch 2, top 2 with its paired control, overlength 1) against one target,
judges every answer, and prints for every cell what was found and the upper bound
on what was not.

Spend is reserved before anything is sent and never exceeds the budget of the
configuration (20M tokens by default). When the predicted cost is above
budget.confirm_above_usd it wants --yes.

Exit codes: 0 sound, 1 damaged, 3 could not tell (a planned cell has fewer than
80 % decided exchanges), 4 leak or foreign content, 2 usage or configuration.`,
		Example: `  crosstalk validate --dry-run
  crosstalk validate -c examples/simulator.yaml
  crosstalk validate --format junit --output report.xml --yes
  crosstalk validate --only pulse=5,top`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.hasSeed = cmd.Flags().Changed("seed")
			return validate(cmd.Context(), e, f)
		},
	}
	f.config.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "text", "format of the report: "+strings.Join(report.Formats(), ", "))
	fl.BoolVar(&f.asJSON, "json", false, "the same as --format json")
	fl.StringVarP(&f.output, "output", "o", "", "write the report to this file instead of standard output")
	fl.StringSliceVar(&f.only, "only", nil, "run these probes only, KIND or KIND=ROUNDS, instead of the configured ones (two rounds of pulse come first if it is not named)")
	fl.BoolVar(&f.dryRun, "dry-run", false, "print what would be sent, to whom, how many tokens, at what cost, and send nothing")
	fl.BoolVar(&f.yes, "yes", false, "spend without asking whatever the predicted cost")
	fl.Uint64Var(&f.seed, "seed", 0, "seed of the plans (default: random)")
	return cmd
}

func validate(ctx context.Context, e *env, f *validateFlags) error {
	if f.asJSON {
		f.format = "json"
	}
	if !slices.Contains(report.Formats(), f.format) {
		return usageError(fmt.Errorf("unknown format %q", f.format), "use one of "+strings.Join(report.Formats(), ", "))
	}
	if !f.hasSeed {
		f.seed = rand.Uint64()
	}
	v, err := newValidation(e, f)
	if err != nil {
		return err
	}
	defer v.site.Close()
	if f.dryRun {
		return v.printPlans(e.stdout, f.format == "json")
	}
	if cost := v.predicted(); cost > v.cfg.Budget.ConfirmAboveUSD && !f.yes {
		return usageError(fmt.Errorf("the run is predicted to cost USD %.2f, above confirm_above_usd of %.2f", cost, v.cfg.Budget.ConfirmAboveUSD),
			"look at it with --dry-run, then repeat with --yes; or choose fewer probes with --only")
	}
	out, done, err := openOutput(e, f.output)
	if err != nil {
		return err
	}
	s := v.run(ctx, e)
	if err := errors.Join(s.Write(out, f.format), done()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return withVerdict(s.ExitCode)
}

// openOutput opens the report's file before anything is spent.
func openOutput(e *env, path string) (io.Writer, func() error, error) {
	if path == "" {
		return e.stdout, func() error { return nil }, nil
	}
	file, err := os.Create(filepath.Clean(path))
	if err != nil {
		return nil, nil, usageError(fmt.Errorf("open report file: %w", err), "name a file that can be written with --output")
	}
	return file, file.Close, nil
}

// validation is one run of validate, ready to start.
type validation struct {
	cfg      *config.Config
	site     *pipeline.Site
	campaign *pipeline.Campaign
	plans    []plannedItem
	header   report.Header
}

// plannedItem is a probe with the plan of its first round as it looks before
// anything is known of the target.
type plannedItem struct {
	rounds int
	plan   probes.Plan
}

func newValidation(e *env, f *validateFlags) (*validation, error) {
	cfg, err := f.config.load(e)
	if err != nil {
		return nil, err
	}
	target, err := f.config.choose(cfg)
	if err != nil {
		return nil, err
	}
	site, err := newSite(cfg, target)
	if err != nil {
		return nil, err
	}
	codec, note, err := newCodec(cfg)
	if err != nil {
		return nil, err
	}
	items, err := f.items(cfg)
	if err != nil {
		return nil, err
	}
	engine, _ := newEngine(e, codec, cfg.Budget.Limits(), func(string) probes.Pricing { return site.Target.Pricing })
	v := &validation{
		cfg: cfg, site: site,
		campaign: &pipeline.Campaign{Engine: engine, Site: site, Items: items, Seed: f.seed},
		header:   report.Header{Command: "validate", Version: version(), Target: target.Name, Model: target.Model, Seed: f.seed},
	}
	if note != "" {
		v.header.Notes = append(v.header.Notes, note)
	}
	asked := len(f.only) > 0 || !slices.Equal(cfg.Probes, config.DefaultPlan())
	return v, v.plan(e, asked)
}

// items are the probes to run: those of --only, else the configured ones.
func (f *validateFlags) items(cfg *config.Config) ([]pipeline.Item, error) {
	list := cfg.Probes
	if len(f.only) > 0 {
		var err error
		if list, err = onlyProbes(f.only); err != nil {
			return nil, err
		}
	}
	var items []pipeline.Item
	for _, p := range list {
		probe, err := probeKind(p.Kind, p.Size)
		if err != nil {
			return nil, usageError(err, "")
		}
		items = append(items, pipeline.Item{Probe: probe, Rounds: p.Rounds})
	}
	if !slices.ContainsFunc(list, func(p config.Probe) bool { return p.Kind == "pulse" }) {
		// Every other probe needs to know how many tokens the target makes of
		// a byte, or its prompts stay far from where they should be.
		items = slices.Insert(items, 0, pipeline.Item{Probe: probes.Pulse{}, Rounds: 2})
	}
	return items, nil
}

// onlyProbes reads KIND or KIND=ROUNDS.
func onlyProbes(only []string) ([]config.Probe, error) {
	usual := config.DefaultPlan()
	var list []config.Probe
	for _, text := range only {
		kind, rounds, given := strings.Cut(text, "=")
		i := slices.IndexFunc(usual, func(p config.Probe) bool { return p.Kind == kind })
		if i < 0 {
			var kinds []string
			for _, p := range probes.All() {
				kinds = append(kinds, p.Kind())
			}
			return nil, usageError(fmt.Errorf("--only names no probe: %q", kind), "the probes are "+strings.Join(kinds, ", "))
		}
		p := usual[i]
		if given {
			if _, err := fmt.Sscanf(rounds, "%d", &p.Rounds); err != nil || p.Rounds < 1 {
				return nil, usageError(fmt.Errorf("--only %q: rounds must be a positive number", text), "write it like pulse=5")
			}
		}
		list = append(list, p)
	}
	return list, nil
}

// plan lays out the first round of every probe, so that what cannot be done is
// said before anything is sent. What was asked for and cannot be done is an
// error; what only the default plan asks for is left out with a note.
func (v *validation) plan(e *env, asked bool) error {
	kept := v.campaign.Items[:0]
	for _, item := range v.campaign.Items {
		plan, err := item.Probe.Plan(v.campaign.Seed, probes.State{Target: v.site.Target, Tenants: v.site.Tenants, Now: e.now()})
		if err != nil && !asked && !errors.Is(err, probes.ErrNotAllowed) {
			v.header.Notes = append(v.header.Notes, fmt.Sprintf("%s is left out: %v", item.Probe.Kind(), err))
			continue
		}
		if err != nil {
			return usageError(fmt.Errorf("plan %s: %w", item.Probe.Kind(), err), "leave it out of probes in the configuration, or choose others with --only")
		}
		v.plans = append(v.plans, plannedItem{rounds: item.Rounds, plan: plan})
		kept = append(kept, item)
	}
	v.campaign.Items = kept
	return nil
}

// predicted is the likeliest cost of the run in USD.
func (v *validation) predicted() float64 {
	var usd float64
	for _, p := range v.plans {
		usd += float64(p.rounds) * p.plan.Cost(v.site.Target.Pricing)
	}
	return usd
}

// dryRun is the JSON form of a dry run.
type dryRun struct {
	Seed   uint64        `json:"seed"`
	Plans  []dryRunProbe `json:"plans"`
	Tokens int64         `json:"tokens"`
	USD    float64       `json:"usd"`
	MostT  int64         `json:"tokens_at_most"`
	MostU  float64       `json:"usd_at_most"`
}

type dryRunProbe struct {
	Rounds int         `json:"rounds"`
	Plan   probes.Plan `json:"first_plan"`
}

// printPlans prints what would be sent. Later rounds differ in seed and in what
// has been learnt, not in kind.
func (v *validation) printPlans(w io.Writer, asJSON bool) error {
	d := dryRun{Seed: v.campaign.Seed, USD: v.predicted()}
	for _, p := range v.plans {
		most := p.plan.Spend(v.site.Target.Pricing)
		d.Plans = append(d.Plans, dryRunProbe{p.rounds, p.plan})
		d.Tokens += int64(p.rounds) * p.plan.Tokens()
		d.MostT += int64(p.rounds) * most.Tokens
		d.MostU += float64(p.rounds) * most.USD
	}
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(d)
	}
	for _, p := range v.plans {
		if _, err := fmt.Fprintf(w, "%d rounds, the first:\n", p.rounds); err != nil {
			return err
		}
		if err := p.plan.WriteTable(w, v.site.Target.Pricing); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "in all about %d tokens and USD %.2f, at most %d tokens and USD %.2f before the target's tokenizer is known; caps: %s\nnothing was sent\n",
		d.Tokens, d.USD, d.MostT, d.MostU, caps(v.cfg.Budget))
	return err
}

func caps(b config.Budget) string {
	text := fmt.Sprintf("%d tokens a run", b.TokensPerRun)
	if b.USDPerRun > 0 {
		text += fmt.Sprintf(", USD %.2f a run", b.USDPerRun)
	}
	return text
}

// run runs the campaign and sums it up. What ended it early is a note in the
// summary, and counts as not decided.
func (v *validation) run(ctx context.Context, e *env) *report.Summary {
	p := newProgress(e)
	total, n := 0, 0
	for _, item := range v.campaign.Items {
		total += item.Rounds
	}
	v.campaign.Before = func(plan probes.Plan) {
		n++
		p.say("round %d of about %d: %s, %d tokens", n, max(total, n), plan.Probe, plan.Tokens())
	}
	v.header.Started = e.now()
	outcomes, err := v.campaign.Run(ctx)
	p.end()
	v.header.Ended = e.now()
	if err != nil {
		v.header.Notes = append(v.header.Notes, "ended early: "+err.Error())
	}
	s := report.Summarize(v.header, outcomes, tenantNames(v.site.Tenants), v.site.Target.Pricing)
	if err != nil {
		s.Shortened()
	}
	return s
}

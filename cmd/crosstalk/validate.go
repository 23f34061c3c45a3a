package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"crosstalk/corpus"
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
80 % decided exchanges), 4 leak or foreign content, 2 usage or configuration. A
report that cannot be written leaves the exit code as it is, but for 0, which
becomes 3.`,
		Example: `  crosstalk validate --dry-run
  crosstalk validate -c examples/simulator.yaml
  crosstalk validate --format junit --output report.xml --yes
  crosstalk validate --only pulse=5,top`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.hasSeed = cmd.Flags().Changed("seed")
			if f.asJSON && cmd.Flags().Changed("format") && f.format != "json" {
				return exclusive(cmd, "json", "format", "--json is --format json; give one of them")
			}
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
	if err := requireCredential(v.site); err != nil {
		return err
	}
	out, err := newReportFile(e, f.output)
	if err != nil {
		return err
	}
	return deliver(e, out, v.run(ctx, e), f.format)
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
	// grown is the same round once pulse has taught the target's tokenizer:
	// its prompts are then as long as they should be.
	grown probes.Plan
}

// usualTokens is a calibration as pulse leaves it, at the usual four bytes a
// token: what a prompt will come to in tokens hardly depends on it.
func usualTokens() map[string]corpus.Calibration {
	c := corpus.Prior()
	c.N, c.Spread = 10, 0.01
	known := map[string]corpus.Calibration{}
	for _, f := range corpus.Families() {
		known[f.Name] = c
	}
	return known
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

// maxOnlyRounds bounds the rounds of --only: more is a slip of the finger.
const maxOnlyRounds = 100_000

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
			var err error
			if p.Rounds, err = strconv.Atoi(rounds); err != nil || p.Rounds < 1 || p.Rounds > maxOnlyRounds {
				return nil, usageError(fmt.Errorf("--only %q: rounds must be a positive number, at most %s", text, report.Number(maxOnlyRounds)), "write it like pulse=5")
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
		state := probes.State{Target: v.site.Target, Tenants: v.site.Tenants, Now: e.now()}
		plan, err := item.Probe.Plan(v.campaign.Seed, state)
		if err != nil && !asked && !errors.Is(err, probes.ErrNotAllowed) {
			v.header.Notes = append(v.header.Notes, fmt.Sprintf("%s is left out: %v", item.Probe.Kind(), err))
			continue
		}
		if err != nil {
			return usageError(fmt.Errorf("plan %s: %w", item.Probe.Kind(), err), "leave it out of probes in the configuration, or choose others with --only")
		}
		state.Calibration = usualTokens()
		grown, err := item.Probe.Plan(v.campaign.Seed, state)
		if err != nil {
			grown = plan
		}
		v.plans = append(v.plans, plannedItem{rounds: item.Rounds, plan: plan, grown: grown})
		kept = append(kept, item)
	}
	v.campaign.Items = kept
	return nil
}

// predicted is the likeliest cost of the run in USD, at the lengths that prompts
// have once the target's tokenizer is known.
func (v *validation) predicted() float64 {
	var usd float64
	for _, p := range v.plans {
		usd += float64(p.rounds) * p.grown.Cost(v.site.Target.Pricing)
	}
	return usd
}

// run runs the campaign and sums it up. What ended it early is a note in the
// summary, and what was then never begun counts as not decided.
func (v *validation) run(ctx context.Context, e *env) *report.Summary {
	p := newProgress(e)
	total, n := 0, 0
	for _, item := range v.campaign.Items {
		total += item.Rounds
	}
	v.campaign.Before = func(plan probes.Plan) {
		n++
		p.say("round %d of about %d: %s, %s tokens", n, max(total, n), plan.Probe, report.Number(plan.Tokens()))
	}
	v.header.Started = e.now()
	outcomes, err := v.campaign.Run(ctx)
	p.end()
	v.header.Ended = e.now()
	if err != nil {
		v.header.Notes = append(v.header.Notes, endedEarly(err))
	}
	s := report.Summarize(v.header, outcomes, tenantNames(v.site.Tenants), v.site.Target.Pricing)
	if err != nil {
		v.addNeverBegun(s, outcomes)
		s.Shortened()
	}
	return s
}

// endedEarly says why a run ended early, and what to do about it.
func endedEarly(err error) string {
	switch {
	case errors.Is(err, probes.ErrBudget):
		return "ended early: " + budgetUsedUp(err)
	case errors.Is(err, context.Canceled):
		return "ended early: interrupted"
	default:
		return fmt.Sprintf("ended early: %v", err)
	}
}

// budgetUsedUp says in one sentence which cap is in the way, and what to do.
func budgetUsedUp(err error) string {
	text := err.Error()
	if _, inner, ok := strings.Cut(text, probes.ErrBudget.Error()+": "); ok {
		text = inner
	}
	name := "tokens"
	if strings.Contains(text, "USD") {
		name = "usd"
	}
	span := "run"
	if strings.Contains(text, "of this day") {
		span = "day"
	}
	return fmt.Sprintf("the budget does not allow more, %s; raise budget.%s_per_%s or choose fewer probes with --only", text, name, span)
}

// addNeverBegun adds the planned rounds that have no outcome.
func (v *validation) addNeverBegun(s *report.Summary, outcomes []*report.Outcome) {
	begun := map[string]int{}
	for _, o := range outcomes {
		if o.Round.Plan.Confirm == uuid.Nil {
			begun[o.Round.Plan.Probe]++
		}
	}
	for _, p := range v.plans {
		done := min(begun[p.plan.Probe], p.rounds)
		begun[p.plan.Probe] -= done
		s.AddPlanned(p.grown, p.rounds-done)
	}
}

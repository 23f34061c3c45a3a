// Package pipeline owns the one path from a probe to a verdict:
//
//	Probe.Plan -> probes.Run -> checks.Run -> Store.Save
//
// Each arrow is a function call with a value; nothing runs beside it and
// nothing is shared between two rounds but the Store. The daemon, the one-shot
// commands and the demo all take this path, so what one of them has been seen
// to find the others find too.
//
// Words. A site is a target with the accounts and clients to reach it. An
// outcome is a finished round with its judgement. What earlier rounds taught
// about a target (its tokenizer, its limit, how fast it reads a prompt) is
// Known, and is part of the state that the next plan is made from. A campaign
// is a list of probes to be run against one site, with the confirmations that
// their outcomes call for.
package pipeline

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/internal/evidence"
	"crosstalk/internal/report"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

// DefaultLookback is how long a prompt counts as recently live: long enough for
// a stale page to come back, short enough to search.
const DefaultLookback = 24 * time.Hour

// Site is a target with everything needed to send to it.
type Site struct {
	Target  probes.Target
	Tenants []tenants.Tenant
	// Clients holds one client for each tenant, by its name. No two share
	// anything.
	Clients map[string]provider.Client
}

// Close closes the connections of every client of the site.
func (s *Site) Close() {
	for _, c := range s.Clients {
		c.Close()
	}
}

// Store keeps what outlives a round. The ring in memory serves one-shot
// commands; the ledger serves the daemon.
type Store interface {
	probes.Journal
	// Known is what earlier rounds taught about the target; the zero value
	// for a target never probed.
	Known(ctx context.Context, target string) (Known, error)
	// Lookback returns the prompts begun at or after since, newest first.
	Lookback(ctx context.Context, since time.Time) ([]checks.PromptRef, error)
	// Save stores a finished round, its judgement and what it taught.
	Save(ctx context.Context, o *report.Outcome, k Known) error
}

// Engine runs rounds. Its fields are set once and only read afterwards; it may
// be used by several goroutines for different targets.
type Engine struct {
	Codec  *tenants.Codec
	Minter probes.Minter
	Store  Store
	Checks []checks.Check
	Now    func() time.Time
	// Parse decodes recorded answers: with it an exchange is judged once more
	// from its bytes before a leak or foreign content is called. Nil, for
	// clients that have no bytes: the first judgement stands.
	Parse evidence.Parser
	// Keep is given the record of every round in which something was found
	// that a person may have to look at, before the round is saved. It may be
	// nil.
	Keep func(ctx context.Context, r *evidence.Record)
	// Doubt is told, in one sentence, that an exchange did not come out the
	// same way twice: the prober itself is the suspect then. It may be nil.
	Doubt func(ctx context.Context, target, detail string)
	// Lookback is how far back prompts are remembered; 0 means
	// DefaultLookback.
	Lookback time.Duration
}

// State is the state a plan for the site is made from.
func (e *Engine) State(ctx context.Context, site *Site, confirm uuid.UUID) (probes.State, error) {
	k, err := e.Store.Known(ctx, site.Target.Name)
	if err != nil {
		return probes.State{}, fmt.Errorf("read what is known of target %s: %w", site.Target.Name, err)
	}
	return probes.State{
		Target:      site.Target,
		Tenants:     site.Tenants,
		Calibration: k.Calibration,
		Limit:       k.Limit,
		MaxTokens:   k.MaxTokens,
		Confirm:     confirm,
		Now:         e.Now(),
	}, nil
}

// Round runs one plan against the site and judges it. A target that misbehaves
// is in the outcome; an error means that the round did not take place or that
// its outcome could not be kept.
func (e *Engine) Round(ctx context.Context, site *Site, plan probes.Plan) (*report.Outcome, error) {
	return e.round(ctx, site, plan, nil)
}

// round is Round without the tenants that the target has refused.
func (e *Engine) round(ctx context.Context, site *Site, plan probes.Plan, refused map[string]string) (*report.Outcome, error) {
	known, err := e.Store.Known(ctx, site.Target.Name)
	if err != nil {
		return nil, fmt.Errorf("read what is known of target %s: %w", site.Target.Name, err)
	}
	o := &report.Outcome{}
	plan, o.Dropped = known.withoutStopped(plan)
	if len(plan.Steps) == 0 {
		o.Round = &probes.Round{ID: uuid.Must(uuid.NewV7()), Plan: plan, Started: e.Now(), Ended: e.Now()}
		return o, nil
	}
	state := probes.State{Target: site.Target, Tenants: site.Tenants, Calibration: known.Calibration, Limit: known.Limit, MaxTokens: known.MaxTokens}
	o.Round, err = probes.Run(ctx, e.runner(site, refused), plan)
	if err != nil {
		return nil, fmt.Errorf("run %s against %s: %w", plan.Probe, site.Target.Name, err)
	}
	if err := e.judge(ctx, o, known, site.Target); err != nil {
		return nil, err
	}
	known = known.learn(state, o)
	// A round that was paid for is kept even when the caller has given up.
	if err := e.Store.Save(context.WithoutCancel(ctx), o, known); err != nil {
		return o, fmt.Errorf("keep round %s: %w", o.Round.ID, err)
	}
	return o, nil
}

func (e *Engine) runner(site *Site, refused map[string]string) probes.Runner {
	return probes.Runner{
		Minter: e.Minter, Journal: e.Store,
		Target: site.Target, Tenants: site.Tenants, Clients: site.Clients,
		Refused: refused,
	}
}

// judge runs the checks over a finished round, and examines what they found.
func (e *Engine) judge(ctx context.Context, o *report.Outcome, known Known, target probes.Target) error {
	window := e.Lookback
	if window == 0 {
		window = DefaultLookback
	}
	refs, err := e.Store.Lookback(context.WithoutCancel(ctx), o.Round.Started.Add(-window))
	if err != nil {
		return fmt.Errorf("look back from round %s: %w", o.Round.ID, err)
	}
	baseline := known.baseline(o.Round)
	baseline.Model = target.Model
	in := checks.Input{Round: o.Round, Codec: e.Codec, Lookback: refs, Baseline: baseline}
	o.Report = checks.Run(in, e.Checks)
	e.examine(context.WithoutCancel(ctx), in, o, target.API)
	return nil
}

// withoutStopped takes the intents of stopped cells out of a plan. A
// confirming plan keeps them: it is what the stop allows.
func (k Known) withoutStopped(plan probes.Plan) (probes.Plan, []probes.Intent) {
	if len(k.Stopped) == 0 || plan.Confirm != uuid.Nil {
		return plan, nil
	}
	var dropped []probes.Intent
	kept := plan
	kept.Steps = nil
	for _, step := range plan.Steps {
		step.Intents = slices.DeleteFunc(slices.Clone(step.Intents), func(in probes.Intent) bool {
			stop := slices.Contains(k.Stopped, in.Cell.Length)
			if stop {
				dropped = append(dropped, in)
			}
			return stop
		})
		if len(step.Intents) > 0 {
			kept.Steps = append(kept.Steps, step)
		}
	}
	return kept, dropped
}

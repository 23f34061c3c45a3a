package main

import (
	"context"
	"errors"
	"fmt"

	"crosstalk/checks"
	"crosstalk/internal/pipeline"
	"crosstalk/internal/report"
	"crosstalk/probes"
	"crosstalk/probes/provider"
)

// calibrateAbove is the prompt length in tokens above which probe learns the
// target's tokenizer first. A shorter prompt fits whatever the tokenizer.
const calibrateAbove = 4096

// calibrationLengths are the lengths of the prompts that it is learnt from: two,
// to tell what a byte takes from what the chat template adds.
func calibrationLengths() []int { return []int{300, 3000} }

// probeRun sends the prompts of one probe command.
type probeRun struct {
	env    *env
	engine *pipeline.Engine
	site   *pipeline.Site
	seed   uint64
	line   *progress
	// suspicious are the outcomes of calibrating prompts that are worse than
	// undecided: they count in the verdict.
	suspicious []*report.Outcome
}

// run sends the prompt, after what it needs to be known before it.
func (r *probeRun) run(ctx context.Context, single probes.Single) (*report.Outcome, error) {
	if err := r.calibrate(ctx, single); err != nil {
		return nil, err
	}
	return r.send(ctx, single)
}

// calibrate sends the short prompts that a long one needs before it, as the
// same tenant and of the same filler. It gives up on the first that taught
// nothing.
func (r *probeRun) calibrate(ctx context.Context, long probes.Single) error {
	if long.Tokens <= calibrateAbove {
		return nil
	}
	plan, err := r.plan(ctx, long)
	if err != nil {
		return err
	}
	in := plan.Steps[0].Intents[0]
	fmt.Fprintln(r.env.stderr, "crosstalk: note: two short prompts first, to learn the target's tokenizer")
	// Only the tenant need be named: plans of one seed choose the same filler.
	for _, tokens := range calibrationLengths() {
		o, err := r.send(ctx, probes.Single{Tenant: in.Tenant, Tokens: min(tokens, r.site.Target.Window/8), Stream: long.Stream})
		if err != nil {
			return err
		}
		if o.Report.Class().Worse(checks.Inconclusive) {
			r.suspicious = append(r.suspicious, o)
		}
		state, err := r.engine.State(ctx, r.site, [16]byte{})
		if err != nil {
			return err
		}
		if state.Calibration[in.Spec.Family].N == 0 {
			return nil
		}
	}
	return nil
}

func (r *probeRun) plan(ctx context.Context, single probes.Single) (probes.Plan, error) {
	state, err := r.engine.State(ctx, r.site, [16]byte{})
	if err != nil {
		return probes.Plan{}, err
	}
	plan, err := single.Plan(r.seed, state)
	if err != nil {
		return plan, usageError(err, "choose another length or tenant, or correct the target's window")
	}
	return plan, nil
}

func (r *probeRun) send(ctx context.Context, single probes.Single) (*report.Outcome, error) {
	plan, err := r.plan(ctx, single)
	if err != nil {
		return nil, err
	}
	r.line.say("one prompt of about %s tokens", report.Number(plan.Tokens()))
	o, err := r.engine.Round(ctx, r.site, plan)
	if errors.Is(err, probes.ErrBudget) {
		return nil, usageError(err, "raise budget in the configuration, or ask for a shorter prompt")
	}
	return o, err
}

// failureHint is what to do about an exchange that failed; "" if there is
// nothing to say.
func failureHint(x *probes.Exchange, t probes.Target) string {
	if x.Response == nil || x.Response.Failure == nil {
		return ""
	}
	switch x.Response.Failure.Kind {
	case provider.FailureAuth:
		return fmt.Sprintf("the target does not accept the key: check the credential of tenant %s", x.Intent.Tenant)
	case provider.FailureNotFound:
		return fmt.Sprintf("check the model name (%s) and the address: it mostly ends in /v1", t.Model)
	case provider.FailureNetwork:
		return "is the target listening there? check host, port and scheme of the address"
	case provider.FailureRedirect:
		return "redirects are not followed: give the address it redirects to"
	case provider.FailureOverLength:
		return "the target takes shorter prompts than its window says: correct window, or ask for fewer tokens"
	case provider.FailureQuota, provider.FailurePayment:
		return "the account's allowance is used up: raise it with the provider, or use another tenant"
	case provider.FailureRateLimit, provider.FailureOverload:
		return "the target is busy: try again later"
	case provider.FailureTooLarge:
		return "something in front of the target refuses a body of this size: raise its limit, or ask for fewer tokens"
	case provider.FailureTimeout:
		return "the target took too long: ask for fewer tokens, or look at its load"
	case provider.FailureMalformed:
		return "what answers there does not speak this API: check the address"
	case provider.FailureBadRequest:
		return "the target refuses a parameter: see max_tokens_field, thinking and max_output in the configuration"
	case provider.FailureServer:
		return "the target failed: see its log for the time and request id above"
	default:
		return ""
	}
}

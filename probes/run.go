package probes

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/google/uuid"

	"crosstalk/corpus"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

// Runner is what a plan needs to be run.
type Runner struct {
	Minter  Minter
	Journal Journal
	// Clients by name of tenant: each tenant has its own, and nothing is
	// shared between them.
	Clients map[string]provider.Client
	Tenants []tenants.Tenant
	Target  Target
	// Refused are tenants, by name, that send nothing, and why: the target
	// refused them in earlier rounds. Their exchanges are skipped.
	Refused map[string]string
	// Timeout bounds one exchange; nil is DefaultTimeout.
	Timeout func(Intent) time.Duration
}

// DefaultTimeout is a minute, and the time in which a slow target would read
// the prompt at 2,000 tokens a second and write the whole answer at 10.
func DefaultTimeout(in Intent) time.Duration {
	read := time.Duration(in.TokensHigh) * time.Second / 2000
	write := time.Duration(in.MaxTokens) * time.Second / 10
	return time.Minute + read + write
}

// Run runs a plan: binds it, journals it, and sends it step by step. It returns
// when every exchange has ended.
//
// Either nothing was sent and there is an error, or there is a round and none.
// What went wrong with single exchanges is in the round: in the Response if it
// was the target, in Skipped if it was us or if we held it back. When ctx ends,
// requests in flight are aborted and the rest is skipped.
func Run(ctx context.Context, r Runner, plan Plan) (*Round, error) {
	round, shots, err := r.prepare(ctx, plan)
	if err != nil {
		return nil, fmt.Errorf("round of %s on target %s: %w", plan.Probe, plan.Target, err)
	}
	round.Started = time.Now()
	b := brake{stopped: maps.Clone(r.Refused)}
	for _, step := range plan.Steps {
		n := len(step.Intents)
		r.step(ctx, &b, shots[:n])
		shots = shots[n:]
	}
	round.Ended = time.Now()
	return round, nil
}

// prepare does everything that comes before the first request.
func (r Runner) prepare(ctx context.Context, plan Plan) (*Round, []*shot, error) {
	if plan.Target != r.Target.Name {
		return nil, nil, fmt.Errorf("the runner is for target %s", r.Target.Name)
	}
	if err := permitPlan(r.Target, time.Now(), plan); err != nil {
		return nil, nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, nil, err
	}
	round, shots, err := r.bind(plan)
	if err != nil {
		return nil, nil, err
	}
	bound := make([]Bound, len(round.Exchanges))
	for i, e := range round.Exchanges {
		bound[i] = Bound{Exchange: e.ID, Intent: e.Intent, Payload: e.Payload}
	}
	if err := r.Journal.Begin(ctx, round.ID, plan, bound); err != nil {
		return nil, nil, fmt.Errorf("journal: %w", err)
	}
	return round, shots, nil
}

// shot is an exchange with what is needed to make it.
type shot struct {
	*Exchange
	tenant *tenants.Tenant
	client provider.Client
	prompt *corpus.Prompt
}

// bind gives every intent of the plan its identity and its bytes.
func (r Runner) bind(plan Plan) (*Round, []*shot, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, nil, fmt.Errorf("round id: %w", err)
	}
	round := &Round{ID: id, Plan: plan}
	var shots []*shot
	for in := range plan.Intents() {
		s, err := r.bindIntent(in)
		if err != nil {
			return nil, nil, err
		}
		shots = append(shots, s)
		round.Exchanges = append(round.Exchanges, s.Exchange)
	}
	return round, shots, nil
}

func (r Runner) bindIntent(in Intent) (*shot, error) {
	tenant := r.tenant(in.Tenant)
	client := r.Clients[in.Tenant]
	if tenant == nil || client == nil {
		return nil, fmt.Errorf("the runner has no client for tenant %s", in.Tenant)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("exchange id: %w", err)
	}
	payload, prompt, err := r.Minter.Mint(tenant.Index, in.Spec)
	if err != nil {
		return nil, fmt.Errorf("mint a prompt for tenant %s: %w", in.Tenant, err)
	}
	return &shot{
		Exchange: &Exchange{
			ID: id, Intent: in.bind(prompt.Size()), Tenant: tenant.Index,
			Payload: payload.Request(), Prompt: prompt,
		},
		tenant: tenant, client: client, prompt: prompt,
	}, nil
}

func (r Runner) tenant(name string) *tenants.Tenant {
	for i := range r.Tenants {
		if r.Tenants[i].Name == name {
			return &r.Tenants[i]
		}
	}
	return nil
}

// timeout bounds the exchange.
func (r Runner) timeout(in Intent) time.Duration {
	if r.Timeout != nil {
		return r.Timeout(in)
	}
	return DefaultTimeout(in)
}

package pipeline

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/internal/report"
	"crosstalk/probes"
)

// ringSize is how many prompts the ring remembers: about a day of a busy
// schedule, some tens of megabytes.
const ringSize = 1 << 17

// Ring is a Store in memory, for commands that run once.
type Ring struct {
	limits  probes.Limits
	pricing func(target string) probes.Pricing

	mu    sync.Mutex
	spent probes.Spend
	known map[string]Known
	refs  []begun // oldest first, at most ringSize
}

type begun struct {
	at  time.Time
	ref checks.PromptRef
}

// NewRing returns an empty ring that reserves spend under the limits.
func NewRing(limits probes.Limits, pricing func(target string) probes.Pricing) *Ring {
	return &Ring{limits: limits, pricing: pricing, known: map[string]Known{}}
}

// Begin implements probes.Journal.
func (r *Ring) Begin(_ context.Context, _ uuid.UUID, plan probes.Plan, bound []probes.Bound) error {
	cost := plan.Spend(r.pricing(plan.Target))
	r.mu.Lock()
	defer r.mu.Unlock()
	// A command that runs once knows of no other run of the day.
	if err := r.limits.Admit(r.spent, r.spent, cost); err != nil {
		return fmt.Errorf("reserve spend of %s: %w", plan.Probe, err)
	}
	r.spent = r.spent.Plus(cost)
	for _, b := range bound {
		r.refs = append(r.refs, begun{at: b.Payload.Time(), ref: checks.PromptRef{
			Exchange: b.Exchange, Payload: b.Payload, Spec: b.Intent.Spec,
		}})
	}
	if n := len(r.refs) - ringSize; n > 0 {
		r.refs = slices.Delete(r.refs, 0, n)
	}
	return nil
}

// Spent is what has been reserved so far.
func (r *Ring) Spent() probes.Spend {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.spent
}

// Known implements Store.
func (r *Ring) Known(_ context.Context, target string) (Known, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[target], nil
}

// Lookback implements Store.
func (r *Ring) Lookback(_ context.Context, since time.Time) ([]checks.PromptRef, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	since = since.Truncate(time.Second) // payloads know whole seconds
	var refs []checks.PromptRef
	for _, b := range slices.Backward(r.refs) {
		if !b.at.Before(since) {
			refs = append(refs, b.ref)
		}
	}
	return refs, nil
}

// Save implements Store.
func (r *Ring) Save(_ context.Context, o *report.Outcome, k Known) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known[o.Round.Plan.Target] = k
	return nil
}

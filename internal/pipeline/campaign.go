package pipeline

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/internal/report"
	"crosstalk/probes"
)

// Item is a probe and how many rounds of it to run.
type Item struct {
	Probe  probes.Probe
	Rounds int
}

// Campaign is a list of probes to be run against one site, one round after
// another.
type Campaign struct {
	Engine *Engine
	Site   *Site
	Items  []Item
	// Seed makes the campaign's plans; two campaigns with one seed and the
	// same answers send prompts of the same shape.
	Seed uint64
	// Before is told each plan before it is sent, After each outcome. Both
	// may be nil.
	Before func(probes.Plan)
	After  func(*report.Outcome)
}

// maxConfirmations bounds what is sent after a suspected disclosure of a
// stranger's content: every further answer may be another stranger's private
// data.
const maxConfirmations = 2

// Run runs the campaign. It goes on after a round that found damage and after
// a leak of our own content; a length band in which a stranger's content is
// suspected is left alone after its confirmation (Known.Stopped), and a tenant
// that the target refuses again after its credential was read anew is left out.
// It ends early, with an error, when ctx ends, a cap is reached, every tenant is
// left out, or several rounds in a row decided nothing since the target does not
// answer; the outcomes so far are returned in every case.
func (c *Campaign) Run(ctx context.Context) ([]*report.Outcome, error) {
	rng := rand.New(rand.NewPCG(c.Seed, 0))
	var p patience
	var outcomes []*report.Outcome
	for _, item := range c.Items {
		for range item.Rounds {
			more, err := c.round(ctx, &p, item.Probe, rng)
			outcomes = append(outcomes, more...)
			if err != nil {
				return outcomes, err
			}
		}
	}
	return outcomes, nil
}

// round runs one round and the confirmations it calls for.
func (c *Campaign) round(ctx context.Context, pt *patience, p probes.Probe, rng *rand.Rand) ([]*report.Outcome, error) {
	var outcomes []*report.Outcome
	confirm := uuid.Nil
	for n := 0; n <= maxConfirmations; n++ {
		o, err := c.one(ctx, pt, p, rng.Uint64(), confirm)
		if o != nil {
			outcomes = append(outcomes, o)
			pt.learn(o)
			if c.After != nil {
				c.After(o)
			}
		}
		if err != nil || !wantsConfirmation(o, n) {
			return outcomes, err
		}
		confirm = o.Round.ID
	}
	return outcomes, nil
}

func (c *Campaign) one(ctx context.Context, pt *patience, p probes.Probe, seed uint64, confirm uuid.UUID) (*report.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("campaign ended before %s: %w", p.Kind(), context.Cause(ctx))
	}
	if err := pt.giveUp(c.Site.Target.Name, c.Site.Tenants); err != nil {
		return nil, err
	}
	state, err := c.Engine.State(ctx, c.Site, confirm)
	if err != nil {
		return nil, err
	}
	plan, err := p.Plan(seed, state)
	if err != nil {
		return nil, fmt.Errorf("plan %s for target %s: %w", p.Kind(), c.Site.Target.Name, err)
	}
	if c.Before != nil {
		c.Before(plan)
	}
	return c.Engine.round(ctx, c.Site, plan, pt.refused)
}

// wantsConfirmation reports whether the outcome, which n confirmations have led
// to, asks for one more round with fresh markers: a suspected disclosure that
// nothing else in its exchange supports, an answer to a prompt that was not read,
// or a lost seal at a length where a healthy model may lose one.
func wantsConfirmation(o *report.Outcome, n int) bool {
	for _, x := range o.Round.Exchanges {
		switch verdict := o.Report.Verdict(x.ID); {
		case verdict == checks.Foreign && n < maxConfirmations && !supported(o, x.ID):
			return true
		case verdict == checks.Damaged && n < maxConfirmations && unread(o, x.ID):
			return true
		case verdict == checks.Inconclusive && n == 0 && o.Report.Has(x.ID, checks.KindLostAskedSeal):
			return true
		}
	}
	return false
}

// unread reports whether the exchange was answered sooner than its prompt could
// be read, and without its seal. What was decoded then is whatever the memory
// held: a stale text of some words reads like a denial or a refusal, and only
// another answer, to another stale text, tells whether strangers are read out.
func unread(o *report.Outcome, id uuid.UUID) bool {
	return o.Report.Has(id, checks.KindSkippedPrefill) && !o.Report.Has(id, checks.KindRecalled)
}

// supported reports whether a second kind of evidence stands beside the
// suspicion: the protocol of the same exchange was damaged too.
func supported(o *report.Outcome, id uuid.UUID) bool {
	for _, f := range o.Report.Findings {
		if f.Exchange != id || f.Class != checks.Damaged {
			continue
		}
		switch f.Check {
		case "prefillrate", "usage", "overlength":
			return true
		}
	}
	return false
}

package ledger

import (
	"time"

	"crosstalk/alerting"
	"crosstalk/probes"
)

// DefaultKeepMarkers is how long markers are kept: a year, and a month to find
// out.
const DefaultKeepMarkers = 400 * 24 * time.Hour

// DefaultCheckWhole keeps the check at the start under half a second.
const DefaultCheckWhole = 64 << 20

// Options are what a ledger is told by the configuration. The functions are
// called whenever the answer is needed, from any goroutine, so that a reload is
// seen at once; they must not call the ledger. Nil ones stand for nothing: no
// caps, no prices, no notifiers.
type Options struct {
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// KeyID names the fleet key that prompts are minted under, as
	// tenants.FleetKey.ID does. It is written beside each, so that the prompt
	// can be rebuilt when another key is the newest.
	KeyID string
	// Targets are the names of all targets that are configured, controls
	// included: Tick steps them even if they were never probed.
	Targets func() []string
	// Policy is the paging policy of a target. Its fields Stopped and Paused
	// are filled in by the ledger, which knows.
	Policy func(target string) alerting.Policy
	// Limits are the caps of a target. The caps on a run hold for a round
	// together with all that confirms it.
	Limits func(target string) probes.Limits
	// Total are the caps on a day of all targets together.
	Total func() probes.Limits
	// Pricing is what a target costs.
	Pricing func(target string) probes.Pricing
	// Routes are the notifiers, and which pages each is to get.
	Routes func() []alerting.Route
	// IsControl tells the targets that are controls: their rounds are kept,
	// but not stepped into incidents.
	IsControl func(target string) bool
	// Paged is told of the pages that were committed, after they were: wake
	// the courier.
	Paged func(pages []alerting.Page)
	// KeepMarkers is how long markers, events and counts are kept; 0 means
	// DefaultKeepMarkers.
	KeepMarkers time.Duration
	// CheckWhole is the size, in bytes, up to which a file is looked through
	// whole at the start; 0 means DefaultCheckWhole. Of a larger one the
	// markers, which are most of it, are left out; damage among them shows
	// when they are read, and then the next start looks at everything.
	CheckWhole int64
	// Attach says that the ledger belongs to another process: one that is
	// missing or damaged is an error, and is neither made nor set aside.
	Attach bool
}

func (o Options) now() time.Time {
	if o.Now == nil {
		return time.Now()
	}
	return o.Now()
}

func (o Options) targets() []string {
	if o.Targets == nil {
		return nil
	}
	return o.Targets()
}

func (o Options) policy(target string) alerting.Policy {
	if o.Policy == nil {
		return alerting.Policy{}
	}
	return o.Policy(target)
}

func (o Options) limits(target string) probes.Limits {
	if o.Limits == nil {
		return probes.Limits{}
	}
	return o.Limits(target)
}

// total are the caps on a day; those on a run belong to a target.
func (o Options) total() probes.Limits {
	if o.Total == nil {
		return probes.Limits{}
	}
	l := o.Total()
	l.TokensPerRun, l.USDPerRun = 0, 0
	return l
}

func (o Options) pricing(target string) probes.Pricing {
	if o.Pricing == nil {
		return probes.Pricing{}
	}
	return o.Pricing(target)
}

func (o Options) routes() []alerting.Route {
	if o.Routes == nil {
		return nil
	}
	return o.Routes()
}

func (o Options) isControl(target string) bool {
	return o.IsControl != nil && o.IsControl(target)
}

func (o Options) paged(pages []alerting.Page) {
	if o.Paged != nil && len(pages) > 0 {
		o.Paged(pages)
	}
}

func (o Options) keepMarkers() time.Duration {
	if o.KeepMarkers <= 0 {
		return DefaultKeepMarkers
	}
	return o.KeepMarkers
}

func (o Options) checkWhole() int64 {
	if o.CheckWhole <= 0 {
		return DefaultCheckWhole
	}
	return o.CheckWhole
}

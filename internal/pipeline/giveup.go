package pipeline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"crosstalk/checks"
	"crosstalk/internal/report"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

const (
	// maxUndecided is how many rounds in a row may decide nothing because the
	// target does not answer or refuses whoever asks. Two or three happen to a
	// target that is being restarted; with timeouts of a minute and more, a
	// campaign of thirty rounds would wait for hours.
	maxUndecided = 5
	// maxRefusals is how many rounds in a row may refuse a tenant: one, and
	// one after its credential was read again.
	maxRefusals = 2
	// maxSaid bounds what an error repeats of a provider's message, bytes.
	maxSaid = 200
)

// patience is what the rounds of a campaign have told about whether it is worth
// going on. The zero value is fresh.
type patience struct {
	undecided int               // rounds in a row that decided nothing
	trouble   *provider.Failure // why the last of them did not
	refusals  map[string]int    // rounds in a row, by tenant
	refused   map[string]string // tenants left out, and why
	said      map[string]string // how they were refused, for the last error
}

// learn takes in the outcome of a round.
func (p *patience) learn(o *report.Outcome) {
	if !slices.ContainsFunc(o.Round.Exchanges, func(x *probes.Exchange) bool { return x.Response != nil }) {
		return // nothing was sent: its cells are stopped, or its tenants left out
	}
	if p.trouble = troubleOf(o); p.trouble != nil {
		p.undecided++
	} else {
		p.undecided = 0
	}
	if p.refusals == nil {
		p.refusals, p.refused, p.said = map[string]int{}, map[string]string{}, map[string]string{}
	}
	for tenant, x := range refusalsIn(o.Round) {
		if x == nil {
			p.refusals[tenant] = 0
			continue
		}
		if p.refusals[tenant]++; p.refusals[tenant] < maxRefusals {
			continue
		}
		r := x.Response
		p.refused[tenant] = fmt.Sprintf("the target answered tenant %s with status %d (%s) in %d rounds in a row", tenant, r.Status, r.Failure.Kind, maxRefusals)
		p.said[tenant] = fmt.Sprintf("%s with status %d (%s)", tenant, r.Status, told(r.Failure))
	}
}

// giveUp is why nothing more should be sent; nil to go on.
func (p *patience) giveUp(target string, list []tenants.Tenant) error {
	out := func(t tenants.Tenant) bool { return p.refused[t.Name] == "" }
	if len(list) > 0 && !slices.ContainsFunc(list, out) {
		var said []string
		for _, t := range list {
			said = append(said, p.said[t.Name])
		}
		return fmt.Errorf("target %s refused every tenant in %d rounds in a row: %s; check the tenants' credentials, what they are allowed to use, and their accounts, then run again",
			target, maxRefusals, strings.Join(said, ", "))
	}
	if p.undecided < maxUndecided {
		return nil
	}
	return fmt.Errorf("%d rounds in a row decided nothing: %s; %s", p.undecided, told(p.trouble), hint(p.trouble.Kind))
}

// told is a failure in its kind and the message it came with, which is the
// provider's or our own. Both are without the credential.
func told(f *provider.Failure) string {
	if f.Message == "" {
		return string(f.Kind)
	}
	return fmt.Sprintf("%s: %q", f.Kind, provider.Clip(f.Message, maxSaid))
}

func hint(kind provider.FailureKind) string {
	if kind.RefusesTenant() {
		return "check the tenants' credentials and accounts"
	}
	return "is the target up?"
}

// troubleOf is why no exchange of a round was decided, if all of them were not
// because the target did not answer or refused the tenant; nil otherwise.
func troubleOf(o *report.Outcome) *provider.Failure {
	var why *provider.Failure
	for _, x := range o.Round.Exchanges {
		if o.Report.Verdict(x.ID) != checks.Inconclusive {
			return nil
		}
		switch {
		case x.Response == nil: // skipped, since another was refused
		case x.Response.Failure == nil || !silences(x.Response.Failure.Kind):
			return nil
		default:
			why = cmp.Or(why, x.Response.Failure)
		}
	}
	return why
}

// silences reports whether a failure of that kind tells nothing about the
// target's answers and is likely to come again.
func silences(kind provider.FailureKind) bool {
	return kind == provider.FailureTimeout || kind == provider.FailureNetwork || kind.RefusesTenant()
}

// refusalsIn are the tenants that a round tells about: with the exchange that
// refused them, or with nil when an exchange of theirs was let through.
func refusalsIn(r *probes.Round) map[string]*probes.Exchange {
	refused, served := map[string]*probes.Exchange{}, map[string]*probes.Exchange{}
	for _, x := range r.Exchanges {
		switch {
		case x.Response == nil:
		case x.Response.Failure == nil:
			served[x.Intent.Tenant] = nil
		case x.Response.Failure.Kind.RefusesTenant() && refused[x.Intent.Tenant] == nil:
			refused[x.Intent.Tenant] = x
		}
	}
	maps.Copy(refused, served)
	return refused
}

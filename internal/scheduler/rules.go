package scheduler

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"crosstalk/checks"
	"crosstalk/internal/report"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

// key names one schedule: a probe against a target.
type key struct{ probe, target string }

const (
	// maxHalvings bounds how far the cadence of a probe falls: to one slot in
	// 32.
	maxHalvings = 5
	// calmRounds is how many rounds in a row without complaint undo one
	// halving.
	calmRounds = 2
	// A tenant that a target refuses is left out for tenantRest, and twice as
	// long each time it is refused again, up to tenantRestMost. A key that is
	// refused has one more chance: it is read anew, and may have been rotated.
	tenantRest     = time.Hour
	tenantRestMost = 24 * time.Hour
	// Surge: this many further rounds at once after a finding, and no other
	// surge of the same probe and target for surgeRest.
	surgeRounds = 3
	surgeRest   = time.Hour
	// DeployWindow is how long after a deploy a target is watched closely.
	DeployWindow = 30 * time.Minute
)

// rules remembers what targets said and decides whether a slot may be run. It
// reads no clock and does no I/O, and forgets everything with the process: what
// must outlive it (pauses, stopped cells, spend) is in the ledger.
type rules struct {
	mu       sync.Mutex
	cadences map[key]*cadence
	targets  map[string]*standing
	silences []Silence
}

// cadence is how much less often a probe runs because the target asked for
// less.
type cadence struct {
	halvings int
	calm     int // rounds in a row without complaint
	passed   int // slots passed over since the last that was admitted
	surged   time.Time
	warm     bool // a cold round has ended since the start, the deploy or a change of identity
}

// standing is what is remembered of a target.
type standing struct {
	notBefore time.Time // it asked to be left alone until then
	deployed  time.Time
	refused   map[string]*refusal // by tenant
}

// refusal is a tenant that the target refuses.
type refusal struct {
	until time.Time
	rest  time.Duration // the next one
	again bool          // its key has been read anew
	said  string
}

func newRules() *rules {
	return &rules{cadences: map[key]*cadence{}, targets: map[string]*standing{}}
}

func (r *rules) cadence(k key) *cadence {
	c := r.cadences[k]
	if c == nil {
		c = &cadence{}
		r.cadences[k] = c
	}
	return c
}

func (r *rules) standing(target string) *standing {
	s := r.targets[target]
	if s == nil {
		s = &standing{refused: map[string]*refusal{}}
		r.targets[target] = s
	}
	return s
}

// admit decides about a slot: nil, or why it is not run. An extra run, which
// is on nobody's schedule, is not subject to the halved cadence.
func (r *rules) admit(e *Entry, now time.Time, extra bool) *skip {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := e.key()
	if why := r.silencedLocked(k.target, now); why != nil {
		return why
	}
	if slices.ContainsFunc(e.Quiet, func(q Quiet) bool { return q.Covers(now) }) {
		return &skip{ReasonQuiet, quietHours}
	}
	if err := probes.Permit(e.Site.Target, now, probes.ActProbe); err != nil {
		return &skip{ReasonUnauthorized, err.Error()}
	}
	if until := r.standing(k.target).notBefore; now.Before(until) {
		return &skip{ReasonBackoff, "the target asked to be left alone until " + until.UTC().Format(time.RFC3339)}
	}
	c := r.cadence(k)
	if stride := 1 << c.halvings; !extra && c.passed+1 < stride {
		c.passed++
		return &skip{ReasonBackoff, fmt.Sprintf("the target asked for less: one slot in %d is run", stride)}
	}
	return nil
}

// silenced is the silence that holds for the target now, nil if none does.
func (r *rules) silenced(target string, now time.Time) *skip {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.silencedLocked(target, now)
}

func (r *rules) silencedLocked(target string, now time.Time) *skip {
	for _, s := range r.silences {
		if s.covers(target, now) {
			return &skip{ReasonSilence, fmt.Sprintf("the target is silenced until %s: %s", s.Until.Format(time.RFC3339), s.Reason)}
		}
	}
	return nil
}

// tenants are those that the target does not refuse at present.
func (r *rules) tenants(target string, all []tenants.Tenant, now time.Time) []tenants.Tenant {
	r.mu.Lock()
	defer r.mu.Unlock()
	refused := r.standing(target).refused
	return slices.DeleteFunc(slices.Clone(all), func(t tenants.Tenant) bool {
		f := refused[t.Name]
		return f != nil && now.Before(f.until)
	})
}

// said is what a round was told about how welcome it is.
type said struct {
	less    bool          // 429, 503, 529
	leave   time.Duration // Retry-After, 0 if not told
	served  []string      // tenants that were answered
	refused []refusedTenant
}

// refusedTenant is a tenant with what the target said to it.
type refusedTenant struct {
	tenant, detail string
	key            bool // it is the key that is refused
}

// listen reads what the target said in a round.
func listen(round *probes.Round) said {
	var all said
	for _, x := range round.Exchanges {
		if x.Response == nil {
			continue
		}
		f := x.Response.Failure
		if f == nil {
			all.served = append(all.served, x.Intent.Tenant)
			continue
		}
		tenant := x.Intent.Tenant
		switch {
		case f.Kind == provider.FailureRateLimit || f.Kind == provider.FailureOverload:
			all.less, all.leave = true, max(all.leave, f.RetryAfter)
		case f.Kind.RefusesTenant():
			if slices.ContainsFunc(all.refused, func(t refusedTenant) bool { return t.tenant == tenant }) {
				continue
			}
			all.refused = append(all.refused, refusedTenant{
				tenant: tenant, key: f.Kind == provider.FailureAuth,
				detail: fmt.Sprintf("the target answered tenant %s with status %d (%s)", tenant, x.Response.Status, f.Kind),
			})
		}
	}
	return all
}

// started notes that a slot's round is about to be sent.
func (r *rules) started(k key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cadence(k).passed = 0
}

// learn takes in the outcome of a round and returns the tenants it stopped.
func (r *rules) learn(k key, o *report.Outcome, now time.Time) []refusedTenant {
	s := listen(o.Round)
	r.mu.Lock()
	defer r.mu.Unlock()
	target := r.standing(k.target)
	if s.leave > 0 && target.notBefore.Before(now.Add(s.leave)) {
		target.notBefore = now.Add(s.leave)
	}
	r.cadence(k).hear(s)
	for _, tenant := range s.served {
		delete(target.refused, tenant)
	}
	var stopped []refusedTenant
	for _, t := range s.refused {
		if target.refuse(t, now) {
			stopped = append(stopped, t)
		}
	}
	r.cadence(k).judged(o)
	return stopped
}

// hear halves the cadence when the target asks for less, and brings it back
// slowly when it does not.
func (c *cadence) hear(s said) {
	switch {
	case s.less:
		c.halvings, c.calm = min(c.halvings+1, maxHalvings), 0
	case len(s.served) == 0: // nothing that tells
	case c.halvings > 0:
		if c.calm++; c.calm >= calmRounds {
			c.halvings, c.calm = c.halvings-1, 0
		}
	}
}

// judged keeps book of when the next round has to be cold: after a change of
// identity, until a cold round was decided.
func (c *cadence) judged(o *report.Outcome) {
	for _, f := range o.Report.Findings {
		if f.Check == "identity" {
			c.warm = false
			return
		}
	}
	for _, x := range o.Round.Exchanges {
		if !x.Intent.Cell.Warm && x.Intent.Role == probes.RoleMain && o.Report.Verdict(x.ID) != checks.Inconclusive {
			c.warm = true
		}
	}
}

// refuse notes that the tenant is refused; true if it is left out from now on.
func (s *standing) refuse(t refusedTenant, now time.Time) bool {
	f := s.refused[t.tenant]
	if f == nil {
		f = &refusal{rest: tenantRest}
		s.refused[t.tenant] = f
	}
	if now.Before(f.until) {
		return false
	}
	if t.key && !f.again {
		f.again = true
		return false
	}
	f.until, f.said = now.Add(f.rest), t.detail
	f.rest = min(2*f.rest, tenantRestMost)
	return true
}

// surge reports whether the outcome calls for further rounds at once. Only
// damage and leaks of our own content do: what could not be decided says
// nothing, and where a stranger's content is suspected less is asked, not more.
func (r *rules) surge(e *Entry, o *report.Outcome, now time.Time) bool {
	worst := worst(o)
	if worst != checks.Leak && worst != checks.Damaged {
		return false
	}
	if probes.Permit(e.Site.Target, now, probes.ActSurge) != nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.cadence(e.key())
	if !c.surged.IsZero() && now.Sub(c.surged) < surgeRest {
		return false
	}
	c.surged = now
	return true
}

// worst is the worst class of the round; a stranger's content anywhere in it is
// worse than a leak of our own here, because it forbids to go on.
func worst(o *report.Outcome) checks.Class {
	for _, v := range o.Report.Verdicts {
		if v.Class == checks.Foreign {
			return checks.Foreign
		}
	}
	return o.Report.Class()
}

// deploy marks a deploy of the target: its next rounds are cold.
func (r *rules) deploy(target string, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.standing(target).deployed = now
	for k, c := range r.cadences {
		if k.target == target {
			c.warm = false
		}
	}
}

func (r *rules) deployedUntil(target string) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at := r.standing(target).deployed; !at.IsZero() {
		return at.Add(DeployWindow)
	}
	return time.Time{}
}

// cold reports whether the next round of the schedule has to be cold.
func (r *rules) cold(k key) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.cadence(k).warm
}

// silence replaces all silences.
func (r *rules) silence(all []Silence) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.silences = slices.Clone(all)
}

// forgive lets every tenant of the target try again at once: a person resumed
// it, or the configuration was read again.
func (r *rules) forgive(target string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.standing(target).refused = map[string]*refusal{}
}

// keep forgets what is known of schedules that are gone.
func (r *rules) keep(entries map[key]*Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.cadences, func(k key, _ *cadence) bool { return entries[k] == nil })
}

// standingOf is the state of one schedule, for pages.
func (r *rules) standingOf(k key, now time.Time) Standing {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.standing(k.target)
	s := Standing{Stride: 1 << r.cadence(k).halvings, RefusedTenants: map[string]string{}}
	if now.Before(t.notBefore) {
		s.LeftAloneUntil = t.notBefore
	}
	for name, f := range t.refused {
		if now.Before(f.until) {
			s.RefusedTenants[name] = f.said
		}
	}
	return s
}

// Standing is what the rules hold against a schedule at present.
type Standing struct {
	Next           time.Time         // slot
	Running        bool              // a round is in flight
	Stride         int               // one slot in so many is run; 1: all
	LeftAloneUntil time.Time         // the target asked for it; zero if it did not
	RefusedTenants map[string]string // by name, with what the target said
}

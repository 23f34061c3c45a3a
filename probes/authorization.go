package probes

import (
	"errors"
	"fmt"
	"time"
)

// ErrNotAllowed is wrapped by every error that is for lack of authorization.
var ErrNotAllowed = errors.New("not allowed")

// Act is something a probe does to a target that needs a permission.
type Act string

const (
	ActProbe    Act = "probe"     // ordinary requests, at most MaxBurstUnowned at once
	ActBurst    Act = "burst"     // more than MaxBurstUnowned requests at once
	ActAbort    Act = "abort"     // requests cut off on purpose
	ActObjects  Act = "objects"   // stored objects asked for across tenants
	ActPoolFill Act = "pool fill" // filling the whole KV pool
	ActBoundary Act = "boundary"  // bisection of the first failing length
	ActSurge    Act = "surge"     // probing one cell again and again after a finding
)

const (
	// MaxBurst is the most requests that any step sends at once.
	MaxBurst = 64
	// MaxBurstUnowned is the most without permission of the owner or the
	// provider.
	MaxBurstUnowned = 4
	// LongPrompt is the length in tokens above which a target has at most one
	// prompt in flight, and above which only the seal asked for first decides.
	LongPrompt = 128 << 10
)

// Owned reports whether whoever runs the target agreed to be probed hard: a
// target on this machine, one of our own, or one with the provider's consent.
func (t Target) Owned() bool {
	return t.Loopback || t.Basis == BasisOwner || t.Basis == BasisConsent
}

// Burst is the most requests that may be sent to the target at once.
func (t Target) Burst() int {
	if t.Owned() {
		return MaxBurst
	}
	return MaxBurstUnowned
}

// Permit reports whether act is allowed on the target at that time: nil, or an
// error that wraps ErrNotAllowed and says what is missing. A target on this
// machine allows everything. Any other needs an authorization that is complete
// and has not expired, and whatever goes beyond ordinary requests needs that of
// the owner or the provider.
func Permit(t Target, now time.Time, act Act) error {
	if t.Loopback {
		return nil
	}
	if err := t.Authorization.validAt(now); err != nil {
		return fmt.Errorf("target %s: %w: %w", t.Name, ErrNotAllowed, err)
	}
	if act != ActProbe && !t.Owned() {
		return fmt.Errorf("target %s: %w: %s needs an authorization with basis %s or %s, not %s",
			t.Name, ErrNotAllowed, act, BasisOwner, BasisConsent, t.Basis)
	}
	return nil
}

// validAt reports what is wrong with the authorization at that time.
func (a Authorization) validAt(now time.Time) error {
	switch a.Basis {
	case BasisOwner, BasisContract, BasisConsent, BasisCustomer:
	case "":
		return errors.New("it has no authorization: state basis, reference, contact and expires")
	default:
		return fmt.Errorf("authorization basis %q is unknown: use %s, %s, %s or %s",
			a.Basis, BasisOwner, BasisContract, BasisConsent, BasisCustomer)
	}
	switch {
	case a.Reference == "":
		return errors.New("its authorization has no reference: name the ticket or contract")
	case a.Contact == "":
		return errors.New("its authorization has no contact: name who to call when a probe hurts")
	case a.Expires.IsZero():
		return errors.New("its authorization has no expires: state a date")
	case now.IsZero():
		return errors.New("the state has no date to judge its authorization by: set State.Now")
	case !now.Before(a.Expires):
		return fmt.Errorf("its authorization (%s) expired on %s: renew it", a.Reference, a.Expires.Format(time.DateOnly))
	}
	return nil
}

// permitPlan reports whether every step of the plan is allowed now.
func permitPlan(t Target, now time.Time, p Plan) error {
	if err := Permit(t, now, ActProbe); err != nil {
		return err
	}
	for _, step := range p.Steps {
		if err := permitStep(t, now, step); err != nil {
			return fmt.Errorf("step %s: %w", step.Name, err)
		}
	}
	return nil
}

// permitStep holds the rules about what is in flight at once.
func permitStep(t Target, now time.Time, step Step) error {
	n := len(step.Intents)
	if n > MaxBurst {
		return fmt.Errorf("target %s: %w: %d requests at once, at most %d", t.Name, ErrNotAllowed, n, MaxBurst)
	}
	if n > MaxBurstUnowned {
		if err := Permit(t, now, ActBurst); err != nil {
			return err
		}
	}
	long := 0
	for _, in := range step.Intents {
		if in.Tokens > LongPrompt {
			long++
		}
	}
	if long > 1 {
		return fmt.Errorf("target %s: %w: %d prompts above %d tokens at once, at most 1",
			t.Name, ErrNotAllowed, long, LongPrompt)
	}
	return nil
}

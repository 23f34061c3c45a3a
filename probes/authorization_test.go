package probes

import (
	"errors"
	"testing"
	"time"
)

func TestPermit(t *testing.T) {
	owned := Target{Name: "edge", Authorization: ownerAuthorization()}
	with := func(edit func(*Target)) Target {
		t := owned
		edit(&t)
		return t
	}
	basis := func(b Basis) Target { return with(func(t *Target) { t.Basis = b }) }
	tests := map[string]struct {
		target Target
		now    time.Time
		act    Act
		want   string // "" for allowed
	}{
		"loopback needs none":        {Target{Name: "edge", Loopback: true}, time.Time{}, ActPoolFill, ""},
		"owner may probe":            {owned, today(), ActProbe, ""},
		"owner may abort":            {owned, today(), ActAbort, ""},
		"consent may fill the pool":  {basis(BasisConsent), today(), ActPoolFill, ""},
		"contract may probe":         {basis(BasisContract), today(), ActProbe, ""},
		"customer may probe":         {basis(BasisCustomer), today(), ActProbe, ""},
		"contract may not burst":     {basis(BasisContract), today(), ActBurst, "target edge: not allowed: burst needs an authorization with basis owner or provider-consent, not contract"},
		"contract may not abort":     {basis(BasisContract), today(), ActAbort, "target edge: not allowed: abort needs an authorization with basis owner or provider-consent, not contract"},
		"customer may not objects":   {basis(BasisCustomer), today(), ActObjects, "target edge: not allowed: objects needs an authorization with basis owner or provider-consent, not customer"},
		"customer may not fill":      {basis(BasisCustomer), today(), ActPoolFill, "target edge: not allowed: pool fill needs an authorization with basis owner or provider-consent, not customer"},
		"customer may not bisect":    {basis(BasisCustomer), today(), ActBoundary, "target edge: not allowed: boundary needs an authorization with basis owner or provider-consent, not customer"},
		"customer may not surge":     {basis(BasisCustomer), today(), ActSurge, "target edge: not allowed: surge needs an authorization with basis owner or provider-consent, not customer"},
		"nothing stated":             {Target{Name: "edge"}, today(), ActProbe, "target edge: not allowed: it has no authorization: state basis, reference, contact and expires"},
		"unknown basis":              {basis("friend"), today(), ActProbe, `target edge: not allowed: authorization basis "friend" is unknown: use owner, contract, provider-consent or customer`},
		"no reference":               {with(func(t *Target) { t.Reference = "" }), today(), ActProbe, "target edge: not allowed: its authorization has no reference: name the ticket or contract"},
		"no contact":                 {with(func(t *Target) { t.Contact = "" }), today(), ActProbe, "target edge: not allowed: its authorization has no contact: name who to call when a probe hurts"},
		"no end":                     {with(func(t *Target) { t.Expires = time.Time{} }), today(), ActProbe, "target edge: not allowed: its authorization has no expires: state a date"},
		"no date to judge by":        {owned, time.Time{}, ActProbe, "target edge: not allowed: the state has no date to judge its authorization by: set State.Now"},
		"last moment":                {owned, owned.Expires.Add(-time.Second), ActProbe, ""},
		"expired":                    {owned, owned.Expires, ActProbe, "target edge: not allowed: its authorization (CHG-1234) expired on 2037-06-30: renew it"},
		"expired even for the owner": {owned, owned.Expires.AddDate(1, 0, 0), ActSurge, "target edge: not allowed: its authorization (CHG-1234) expired on 2037-06-30: renew it"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := Permit(tt.target, tt.now, tt.act)
			if tt.want == "" {
				if err != nil {
					t.Errorf("not allowed: %v", err)
				}
				return
			}
			if err == nil || err.Error() != tt.want {
				t.Errorf("got error  %v\nwant error %s", err, tt.want)
			}
			if !errors.Is(err, ErrNotAllowed) {
				t.Error("error does not wrap ErrNotAllowed")
			}
		})
	}
}

// TestEveryProbeAsksFirst: no probe plans anything without an authorization.
func TestEveryProbeAsksFirst(t *testing.T) {
	s := newState(t, 1<<20, evenly(0.22, 0.005))
	s.Target.Authorization = Authorization{}
	for _, p := range All() {
		if plan, err := p.Plan(1, s); !errors.Is(err, ErrNotAllowed) || len(plan.Steps) > 0 {
			t.Errorf("%s: got error %v and %d steps", p.Kind(), err, len(plan.Steps))
		}
	}
}

// TestBurstSize: the size that is asked for, or what is allowed.
func TestBurstSize(t *testing.T) {
	tests := map[string]struct {
		size  int
		basis Basis
		want  int
	}{
		"owner, default":    {0, BasisOwner, 16},
		"owner, most":       {64, BasisOwner, 64},
		"contract, default": {0, BasisContract, 4},
		"contract, 2":       {2, BasisContract, 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := newState(t, 1<<20, evenly(0.22, 0.005))
			s.Target.Basis = tt.basis
			plan, err := Burst{Size: tt.size}.Plan(1, s)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(plan.Steps[0].Intents); got != tt.want {
				t.Errorf("%d at once, want %d", got, tt.want)
			}
			if got := len(plan.Steps[1].Intents); got != 2 {
				t.Errorf("%d stragglers", got)
			}
			tenants := make(map[string]int)
			for _, in := range plan.Steps[0].Intents {
				tenants[in.Tenant]++
			}
			if tenants["alpha"] != tenants["bravo"] {
				t.Errorf("tenants are not interleaved: %v", tenants)
			}
		})
	}
}

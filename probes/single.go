package probes

import "fmt"

// Single sends one prompt: what a person does to look at a target with their
// own eyes. It is not one of All, because it is nothing to repeat on a
// schedule.
type Single struct {
	Tenant string // "": the tenant whose turn it is
	Tokens int    // prompt length wanted, at most what surely fits the window
	Over   bool   // let the prompt be longer than the window
	Stream bool
}

// Kind is "probe".
func (Single) Kind() string { return "probe" }

// Plan lays out one step of one exchange.
func (p Single) Plan(seed uint64, s State) (Plan, error) {
	d, err := newDraft(p.Kind(), seed, s)
	if err != nil {
		return Plan{}, err
	}
	w := wish{tenant: p.Tenant, role: RoleMain, aim: p.Tokens, ask: 1, stream: p.Stream}
	if p.Over {
		w.room = unbounded
	}
	if w.tenant == "" {
		w.tenant = d.tenant()
	} else if !s.hasTenant(w.tenant) {
		return Plan{}, fmt.Errorf("target %s: tenant %q may not use it, or there is none of that name", s.Target.Name, w.tenant)
	}
	w.family = d.family()
	if err := d.step("probe", w); err != nil {
		return Plan{}, err
	}
	return d.done()
}

// hasTenant reports whether a tenant of that name may use the target.
func (s State) hasTenant(name string) bool {
	for _, t := range s.Tenants {
		if t.Name == name {
			return true
		}
	}
	return false
}

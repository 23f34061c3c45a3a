package probes

import (
	"crypto/sha256"
	"fmt"
	"time"

	"crosstalk/corpus"
)

// Top sends one prompt as long as the window lets it be, and then the same kind
// of prompt at half that length as its control. Whatever breaks above some
// length breaks here, without knowing the length: a sound control and a top
// without contact are a cliff.
//
// The margin below the window is the interval of the calibration: the prompt is
// as long as it can be and still surely be lawful. On a target that is not
// calibrated yet that is far below the window, and the cell says so.
type Top struct {
	// ColdEvery sends a cold prompt in one of so many rounds of a tenant and
	// warm ones otherwise: they share their first 95 % with the tenant's other
	// prompts of the day, which a target with a prefix cache sells at a
	// fraction of the price. Warm prompts skip the prefill that cold ones
	// test, and count in cells of their own. 0 and 1: always cold, as it has
	// to be after a start, a deploy or a change of identity.
	ColdEvery int
}

// Kind is "top".
func (Top) Kind() string { return "top" }

// Plan lays out two steps, "top" and "control". Tenants take turns, then
// families, then the depth that is asked for first.
func (p Top) Plan(seed uint64, s State) (Plan, error) {
	d, err := newDraft(p.Kind(), seed, s)
	if err != nil {
		return Plan{}, err
	}
	w := wish{tenant: d.tenant(), role: RoleMain, stream: true, aim: d.window}
	cold := d.turn.next(max(p.ColdEvery, 1)) == 0
	w.family, w.ask = d.sizedFamily(), 1+d.turn.next(defaultSeals)
	if !cold {
		w.prefix = prefixKey(p.Kind(), s, w.tenant, w.family)
	}
	if err := d.step("top", w); err != nil {
		return Plan{}, err
	}
	w.role, w.aim = RoleControl, d.last().Tokens/2
	if err := d.control(w); err != nil {
		return Plan{}, err
	}
	return d.done()
}

// control adds the paired control, unless the window is so small that it would
// be no shorter than what it is to be compared with.
func (d *draft) control(w wish) error {
	main := d.last()
	if err := d.step("control", w); err != nil {
		return err
	}
	if d.last().Tokens >= main.Tokens {
		d.plan.Steps = d.plan.Steps[:len(d.plan.Steps)-1]
	}
	return nil
}

// prefixKey is the key of the prefix that the tenant's warm prompts share for a
// day. It is no secret: the filler of a prefix proves nothing, the seals after
// it do.
func prefixKey(kind string, s State, tenant, family string) *corpus.Key {
	day := s.Now.UTC().Format(time.DateOnly)
	key := corpus.Key(sha256.Sum256(fmt.Appendf(nil, "crosstalk prefix\x00%s\x00%s\x00%s\x00%s\x00%s",
		kind, s.Target.Name, tenant, family, day)))
	return &key
}

package probes

import (
	"fmt"
	"math"
	"strings"

	"crosstalk/corpus"
)

// draft is a plan being laid out. It holds what the probes have in common:
// permission, choices by the seed, and lengths that fit the target.
type draft struct {
	plan  Plan
	state State
	turn  rotation
	// window is the room for prompt and answer in tokens: as advertised, or
	// less if the target itself states less.
	window int
}

// newDraft checks that the target may be probed at all.
func newDraft(kind string, seed uint64, s State) (*draft, error) {
	t := s.Target
	if err := Permit(t, s.Now, ActProbe); err != nil {
		return nil, err
	}
	if t.Window <= 0 {
		return nil, fmt.Errorf("target %s: it has no window: state the advertised context window in tokens", t.Name)
	}
	if len(s.Tenants) == 0 {
		return nil, fmt.Errorf("target %s: %s needs a tenant, and none may use it: list the target under a tenant", t.Name, kind)
	}
	for _, name := range t.families() {
		if _, ok := corpus.LookupFamily(name); !ok {
			return nil, fmt.Errorf("target %s: filler family %q is unknown: use one of %s",
				t.Name, name, strings.Join(familyNames(), ", "))
		}
	}
	d := &draft{
		plan:   Plan{Probe: kind, Target: t.Name, Seed: seed, Confirm: s.Confirm},
		state:  s,
		turn:   rotation(seed),
		window: t.Window,
	}
	if s.Limit > 0 && s.Limit < t.Window {
		d.window = s.Limit
	}
	return d, nil
}

// calibration is what is known of the family's tokens on this target.
func (d *draft) calibration(family string) corpus.Calibration {
	if c, ok := d.state.Calibration[family]; ok && c.N > 0 {
		return c
	}
	return corpus.Prior()
}

// tenant is the name of the tenant whose turn it is.
func (d *draft) tenant() string {
	return d.state.Tenants[d.turn.next(len(d.state.Tenants))].Name
}

// pair is the tenant whose turn it is and the next one, of another isolation
// domain where there is one.
func (d *draft) pair() (first, second string, err error) {
	all := d.state.Tenants
	if len(all) < 2 {
		return "", "", fmt.Errorf("target %s: %s needs two tenants and has %d: add a tenant of another account",
			d.state.Target.Name, d.plan.Probe, len(all))
	}
	at := d.turn.next(len(all))
	next := (at + 1) % len(all)
	for i := 1; i < len(all); i++ {
		if other := (at + i) % len(all); all[other].Domain != all[at].Domain {
			next = other
			break
		}
	}
	return all[at].Name, all[next].Name, nil
}

// family is the filler family whose turn it is.
func (d *draft) family() string {
	all := d.state.Target.families()
	return all[d.turn.next(len(all))]
}

// sizedFamily is family for probes that depend on their length: a family whose
// tokens have been learnt, as long as there is one.
func (d *draft) sizedFamily() string {
	all := d.state.Target.families()
	var known []string
	for _, name := range all {
		if d.state.Calibration[name].N > 0 {
			known = append(known, name)
		}
	}
	if len(known) > 0 {
		all = known
	}
	return all[d.turn.next(len(all))]
}

// families are the families the target may be sent, at least one.
func (t Target) families() []string {
	switch {
	case t.Family != "":
		return []string{t.Family}
	case len(t.Families) > 0:
		return t.Families
	}
	return familyNames()
}

func familyNames() []string {
	var names []string
	for _, f := range corpus.Families() {
		names = append(names, f.Name)
	}
	return names
}

// unbounded is the room of a prompt that is meant to pass the limit.
const unbounded = math.MaxInt

// wish is a prompt as a probe asks for it.
type wish struct {
	tenant string
	role   Role
	family string
	aim    int // tokens of prompt wanted
	// room is the tokens that prompt and answer must surely fit in; 0 is the
	// window, unbounded is no limit.
	room   int
	limit  int // that Expect is judged against; 0: the window
	ask    int // seal to ask for first if the prompt is long
	stream bool
	at     int         // exchanges released together with this one, itself included
	prefix *corpus.Key // of a warm prompt; nil: cold
}

// intent turns a wish into an intent: the longest prompt that comes up to it.
// A prompt is never smaller than its seals, its question and one sentence.
func (d *draft) intent(w wish) (Intent, error) {
	spec, budget, err := d.shape(w.family)
	if err != nil {
		return Intent{}, err
	}
	if w.room == 0 {
		w.room = d.window
	}
	if w.limit == 0 {
		w.limit = d.window
	}
	if spec.Task == corpus.TaskSeals {
		spec.Ask = min(w.ask, spec.Seals)
	}
	spec, s := d.longest(spec, w.aim, w.room-budget, w.prefix)
	if s.mid <= LongPrompt && spec.Ask > 0 {
		spec.Ask = 0
		spec, s = d.longest(spec, min(w.aim, LongPrompt), w.room-budget, w.prefix)
	}
	return Intent{
		Tenant: w.tenant, Role: w.role, Spec: spec,
		Bytes: s.bytes, Tokens: s.mid, TokensLow: s.low, TokensHigh: s.high,
		MaxTokens: budget, Limit: w.limit, Stream: w.stream,
		Expect: expect(s.low, s.high, budget, w.limit),
		Cell: Cell{
			Target: d.plan.Target, Probe: d.plan.Probe,
			Length:      LengthBand(s.mid, d.state.Target.Window),
			Concurrency: ConcurrencyBand(w.at),
			Warm:        spec.Prefix != nil, Stream: w.stream,
		},
	}, nil
}

// step adds a step of the wishes, released together.
func (d *draft) step(name string, wishes ...wish) error {
	step := Step{Name: name}
	for _, w := range wishes {
		w.at = len(wishes)
		in, err := d.intent(w)
		if err != nil {
			return err
		}
		step.Intents = append(step.Intents, in)
	}
	d.plan.Steps = append(d.plan.Steps, step)
	return nil
}

// last is the first intent of the step added last.
func (d *draft) last() Intent {
	return d.plan.Steps[len(d.plan.Steps)-1].Intents[0]
}

// done is the finished plan, once every step of it is allowed.
func (d *draft) done() (Plan, error) {
	if err := permitPlan(d.state.Target, d.state.Now, d.plan); err != nil {
		return Plan{}, err
	}
	return d.plan, nil
}

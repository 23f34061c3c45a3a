package probes

import "fmt"

// Burst sends one long prompt and many short ones at the same instant, tenants
// interleaved, and two stragglers when all have ended. Most mix-ups known need
// requests that overlap, not long ones: answers swapped within a batch, a slot
// that keeps the state of the one before, a first token of the neighbour. The
// stragglers find what a burst leaves behind.
type Burst struct {
	// Size is how many prompts are released at once, 2 to MaxBurst; above
	// MaxBurstUnowned only with permission of the owner or the provider.
	// 0: 16, or as many as are allowed.
	Size int
}

const (
	defaultBurst = 16
	stragglers   = 2
	// Lengths in tokens. The long prompt is long enough for several prefill
	// chunks, and a burst still costs less than a tenth of a full window.
	burstLow  = 300
	burstHigh = 2000
	burstLong = 64 << 10
)

// Kind is "burst".
func (Burst) Kind() string { return "burst" }

// Plan lays out the steps "burst" and "stragglers". Every other request is
// streamed, so that both ways through the server meet.
func (p Burst) Plan(seed uint64, s State) (Plan, error) {
	d, err := newDraft(p.Kind(), seed, s)
	if err != nil {
		return Plan{}, err
	}
	n, err := p.size(s)
	if err != nil {
		return Plan{}, err
	}
	first := d.turn.next(len(s.Tenants))
	family := d.sizedFamily()
	swap := d.turn.next(2)
	prompt := func(i int) wish {
		return wish{
			tenant: s.Tenants[(first+i)%len(s.Tenants)].Name, role: RoleMain, family: family,
			aim:    spread(seed, i, min(burstLow, d.window/4), min(burstHigh, d.window/2)),
			stream: (i/len(s.Tenants)+swap)%2 == 0,
		}
	}
	var burst, late []wish
	for i := range n {
		burst = append(burst, prompt(i))
	}
	burst[0].aim = min(d.window/4, burstLong)
	for i := range stragglers {
		w := prompt(n + i)
		w.role = RoleStraggler
		late = append(late, w)
	}
	if err := d.step("burst", burst...); err != nil {
		return Plan{}, err
	}
	if err := d.step("stragglers", late...); err != nil {
		return Plan{}, err
	}
	return d.done()
}

// size is how many prompts to release at once.
func (p Burst) size(s State) (int, error) {
	switch {
	case p.Size == 0:
		return min(defaultBurst, s.Target.Burst()), nil
	case p.Size < 2 || p.Size > MaxBurst:
		return 0, fmt.Errorf("burst size %d: use 2 to %d", p.Size, MaxBurst)
	case p.Size > MaxBurstUnowned:
		return p.Size, Permit(s.Target, s.Now, ActBurst)
	}
	return p.Size, nil
}

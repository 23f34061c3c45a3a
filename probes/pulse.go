package probes

// Pulse sends one short prompt per tenant, one after the other. It finds an
// outage of meaning (answers that are no answers) and gross corruption within a
// minute, for almost nothing; and its usage figures teach how long prompts are
// on this target, which every other probe builds on.
type Pulse struct{}

const (
	// The lengths of pulses, in tokens, are spread over a range: a
	// calibration cannot tell the overhead of a chat template from the
	// tokens of a byte if all prompts are of one length.
	pulseLow  = 256
	pulseHigh = 3072
)

// Kind is "pulse".
func (Pulse) Kind() string { return "pulse" }

// Plan lays out a step per tenant. The tenant whose turn it is begins, so that
// over time each follows each.
func (p Pulse) Plan(seed uint64, s State) (Plan, error) {
	d, err := newDraft(p.Kind(), seed, s)
	if err != nil {
		return Plan{}, err
	}
	first := d.turn.next(len(s.Tenants))
	family := d.family()
	stream := d.turn.next(2) == 0
	for i := range s.Tenants {
		tenant := s.Tenants[(first+i)%len(s.Tenants)].Name
		err := d.step("pulse", wish{
			tenant: tenant, role: RoleMain, family: family, stream: stream,
			aim: spread(seed, i, pulseLow, min(pulseHigh, d.window/2)),
		})
		if err != nil {
			return Plan{}, err
		}
	}
	return d.done()
}

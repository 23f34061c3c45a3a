package probes

// SeedWatch is the experiment that found the incident crosstalk exists for, in
// its smallest form: one tenant fills 0.6 of the window with marked text, and
// as soon as its answer has ended another tenant asks at 0.95 of the window. If
// the second answer is made from pages that the first one left behind, it names
// the first tenant.
type SeedWatch struct{}

// Kind is "seedwatch".
func (SeedWatch) Kind() string { return "seedwatch" }

// Plan lays out the steps "seed" and "watch", by two tenants, of different
// isolation domains where there are any. If 0.95 of the window cannot surely be
// reached, both are scaled down alike.
func (p SeedWatch) Plan(seed uint64, s State) (Plan, error) {
	d, err := newDraft(p.Kind(), seed, s)
	if err != nil {
		return Plan{}, err
	}
	first, second, err := d.pair()
	if err != nil {
		return Plan{}, err
	}
	watch := wish{
		tenant: second, role: RoleMain, family: d.sizedFamily(), ask: 1 + d.turn.next(defaultSeals),
		stream: true, aim: int(float64(d.window) * 0.95), at: 1,
	}
	long, err := d.intent(watch)
	if err != nil {
		return Plan{}, err
	}
	sow := watch
	sow.tenant, sow.role, sow.aim = first, RoleSeed, int(float64(long.Tokens)*0.6/0.95)
	if err := d.step("seed", sow); err != nil {
		return Plan{}, err
	}
	if err := d.step("watch", watch); err != nil {
		return Plan{}, err
	}
	return d.done()
}

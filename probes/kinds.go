package probes

// All lists every probe with its default parameters, in the order reports show
// them. Adding a probe is a file and a line here.
func All() []Probe {
	return []Probe{
		Pulse{},
		Top{},
		OverLength{},
		SeedWatch{},
		Burst{},
	}
}

// Lookup returns the probe of that kind, with its default parameters.
func Lookup(kind string) (Probe, bool) {
	for _, p := range All() {
		if p.Kind() == kind {
			return p, true
		}
	}
	return nil, false
}

package probes

import "testing"

// TestSingle: one prompt of the wanted length by the wanted tenant, kept within
// the window unless it is meant to pass it.
func TestSingle(t *testing.T) {
	s := newState(t, 32768, evenly(0.22, 0.005))
	tests := map[string]struct {
		probe     Single
		tenant    string
		low, high int // tokens
		expect    Expect
	}{
		"in turn":    {Single{Tokens: 2000}, "bravo", 1950, 2000, ExpectAnswer},
		"by name":    {Single{Tenant: "alpha", Tokens: 2000}, "alpha", 1950, 2000, ExpectAnswer},
		"no length":  {Single{}, "bravo", 100, 400, ExpectAnswer},
		"too long":   {Single{Tokens: 50_000}, "bravo", 30_000, 32_000, ExpectAnswer},
		"over, long": {Single{Tokens: 50_000, Over: true}, "bravo", 49_900, 50_000, ExpectRefusal},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			plan, err := tt.probe.Plan(1, s)
			if err != nil {
				t.Fatal(err)
			}
			in := plan.Steps[0].Intents[0]
			if in.Tenant != tt.tenant || in.Tokens < tt.low || in.Tokens > tt.high || in.Expect != tt.expect {
				t.Errorf("%s sends %d tokens and expects %q", in.Tenant, in.Tokens, in.Expect)
			}
		})
	}
	if _, err := (Single{Tenant: "nobody"}).Plan(1, s); err == nil ||
		err.Error() != `target edge: tenant "nobody" may not use it, or there is none of that name` {
		t.Errorf("unknown tenant: got error %v", err)
	}
}

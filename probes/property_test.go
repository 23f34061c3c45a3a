package probes

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crosstalk/corpus"
)

// manyStates are the targets of the property tests.
func manyStates(t *testing.T) map[string]State {
	states := map[string]State{
		"tiny bytewise":  newState(t, 2048, evenly(1, 0.01)),
		"tiny unknown":   newState(t, 2048, nil),
		"small":          newState(t, 8192, evenly(0.25, 0.03)),
		"32k unknown":    newState(t, 32768, nil),
		"128k":           newState(t, 131072, evenly(0.2, 0.02)),
		"1m":             newState(t, 1<<20, evenly(0.22, 0.005)),
		"1m unknown":     newState(t, 1<<20, nil),
		"1m with limit":  newState(t, 1<<20, evenly(0.22, 0.005)),
		"1m one tenant":  newState(t, 1<<20, evenly(0.22, 0.005)),
		"1m by contract": newState(t, 1<<20, evenly(0.22, 0.005)),
	}
	edit := func(name string, f func(*State)) {
		s := states[name]
		f(&s)
		states[name] = s
	}
	edit("1m with limit", func(s *State) { s.Limit = 681_280 })
	edit("1m one tenant", func(s *State) { s.Tenants = s.Tenants[:1] })
	edit("1m by contract", func(s *State) { s.Target.Basis = BasisContract })
	return states
}

// TestPlanProperties holds for every probe, target and seed.
func TestPlanProperties(t *testing.T) {
	for name, s := range manyStates(t) {
		t.Run(name, func(t *testing.T) {
			for _, p := range append(All(), Top{ColdEvery: 3}, Burst{Size: 3}) {
				for seed := range uint64(24) {
					plan, err := p.Plan(seed*seed, s)
					if p.Kind() == "seedwatch" && len(s.Tenants) < 2 {
						if err == nil || !strings.Contains(err.Error(), "needs two tenants") {
							t.Fatalf("seedwatch with one tenant: got error %v", err)
						}
						continue
					}
					if err != nil {
						t.Fatalf("%s, seed %d: %v", p.Kind(), seed, err)
					}
					checkPlan(t, s, plan)
				}
			}
		})
	}
}

func checkPlan(t *testing.T, s State, p Plan) {
	t.Helper()
	for in := range p.Intents() {
		if in.TokensLow > in.Tokens || in.Tokens > in.TokensHigh {
			t.Errorf("%s, seed %d: interval %d - %d does not hold %d", p.Probe, p.Seed, in.TokensLow, in.TokensHigh, in.Tokens)
		}
		if in.Expect == ExpectAnswer && in.TokensHigh+in.MaxTokens > in.Limit {
			t.Errorf("%s, seed %d: an answer is expected of up to %d+%d tokens within %d",
				p.Probe, p.Seed, in.TokensHigh, in.MaxTokens, in.Limit)
		}
		if in.Limit > s.Target.Window && in.Limit != s.Limit {
			t.Errorf("%s, seed %d: judged by a limit of %d, window %d, stated %d", p.Probe, p.Seed, in.Limit, s.Target.Window, s.Limit)
		}
		if p.Probe != "overlength" && in.Expect != ExpectAnswer {
			t.Errorf("%s, seed %d: expects %q of %d tokens", p.Probe, p.Seed, in.Expect, in.Tokens)
		}
		if err := in.Spec.Validate(); err != nil {
			t.Errorf("%s, seed %d: %v", p.Probe, p.Seed, err)
		}
		if in.MaxTokens < 1 || in.MaxTokens > s.Target.MaxOutput {
			t.Errorf("%s, seed %d: answer budget %d of at most %d", p.Probe, p.Seed, in.MaxTokens, s.Target.MaxOutput)
		}
		if in.Spec.Ask > 0 != (in.Tokens > LongPrompt) || in.Spec.Ask > in.Spec.Seals {
			t.Errorf("%s, seed %d: asks for seal %d of %d at %d tokens", p.Probe, p.Seed, in.Spec.Ask, in.Spec.Seals, in.Tokens)
		}
		if in.Cell.Warm != (in.Spec.Prefix != nil) {
			t.Errorf("%s, seed %d: cell says warm %t", p.Probe, p.Seed, in.Cell.Warm)
		}
	}
	switch p.Probe {
	case "seedwatch":
		seed, watch := p.Steps[0].Intents[0], p.Steps[1].Intents[0]
		if seed.Tenant == watch.Tenant || seed.Tokens > watch.Tokens || seed.Role != RoleSeed {
			t.Errorf("seed %d: %s seeds %d tokens, %s watches with %d", p.Seed, seed.Tenant, seed.Tokens, watch.Tenant, watch.Tokens)
		}
	case "top":
		if len(p.Steps) > 1 && p.Steps[1].Intents[0].Tokens >= p.Steps[0].Intents[0].Tokens {
			t.Errorf("seed %d: the control is no shorter than the top", p.Seed)
		}
	case "overlength":
		if !slices.IsSortedFunc(p.Steps, func(a, b Step) int { return a.Intents[0].Tokens - b.Intents[0].Tokens }) {
			t.Errorf("seed %d: steps are not in order of length", p.Seed)
		}
	case "burst":
		if n, most := len(p.Steps[0].Intents), s.Target.Burst(); n > most {
			t.Errorf("seed %d: %d at once, %d allowed", p.Seed, n, most)
		}
	}
}

// TestPlanIsPure makes every plan twice and compares.
func TestPlanIsPure(t *testing.T) {
	s := newState(t, 1<<20, evenly(0.22, 0.005))
	for _, p := range All() {
		for seed := range uint64(8) {
			first, err := p.Plan(seed, s)
			if err != nil {
				t.Fatal(err)
			}
			again, err := p.Plan(seed, s)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(first, again); diff != "" {
				t.Errorf("%s, seed %d: two plans differ:\n%s", p.Kind(), seed, diff)
			}
		}
	}
}

// TestSeedsCoverChoices: consecutive seeds of top use every combination of
// tenant, family and depth once before one comes again.
func TestSeedsCoverChoices(t *testing.T) {
	s := newState(t, 1<<20, evenly(0.22, 0.005))
	type choice struct {
		tenant, family string
		ask            int
	}
	combinations := len(s.Tenants) * len(corpus.Families()) * defaultSeals
	seen := make(map[choice]int)
	for seed := range uint64(combinations) {
		plan, err := Top{}.Plan(seed+1000, s)
		if err != nil {
			t.Fatal(err)
		}
		in := plan.Steps[0].Intents[0]
		seen[choice{in.Tenant, in.Spec.Family, in.Spec.Ask}]++
	}
	if len(seen) != combinations {
		t.Errorf("%d seeds made %d different choices: %v", combinations, len(seen), seen)
	}
}

// FuzzPlan: whatever the target, a probe either says why it cannot be planned or
// lays out a plan that keeps the rules.
func FuzzPlan(f *testing.F) {
	f.Add(uint64(0), 1<<20, 512, 0.22, 0.005, 0, 0)
	f.Add(uint64(1), 2048, 64, 1.0, 0.01, 1024, 4096)
	f.Add(uint64(2), 1<<24, 0, 0.1, 2.0, 681_280, 200)
	f.Add(uint64(14), 2073, -37, 0.1, 0.48, 924, 4196)
	f.Fuzz(func(t *testing.T, seed uint64, window, maxOutput int, perByte, spread float64, limit, maxTokens int) {
		if !(perByte > 0.01 && perByte < 4 && spread >= 0 && spread < 4) {
			return // not a calibration
		}
		s := newState(t, window, evenly(perByte, spread))
		s.Target.MaxOutput = maxOutput
		s.Limit, s.MaxTokens = limit, maxTokens
		for _, p := range All() {
			plan, err := p.Plan(seed, s)
			if err == nil {
				s.Target.MaxOutput = s.Target.maxOutput()
				checkPlan(t, s, plan)
			}
		}
	})
}

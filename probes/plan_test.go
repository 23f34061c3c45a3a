package probes

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crosstalk/corpus"
)

// TestPlanGolden pins what every probe lays out for targets of very different
// kind: what is sent, by whom, how long, in which order and at what price.
func TestPlanGolden(t *testing.T) {
	stated := newState(t, 1<<20, evenly(0.22, 0.005))
	stated.Limit = 681_280
	exact := newState(t, 1<<20, evenly(0.22, 0.0001))
	contract := newState(t, 1<<20, evenly(0.22, 0.005))
	contract.Target.Basis = BasisContract
	bytewise := newState(t, 2048, evenly(1, 0.01))
	bytewise.Target.Loopback = true
	echo := bytewise
	echo.Target.Task = corpus.TaskEcho

	states := map[string]State{
		"1m-uncalibrated": newState(t, 1<<20, nil),
		"1m":              newState(t, 1<<20, evenly(0.22, 0.005)),
		"1m-exact":        exact,
		"1m-stated-limit": stated,
		"1m-contract":     contract,
		"32k":             newState(t, 32768, evenly(0.22, 0.01)),
		"2k-bytes":        bytewise,
		"2k-bytes-echo":   echo,
	}
	for name, s := range states {
		t.Run(name, func(t *testing.T) { golden(t, name, tables(t, s)) })
	}
}

// tables are the tables of one plan of every probe.
func tables(t *testing.T, s State) []byte {
	t.Helper()
	const seed = 2
	var out bytes.Buffer
	for _, p := range append(All(), Top{ColdEvery: 2}) {
		plan, err := p.Plan(seed, s)
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.WriteTable(&out, s.Target.Pricing); err != nil {
			t.Fatal(err)
		}
		out.WriteString("\n")
	}
	return out.Bytes()
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("plan changed (-want +got); if meant, run go test -update:\n%s", diff)
	}
}

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

// TestFamilyOfLongPrompts: a family that has not been learnt yet is not used
// for a prompt whose length matters, as long as another one has been.
func TestFamilyOfLongPrompts(t *testing.T) {
	known := corpus.Families()[0].Name
	s := newState(t, 1<<20, map[string]corpus.Calibration{known: evenly(0.22, 0.005)[known]})
	for seed := range uint64(8) {
		plan, err := Top{}.Plan(seed, s)
		if err != nil {
			t.Fatal(err)
		}
		if got := plan.Steps[0].Intents[0].Spec.Family; got != known {
			t.Errorf("seed %d: family %s, which is not calibrated", seed, got)
		}
	}
}

func TestPlanErrors(t *testing.T) {
	tests := map[string]struct {
		probe Probe
		edit  func(*State)
		want  string
		is    error
	}{
		"no window": {
			Pulse{}, func(s *State) { s.Target.Window = 0 },
			"target edge: it has no window: state the advertised context window in tokens", nil,
		},
		"no tenant": {
			Pulse{}, func(s *State) { s.Tenants = nil },
			"target edge: pulse needs a tenant, and none may use it: list the target under a tenant", nil,
		},
		"one tenant": {
			SeedWatch{}, func(s *State) { s.Tenants = s.Tenants[:1] },
			"target edge: seedwatch needs two tenants and has 1: add a tenant of another account", nil,
		},
		"unknown family": {
			Pulse{}, func(s *State) { s.Target.Family = "verse" },
			`target edge: filler family "verse" is unknown: use one of ` + strings.Join(familyNames(), ", "), nil,
		},
		"tiny answer cap": {
			Top{}, func(s *State) { s.Target.MaxOutput = 8 },
			"target edge: max_output of 8 tokens is too small for top: the shortest answer may need 23 tokens; raise max_output", ErrTooSmall,
		},
		"burst above what a contract allows": {
			Burst{Size: 8}, func(s *State) { s.Target.Basis = BasisContract },
			"target edge: not allowed: burst needs an authorization with basis owner or provider-consent, not contract", ErrNotAllowed,
		},
		"burst size": {
			Burst{Size: 65}, func(*State) {}, "burst size 65: use 2 to 64", nil,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := newState(t, 1<<20, evenly(0.22, 0.005))
			tt.edit(&s)
			_, err := tt.probe.Plan(1, s)
			if err == nil || err.Error() != tt.want {
				t.Fatalf("got error  %v\nwant error %s", err, tt.want)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("error does not wrap %v", tt.is)
			}
		})
	}
}

// TestTooSmallWindow: the error says what would have been needed.
func TestTooSmallWindow(t *testing.T) {
	s := newState(t, 256, evenly(1, 0.01))
	_, err := Top{}.Plan(1, s)
	if !errors.Is(err, ErrTooSmall) {
		t.Fatalf("got error %v, want one that wraps ErrTooSmall", err)
	}
	for _, part := range []string{"window of 256 tokens", "top", "the smallest prompt may need", "task: echo"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
}

// TestConfirmAsksForLittle: a plan that confirms a finding has the same prompts
// and a smaller answer budget.
func TestConfirmAsksForLittle(t *testing.T) {
	s := newState(t, 1<<20, evenly(0.22, 0.005))
	first, err := Top{}.Plan(7, s)
	if err != nil {
		t.Fatal(err)
	}
	s.Confirm = [16]byte{1}
	again, err := Top{}.Plan(7, s)
	if err != nil {
		t.Fatal(err)
	}
	a, b := first.Steps[0].Intents[0], again.Steps[0].Intents[0]
	if a.Cell != b.Cell || a.Tenant != b.Tenant || b.MaxTokens >= a.MaxTokens {
		t.Errorf("the first round asked for %d tokens in %v, the confirmation for %d in %v", a.MaxTokens, a.Cell, b.MaxTokens, b.Cell)
	}
	if again.Confirm != s.Confirm {
		t.Error("the plan does not name the round that it confirms")
	}
}

// TestWarmTop: warm rounds of a tenant share their prefix for a day and nobody
// else's.
func TestWarmTop(t *testing.T) {
	s := newState(t, 1<<20, evenly(0.22, 0.005))
	s.Target.Family = corpus.Families()[0].Name
	prefix := func(seed uint64, s State) *corpus.Prefix {
		plan, err := Top{ColdEvery: 3}.Plan(seed, s)
		if err != nil {
			t.Fatal(err)
		}
		return plan.Steps[0].Intents[0].Spec.Prefix
	}
	const alphaCold, bravoCold, alphaWarm, bravoWarm, alphaWarmAgain = 0, 1, 2, 3, 4
	if prefix(alphaCold, s) != nil || prefix(bravoCold, s) != nil {
		t.Error("the first round of each tenant is not cold")
	}
	alpha := prefix(alphaWarm, s)
	if alpha == nil {
		t.Fatal("the second round is not warm")
	}
	if diff := cmp.Diff(alpha, prefix(alphaWarmAgain, s)); diff != "" {
		t.Errorf("two warm rounds of a tenant do not share their prefix:\n%s", diff)
	}
	if other := prefix(bravoWarm, s); other.Key == alpha.Key {
		t.Error("two tenants share a prefix")
	}
	s.Now = s.Now.AddDate(0, 0, 1)
	if tomorrow := prefix(alphaWarm, s); tomorrow.Key == alpha.Key {
		t.Error("the prefix outlives its day")
	}
}

// TestKinds: names are unique and found.
func TestKinds(t *testing.T) {
	for _, p := range All() {
		got, ok := Lookup(p.Kind())
		if !ok || got != p {
			t.Errorf("Lookup(%q) = %v, %t", p.Kind(), got, ok)
		}
	}
	if p, ok := Lookup("no such probe"); ok {
		t.Errorf("Lookup of an unknown kind found %v", p)
	}
}

// FuzzPlan: whatever the target, a probe either says why it cannot be planned or
// lays out a plan that keeps the rules.
func FuzzPlan(f *testing.F) {
	f.Add(uint64(0), 1<<20, 512, 0.22, 0.005, 0, 0)
	f.Add(uint64(1), 2048, 64, 1.0, 0.01, 1024, 4096)
	f.Add(uint64(2), 1<<24, 0, 0.1, 2.0, 681_280, 200)
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

// BenchmarkPlan is what laying out a round costs.
func BenchmarkPlan(b *testing.B) {
	s := newState(b, 1<<20, evenly(0.22, 0.005))
	for _, p := range All() {
		b.Run(p.Kind(), func(b *testing.B) {
			for seed := uint64(0); b.Loop(); seed++ {
				if _, err := p.Plan(seed, s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

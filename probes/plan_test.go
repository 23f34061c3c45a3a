package probes

import (
	"bytes"
	"errors"
	"maps"
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
			Pulse{},
			func(s *State) { s.Target.Window = 0 },
			"target edge: it has no window: state the advertised context window in tokens", nil,
		},
		"no tenant": {
			Pulse{},
			func(s *State) { s.Tenants = nil },
			"target edge: pulse needs a tenant, and none may use it: list the target under a tenant", nil,
		},
		"one tenant": {
			SeedWatch{},
			func(s *State) { s.Tenants = s.Tenants[:1] },
			"target edge: seedwatch needs two tenants and has 1: add a tenant of another account", nil,
		},
		"unknown family": {
			Pulse{},
			func(s *State) { s.Target.Family = "verse" },
			`target edge: filler family "verse" is unknown: use one of ` + strings.Join(familyNames(), ", "), nil,
		},
		"tiny answer cap": {
			Top{},
			func(s *State) { s.Target.MaxOutput = 8 },
			"target edge: max_output of 8 tokens is too small for top: the shortest answer may need 23 tokens; raise max_output", ErrTooSmall,
		},
		"burst above what a contract allows": {
			Burst{Size: 8},
			func(s *State) { s.Target.Basis = BasisContract },
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

// TestLearntBudget: a plan asks for what earlier rounds have learnt to ask for,
// as far as the target and the window allow.
func TestLearntBudget(t *testing.T) {
	tests := map[string]struct{ window, maxOutput, learnt, want int }{
		"learnt":                  {1 << 20, 8192, 3000, 3000},
		"above the cap":           {1 << 20, 1024, 3000, 1024},
		"a quarter of the window": {8192, 8192, 3000, 2048},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := newState(t, tt.window, evenly(0.22, 0.005))
			s.Target.MaxOutput, s.MaxTokens = tt.maxOutput, tt.learnt
			plan, err := Pulse{}.Plan(1, s)
			if err != nil {
				t.Fatal(err)
			}
			if got := plan.Steps[0].Intents[0].MaxTokens; got != tt.want {
				t.Errorf("budget %d, want %d", got, tt.want)
			}
		})
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

// TestFamilies: a target's families take turns, all of them and no other.
func TestFamilies(t *testing.T) {
	s := newState(t, 32_768, evenly(0.22, 0.01))
	for name, tt := range map[string]struct {
		one  string
		some []string
		want []string
	}{
		"one":  {"tables", nil, []string{"tables"}},
		"some": {"", []string{"russian", "words"}, []string{"russian", "words"}},
		"all":  {"", nil, familyNames()},
	} {
		t.Run(name, func(t *testing.T) {
			s.Target.Family, s.Target.Families, s.Target.Facts = tt.one, tt.some, 2
			got := map[string]bool{}
			for seed := range uint64(30) {
				plan, err := Pulse{}.Plan(seed, s)
				if err != nil {
					t.Fatal(err)
				}
				spec := plan.Steps[0].Intents[0].Spec
				got[spec.Family] = true
				if spec.Facts != 2 {
					t.Errorf("seed %d: %d facts, want 2", seed, spec.Facts)
				}
			}
			if diff := cmp.Diff(tt.want, slices.Sorted(maps.Keys(got))); diff != "" {
				t.Errorf("families (-want +got):\n%s", diff)
			}
		})
	}
}

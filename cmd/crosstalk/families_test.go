package main

import (
	"os"
	"strings"
	"testing"

	"crosstalk/corpus"
	"crosstalk/internal/report"
	"crosstalk/internal/simulator"
)

// inFamily writes into the configuration that every prompt is of one family and
// holds facts.
func (s *simulated) inFamily(t *testing.T, family string) {
	t.Helper()
	text, err := os.ReadFile(s.config)
	if err != nil {
		t.Fatal(err)
	}
	with := strings.Replace(string(text), "model: sim,", "model: sim, facts: 2, family: "+family+",", 1)
	if err := os.WriteFile(s.config, []byte(with), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestFamilies: the default plan calls a healthy engine sound and finds the seed
// fault, whatever the prompts are filled with.
func TestFamilies(t *testing.T) {
	for _, family := range corpus.Families() {
		t.Run(family.Name, func(t *testing.T) {
			t.Parallel()
			for _, profile := range []string{"perfect", "chatty"} {
				o := familyOptions(t, simulator.PresetFixed, profile)
				s := newSimulated(t, o)
				s.inFamily(t, family.Name)
				if sum := s.validate(t, 1); sum.ExitCode != report.ExitSound {
					t.Errorf("a healthy %s engine: exit %d, want 0\n%s", profile, sum.ExitCode, describeFindings(sum))
				}
			}
			s := newSimulated(t, familyOptions(t, simulator.PresetFaulty, "perfect"))
			s.inFamily(t, family.Name)
			sum := s.validate(t, 1)
			if sum.ExitCode != report.ExitLeak {
				t.Errorf("the seed fault: exit %d, want 4\n%s", sum.ExitCode, describeFindings(sum))
			}
			e, stdout, stderr := testEnv("")
			if code := run(t.Context(), []string{"validate", "-c", s.config, "--dry-run"}, e); code != 0 || !strings.Contains(stdout.String(), family.Name+", ") {
				t.Errorf("--dry-run: exit %d, no %s prompt in\n%s%s", code, family.Name, stdout, stderr)
			}
		})
	}
}

func familyOptions(t *testing.T, preset, profile string) simulator.Options {
	t.Helper()
	o, err := simulator.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	o = o.Scale(smallWindow)
	if o.Profile, err = simulator.ParseProfile(profile); err != nil {
		t.Fatal(err)
	}
	o.Seed, o.Speed = 1, 200
	return o
}

//go:build e2e || long

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"crosstalk/bench/engine"
	"crosstalk/checks"
	"crosstalk/internal/report"
)

// realEngine starts a llama.cpp server with the copy model, four slots of 4,096
// tokens, and writes a configuration for it with four tenants. The server is built on first use; a
// missing part is a failure.
func realEngine(t *testing.T, window int, flags ...string) *simulated {
	t.Helper()
	dir, err := engine.DefaultDir()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	server, err := engine.Start(t.Context(), dir, &log, flags...)
	if err != nil {
		t.Fatalf("%v\n%s", err, log.Bytes())
	}
	t.Cleanup(server.Stop)
	path := filepath.Join(t.TempDir(), "crosstalk.yaml")
	text := fmt.Sprintf(`version: 1
targets:
  - {name: llama-server, api: openai-chat, base_url: %q, model: copycode, window: %d, max_output: 64, dress: code, task: echo}
tenants:
  - {name: alpha, index: 1, credential: "env:KEY_ALPHA", domain: org-a}
  - {name: bravo, index: 2, credential: "env:KEY_BRAVO", domain: org-b}
  - {name: charlie, index: 3, credential: "env:KEY_CHARLIE", domain: org-c}
  - {name: delta, index: 4, credential: "env:KEY_DELTA", domain: org-d}
`, server.BaseURL, window)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return &simulated{config: path}
}

// slotWindow is the window of one of the engine's four slots.
const slotWindow = 4096

// mustBeSound fails on every exchange called worse than inconclusive.
func mustBeSound(t *testing.T, sum *report.Summary) {
	t.Helper()
	c := sum.Totals
	t.Logf("%s: %d exchanges: %d sound, %d degraded, %d damaged, %d foreign, %d leak, %d undecided; exit %d",
		sum.Command, c.Sent, c.Sound, c.Degraded, c.Damaged, c.Foreign, c.Leak, c.Inconclusive, sum.ExitCode)
	if c.Damaged+c.Foreign+c.Leak > 0 || c.Decided == 0 {
		t.Errorf("a sound engine was judged %s\n%s", sum.Class, describeFindings(sum))
	}
}

// TestE2ERealEngine judges a real engine of sound mind, and the same one with a
// wrong RoPE scale, which must be damaged and nothing else: an engine that has
// lost its context, and no stranger's.
func TestE2ERealEngine(t *testing.T) {
	t.Run("sound", func(t *testing.T) {
		s := realEngine(t, slotWindow)
		mustBeSound(t, s.validate(t, 1, "--only", "pulse=4,burst=1"))
		e, stdout, stderr := testEnv("")
		if code := run(t.Context(), []string{"probe", "-c", s.config, "--stream", "--tokens", "900"}, e); code != report.ExitSound {
			t.Errorf("probe: exit %d\n%s%s", code, stdout, stderr)
		}
	})
	t.Run("wrong RoPE scale", func(t *testing.T) {
		s := realEngine(t, slotWindow, "--rope-scaling", "linear", "--rope-scale", "4")
		sum := s.validate(t, 1, "--only", "pulse=2")
		c := sum.Totals
		t.Logf("%d exchanges: %d damaged, %d foreign, %d leak, %d undecided; exit %d", c.Sent, c.Damaged, c.Foreign, c.Leak, c.Inconclusive, sum.ExitCode)
		if sum.Class != checks.Damaged || c.Damaged < c.Sent*9/10 {
			t.Errorf("was judged %s, want damaged\n%s", sum.Class, describeFindings(sum))
		}
	})
}

//go:build long

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"crosstalk/bench/engine"
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
  - {name: llama-server, api: openai-chat, base_url: %q, model: copycode, window: %d, max_output: 64, dress: code, task: echo, families: [code, prose]}
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

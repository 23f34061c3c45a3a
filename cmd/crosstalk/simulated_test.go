package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crosstalk/internal/report"
	"crosstalk/internal/simulator"
)

// testEnv is an environment without a process.
func testEnv(stdin string) (e *env, stdout, stderr *bytes.Buffer) {
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	return &env{
		stdin: strings.NewReader(stdin), stdout: stdout, stderr: stderr, now: time.Now,
		lookup: func(name string) (string, bool) { return "key-" + name, true },
	}, stdout, stderr
}

// fastEngine makes a quick engine of a preset at the small window, which the
// caller closes.
func fastEngine(preset string) (*simulator.Server, error) {
	o, err := simulator.Preset(preset)
	if err != nil {
		return nil, err
	}
	o = o.Scale(smallWindow)
	o.Speed, o.AnyModel = 200, true
	return simulator.New(o)
}

// simulated is a simulated engine that a command can be pointed at.
type simulated struct {
	server *simulator.Server
	config string // path of a configuration for it
}

// newSimulated starts an engine of the options and writes a configuration with
// two tenants for it.
func newSimulated(t *testing.T, o simulator.Options) *simulated {
	t.Helper()
	o.AnyModel = true
	server, err := simulator.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	front := httptest.NewServer(server)
	t.Cleanup(front.Close)
	path := filepath.Join(t.TempDir(), "crosstalk.yaml")
	text := fmt.Sprintf(`version: 1
targets:
  - {name: sim, api: openai-chat, base_url: %q, model: sim, window: %d, max_output: 1024}
tenants:
  - {name: alpha, index: 1, credential: "env:KEY_ALPHA", domain: org-a}
  - {name: bravo, index: 2, credential: "env:KEY_BRAVO", domain: org-b}
budget: {tokens_per_run: 1000000000}
`, front.URL+"/v1", o.Window)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return &simulated{server: server, config: path}
}

// validate runs validate against the engine and returns its summary.
func (s *simulated) validate(t *testing.T, seed uint64, args ...string) *report.Summary {
	t.Helper()
	e, stdout, stderr := testEnv("")
	args = append([]string{"validate", "-c", s.config, "--json", "--seed", fmt.Sprint(seed)}, args...)
	code := run(t.Context(), args, e)
	if code == report.ExitUsage {
		t.Fatalf("%v: exit 2: %s", args, stderr)
	}
	sum := &report.Summary{}
	if err := json.Unmarshal(stdout.Bytes(), sum); err != nil {
		t.Fatalf("%v: exit %d, %v, stderr: %s", args, code, err, stderr)
	}
	if sum.ExitCode != code {
		t.Errorf("exit code is %d, the report says %d", code, sum.ExitCode)
	}
	return sum
}

// describeFindings lists what was found, for the log of a failed test.
func describeFindings(s *report.Summary) string {
	var b strings.Builder
	for i, f := range s.Findings {
		if i == 12 {
			fmt.Fprintf(&b, "... %d more\n", len(s.Findings)-i)
			break
		}
		fmt.Fprintf(&b, "%s %s/%s %s (%s, %s, %d tokens): %s\n", f.Class, f.Check, f.Kind, f.Exchange, f.Probe, f.Tenant, f.Tokens, f.Detail)
	}
	return b.String()
}

//go:build e2e

package main

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crosstalk/bench/engine"
	"crosstalk/internal/report"
)

// preflighted runs preflight and checks its exit code and what it says.
func preflighted(t *testing.T, exit int, wants []string, args ...string) {
	t.Helper()
	e, stdout, stderr := testEnv("")
	if code := run(t.Context(), append([]string{"preflight"}, args...), e); code != exit {
		t.Errorf("preflight %q: exit %d, want %d\n%s%s", args, code, exit, stdout, stderr)
	}
	for _, want := range wants {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("preflight %q does not say %q:\n%s", args, want, stdout)
		}
	}
	t.Logf("preflight %q:\n%s", args, stdout)
}

// launchFile is a file of launch settings.
func launchFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "launch")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestE2EPreflightLlamaCpp: a real llama.cpp server states the window of a
// slot, a quarter of what -c gave. It is fine for who is told that, and not for
// who is told the whole.
func TestE2EPreflightLlamaCpp(t *testing.T) {
	dir, err := engine.DefaultDir()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s, err := engine.Start(t.Context(), dir, &log, "-c", "8192", "-np", "4")
	if err != nil {
		t.Fatalf("%v\n%s", err, log.Bytes())
	}
	t.Cleanup(s.Stop)
	slots := "a request of the whole window of 2,048 tokens fits into each of 4 slots"
	preflighted(t, report.ExitSound, []string{
		slots, "advertised 2,048 tokens, served 2,048", "llama.cpp", "open without a key on this machine only", "unknown     silent-truncation",
	}, "--url", s.BaseURL, "--window", "2048")
	preflighted(t, report.ExitDamaged, []string{
		slots, "advertised 8,192 tokens, served 2,048 in each slot", "raise -c",
	}, "--url", s.BaseURL, "--window", "8192")
	preflighted(t, report.ExitSound, []string{
		"fine        silent-truncation", "nothing is dropped",
	}, "--url", s.BaseURL, "--from", launchFile(t, "llama-server -c 8192 -np 4 --no-context-shift\n"))
}

// TestE2EPreflightOllama: a real Ollama was trained for 32,768 tokens, serves
// 2,048, and cuts what is longer. Version 0.6.5 says the window of a loaded
// model nowhere: it is read from the model file, or from the environment it was
// started in; without either it is not known, and not made up.
func TestE2EPreflightOllama(t *testing.T) {
	dir, err := engine.DefaultDir()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s, err := engine.StartOllama(t.Context(), dir, t.TempDir(), 2048, &log)
	if err != nil {
		t.Fatalf("%v\n%s", err, log.Bytes())
	}
	t.Cleanup(s.Stop)
	root := strings.TrimSuffix(s.BaseURL, "/v1")
	body := `{"model":"bounded","from":"` + engine.Model + `","parameters":{"num_ctx":2048},"stream":false}`
	resp, err := http.Post(root+"/api/create", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if resp.Body.Close(); resp.StatusCode != http.StatusOK {
		t.Fatalf("create a model with a window: %s", resp.Status)
	}

	served := "advertised 32,768 tokens, served 2,048"
	cuts := "Ollama cuts prompts of more than 2,048 tokens silently"
	preflighted(t, report.ExitDamaged, []string{served, cuts}, "--url", root, "--model", "bounded")
	env := launchFile(t, "OLLAMA_CONTEXT_LENGTH=2048\nOLLAMA_NUM_PARALLEL=2\n")
	preflighted(t, report.ExitDamaged, []string{served, cuts}, "--url", root, "--model", engine.Model, "--from", env)
	preflighted(t, report.ExitDamaged, []string{
		"Ollama cuts prompts that are longer than the window silently", "advertised 32,768 tokens; the window that is served is not known",
	}, "--url", root, "--model", engine.Model)
	preflighted(t, report.ExitInconclusive, []string{"accepted    silent-truncation"}, "--url", root, "--model", engine.Model, "--accept", "silent-truncation")
}

package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"crosstalk/internal/simulator"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"crosstalk": main})
}

// TestScripts runs testdata/script: the program from the outside, as the
// README describes it. In a script, $SOUND, $FAULTY and $HONEST are base URLs
// of simulated engines at a window of 32,768, with _DECODE at their ends those
// of their decode nodes, and $DEAD is one where nothing listens. Every script has
// engines of its own: which pages are stale hangs on who else asks.
func TestScripts(t *testing.T) {
	engines := map[string]string{"SOUND": simulator.PresetFixed, "FAULTY": simulator.PresetFaulty, "HONEST": simulator.PresetHonest}
	dead := httptest.NewServer(nil)
	dead.Close()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			for name, preset := range engines {
				url, err := scriptEngine(e, preset)
				if err != nil {
					return err
				}
				e.Setenv(name, url)
				e.Setenv(name+"_DECODE", strings.TrimSuffix(url, "/v1")+"/decode")
			}
			e.Setenv("DEAD", dead.URL+"/v1")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":       exits,
			"configof":    configOf,
			"preflightof": scriptPreflight,
		},
	})
}

// scriptEngine starts an engine that ends with the script, and returns its base
// URL.
func scriptEngine(e *testscript.Env, preset string) (string, error) {
	server, err := fastEngine(preset)
	if err != nil {
		return "", err
	}
	front := httptest.NewServer(server)
	e.Defer(func() { front.Close(); server.Close() })
	return front.URL + "/v1", nil
}

// exits runs a command that must end with the given exit code: exits 4
// crosstalk validate.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = fmt.Sprint(err)
	}
	if want := args[0]; got != want && got != "exit status "+want {
		ts.Fatalf("%v ended with %s, want %s", args[1:], got, want)
	}
}

// configOf writes crosstalk.yaml for a target: configof URL.
func configOf(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: configof URL")
	}
	text := fmt.Sprintf(`version: 1
targets:
  - {name: sim, api: openai-chat, base_url: %q, model: sim, window: %d}
tenants:
  - {name: alpha, index: 1, credential: "env:KEY_ALPHA", domain: org-a}
  - {name: bravo, index: 2, credential: "env:KEY_BRAVO", domain: org-b}
`, args[0], smallWindow)
	ts.Check(os.WriteFile(ts.MkAbs("crosstalk.yaml"), []byte(text), 0o600))
	ts.Setenv("KEY_ALPHA", "planted-secret-alpha")
	ts.Setenv("KEY_BRAVO", "planted-secret-bravo")
}

// scriptPreflight adds a preflight to the target of crosstalk.yaml:
// preflightof URL...
func scriptPreflight(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: preflightof URL...")
	}
	path := ts.MkAbs("crosstalk.yaml")
	text, err := os.ReadFile(path)
	ts.Check(err)
	with := fmt.Sprintf("model: sim, preflight: {urls: ['%s']}", strings.Join(args, "', '"))
	ts.Check(os.WriteFile(path, []byte(strings.Replace(string(text), "model: sim", with, 1)), 0o600))
}

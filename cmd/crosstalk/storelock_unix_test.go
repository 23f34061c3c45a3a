//go:build unix

package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"crosstalk/internal/report"
	"crosstalk/internal/simulator"
)

// scheduled is the configuration of a daemon with one probe that is never due in
// a test.
func scheduled(t *testing.T) *serveFlags {
	t.Helper()
	o, err := simulator.Preset(simulator.PresetFixed)
	if err != nil {
		t.Fatal(err)
	}
	s := newSimulated(t, o.Scale(smallWindow))
	e, _, _ := testEnv("")
	dir := strings.TrimSuffix(s.config, "crosstalk.yaml")
	if err := os.Mkdir(dir+"key", 0o700); err != nil {
		t.Fatal(err)
	}
	if code := run(t.Context(), []string{"config", "init", "--dir", dir + "key"}, e); code != 0 {
		t.Fatal("config init made no key")
	}
	text := fileText(t, s.config) + "\nfleet_keys: [file:./key/fleet.key]\nprobes: [{kind: pulse, every: 24h}]\n"
	if err := os.WriteFile(s.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return &serveFlags{config: configFlags{path: s.config}}
}

// newTestDaemon is a daemon that is made and not started.
func newTestDaemon(t *testing.T, flags *serveFlags) *daemon {
	t.Helper()
	e, _, _ := testEnv("")
	log, err := newLogger(e, "error", "logfmt")
	if err != nil {
		t.Fatal(err)
	}
	d, err := newDaemon(t.Context(), e, flags, log)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestSecondDaemon: a ledger has one daemon at a time. When it has ended, however
// it did, the next may have it.
func TestSecondDaemon(t *testing.T) {
	flags := scheduled(t)
	first := newTestDaemon(t, flags)
	_, err := newDaemon(t.Context(), first.env, flags, first.log)
	var usage *exitError
	if !errors.Is(err, errStoreInUse) || !errors.As(err, &usage) || usage.code != report.ExitUsage {
		t.Errorf("a second daemon on the ledger: %v, want it refused as usage", err)
	}
	if err := first.close(); err != nil {
		t.Fatal(err)
	}
	if err := newTestDaemon(t, flags).close(); err != nil { // the ledger is given back
		t.Error(err)
	}
}

// TestUnknownTarget: a request about a target that is not there is the caller's
// mistake.
func TestUnknownTarget(t *testing.T) {
	d := newTestDaemon(t, scheduled(t))
	defer d.close()
	for _, path := range []string{"/-/pause?target=nosuch", "/-/deploy?target=nosuch"} {
		rec := httptest.NewRecorder()
		d.handler.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, path, http.NoBody))
		if rec.Code != http.StatusNotFound || !strings.Contains(rec.Body.String(), `the targets are ["sim"]`) {
			t.Errorf("%s: status %d, %s", path, rec.Code, rec.Body)
		}
	}
}

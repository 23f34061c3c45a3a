package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crosstalk/internal/ledger"
	"crosstalk/internal/simulator"
)

// TestPauseNames: only what is configured can be paused, and what was paused can
// be resumed though it is no longer configured. A name that was mistyped would
// otherwise leave the target probed.
func TestPauseNames(t *testing.T) {
	o, err := simulator.Preset(simulator.PresetFixed)
	if err != nil {
		t.Fatal(err)
	}
	s := newSimulated(t, o.Scale(smallWindow))
	text := fileText(t, s.config) + "\nprobes: [{kind: pulse, every: 1h}]\n"
	if err := os.WriteFile(s.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(filepath.Dir(s.config), "crosstalk.db")
	l, err := ledger.Open(t.Context(), path, ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Pause(t.Context(), "gone", "ada", "", time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"pause", "smi"}, 2, `no target is called "smi"`},
		{[]string{"pause", "smi"}, 2, `the targets are ["sim"]`},
		{[]string{"pause", "sim"}, 0, "paused target sim"},
		{[]string{"pause"}, 0, "paused all targets"},
		{[]string{"resume", "smi"}, 2, `no target is called "smi"`},
		{[]string{"resume"}, 0, "resumed all targets"},
		{[]string{"resume", "gone"}, 0, "resumed target gone"},
		{[]string{"resume", "gone"}, 2, `no target is called "gone"`},
	} {
		e, stdout, stderr := testEnv("")
		code := run(t.Context(), append(tt.args, "-c", s.config), e)
		if code != tt.code || !strings.Contains(stdout.String()+stderr.String(), tt.want) {
			t.Errorf("%v: exit %d, want %d and %q: %s%s", tt.args, code, tt.code, tt.want, stdout, stderr)
		}
	}
}

//go:build unix

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"crosstalk/internal/scheduler"
)

// TestPauseWithoutDaemon: a pause that nothing obeys yet says so, and one that a
// daemon obeys does not.
func TestPauseWithoutDaemon(t *testing.T) {
	flags := scheduled(t)
	lock := strings.TrimSuffix(flags.config.path, "crosstalk.yaml") + "crosstalk.db.lock"
	noted := func(args ...string) bool {
		t.Helper()
		e, _, stderr := testEnv("")
		e.lookup = func(string) (string, bool) { return "", false }
		if code := run(t.Context(), append(args, "-c", flags.config.path), e); code != 0 {
			t.Fatalf("%v: exit %d: %s", args, code, stderr)
		}
		if strings.Contains(stderr.String(), "warning") {
			t.Errorf("%v: what only a daemon needs is warned of:\n%s", args, stderr)
		}
		return strings.Contains(stderr.String(), "no daemon of this machine runs on")
	}
	d := newTestDaemon(t, flags)
	if noted("pause") || noted("resume") {
		t.Error("a daemon that has the ledger is not seen")
	}
	if err := d.close(); err != nil {
		t.Fatal(err)
	}
	if !noted("pause") || !noted("resume") {
		t.Error("after the daemon ended, nothing says so")
	}
	// What a daemon that was killed leaves behind: no kernel has a process of
	// the first number, and that of the second lives and has no lock.
	for _, pid := range []int{1 << 30, os.Getpid()} {
		if err := os.WriteFile(lock, fmt.Appendln(nil, pid), 0o600); err != nil {
			t.Fatal(err)
		}
		if !noted("pause") {
			t.Errorf("after the daemon was killed, process %d, nothing says so", pid)
		}
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if !noted("resume") {
		t.Error("where no daemon ever ran, nothing says so")
	}
}

// TestNamedSchedule: schedules with names of their own are counted under their
// kind, as their rounds are, and the kind is due when the first of them is.
func TestNamedSchedule(t *testing.T) {
	flags := scheduled(t)
	text := strings.Replace(fileText(t, flags.config.path), "{kind: pulse,", "{name: hourly, kind: pulse, every: 1h}, {name: daily, kind: pulse,", 1)
	if err := os.WriteFile(flags.config.path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d := newTestDaemon(t, flags)
	defer d.close()
	d.hooks().Skipped("daily", "sim", scheduler.ReasonBudget, 3)
	due := map[string]time.Time{"daily": time.Unix(2000, 0), "hourly": time.Unix(1000, 0)}
	next := d.current().next("sim", func(schedule, _ string) (time.Time, bool) { at, ok := due[schedule]; return at, ok })
	if diff := cmp.Diff(map[string]time.Time{"pulse": due["hourly"]}, next); diff != "" {
		t.Errorf("due next (-want +got):\n%s", diff)
	}
	want := `
# HELP crosstalk_rounds_skipped_total Rounds that were due and not started, by reason.
# TYPE crosstalk_rounds_skipped_total counter
`
	for _, r := range scheduler.Reasons() {
		n := "0"
		if r == scheduler.ReasonBudget {
			n = "3"
		}
		want += `crosstalk_rounds_skipped_total{probe="pulse",reason="` + strings.ReplaceAll(string(r), "-", "_") + `",target="sim"} ` + n + "\n"
	}
	if err := testutil.GatherAndCompare(d.registry, strings.NewReader(want), "crosstalk_rounds_skipped_total"); err != nil {
		t.Error(err)
	}
}

package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crosstalk/alerting"
	"crosstalk/checks"
)

// TestFailedReportLeavesTheOldOne: what cannot be written whole is not written
// at all.
func TestFailedReportLeavesTheOldOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.txt")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	e, _, _ := testEnv("")
	f, err := newReportFile(e, path)
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("disk full")
	err = f.write(func(w io.Writer) error {
		if _, err := io.WriteString(w, "half a rep"); err != nil {
			t.Fatal(err)
		}
		return full
	})
	if !errors.Is(err, full) {
		t.Errorf("error is %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "old" {
		t.Errorf("the file holds %q, %v", got, err)
	}
	if list, err := os.ReadDir(filepath.Dir(path)); err != nil || len(list) != 1 {
		t.Errorf("left behind: %v, %v", list, err)
	}
	if err := f.write(func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	info, statErr := os.Stat(path)
	if err != nil || statErr != nil || string(got) != "new" || info.Mode().Perm() != 0o640 {
		t.Errorf("the file holds %q with mode %v, %v", got, info.Mode(), errors.Join(err, statErr))
	}
}

// TestReportFileNamed: an error names the file that was asked for, not the one
// beside it that is written first.
func TestReportFileNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "no", "report.txt")
	e, _, _ := testEnv("")
	_, before := newReportFile(e, path)
	after := (&reportFile{path: path}).write(func(io.Writer) error { return nil })
	for _, err := range []error{before, after} {
		if err == nil || !strings.Contains(err.Error(), path+": no such file") || strings.Contains(err.Error(), ".tmp") {
			t.Errorf("error is %v", err)
		}
	}
}

// TestRunbooks: a report names the runbook of a check, so each has one.
func TestRunbooks(t *testing.T) {
	for _, c := range checks.All() {
		if _, ok := alerting.Runbook(c.Name()); !ok {
			t.Errorf("no runbook for %s", c.Name())
		}
	}
}

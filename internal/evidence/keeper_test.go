package evidence_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"crosstalk/checks"
	"crosstalk/internal/evidence"
)

// kept is a keeper over a folder of its own.
func kept(t *testing.T, l evidence.Limits, opened time.Time) (*evidence.Keeper, *evidence.Folder) {
	t.Helper()
	sealer, _ := key(t)
	folder := evidence.NewFolder(filepath.Join(t.TempDir(), "evidence"))
	return evidence.NewKeeper(folder, sealer, l, func(string, checks.Class) time.Time { return opened }), folder
}

func ids(t *testing.T, f *evidence.Folder) map[string]bool {
	t.Helper()
	list, err := f.List()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, e := range list {
		all[e.Label.ID.String()] = true
	}
	return all
}

func dated(class checks.Class, target string, at time.Time) *evidence.Record {
	r := record(class)
	r.Label.Target, r.Label.At = target, at
	return r
}

// size is about the size of an envelope of these tests.
func size(t *testing.T) int64 {
	sealer, _ := key(t)
	return int64(len(seal(t, sealer, record(checks.Leak))))
}

// TestIncidentBound: an incident's evidence is bounded, the first stays, and what
// belongs to another class, target or incident does not count.
func TestIncidentBound(t *testing.T) {
	n := size(t)
	opened := at.Add(-time.Hour)
	k, f := kept(t, evidence.Limits{Keep: time.Hour, PerIncident: 2*n + n/2, Total: 100 * n}, opened)
	before := dated(checks.Leak, "edge", opened.Add(-time.Minute))
	first, second := dated(checks.Leak, "edge", opened), dated(checks.Leak, "edge", at)
	for _, r := range []*evidence.Record{before, first, second, dated(checks.Foreign, "edge", at), dated(checks.Leak, "other", at)} {
		if err := k.Keep(r); err != nil {
			t.Fatal(err)
		}
	}
	third := dated(checks.Leak, "edge", at.Add(time.Minute))
	if err := k.Keep(third); !errors.Is(err, evidence.ErrFull) {
		t.Errorf("a third: %v, want one that wraps ErrFull", err)
	}
	if err := k.Keep(second); err != nil {
		t.Errorf("one that is there, again: %v", err)
	}
	if got := ids(t, f); len(got) != 5 || !got[first.Label.ID.String()] || got[third.Label.ID.String()] {
		t.Errorf("%d are kept: %v", len(got), got)
	}
}

// TestNoIncident: without an open incident the evidence of a day is bounded.
func TestNoIncident(t *testing.T) {
	n := size(t)
	k, _ := kept(t, evidence.Limits{PerIncident: n + n/2, Total: 100 * n}, time.Time{})
	if err := k.Keep(dated(checks.Damaged, "edge", at)); err != nil {
		t.Fatal(err)
	}
	if err := k.Keep(dated(checks.Damaged, "edge", at.Add(time.Hour))); !errors.Is(err, evidence.ErrFull) {
		t.Errorf("within the day: %v", err)
	}
	if err := k.Keep(dated(checks.Damaged, "edge", at.Add(25*time.Hour))); err != nil {
		t.Errorf("a day later: %v", err)
	}
}

// TestTotalBound: all evidence together is bounded, and room that a file without
// a readable label takes counts.
func TestTotalBound(t *testing.T) {
	n := size(t)
	k, f := kept(t, evidence.Limits{PerIncident: 100 * n, Total: 2*n + n/2}, time.Time{})
	if err := k.Keep(dated(checks.Leak, "a", at)); err != nil {
		t.Fatal(err)
	}
	strange := record(checks.Leak).Label.ID
	if err := f.Put(strange, make([]byte, n)); err != nil {
		t.Fatal(err)
	}
	if err := k.Keep(dated(checks.Leak, "b", at)); !errors.Is(err, evidence.ErrFull) {
		t.Errorf("error is %v, want one that wraps ErrFull", err)
	}
	list, err := f.List()
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, e := range list {
		if (e.Label.ID == strange) != errors.Is(e.Err, evidence.ErrEnvelope) {
			t.Errorf("%+v", e)
		}
	}
	if err := f.Erase(strange); err != nil {
		t.Fatal(err)
	}
	if err := k.Keep(dated(checks.Leak, "b", at)); err != nil {
		t.Errorf("after an erasure: %v", err)
	}
	if err := f.Erase(strange); !errors.Is(err, evidence.ErrNotFound) {
		t.Errorf("erased twice: %v", err)
	}
	if _, err := f.Read(strange); !errors.Is(err, evidence.ErrNotFound) {
		t.Errorf("read after its erasure: %v", err)
	}
}

// TestRetention: what is past its time is deleted, with what a crash in the
// middle of a write has left, and nothing else is.
func TestRetention(t *testing.T) {
	k, f := kept(t, evidence.Limits{Keep: 7 * 24 * time.Hour, PerIncident: 1 << 20, Total: 1 << 20}, time.Time{})
	if n, err := k.Prune(at); n != 0 || err != nil {
		t.Errorf("before anything: %d, %v", n, err)
	}
	old, young := dated(checks.Leak, "edge", at.Add(-8*24*time.Hour)), dated(checks.Leak, "edge", at.Add(-6*24*time.Hour))
	for _, r := range []*evidence.Record{old, young} {
		if err := k.Keep(r); err != nil {
			t.Fatal(err)
		}
	}
	left := filepath.Join(f.Path(), ".x.tmp")
	other := filepath.Join(f.Path(), "README")
	for _, path := range []string{left, other} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at.Add(-30*24*time.Hour), at.Add(-30*24*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := k.Prune(at); n != 1 || err != nil {
		t.Errorf("pruned %d, %v, want the old one", n, err)
	}
	if got := ids(t, f); len(got) != 1 || !got[young.Label.ID.String()] {
		t.Errorf("kept %v, want the young one", got)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what a crash has left: %v", err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Errorf("somebody's file: %v", err)
	}
	for path, want := range map[string]os.FileMode{f.Path(): 0o700, filepath.Join(f.Path(), young.Label.ID.String()+evidence.Suffix): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, %v, want %o", path, info.Mode(), err, want)
		}
	}
}

package ledger_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crosstalk/alerting"
	"crosstalk/checks"
	"crosstalk/internal/ledger"
	"crosstalk/internal/ledger/ledgertest"
)

// filled makes a ledger with an open incident and some rounds, and returns its
// bytes.
func filled(t *testing.T) []byte {
	t.Helper()
	path, w := file(t), ledgertest.NewWorld(t)
	l, err := ledger.Open(t.Context(), path, w.Options())
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		w.Round(l, "edge", "pulse", checks.Sound, checks.Sound, checks.Sound)
	}
	w.Round(l, "edge", "pulse", checks.Leak)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

// TestDamagedFile: whatever has become of the file, the ledger opens and goes
// on; and if anything was lost, it says so and owes a page about it.
func TestDamagedFile(t *testing.T) {
	whole := filled(t)
	rng := rand.New(rand.NewPCG(1, 2))
	damage := map[string][]byte{
		"empty":                     {},
		"one byte":                  {0},
		"header only":               whole[:100],
		"first page only":           whole[:4096],
		"less one byte":             whole[:len(whole)-1],
		"a text":                    []byte(strings.Repeat("this is not a database\n", 1000)),
		"zeros":                     make([]byte, 1<<16),
		"a page of zeros":           joined(whole[:8192], make([]byte, 4096), whole[12288:]),
		"a page of noise":           joined(whole[:12288], bytes.Repeat([]byte{0xa5}, 4096), whole[16384:]),
		"pages the other way about": joined(whole[:4096], whole[8192:12288], whole[4096:8192], whole[12288:]),
	}
	cuts := 50
	if testing.Short() {
		cuts = 5
	}
	for range cuts {
		n := rng.IntN(len(whole))
		damage["cut at "+time.Duration(n).String()] = whole[:n]
	}
	for name, content := range damage {
		t.Run(name, func(t *testing.T) {
			path, w := file(t), ledgertest.NewWorld(t)
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			l := open(t, path, w.Options())
			r := l.Repaired()
			if r == nil {
				t.Fatal("nothing is said of the damage")
			}
			if len(r.SetAside) != 1 || r.Reason == "" {
				t.Errorf("repaired %+v", r)
			}
			kept, err := os.ReadFile(r.SetAside[0])
			if err != nil || !bytes.Equal(kept, content) {
				t.Errorf("what was set aside is not what was there (%v)", err)
			}
			wantPage(t, w, l)
			w.Round(l, "edge", "pulse", checks.Sound)
			if e, err := l.Events(t.Context(), time.Time{}, ledger.EventRepair); err != nil || len(e) != 1 {
				t.Errorf("events %+v, %v", e, err)
			}
			if again := reopen(t, l, path, w); again.Repaired() != nil {
				t.Errorf("the new file is damaged too: %v", again.Repaired())
			}
		})
	}
}

// joined joins parts of a file.
func joined(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// wantPage wants one page, about the prober.
func wantPage(t *testing.T, w *ledgertest.World, l ledger.Ledger) {
	t.Helper()
	due := w.Due(l)
	if len(due) != 1 || due[0].Page.Incident.Kind != alerting.KindProber || due[0].Page.Incident.Target != ledger.ControlName {
		t.Errorf("due is %+v, want a page about the ledger", due)
	}
}

func reopen(t *testing.T, l *ledger.SQLite, path string, w *ledgertest.World) *ledger.SQLite {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return open(t, path, w.Options())
}

// TestSoundFile: a ledger that was closed, and one that was not, come back
// whole, and nothing is said of damage.
func TestSoundFile(t *testing.T) {
	path, w := file(t), ledgertest.NewWorld(t)
	l := open(t, path, w.Options())
	first := w.Round(l, "edge", "pulse", checks.Leak)
	l = reopen(t, l, path, w)
	if l.Repaired() != nil {
		t.Fatalf("repaired %v", l.Repaired())
	}
	if _, err := l.Round(t.Context(), first.ID); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v, want 0600", info.Mode(), err)
	}
	if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestCrash: a process that dies loses nothing that was committed. What a
// connection holds when it dies is in the file and its log; a copy of both,
// taken while it is open, is what the next process finds.
func TestCrash(t *testing.T) {
	path, w := file(t), ledgertest.NewWorld(t)
	l := open(t, path, w.Options())
	saved := w.Round(l, "edge", "pulse", checks.Leak)
	flying := w.Trip("edge", "top", checks.Sound, checks.Sound)
	w.Begin(l, flying)

	found := file(t)
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(found+suffix, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.Pass(time.Second)
	next := open(t, found, w.Options())
	if next.Repaired() != nil {
		t.Fatalf("repaired %v", next.Repaired())
	}
	lost, err := next.Interrupted(t.Context(), w.Now)
	if err != nil || len(lost) != 1 || lost[0].ID != flying.ID {
		t.Errorf("interrupted %+v, %v, want %s", lost, err, flying.ID)
	}
	for _, b := range append(saved.Bound, flying.Bound...) {
		if seen, err := next.Seen(t.Context(), b.Payload); !seen || err != nil {
			t.Errorf("marker %+v: %v, %v", b.Payload, seen, err)
		}
	}
	due := w.Due(next)
	if len(due) != 1 || due[0].Page.ID != w.Paged[0].ID || due[0].Page.Incident.DedupKey != w.Paged[0].Incident.DedupKey {
		t.Errorf("due is %+v, want the page of before", due)
	}
	if spent, err := next.Spent(t.Context(), "", w.Now); err != nil || spent.Tokens != 3*1200 {
		t.Errorf("spent %+v, %v", spent, err)
	}
}

// TestLostFile: a log without its file is what is left of a ledger.
func TestLostFile(t *testing.T) {
	path, w := file(t), ledgertest.NewWorld(t)
	l := open(t, path, w.Options())
	w.Round(l, "edge", "pulse", checks.Sound)
	log, err := os.ReadFile(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	gone := file(t)
	if err := os.WriteFile(gone+"-wal", log, 0o600); err != nil {
		t.Fatal(err)
	}
	next := open(t, gone, w.Options())
	if next.Repaired() == nil {
		t.Fatal("nothing is said of the lost file")
	}
	wantPage(t, w, next)
	w.Round(next, "edge", "pulse", checks.Sound)
}

// TestAttach: a command beside the daemon neither makes nor sets aside.
func TestAttach(t *testing.T) {
	w := ledgertest.NewWorld(t)
	o := w.Options()
	o.Attach = true
	path := file(t)
	if _, err := ledger.Open(t.Context(), path, o); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(path, []byte("no ledger"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.Open(t.Context(), path, o); !errors.Is(err, ledger.ErrDamaged) {
		t.Errorf("a damaged file: %v", err)
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "no ledger" {
		t.Errorf("it was touched: %q, %v", content, err)
	}
}

// TestTwoProcesses: a command acts on the ledger of a daemon that runs.
func TestTwoProcesses(t *testing.T) {
	path, w := file(t), ledgertest.NewWorld(t)
	daemon := open(t, path, w.Options())
	w.Round(daemon, "edge", "pulse", checks.Leak)
	o := w.Options()
	o.Attach, o.Paged = true, nil
	command := open(t, path, o)
	list, err := command.Incidents(t.Context(), ledger.IncidentFilter{Open: true})
	if err != nil || len(list) != 1 {
		t.Fatalf("incidents %+v, %v", list, err)
	}
	if err := command.ResolveIncident(t.Context(), list[0].ID, "ada", w.Now); err != nil {
		t.Fatal(err)
	}
	w.Round(daemon, "edge", "pulse", checks.Sound)
	if got := w.Deliver(daemon); len(got) != 2 {
		t.Errorf("delivered %q, want trigger and resolution", got)
	}
}

// TestFolder: a ledger that cannot be made is an error that says so.
func TestFolder(t *testing.T) {
	for name, path := range map[string]string{
		"no folder": filepath.Join(t.TempDir(), "none", "crosstalk.db"),
		"a folder":  t.TempDir(),
	} {
		if _, err := ledger.Open(t.Context(), path, ledger.Options{}); !errors.Is(err, ledger.ErrUnwritable) {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}

// TestName: a file may be called anything.
func TestName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "odd?name#50%25 & co=1.db")
	w := ledgertest.NewWorld(t)
	w.Round(open(t, path, w.Options()), "edge", "pulse", checks.Sound)
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

// TestMode: a ledger that others could read is closed to them.
func TestMode(t *testing.T) {
	path, w := file(t), ledgertest.NewWorld(t)
	l := open(t, path, w.Options())
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	w.Round(open(t, path, w.Options()), "edge", "pulse", checks.Sound)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(path + suffix); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v, want 0600", suffix, info.Mode(), err)
		}
	}
}

// TestDamageFoundLater: damage among the markers of a large ledger, which are not
// looked at when it is opened, is set aside at the start after it was met.
func TestDamageFoundLater(t *testing.T) {
	path, w := file(t), ledgertest.NewWorld(t)
	o := w.Options()
	o.CheckWhole = 1
	l := open(t, path, o)
	trip := w.Round(l, "edge", "pulse", checks.Sound)
	var page int64
	err := l.DB().QueryRow("SELECT rootpage FROM sqlite_master WHERE name = 'prompts_by_payload'").Scan(&page)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copy(content[(page-1)*4096:], bytes.Repeat([]byte{0xa5}, 4096))
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	l = open(t, path, o)
	if l.Repaired() != nil {
		t.Fatalf("repaired %v: the damage was to be among what is not checked", l.Repaired())
	}
	if _, err := l.Seen(t.Context(), trip.Bound[0].Payload); !errors.Is(err, ledger.ErrDamaged) || !errors.Is(err, ledger.ErrUnwritable) {
		t.Errorf("error is %v, want one that wraps ErrDamaged", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(t, path, o)
	if l.Repaired() == nil {
		t.Error("the next start did not see it")
	}
	if left, _ := filepath.Glob(path + ".suspect"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestRepairIsNotProbed: the incident about the ledger is a person's to resolve,
// and nothing else is expected of it, whatever the policy says of targets.
func TestRepairIsNotProbed(t *testing.T) {
	path, w := file(t), ledgertest.NewWorld(t)
	w.Policy = alerting.Policy{
		Probes: map[string]alerting.Schedule{"pulse": {Every: time.Minute}}, ControlEvery: time.Minute, RepeatEvery: -1,
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l := open(t, path, w.Options())
	for range 10 {
		w.Pass(time.Minute)
		if err := l.Tick(t.Context(), w.Now); err != nil {
			t.Fatal(err)
		}
	}
	wantPage(t, w, l)
	list, err := l.Incidents(t.Context(), ledger.IncidentFilter{})
	if err != nil || len(list) != 1 || list[0].State != alerting.StateOpen {
		t.Fatalf("incidents %+v, %v", list, err)
	}
	if err := l.ResolveIncident(t.Context(), list[0].ID, "ada", w.Now); err != nil {
		t.Fatal(err)
	}
	if got := w.Deliver(l); len(got) != 2 {
		t.Errorf("delivered %q, want the page and its end", got)
	}
}

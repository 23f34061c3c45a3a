//go:build e2e && linux

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"crosstalk/alerting"
	"crosstalk/internal/ledger"
	"crosstalk/internal/simulator"
)

// program is the real program as a process.
type program struct {
	*served
	cmd *exec.Cmd
}

// startProgram starts serve as a process of its own and waits until it serves.
func startProgram(t *testing.T, path string, s *served) *program {
	t.Helper()
	s.stderr = &syncBuffer{}
	p := &program{served: s, cmd: exec.Command(path, "serve", "-c", s.config(), "--web.listen-address", "127.0.0.1:0")}
	p.cmd.Env, p.cmd.Stderr = processEnviron(), s.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill(); _ = p.cmd.Wait() })
	s.code = make(chan int, 1)
	s.address = s.listening(t)
	return p
}

// finish ends the process gently, and wants it to end well.
func (p *program) finish(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("serve ended with %v\n%s", err, p.stderr)
	}
}

// limitFiles sets how large a file of the process may grow: as on a disk that is
// full. Without a limit it is RLIM_INFINITY.
func (p *program) limitFiles(t *testing.T, most uint64) {
	t.Helper()
	limit := syscall.Rlimit{Cur: most, Max: ^uint64(0)}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(p.cmd.Process.Pid), syscall.RLIMIT_FSIZE,
		uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	if errno != 0 {
		t.Fatalf("limit the files of the daemon: %v", errno)
	}
}

// TestE2EUnwritable: in the middle of the daemon's life its files cannot grow any
// more, or cannot be written at all. It goes on, in memory and saying so; a leak
// found meanwhile is paged at once, the outage itself after half a minute; and
// when the disk is mended everything is written back: the outage is resolved, the
// round is in the ledger marked unjournaled, and every marker sent is known.
// Before the disk was full, nobody was paged.
func TestE2EUnwritable(t *testing.T) {
	t.Parallel()
	path := buildProgram(t)
	for _, tt := range []struct {
		name  string
		limit func(size uint64) uint64 // of a file, given the log's present size
	}{
		{"disk full", func(size uint64) uint64 { return size }},
		{"not writable", func(uint64) uint64 { return 0 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			engine, address := timedEngine(t)
			hook := newPager(t, "key-HOOK")
			s := prepareServed(t, servedConfig(address, hook.URL+"/hook", smallWindow, "  - {kind: pulse, every: 5s}\n  - {kind: seedwatch, every: 5s}"))
			p := startProgram(t, path, s)
			s.eventually(t, "/metrics", `crosstalk_control_runs_total{control="seeded",outcome="right"} 1`)
			s.until(t, "/metrics", "a sound seedwatch", func(string) bool {
				return s.countOf(t, "crosstalk_rounds_total", func(l string) bool { return strings.Contains(l, `class="sound",probe="seedwatch"`) }) > 0
			})
			if n := len(hook.pages); n != 0 {
				t.Fatalf("%d pages before anything happened", n)
			}
			log, err := os.Stat(filepath.Join(s.dir, "crosstalk.db-wal"))
			if err != nil {
				t.Fatal(err)
			}
			p.limitFiles(t, tt.limit(uint64(log.Size())))
			s.eventually(t, "/metrics", "crosstalk_ledger_degraded 1")
			began := time.Now()
			fault, err := simulator.ParseFault("seed,pool=21290")
			if err != nil {
				t.Fatal(err)
			}
			if err := engine.SetFault(fault); err != nil {
				t.Fatal(err)
			}
			leak := hook.next(t, alerting.ActionTrigger)
			t.Logf("paged for %s on %s %s after the ledger was lost", leak.Incident.Kind, leak.Incident.Target, time.Since(began).Round(time.Second))
			outage := hook.next(t, alerting.ActionTrigger)
			t.Logf("paged for %s on %s %s after the ledger was lost: %s", outage.Incident.Kind, outage.Incident.Target, time.Since(began).Round(time.Second), outage.Incident.Reason)
			if leak.Incident.Kind != alerting.KindLeak || outage.Incident.Kind != alerting.KindProber || outage.Incident.Target != ledger.ControlName {
				t.Errorf("paged for %s and %s, want the leak and the outage", leak.Incident.Kind, outage.Incident.Kind)
			}
			if err := engine.SetFaults(); err != nil {
				t.Fatal(err)
			}
			p.limitFiles(t, ^uint64(0))
			for hook.next(t, alerting.ActionResolve).Incident.Kind != alerting.KindProber {
			}
			s.eventually(t, "/metrics", "crosstalk_ledger_degraded 0")
			p.finish(t)
			s.ledger(t, func(l *ledger.SQLite) {
				r, err := l.Round(t.Context(), leak.Incident.FirstRound)
				if err != nil {
					t.Fatalf("the round of the leak: %v", err)
				}
				for _, x := range r.Exchanges {
					if !x.Unjournaled {
						t.Errorf("exchange %s is not marked unjournaled", x.ID)
					}
				}
			})
		})
	}
}

// cuts is how often the ledger is cut.
const cuts = 6

// TestE2ECutLedger: a ledger file that was cut somewhere is set aside and begun
// anew: the daemon starts, says so with a page, and probes. A file that was not
// cut pages nobody.
func TestE2ECutLedger(t *testing.T) {
	t.Parallel()
	cutLedger(t, cuts)
}

func cutLedger(t *testing.T, times int) {
	path := buildProgram(t)
	_, address := timedEngine(t)
	hook := newPager(t, "key-HOOK")
	s := prepareServed(t, servedConfig(address, hook.URL+"/hook", smallWindow, "  - {kind: pulse, every: 5s}"))
	p := startProgram(t, path, s)
	s.goesOn(t)
	p.finish(t)
	file := filepath.Join(s.dir, "crosstalk.db")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range times + 1 {
		size := len(whole) // the first is the control: nothing is cut
		if i > 0 {
			size = rng.IntN(len(whole))
		}
		t.Run(fmt.Sprintf("%d of %d bytes", size, len(whole)), func(t *testing.T) {
			for _, suffix := range []string{"-wal", "-shm"} {
				_ = os.Remove(file + suffix) // they may not be there
			}
			if err := os.WriteFile(file, bytes.Clone(whole[:size]), 0o600); err != nil {
				t.Fatal(err)
			}
			p := startProgram(t, path, s)
			if size < len(whole) {
				page := hook.next(t, alerting.ActionTrigger)
				if page.Incident.Kind != alerting.KindProber || page.Incident.Target != ledger.ControlName {
					t.Errorf("paged for %s on %s, want the ledger", page.Incident.Kind, page.Incident.Target)
				}
			} else {
				s.goesOn(t)
			}
			s.until(t, "/metrics", "a round", func(string) bool { return s.count(t, "crosstalk_rounds_total") > 0 })
			p.finish(t)
			if n := len(hook.pages); n != 0 {
				t.Errorf("%d further pages", n)
			}
			aside, err := filepath.Glob(file + ".damaged-*")
			if err != nil || (len(aside) > 0) != (size < len(whole)) {
				t.Errorf("set aside: %v, %v", aside, err)
			}
			for _, name := range aside {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestE2EUnwritableStart: a ledger that cannot be opened at the start is refused
// with what to do: a daemon that never had a ledger has nothing to go on from.
func TestE2EUnwritableStart(t *testing.T) {
	path := buildProgram(t)
	s := prepareServed(t, strings.Replace(servedConfig("http://127.0.0.1:9/v1", "http://127.0.0.1:9/hook", smallWindow, "  - {kind: pulse, every: 5s}"),
		"version: 1\n", "version: 1\nstore: sqlite:/proc/crosstalk.db\n", 1))
	cmd := exec.Command(path, "serve", "-c", s.config(), "--web.listen-address", "127.0.0.1:0")
	cmd.Env = processEnviron()
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "folder that can be written to") {
		t.Errorf("%v: %s", err, out)
	}
}

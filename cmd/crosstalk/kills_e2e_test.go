//go:build e2e

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"crosstalk/internal/ledger"
	"crosstalk/internal/simulator"
	"crosstalk/tenants"
)

// kills is how often the daemon is killed; TestLongKills does it ten times as
// often.
const kills = 20

// TestE2EKills kills the daemon at random moments while an engine leaks: no page
// is lost, duplicates share one key, no marker that was sent is unknown to the
// ledger, schedules go on, and the cap of a day holds over all lives.
func TestE2EKills(t *testing.T) {
	t.Parallel()
	killServe(t, kills)
}

// witness is a leaking engine that remembers every marker it was sent, in whole
// prompts or in the beginning of one.
type witness struct {
	engine *simulator.Server
	codec  *tenants.Codec

	mu       sync.Mutex
	requests int
	bytes    int64
	markers  map[tenants.Payload]bool
}

// ServeHTTP implements http.Handler.
func (w *witness) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	var sent bytes.Buffer
	r.Body = io.NopCloser(io.TeeReader(r.Body, &sent))
	defer func() {
		hits := w.codec.Find(sent.String())
		w.mu.Lock()
		defer w.mu.Unlock()
		w.requests++
		w.bytes += int64(sent.Len())
		for _, h := range hits {
			w.markers[h.Payload.Request()] = true
		}
	}()
	w.engine.ServeHTTP(rw, r)
}

// receipts counts pages by dedup key.
type receipts struct {
	mu   sync.Mutex
	keys map[string]int
}

func (r *receipts) collect(p *pager, done <-chan struct{}) {
	for {
		select {
		case page := <-p.pages:
			r.mu.Lock()
			r.keys[page.Incident.DedupKey+" "+string(page.Action)]++
			r.mu.Unlock()
		case <-done:
			return
		}
	}
}

// got is how often a page of the incident arrived.
func (r *receipts) got(key string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for k, times := range r.keys {
		if strings.HasPrefix(k, key+" ") {
			n += times
		}
	}
	return n
}

// buildProgram builds the program of this package.
func buildProgram(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "crosstalk")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return program
}

// processEnviron is the environment that the credentials of servedConfig are in.
func processEnviron() []string {
	return append(os.Environ(), "KEY_ALPHA=key-KEY_ALPHA", "KEY_BRAVO=key-KEY_BRAVO", "HOOK=key-HOOK")
}

func killServe(t *testing.T, kills int) {
	program := buildProgram(t)
	o, err := simulator.Preset(simulator.PresetFaulty)
	if err != nil {
		t.Fatal(err)
	}
	o = o.Scale(smallWindow)
	o.Speed, o.AnyModel = 200, true
	engine, err := simulator.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(engine.Close)
	w := &witness{engine: engine, markers: map[tenants.Payload]bool{}}
	front := httptest.NewServer(w)
	t.Cleanup(front.Close)
	p := newPager(t, "key-HOOK")
	const probes = "  - {kind: pulse, every: 5s}\n  - {kind: seedwatch, every: 5s}"
	s := prepareServed(t, servedConfig(front.URL+"/v1", p.URL+"/hook", smallWindow, probes))
	key, err := tenants.LoadFleetKey("file:fleet.key", s.dir, os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	w.codec = tenants.NewCodec(key)
	r := &receipts{keys: map[string]int{}}
	done := make(chan struct{})
	defer close(done)
	go r.collect(p, done)
	rng := rand.New(rand.NewPCG(1, 2))

	killed(t, program, s.config(), rng, kills*3/4)
	// One life in peace: the leak is found, and both schedules go on.
	s.start(t)
	for _, probe := range []string{"pulse", "seedwatch"} {
		s.until(t, "/metrics", "rounds of "+probe, func(string) bool {
			return s.countOf(t, "crosstalk_rounds_total", func(labels string) bool { return strings.Contains(labels, `probe="`+probe+`"`) }) > 0
		})
	}
	s.eventually(t, "/metrics", `crosstalk_incidents_open{kind="leak",severity="page",target="sim"} 1`)
	s.end(t)
	// The cap of the day is now near: it is reached by lives that die.
	allowed := s.spentToday(t) + 300_000
	s.configure(t, servedConfig(front.URL+"/v1", p.URL+"/hook", smallWindow, probes+fmt.Sprintf("\nbudget: {tokens_per_day: %d}", allowed)))
	killed(t, program, s.config(), rng, kills-kills*3/4)
	s.start(t) // and a last one, to deliver what the others owed
	s.until(t, "/metrics", "a round skipped for the budget", func(string) bool {
		return s.countOf(t, "crosstalk_rounds_skipped_total", func(labels string) bool { return strings.Contains(labels, `reason="budget"`) }) > 0
	})
	s.eventually(t, "/metrics", "crosstalk_outbox_depth 0")
	s.end(t)

	s.wantPages(t, r)
	w.wantKnown(t, s, allowed)
	t.Logf("%d kills; pages by key and action: %v", kills, r.keys)
}

// killed starts the program so often and kills it at a random moment each time.
func killed(t *testing.T, program, config string, rng *rand.Rand, times int) {
	t.Helper()
	for range times {
		cmd := exec.Command(program, "serve", "-c", config, "--web.listen-address", "127.0.0.1:0", "--log.level", "error")
		cmd.Env = processEnviron()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.NewTimer(time.Duration(100+rng.IntN(3000)) * time.Millisecond)
		<-timer.C
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
	}
}

// wantPages wants a page of every incident to have arrived, and the leak to be
// one incident that outlived every kill.
func (s *served) wantPages(t *testing.T, r *receipts) {
	t.Helper()
	e, stdout, stderr := testEnv("")
	if code := run(t.Context(), []string{"incidents", "list", "--json", "-c", s.config()}, e); code != 0 {
		t.Fatalf("incidents: exit %d %s", code, stderr)
	}
	var incidents []struct {
		ID, Kind string
		DedupKey string `json:"dedup_key"`
	}
	if err := json.Unmarshal(stdout.Bytes(), &incidents); err != nil {
		t.Fatal(err)
	}
	leaks := 0
	for _, i := range incidents {
		if r.got(i.DedupKey) == 0 {
			t.Errorf("no page of incident %s (%s) arrived", i.ID, i.Kind)
		}
		if i.Kind == "leak" {
			leaks++
		}
	}
	if leaks != 1 {
		t.Errorf("%d leak incidents, want one that outlives every kill: %+v", leaks, incidents)
	}
}

// spentToday is what the ledger says was reserved.
func (s *served) spentToday(t *testing.T) int64 {
	t.Helper()
	var tokens int64
	s.ledger(t, func(l *ledger.SQLite) {
		spend, err := l.Spent(context.Background(), "", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		tokens = spend.Tokens
	})
	return tokens
}

// ledger opens the ledger of a daemon that has ended.
func (s *served) ledger(t *testing.T, f func(l *ledger.SQLite)) {
	t.Helper()
	l, err := ledger.Open(t.Context(), filepath.Join(s.dir, "crosstalk.db"), ledger.Options{Attach: true})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f(l)
}

// wantKnown wants every marker that the engine was sent to be in the ledger, and
// what it was sent to be within what was reserved, and that within the cap.
func (w *witness) wantKnown(t *testing.T, s *served, allowed int64) {
	t.Helper()
	reserved := s.spentToday(t)
	w.mu.Lock()
	defer w.mu.Unlock()
	unknown := 0
	s.ledger(t, func(l *ledger.SQLite) {
		for p := range w.markers {
			seen, err := l.Seen(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			if !seen {
				unknown++
			}
		}
	})
	var counted int64
	for _, truth := range w.engine.Truth() {
		counted += int64(truth.Tokens + truth.Completion)
	}
	t.Logf("%d requests, %d bytes, markers of %d requests: %d unknown to the ledger; %d tokens counted by the engine, %d reserved, %d allowed",
		w.requests, w.bytes, len(w.markers), unknown, counted, reserved, allowed)
	if len(w.markers) == 0 || unknown > 0 {
		t.Errorf("%d of %d requests that were sent are not in the ledger", unknown, len(w.markers))
	}
	if counted > reserved || reserved > allowed {
		t.Errorf("%d tokens counted by the engine, %d reserved, %d allowed: want each within the next", counted, reserved, allowed)
	}
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"crosstalk/alerting"
	"crosstalk/alerting/webhook"
	"crosstalk/internal/secret"
	"crosstalk/internal/simulator"
)

// pager is a webhook receiver that verifies what it gets.
type pager struct {
	*httptest.Server
	pages chan alerting.Page
}

func newPager(t *testing.T, key string) *pager {
	t.Helper()
	p := &pager{pages: make(chan alerting.Page, 100)}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = webhook.Verify(secret.New(key), r.Header.Get(webhook.HeaderSignature), body, time.Now())
		}
		var page alerting.Page
		if err == nil {
			err = json.Unmarshal(body, &page)
		}
		if err != nil {
			t.Errorf("page: %v", err)
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		p.pages <- page
	}))
	t.Cleanup(p.Close)
	return p
}

// next is the next page of the action, within a bound that only a broken daemon
// reaches.
func (p *pager) next(t *testing.T, action alerting.Action) alerting.Page {
	t.Helper()
	bound := time.After(3 * time.Minute)
	for {
		select {
		case page := <-p.pages:
			if page.Action == action {
				return page
			}
		case <-bound:
			t.Fatalf("no page with action %s", action)
		}
	}
}

// served is a daemon that runs in this process.
type served struct {
	dir, address string
	stderr       *syncBuffer
	stop         context.CancelFunc
	code         chan int
}

// syncBuffer is a buffer that a daemon writes while a test reads.
type syncBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// newServed starts serve for the engine and the pager with a folder of its own.
func newServed(t *testing.T, engine, pager string, probes string) *served {
	t.Helper()
	return newServedWith(t, servedConfig(engine, pager, smallWindow, probes))
}

// newServedWith starts serve for a configuration.
func newServedWith(t *testing.T, text string) *served {
	t.Helper()
	s := prepareServed(t, text)
	s.start(t)
	t.Cleanup(func() { s.stop(); <-s.code })
	return s
}

// prepareServed makes the folder of a daemon, which is not started.
func prepareServed(t *testing.T, text string) *served {
	t.Helper()
	s := &served{dir: t.TempDir(), stderr: &syncBuffer{}, code: make(chan int, 1)}
	e, _, _ := testEnv("")
	if code := run(t.Context(), []string{"config", "init", "--dir", s.dir}, e); code != 0 {
		t.Fatal("config init failed")
	}
	s.configure(t, text)
	return s
}

// end stops the daemon and waits for it; it can be started again.
func (s *served) end(t *testing.T) {
	t.Helper()
	s.stop()
	if code := <-s.code; code != 0 {
		t.Errorf("serve ended with %d\n%s", code, s.stderr)
	}
	s.stderr = &syncBuffer{}
}

func (s *served) config() string { return filepath.Join(s.dir, "crosstalk.yaml") }

// servedConfig is a configuration with one target, two tenants and a webhook.
func servedConfig(engine, pager string, window int, more string) string {
	return fmt.Sprintf(`version: 1
fleet_keys: [file:./fleet.key]
targets:
  - {name: sim, api: openai-chat, base_url: %q, model: sim, window: %d, max_output: 1024}
tenants:
  - {name: alpha, index: 1, credential: "env:KEY_ALPHA", domain: org-a}
  - {name: bravo, index: 2, credential: "env:KEY_BRAVO", domain: org-b}
notify: [{kind: webhook, url: %q, secret: "env:HOOK"}]
probes:
%s
`, engine, window, pager, more)
}

func (s *served) configure(t *testing.T, text string) {
	t.Helper()
	if err := os.WriteFile(s.config(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// start runs serve until it is ready.
func (s *served) start(t *testing.T) {
	t.Helper()
	e, _, _ := testEnv("")
	e.stderr = s.stderr
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	go func() {
		s.code <- run(ctx, []string{"serve", "-c", s.config(), "--web.listen-address", "127.0.0.1:0"}, e)
	}()
	s.address = s.listening(t)
}

// listening waits for the address that the daemon logs.
func (s *served) listening(t *testing.T) string {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	bound := time.After(time.Minute)
	for {
		select {
		case <-tick.C:
			if _, rest, ok := strings.Cut(s.stderr.String(), "msg=serving address="); ok {
				return "http://" + strings.Fields(rest)[0]
			}
		case code := <-s.code:
			s.code <- code
			t.Fatalf("serve ended with %d before it was ready\n%s", code, s.stderr)
		case <-bound:
			t.Fatalf("serve is not ready\n%s", s.stderr)
		}
	}
}

func (s *served) get(t *testing.T, path string) (int, string) {
	t.Helper()
	resp, err := http.Get(s.address + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func (s *served) post(t *testing.T, path string) (int, string) {
	t.Helper()
	resp, err := http.Post(s.address+path, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// faultyServed is a daemon that watches an engine with the seed fault.
func faultyServed(t *testing.T) (*served, *pager) {
	t.Helper()
	o, err := simulator.Preset(simulator.PresetFaulty)
	if err != nil {
		t.Fatal(err)
	}
	o = o.Scale(smallWindow)
	o.Speed, o.AnyModel = 200, true
	server, err := simulator.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	front := httptest.NewServer(server)
	t.Cleanup(front.Close)
	p := newPager(t, "key-HOOK")
	return newServed(t, front.URL+"/v1", p.URL+"/hook", "  - {kind: pulse, every: 5s}\n  - {kind: seedwatch, every: 5s}"), p
}

// TestServe: the daemon finds the fault on its schedule, pages once, shows it,
// goes on with the last good configuration, and stops without losing anything.
func TestServe(t *testing.T) {
	s, p := faultyServed(t)
	page := p.next(t, alerting.ActionTrigger)
	if page.Incident.Kind != alerting.KindLeak || page.Incident.Target != "sim" {
		t.Errorf("paged for %s on %s, want the leak", page.Incident.Kind, page.Incident.Target)
	}
	for path, want := range map[string]string{
		"/":            "1 open incident",
		"/targets/sim": "seedwatch",
		"/incidents/" + page.Incident.ID.String(): "Page map",
		"/metrics":   `crosstalk_incidents_open{kind="leak",severity="page",target="sim"} 1`,
		"/-/healthy": "healthy",
		"/-/ready":   "ready",
	} {
		if path == "/metrics" {
			s.eventually(t, path, want)
			continue
		}
		if code, body := s.get(t, path); code != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d, lacks %q", path, code, want)
		}
	}

	good, err := os.ReadFile(s.config())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.config(), []byte("version: 1\ntargts: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, body := s.post(t, "/-/reload"); code != http.StatusInternalServerError || !strings.Contains(body, "crosstalk.yaml:2") {
		t.Errorf("reload of a bad configuration: %d %s", code, body)
	}
	s.eventually(t, "/metrics", "crosstalk_config_last_reload_successful 0")
	s.goesOn(t)
	if err := os.WriteFile(s.config(), good, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, body := s.post(t, "/-/reload"); code != http.StatusOK {
		t.Errorf("reload of the good configuration: %d %s", code, body)
	}
	s.operate(t, page.Incident.ID.String())

	s.stop()
	if code := <-s.code; code != 0 {
		t.Errorf("serve ended with %d\n%s", code, s.stderr)
	}
	s.code <- 0
	if strings.Contains(s.stderr.String(), "key-KEY_") || strings.Contains(s.stderr.String(), "key-HOOK") {
		t.Error("the log holds a secret")
	}
}

// eventually waits until a page says something.
func (s *served) eventually(t *testing.T, path, want string) {
	t.Helper()
	s.until(t, path, want, func(body string) bool { return strings.Contains(body, want) })
}

// until waits until a page is as wanted, within a bound that only a broken
// daemon reaches.
func (s *served) until(t *testing.T, path, want string, is func(body string) bool) {
	t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	bound := time.After(3 * time.Minute)
	for {
		select {
		case <-tick.C:
			if _, body := s.get(t, path); is(body) {
				return
			}
		case <-bound:
			_, body := s.get(t, path)
			t.Fatalf("%s never said %q; it says\n%s", path, want, body)
		}
	}
}

// goesOn waits for two further rounds: one may have been under way.
func (s *served) goesOn(t *testing.T) {
	t.Helper()
	before := s.count(t, "crosstalk_rounds_total")
	s.until(t, "/metrics", "two further rounds", func(string) bool { return s.count(t, "crosstalk_rounds_total") >= before+2 })
}

// count is the sum of the series of a counter.
func (s *served) count(t *testing.T, series string) float64 {
	t.Helper()
	return s.countOf(t, series, func(string) bool { return true })
}

// countOf is count for the series with such labels.
func (s *served) countOf(t *testing.T, series string, wanted func(labels string) bool) float64 {
	t.Helper()
	_, body := s.get(t, "/metrics")
	sum := 0.0
	for line := range strings.Lines(body) {
		if name, rest, ok := strings.Cut(line, "{"); ok && name == series {
			labels, value, _ := strings.Cut(rest, "} ")
			if !wanted(labels) {
				continue
			}
			n, err := strconv.ParseFloat(strings.Fields(value)[0], 64)
			if err != nil {
				t.Fatalf("metrics: %q: %v", line, err)
			}
			sum += n
		}
	}
	return sum
}

// operate works on the running daemon from outside, as an operator does.
func (s *served) operate(t *testing.T, incident string) {
	t.Helper()
	for _, step := range []struct {
		args []string
		want string
	}{
		{[]string{"incidents", "list", "--open"}, incident},
		{[]string{"incidents", "show", incident}, `"kind": "leak"`},
		{[]string{"incidents", "ack", incident, "--by", "ines"}, "acknowledged"},
		{[]string{"pause", "sim", "--reason", "test"}, "paused target sim"},
		{[]string{"resume", "sim"}, "resumed target sim"},
		{[]string{"incidents", "resolve", incident, "--by", "ines"}, "resolved"},
	} {
		e, stdout, stderr := testEnv("")
		args := append(step.args, "-c", s.config())
		if code := run(t.Context(), args, e); code != 0 || !strings.Contains(stdout.String(), step.want) {
			t.Errorf("%v: exit %d, %s%s", args, code, stdout, stderr)
		}
	}
}

// TestServeRefuses: what cannot work is said at start, before anything is sent.
func TestServeRefuses(t *testing.T) {
	dir := t.TempDir()
	e, _, _ := testEnv("")
	if code := run(t.Context(), []string{"config", "init", "--dir", dir}, e); code != 0 {
		t.Fatal("config init failed")
	}
	const head = `version: 1
targets: [{name: sim, api: openai-chat, base_url: "http://127.0.0.1:9/v1", model: m, window: 32768}]
tenants: [{name: alpha, index: 1, credential: "env:A"}, {name: bravo, index: 2, credential: "env:B"}]
`
	for name, tt := range map[string]struct{ text, want string }{
		"no fleet key": {head + "probes: [{kind: pulse, every: 1m}]\n", "no fleet_keys"},
		"no schedule":  {head + "fleet_keys: [file:./fleet.key]\n", "schedules no probe"},
		"bad cron":     {head + "fleet_keys: [file:./fleet.key]\nprobes: [{kind: pulse, cron: \"0 0 31 2 *\"}]\n", "probes[0]"},
		"bad zone":     {head + "fleet_keys: [file:./fleet.key]\nprobes: [{kind: pulse, cron: \"0 0 * * *\", timezone: Mars/Base}]\n", "Mars/Base"},
		"bad quiet":    {strings.Replace(head, "window: 32768", `window: 32768, quiet: ["late"]`, 1) + "fleet_keys: [file:./fleet.key]\nprobes: [{kind: pulse, every: 1m}]\n", "quiet[0]"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, "crosstalk.yaml")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			e, _, stderr := testEnv("")
			code := run(t.Context(), []string{"serve", "-c", path, "--web.listen-address", "127.0.0.1:0"}, e)
			if code != 2 || !strings.Contains(stderr.String(), tt.want) {
				t.Errorf("exit %d, want 2 and %q: %s", code, tt.want, stderr)
			}
		})
	}
}

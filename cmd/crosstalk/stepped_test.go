package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"crosstalk/alerting"
	"crosstalk/alerting/webhook"
	"crosstalk/checks"
	"crosstalk/internal/ledger"
	"crosstalk/internal/report"
	"crosstalk/internal/scheduler"
	"crosstalk/internal/secret"
	"crosstalk/internal/simulator"
	"crosstalk/probes/provider"
)

// stepped is the daemon of a configuration with its time in the test's hand: a
// day of schedule, refusals and pages passes in seconds. Everything is what
// serve is made of (configuration, scheduler, probes, checks, ledger on SQLite,
// incidents, courier, signed webhook) but for what would wait for a socket: the
// engines and the pager are called in process, and turns are taken without the
// job queue, which asks its database twice a second.
type stepped struct {
	t *testing.T
	*daemon
	clients map[string]*wire // by target
	pager   *steppedPager
	stop    func()

	mu       sync.Mutex
	classes  map[checks.Class]int // of exchanges
	findings map[string]int       // by check and kind
}

// step runs a test in a bubble of stepped time that begins when markers can be
// minted.
func step(t *testing.T, f func(t *testing.T)) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)))
		f(t)
	})
}

// newStepped makes the daemon of targets with windows, each in front of an
// engine, and starts it. It ends with the test.
func newStepped(t *testing.T, schedule string, targets map[string]int, engine http.Handler) *stepped {
	t.Helper()
	dir := t.TempDir()
	key := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("stepped "), 4))
	if err := os.WriteFile(filepath.Join(dir, "fleet.key"), []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := "version: 1\nfleet_keys: [file:./fleet.key]\ntargets:\n"
	for _, name := range sortedKeys(targets) {
		text += fmt.Sprintf("  - {name: %s, api: openai-chat, base_url: \"http://127.0.0.1:9/v1\", model: sim, window: %d, max_output: 1024}\n", name, targets[name])
	}
	text += `tenants:
  - {name: alpha, index: 1, credential: "env:KEY_ALPHA", domain: org-a}
  - {name: bravo, index: 2, credential: "env:KEY_BRAVO", domain: org-b}
budget: {tokens_per_run: 1000000000}
notify: [{kind: webhook, url: "http://pager.example/hook", secret: "env:HOOK"}]
` + schedule
	path := filepath.Join(dir, "crosstalk.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	e, _, stderr := testEnv("")
	log, err := newLogger(e, "warn", "logfmt")
	if err != nil {
		t.Fatal(err)
	}
	d, err := newDaemon(t.Context(), e, &serveFlags{config: configFlags{path: path}}, log)
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	// A test's ledger need not survive the machine.
	if _, err := d.base.DB().ExecContext(t.Context(), "PRAGMA synchronous = OFF"); err != nil {
		t.Fatal(err)
	}
	s := &stepped{t: t, daemon: d, clients: map[string]*wire{}, pager: &steppedPager{t: t}, classes: map[checks.Class]int{}, findings: map[string]int{}}
	for name, site := range d.current().sites {
		parser := site.Clients["alpha"]
		s.clients[name] = &wire{Client: parser, engine: engine}
		for tenant := range site.Clients {
			site.Clients[tenant] = s.clients[name]
		}
	}
	hook, err := webhook.New(webhook.Options{
		Name: "webhook", URL: secret.New("http://pager.example/hook"), Secret: secret.New("key-HOOK"),
		HTTP: alerting.SenderOptions{Transport: s.pager},
	})
	if err != nil {
		t.Fatal(err)
	}
	d.courier.Notifiers, d.courier.Poll = []alerting.Notifier{hook}, time.Minute // it is woken for each page
	hooks := d.hooks()
	outcome := hooks.Outcome
	hooks.Outcome = func(o *report.Outcome) {
		s.hear(o)
		outcome(o)
	}
	d.scheduler, err = scheduler.New(scheduler.Options{
		Ledger: unpaused{d.ledger}, Engine: d.engine, Instance: "test", Hooks: hooks, Log: log, Silences: d.current().silences(),
	}, d.current().entries)
	if err != nil {
		t.Fatal(err)
	}
	s.start()
	return s
}

// hear counts what came of a round.
func (s *stepped) hear(o *report.Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range o.Report.Verdicts {
		s.classes[v.Class]++
	}
	for _, f := range o.Report.Findings {
		s.findings[f.Check+"/"+f.Kind]++
	}
}

// unpaused is a ledger in which nobody pauses anything: it is asked four times
// a second, which is most of a day in which nobody does.
type unpaused struct{ *ledger.Fallback }

func (unpaused) Paused(context.Context, string) (ledger.PauseRecord, bool, error) {
	return ledger.PauseRecord{}, false, nil
}

// start runs the parts as serve does, but steps incidents once a minute.
func (s *stepped) start() {
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.t.Context()))
	var parts sync.WaitGroup
	parts.Go(func() {
		if err := s.scheduler.Run(ctx); err != nil {
			s.t.Error(err)
		}
	})
	parts.Go(func() { s.courier.Run(ctx) })
	parts.Go(func() {
		t := time.NewTicker(time.Minute)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-t.C:
				if err := s.ledger.Tick(ctx, now); err != nil && ctx.Err() == nil {
					s.t.Error(err)
				}
			}
		}
	})
	s.stop = sync.OnceFunc(func() {
		cancel()
		parts.Wait()
		if err := s.close(); err != nil && !errors.Is(err, sql.ErrConnDone) {
			s.t.Error(err)
		}
	})
	s.t.Cleanup(s.stop)
}

// incidents are all incidents so far, oldest first.
func (s *stepped) incidents() []alerting.Incident {
	s.t.Helper()
	list, err := s.ledger.Incidents(context.Background(), ledger.IncidentFilter{})
	if err != nil {
		s.t.Fatal(err)
	}
	slices.Reverse(list)
	return list
}

// rounds counts the rounds that were kept of a target; of a probe, unless "".
func (s *stepped) rounds(target, probe string) int {
	s.t.Helper()
	var n int
	err := s.base.DB().QueryRow(`SELECT count(*) FROM rounds WHERE target = ? AND (probe = ? OR ? = '')`, target, probe, probe).Scan(&n)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// wire is a provider.Client that asks an engine in this process. What comes back
// is read by the dialect's own parser; times are those of the bubble.
type wire struct {
	provider.Client // parses

	mu     sync.Mutex
	engine http.Handler
	sent   []time.Time // when each request was
}

// use replaces the engine.
func (w *wire) use(engine http.Handler) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.engine = engine
}

// times are when each request was sent.
func (w *wire) times() []time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.sent)
}

func (w *wire) Do(ctx context.Context, req *provider.Request) (*provider.Response, error) {
	began := time.Now()
	w.mu.Lock()
	w.sent = append(w.sent, began)
	engine := w.engine
	w.mu.Unlock()
	model, err := json.Marshal(req.Model)
	if err != nil {
		return nil, err
	}
	body := io.MultiReader(
		bytes.NewReader(fmt.Appendf(nil, `{"model":%s,"messages":[{"role":"user","content":"`, model)),
		provider.EscapeReader(req.Prompt.Reader()),
		bytes.NewReader(fmt.Appendf(nil, `"}],"max_tokens":%d,"stream":%v,"stream_options":{"include_usage":%v}}`, req.MaxTokens, req.Stream, req.Stream)),
	)
	size, err := provider.EscapedSize(req.Prompt.Reader(), req.Prompt.Size())
	if err != nil {
		return nil, err
	}
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/chat/completions", body)
	r.ContentLength = size + 128
	r.Header.Set("Authorization", "Bearer "+req.Credential.Reveal())
	r.Header.Set("X-Request-Id", req.ID.String())
	rec := &recording{ResponseRecorder: httptest.NewRecorder(), began: began}
	engine.ServeHTTP(rec, r)
	if err := ctx.Err(); err != nil {
		return &provider.Response{Header: http.Header{}, Failure: &provider.Failure{Kind: provider.FailureCancelled}}, nil
	}
	resp := w.Parse(rec.Code, rec.Header(), bytes.NewReader(rec.Body.Bytes()))
	resp.Times = provider.Times{Started: began, FirstByte: rec.first, FirstContent: rec.first, LastContent: time.Since(began), End: time.Since(began)}
	return resp, nil
}

func (*wire) Close() {}

// requests counts those sent in a stretch of time.
func (w *wire) requests(from, until time.Time) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, at := range w.sent {
		if !at.Before(from) && at.Before(until) {
			n++
		}
	}
	return n
}

// recording notes when the first byte of an answer came.
type recording struct {
	*httptest.ResponseRecorder
	began time.Time
	first time.Duration
}

func (r *recording) Write(p []byte) (int, error) {
	if r.first == 0 {
		r.first = time.Since(r.began)
	}
	return r.ResponseRecorder.Write(p)
}

// steppedPager is the receiver of the webhook, which verifies what it gets. It
// can be down, and it can hang.
type steppedPager struct {
	t *testing.T

	mu       sync.Mutex
	down     bool // it answers 503
	hangs    bool // it does not answer
	attempts int
	got      []receivedPage
}

type receivedPage struct {
	alerting.Page
	received time.Time
}

// RoundTrip implements http.RoundTripper.
func (p *steppedPager) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.attempts++
	down, hangs := p.down, p.hangs
	p.mu.Unlock()
	if hangs {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	rec := httptest.NewRecorder()
	if down {
		rec.WriteHeader(http.StatusServiceUnavailable)
		return rec.Result(), nil
	}
	page := receivedPage{received: time.Now()}
	if err := webhook.Verify(secret.New("key-HOOK"), r.Header.Get(webhook.HeaderSignature), body, time.Now()); err != nil {
		p.t.Errorf("a page is not signed rightly: %v", err)
	}
	if err := json.Unmarshal(body, &page.Page); err != nil {
		p.t.Errorf("page: %v", err)
	}
	p.mu.Lock()
	p.got = append(p.got, page)
	p.mu.Unlock()
	return rec.Result(), nil
}

func (p *steppedPager) set(down, hangs bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down, p.hangs = down, hangs
}

// tried counts the attempts to deliver a page, with success or without.
func (p *steppedPager) tried() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.attempts
}

// pages are those received so far.
func (p *steppedPager) pages() []receivedPage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.got)
}

// said is what pages say: action, kind and severity of each.
func said(pages []receivedPage) []string {
	list := []string{}
	for _, p := range pages {
		list = append(list, fmt.Sprintf("%s %s %s", p.Action, p.Incident.Kind, p.Incident.Severity))
	}
	return list
}

// steppedEngine is a simulated engine at a window, with a profile, made in the
// bubble it is used in.
func steppedEngine(t *testing.T, preset string, window int, profile string) *simulator.Server {
	t.Helper()
	o, err := simulator.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	o = o.Scale(window)
	o.AnyModel = true
	if o.Profile, err = simulator.ParseProfile(profile); err != nil {
		t.Fatal(err)
	}
	server, err := simulator.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server
}

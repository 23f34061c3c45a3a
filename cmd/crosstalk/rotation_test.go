package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"crosstalk/alerting"
	"crosstalk/checks"
	"crosstalk/internal/ledger"
	"crosstalk/tenants"
)

// remembering is an engine that answers rightly, and that remembers the first
// seal each key sent. Once told to, it adds the remembered seals of the others.
type remembering struct {
	mu    sync.Mutex
	first map[string]string
	leaks bool
	both  chan struct{} // closed when two keys have sent
}

func newRemembering() *remembering {
	return &remembering{first: map[string]string{}, both: make(chan struct{})}
}

// await waits until both tenants have sent.
func (h *remembering) await(t *testing.T, s *served) {
	t.Helper()
	select {
	case <-h.both:
	case <-time.After(time.Minute):
		t.Fatalf("the tenants have not sent\n%s", s.stderr)
	}
}

var anySeal = regexp.MustCompile(`seal ([0-9]+): ([a-z ]+)`)

// ServeHTTP implements http.Handler.
func (h *remembering) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var answer strings.Builder
	key := r.Header.Get("Authorization")
	h.mu.Lock()
	for i, m := range anySeal.FindAllStringSubmatch(string(body), -1) {
		fmt.Fprintf(&answer, "%s: %s\n", m[1], m[2])
		if _, ok := h.first[key]; i == 0 && !ok {
			h.first[key] = m[2]
			if len(h.first) == 2 {
				close(h.both)
			}
		}
	}
	for k, seal := range h.first {
		if h.leaks && k != key {
			fmt.Fprintf(&answer, "6: %s\n", seal)
		}
	}
	h.mu.Unlock()
	content, err := json.Marshal(answer.String())
	if err != nil {
		return
	}
	if strings.Contains(string(body), `"stream":true`) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"id\": \"c-1\", \"choices\": [{\"index\": 0, \"delta\": {\"content\": %s}, \"finish_reason\": \"stop\"}]}\n\ndata: [DONE]\n\n", content)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"id": "c-1", "object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": %s}, "finish_reason": "stop"}]}`, content)
}

func (h *remembering) leak() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.leaks = true
}

// TestRotation: a prompt that was sent under the old fleet key comes back after
// the daemon went on with a new one: it pages as a leak, and its request, and
// the place in its prompt, are named.
func TestRotation(t *testing.T) {
	t.Parallel()
	engine := newRemembering()
	front := httptest.NewServer(engine)
	t.Cleanup(front.Close)
	p := newPager(t, "key-HOOK")
	s := newServed(t, front.URL+"/v1", p.URL+"/hook", "  - {kind: pulse, every: 5s}")
	engine.await(t, s)
	s.stop()
	s.code <- <-s.code
	<-s.code
	old := rotate(t, s)
	engine.leak()
	s.stderr = &syncBuffer{}
	s.start(t)
	page := p.next(t, alerting.ActionTrigger)
	if page.Incident.Kind != alerting.KindLeak {
		t.Fatalf("paged for %s, want the leak", page.Incident.Kind)
	}
	s.keepsNothing(t)
	l, err := ledger.Open(t.Context(), filepath.Join(s.dir, "crosstalk.db"), ledger.Options{Attach: true})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	seen, err := l.Sightings(t.Context(), page.Incident.ID)
	if err != nil || len(seen) == 0 {
		t.Fatalf("sightings %v, %v", seen, err)
	}
	for _, f := range seen[0].Findings {
		if f.Class != checks.Leak || f.Check != "foreignmarker" {
			continue
		}
		if f.Origin == nil || f.Origin.PromptOffset < 0 || f.Origin.Marker != 1 {
			t.Fatalf("the origin is %+v", f.Origin)
		}
		ref, err := l.Prompt(t.Context(), f.Origin.Exchange)
		if err != nil || ref.Key != old || ref.Payload != f.Origin.Payload.Request() {
			t.Errorf("its request is %+v, %v, want one of key %s", ref, err, old)
		}
		if own, err := l.Prompt(t.Context(), f.Exchange); err != nil || own.Key == old || own.Key == "" {
			t.Errorf("the exchange that shows it is of key %q, %v", own.Key, err)
		}
		return
	}
	t.Errorf("no marker of another tenant among %+v", seen[0].Findings)
}

// keepsNothing wants a daemon without a recipient of evidence to keep no content
// of a leak, to say so once, and to show it.
func (s *served) keepsNothing(t *testing.T) {
	t.Helper()
	s.eventually(t, "/", "no content of any answer is kept")
	if _, err := os.Stat(filepath.Join(s.dir, "evidence")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a folder of evidence: %v", err)
	}
	if n := strings.Count(s.stderr.String(), "no content of any answer is kept"); n != 1 {
		t.Errorf("the log says it %d times", n)
	}
}

// rotate puts a new key before the one of the configuration, and returns the id
// of the old one.
func rotate(t *testing.T, s *served) string {
	t.Helper()
	next, err := tenants.NewFleetKey()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "fleet-2.key"), []byte(next.Encode()), 0o600); err != nil {
		t.Fatal(err)
	}
	text := fileText(t, s.config())
	rotated := strings.Replace(text, "[file:./fleet.key]", "[file:./fleet-2.key, file:./fleet.key]", 1)
	if rotated == text {
		t.Fatal("the configuration has another list of keys")
	}
	if err := os.WriteFile(s.config(), []byte(rotated), 0o600); err != nil {
		t.Fatal(err)
	}
	old, err := tenants.LoadFleetKey("file:./fleet.key", s.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return old.ID()
}

// TestDamagedAtRunTime: a daemon whose ledger turns out to be damaged ends with
// an error, so that it is started again, and the start sets the file aside and
// goes on.
func TestDamagedAtRunTime(t *testing.T) {
	t.Parallel()
	engine := newRemembering()
	front := httptest.NewServer(engine)
	t.Cleanup(front.Close)
	p := newPager(t, "key-HOOK")
	s := newServed(t, front.URL+"/v1", p.URL+"/hook", "  - {kind: pulse, every: 5s}")
	engine.await(t, s)
	path := filepath.Join(s.dir, "crosstalk.db")
	spoil(t, path)
	select {
	case code := <-s.code:
		s.code <- code
		if code == 0 || !strings.Contains(s.stderr.String(), "set the ledger aside") {
			t.Errorf("it ended with %d: %s", code, s.stderr)
		}
	case <-time.After(4 * time.Minute):
		t.Fatalf("it goes on with a damaged ledger\n%s", s.stderr)
	}
	<-s.code
	s.stderr = &syncBuffer{}
	s.start(t)
	if page := p.next(t, alerting.ActionTrigger); page.Incident.Kind != alerting.KindProber || page.Incident.Target != ledger.ControlName {
		t.Errorf("paged for %s on %s, want the ledger", page.Incident.Kind, page.Incident.Target)
	}
	if aside, err := filepath.Glob(path + ".*damaged*"); err != nil || len(aside) == 0 {
		all, _ := filepath.Glob(path + "*")
		t.Errorf("nothing was set aside: %v", all)
	}
}

// spoil overwrites the file and its log in place, as a bad disk does.
func spoil(t *testing.T, path string) {
	t.Helper()
	for _, name := range []string{path, path + "-wal"} {
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		junk := make([]byte, max(0, info.Size()-100))
		for i := range junk {
			junk[i] = byte(i * 7)
		}
		if _, err := f.WriteAt(junk, 100); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

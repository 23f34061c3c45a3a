package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"crosstalk/internal/evidence"
	"crosstalk/internal/ledger"
)

// What is planted: words that stand in the texts of an engine's answers and
// nowhere else. Each is short, so that no page of a file cuts all of its
// occurrences.
const (
	plantedText  = "Quokkaville"
	plantedField = "Zanzibarium" // in fields of the protocol and headers
	plantedError = "Wombatshire"
)

// strangerText is fluent, and no answer to anything.
const strangerText = "Dear Mrs " + plantedText + ", thank you for your letter about the washing machine. Our technician from " + plantedText +
	" will visit you on Thursday between nine and eleven. Please keep the receipt ready; we will refund the charge to your " + plantedText + " card."

// failureText stands where an engine says what went wrong: people who probe by
// hand are shown it, and nobody else is.
const failureText = plantedError + ": the request of Mrs " + plantedError + " about the washing machine could not be served"

// hostileShapes is how many shapes the answers of a hostile engine have, in turn.
const hostileShapes = 7

// hostile is an engine that puts a stranger's text, the seals of other tenants
// and the caller's own key wherever an answer has room for text.
type hostile struct {
	mu    sync.Mutex
	n     int
	seals map[string]string // the last seal of each key
}

var sealLine = regexp.MustCompile(`seal 1: ([a-z ]+)`)

// ServeHTTP implements http.Handler.
func (h *hostile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	key := r.Header.Get("Authorization")
	h.mu.Lock()
	h.n++
	n, others := h.n, ""
	for k, seal := range h.seals {
		if k != key {
			others += "\nseal 1: " + seal
		}
	}
	if m := sealLine.FindSubmatch(body); m != nil {
		if h.seals == nil {
			h.seals = map[string]string{}
		}
		h.seals[key] = string(m[1])
	}
	h.mu.Unlock()
	w.Header().Set("X-Request-Id", plantedField)
	w.Header().Set("X-Note", "for Mrs "+plantedField)
	switch n % hostileShapes {
	case 5:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		fmt.Fprintf(w, "<html><title>%s</title><p>%s <script>alert('%s')</script>", plantedError, failureText, plantedError)
		return
	case 6:
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintf(w, `{"error": {"message": %q, "type": %q, "code": %q}}`, failureText+" "+key, plantedError, plantedError)
		return
	}
	content, err := json.Marshal(strangerText + others + "\nYour key is " + key)
	if err != nil {
		return
	}
	frame := `{"id": %q, "model": %q, "system_fingerprint": %q, "object": "chat.completion%s", "choices": [{"index": 0, %q: {"role": "assistant", "content": %s, "reasoning_content": %s}, "finish_reason": %q}], "usage": {"prompt_tokens": 100, "completion_tokens": 60, "total_tokens": 160}}`
	if bytes.Contains(body, []byte(`"stream":true`)) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: "+frame+"\n\ndata: [DONE]\n\n", plantedField, plantedField, plantedField, ".chunk", "delta", content, content, "stop")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, frame, plantedField, plantedField, plantedField, "", "message", content, content, plantedField)
}

// rawPager keeps the bodies of pages as they come.
type rawPager struct {
	*httptest.Server
	mu     sync.Mutex
	bodies strings.Builder
	pages  chan struct{}
}

func newRawPager(t *testing.T) *rawPager {
	p := &rawPager{pages: make(chan struct{}, 1000)}
	p.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		fmt.Fprintf(&p.bodies, "%v %s\n", r.Header, body)
		p.mu.Unlock()
		p.pages <- struct{}{}
	}))
	t.Cleanup(p.Close)
	return p
}

// surfaces is everything that was shown or written, by name.
type surfaces map[string]string

// hits are the surfaces on which a word stands, as it is or as encodings write
// it.
func (s surfaces) hits(word string) []string {
	forms := []string{word, strings.ToLower(word), hex.EncodeToString([]byte(word))}
	for shift := range 3 { // base64 has three alignments; the ends depend on what is around
		text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + word))
		forms = append(forms, text[(8*shift+5)/6:8*(shift+len(word))/6])
	}
	var on []string
	for _, name := range sortedKeys(s) {
		for _, form := range forms {
			if strings.Contains(s[name], form) {
				on = append(on, name)
				break
			}
		}
	}
	return on
}

var href = regexp.MustCompile(`(?:href|src)="(/[^"]*)"`)

// crawl takes in every page that can be reached from the first.
func (s surfaces) crawl(t *testing.T, d *served) {
	t.Helper()
	queue, seen := []string{"/", "/metrics", "/-/ready", "/nowhere"}, map[string]bool{}
	for len(queue) > 0 && len(seen) < 300 {
		path := queue[0]
		queue = queue[1:]
		if seen[path] {
			continue
		}
		seen[path] = true
		_, body := d.get(t, path)
		s["page "+path] = body
		for _, m := range href.FindAllStringSubmatch(body, -1) {
			queue = append(queue, m[1])
		}
	}
}

// folder takes in every file below a folder but those named.
func (s surfaces) folder(t *testing.T, dir string, but ...string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.Contains(strings.Join(but, "\n"), e.Name()) {
			return err
		}
		text, err := os.ReadFile(path)
		s["file "+e.Name()] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// command takes in what a command prints, and returns it. code is its exit code;
// -1: any.
func (s surfaces) command(t *testing.T, code int, args ...string) string {
	t.Helper()
	e, stdout, stderr := testEnv("")
	got := run(t.Context(), args, e)
	if code >= 0 && got != code {
		t.Errorf("%v: exit %d, want %d: %s", args, got, code, stderr)
	}
	s["command "+strings.Join(args[:min(3, len(args))], " ")] = stdout.String() + stderr.String()
	return stdout.String()
}

// TestSurfaces: of what an engine answers, and of no secret, is there a word on
// anything that crosstalk shows or writes: logs, metrics, pages, the built-in
// pages, commands, reports and the whole data folder; but for sealed evidence,
// which has it. The same search finds each word when it is planted.
func TestSurfaces(t *testing.T) {
	t.Parallel()
	engine := &hostile{}
	front := httptest.NewServer(engine)
	t.Cleanup(front.Close)
	p := newRawPager(t)
	keys := t.TempDir()
	identity := filepath.Join(keys, "identity")
	shown := surfaces{}
	recipient := strings.TrimSpace(shown.command(t, 0, "evidence", "keygen", "-o", identity))
	d := newServed(t, front.URL+"/v1", p.URL+"/hook",
		"  - {kind: pulse, every: 5s}\n  - {kind: seedwatch, every: 5s}\nevidence: {recipients: ["+recipient+"]}")
	for range 2 { // a leak and foreign content
		select {
		case <-p.pages:
		case <-time.After(3 * time.Minute):
			t.Fatalf("two pages did not come\n%s", d.stderr)
		}
	}
	d.eventually(t, "/", "sealed to 1 recipient")
	if code, body := d.post(t, "/-/pause?target=nobody"); code == http.StatusOK || !strings.Contains(body, `the targets are ["sim"]`) {
		t.Errorf("a target that is not there is paused: %d %s", code, body)
	}
	shown.crawl(t, d)
	c := d.config()
	var list []struct{ ID uuid.UUID }
	if err := json.Unmarshal([]byte(shown.command(t, 0, "incidents", "list", "--json", "-c", c)), &list); err != nil || len(list) < 2 {
		t.Fatalf("incidents %v, %v", list, err)
	}
	id := list[0].ID.String()
	shown.command(t, 0, "incidents", "show", id, "-c", c)
	shown.command(t, 0, "incidents", "export", id, "-c", c)
	var sealed []sealedRow
	if err := json.Unmarshal([]byte(shown.command(t, 0, "evidence", "list", "--json", "-c", c)), &sealed); err != nil || len(sealed) == 0 {
		t.Fatalf("evidence %v, %v", sealed, err)
	}
	shown.command(t, 4, "replay", "-i", identity, "-c", c)
	shown.command(t, 0, "evidence", "open", sealed[0].ID.String(), "-i", identity, "-c", c)
	for _, format := range []string{"text", "json", "junit", "sarif", "markdown"} {
		shown.command(t, -1, "validate", "--format", format, "-c", c)
		shown["validate "+format] = shown["command validate --format "+format]
	}
	// probe shows what came back, headers and failures too, but the answer. Each
	// shape is met, whatever else is asked meanwhile.
	var failures int
	for range 3 * hostileShapes {
		probed := surfaces{}
		probed.command(t, -1, "probe", "-c", c)
		if on := probed.hits(plantedText); len(on) > 0 {
			t.Errorf("the text of an answer is on %q: %v", on, probed)
		}
		failures += len(probed.hits(plantedError))
	}
	if failures == 0 {
		t.Error("no probe met a failure")
	}
	d.stop()
	d.code <- <-d.code
	shown["log"] = d.stderr.String()
	shown["pages sent"] = p.bodies.String()
	shown.folder(t, d.dir, "crosstalk.yaml", "fleet.key")
	if n := len(shown); n < 25 {
		t.Errorf("only %d surfaces: %v", n, sortedKeys(shown))
	}

	secrets := map[string]string{"credential of alpha": "key-KEY_ALPHA", "credential of bravo": "key-KEY_BRAVO", "secret of the webhook": "key-HOOK"}
	secrets["fleet key"] = fileText(t, filepath.Join(d.dir, "fleet.key"))
	secrets["identity"] = strings.Fields(fileText(t, identity))[4]
	words := map[string]string{"a stranger's text": plantedText, "a field": plantedField, "an error": plantedError}
	for key, seal := range engine.seals {
		words["a seal of "+key[len(key)-5:]] = seal
	}
	for what, word := range secrets {
		words[what] = word
	}
	for what, word := range words {
		if on := shown.hits(word); len(on) > 0 {
			t.Errorf("%s is on %q", what, on)
		}
		if on := (surfaces{"planted": "before " + word + " after"}).hits(word); len(on) != 1 {
			t.Errorf("the search does not find %s", what)
		}
	}
	t.Run("it was there", func(t *testing.T) { // or the search proves nothing
		if text := (surfaces{}).command(t, 0, "evidence", "open", sealed[0].ID.String(), "--reveal", "-i", identity, "-c", c); !strings.Contains(text, plantedText) {
			t.Error("the sealed evidence does not hold the stranger's text")
		}
	})
	t.Run("planted in the ledger", func(t *testing.T) {
		l, err := ledger.Open(t.Context(), filepath.Join(d.dir, "crosstalk.db"), ledger.Options{Attach: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Record(t.Context(), ledger.Event{Kind: "planted", Detail: strangerText}); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		after := surfaces{}
		after.folder(t, d.dir, "crosstalk.yaml", "fleet.key")
		if on := after.hits(plantedText); len(on) == 0 {
			t.Error("the search does not find what stands in the ledger")
		}
	})
	lifecycle(t, d, identity, recipient, sealed[0].ID, id)
}

func fileText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// lifecycle hands on, erases and asks for the record of it: what is left of a
// run.
func lifecycle(t *testing.T, d *served, identity, recipient string, id uuid.UUID, incident string) {
	c, s := d.config(), surfaces{}
	s.command(t, 2, "incidents", "export", incident, "-i", identity, "-c", c)
	sealedTo := s.command(t, 0, "incidents", "export", incident, "-i", identity, "--recipient", recipient, "-c", c)
	if !strings.HasPrefix(sealedTo, "-----BEGIN AGE ENCRYPTED FILE-----") {
		t.Errorf("the export with the answers is not sealed: %.40s", sealedTo)
	}
	path := filepath.Join(d.dir, "evidence", id.String()+evidence.Suffix)
	whole := fileText(t, path)
	if err := os.WriteFile(path, []byte(whole[:len(whole)-100]), 0o600); err != nil {
		t.Fatal(err)
	}
	s.command(t, 3, "replay", id.String(), "-i", identity, "-c", c)
	if out := s["command replay "+id.String()+" -i"]; !strings.Contains(out, "damaged") {
		t.Errorf("a cut file is replayed as %s", out)
	}
	s.command(t, 0, "evidence", "erase", id.String(), "--by", "ada", "-c", c)
	s.command(t, 2, "evidence", "open", id.String(), "-i", identity, "-c", c)
	l, err := ledger.Open(t.Context(), filepath.Join(d.dir, "crosstalk.db"), ledger.Options{Attach: true})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	events, err := l.Events(t.Context(), time.Time{}, ledger.EventEvidence)
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]int{}
	for _, e := range events {
		reasons[e.Reason]++
		if e.Reason == ledger.EvidenceErased && (e.By != "ada" || !strings.Contains(e.Detail, id.String())) {
			t.Errorf("the erasure is recorded as %+v", e)
		}
	}
	if reasons[ledger.EvidenceKept] == 0 || reasons[ledger.EvidenceOpened] < 4 || reasons[ledger.EvidenceErased] != 1 {
		t.Errorf("events %v, want what was kept, each opening and the erasure", reasons)
	}
}

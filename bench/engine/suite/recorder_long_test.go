//go:build long

package suite

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"crosstalk/bench/engine"
)

// recorder stands before an engine and keeps the exchanges in which the code of
// the prompt did not come back, so that each prompt can be sent once more, alone.
// The copy model fails at some prompts, and then always; an answer that is wrong
// only among others is the engine's fault, and not the model's.
type recorder struct {
	engine string // base URL
	mu     sync.Mutex
	odd    []recorded
}

type recorded struct{ body, answer string }

// recording returns the target behind a recorder.
func (g target) recording(t *testing.T) (target, *recorder) {
	t.Helper()
	r := &recorder{engine: g.BaseURL}
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	g.Server = &engine.Server{BaseURL: s.URL + "/v1"}
	return g, r
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	forward := req.Clone(req.Context())
	forward.RequestURI = ""
	forward.Body = io.NopCloser(bytes.NewReader(body))
	forward.URL, err = forward.URL.Parse(strings.TrimSuffix(r.engine, "/v1") + req.URL.Path)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	resp, err := http.DefaultTransport.RoundTrip(forward)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(resp.StatusCode)
	var answer bytes.Buffer
	flush := http.NewResponseController(w)
	part := make([]byte, 4<<10)
	for {
		n, err := resp.Body.Read(part)
		answer.Write(part[:n])
		if _, gone := w.Write(part[:n]); gone != nil || err != nil {
			break
		}
		_ = flush.Flush() // the client is gone: seen at the next write
	}
	if resp.StatusCode == http.StatusOK && !copies(body, content(answer.Bytes())) {
		r.mu.Lock()
		r.odd = append(r.odd, recorded{string(body), content(answer.Bytes())})
		r.mu.Unlock()
	}
}

var codePattern = regexp.MustCompile(`\b[0-9A-Za-z]{5}(?:-[0-9A-Za-z]{5}){3}-[0-9A-Za-z]{6}\b`)

// copies reports whether an answer is the code of a request's prompt.
func copies(body []byte, answer string) bool {
	return strings.EqualFold(string(codePattern.Find(body)), strings.TrimSpace(answer))
}

// content is the text of an answer, whole or streamed.
func content(body []byte) string {
	var text strings.Builder
	for line := range bytes.Lines(body) {
		var part struct {
			Choices []struct{ Message, Delta struct{ Content string } }
		}
		if json.Unmarshal(bytes.TrimPrefix(line, []byte("data: ")), &part) == nil {
			for _, c := range part.Choices {
				text.WriteString(c.Message.Content + c.Delta.Content)
			}
		}
	}
	return text.String()
}

// askAlone sends each kept prompt once more, one after the other, and returns how
// many are answered with their code when nothing else is in the works.
func (r *recorder) askAlone(t *testing.T) (kept, right int) {
	t.Helper()
	for _, odd := range r.odd {
		resp, err := http.Post(r.engine+"/chat/completions", "application/json", strings.NewReader(odd.body))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		alone := content(body)
		t.Logf("code %s: answer %q; alone %q", codePattern.FindString(odd.body), odd.answer, alone)
		if copies([]byte(odd.body), alone) {
			right++
			t.Logf("the prompt: %s", odd.body)
		}
	}
	return len(r.odd), right
}

package simulator

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A prompt for tests: sealed text of about so many tokens and a question.

var testWords = strings.Fields(`river stone morning window garden letter summer candle bridge mirror
	copper thunder basket ladder meadow pocket silver timber velvet walnut anchor branch circle
	dragon engine feather guitar hammer island jacket kettle lantern marble needle orange pepper`)

type testPrompt struct {
	text  string
	seals []string
}

// makePrompt makes a prompt whose words depend on who.
func makePrompt(who string, tokens, seals, first int) testPrompt {
	var h uint64
	for _, c := range who {
		h = h*31 + uint64(c)
	}
	rng := rand.New(rand.NewPCG(h, uint64(tokens)))
	words := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = testWords[rng.IntN(len(testWords))]
		}
		return strings.Join(list, " ")
	}
	var p testPrompt
	var b strings.Builder
	sentences := max(tokens*3/40, seals) // 13.3 tokens each
	for i := range sentences {
		for len(p.seals) < seals && i >= len(p.seals)*(sentences-1)/max(seals-1, 1) {
			p.seals = append(p.seals, who+" "+words(6))
			fmt.Fprintf(&b, "seal %d: %s\n", len(p.seals), p.seals[len(p.seals)-1])
		}
		b.WriteString(words(11) + ". ")
		if i%8 == 7 {
			b.WriteString("\n")
		}
	}
	b.WriteString("\n\nList all seals in order of their number, one per line. Write nothing else.\n")
	if first > 0 {
		fmt.Fprintf(&b, "List seal %d first, then all other seals in order of their number. Write nothing else.\n", first)
	}
	p.text = b.String()
	return p
}

// want is the known answer.
func (p testPrompt) want(first int) string {
	var lines []string
	if first > 0 {
		lines = append(lines, fmt.Sprintf("%d: %s", first, p.seals[first-1]))
	}
	for i, s := range p.seals {
		if i+1 != first {
			lines = append(lines, fmt.Sprintf("%d: %s", i+1, s))
		}
	}
	return strings.Join(lines, "\n")
}

// reply is an answer as a client sees it.
type reply struct {
	status    int
	header    http.Header
	body      string
	id        string
	content   string
	reasoning string
	finish    string
	usage     *usage
	done      bool
	err       error
}

// call is one request.
type call struct {
	key, id, model, text string
	maxTokens            int
	whole                bool // not streamed
}

func (c call) body() []byte {
	body := map[string]any{
		"model":    orDefault(c.model, "sim-1m"),
		"messages": []any{map[string]any{"role": "user", "content": c.text}},
		"stream":   !c.whole,
	}
	if !c.whole {
		body["stream_options"] = map[string]any{"include_usage": true}
	}
	if c.maxTokens > 0 {
		body["max_tokens"] = c.maxTokens
	}
	data, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return data
}

func (c call) do(ctx context.Context, url string) reply {
	req, err := http.NewRequestWithContext(ctx, "POST", url+"/v1/chat/completions", bytes.NewReader(c.body()))
	if err != nil {
		return reply{err: err}
	}
	req.Header.Set("Authorization", "Bearer "+orDefault(c.key, "key-a"))
	req.Header.Set("X-Request-Id", c.id)
	transport := &http.Transport{DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return reply{err: err}
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	r := reply{status: resp.StatusCode, header: resp.Header, body: string(data), err: err}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		r.readStream()
	} else if json.Valid(data) {
		r.add(data)
	}
	return r
}

func (r *reply) readStream() {
	lines := bufio.NewScanner(strings.NewReader(r.body))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if ok && data == "[DONE]" {
			r.done = true
		} else if ok {
			r.add([]byte(data))
		}
	}
}

func (r *reply) add(data []byte) {
	var c completion
	if err := json.Unmarshal(data, &c); err != nil {
		r.err = err
		return
	}
	r.id = orDefault(c.ID, r.id)
	if c.Usage != nil {
		r.usage = c.Usage
	}
	for _, choice := range c.Choices {
		m := choice.Message
		if m == nil {
			m = choice.Delta
		}
		for dst, src := range map[*string]*string{&r.content: m.Content, &r.reasoning: m.Reasoning} {
			if src != nil {
				*dst += *src
			}
		}
		if choice.Finish != nil {
			r.finish = *choice.Finish
		}
	}
}

// small are options of an engine with a window of 32,768 and no waiting.
func small(t testing.TB, preset string) Options {
	t.Helper()
	o, err := Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	o = o.Scale(32768)
	o.Speed, o.Seed = 1e6, 7
	return o
}

// start serves a simulator for a test.
func start(t testing.TB, o Options) (*Server, string) {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	t.Cleanup(func() { s.Close(); web.Close() })
	return s, web.URL
}

// truthOf waits for the truth about a request: it is there when the handler
// has ended, which may be just after the client has read everything.
func truthOf(t testing.TB, s *Server, id string) Truth {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		for _, truth := range s.Truth() {
			if truth.ID == id {
				return truth
			}
		}
		runtimeYield()
	}
	t.Fatalf("no truth about %s", id)
	return Truth{}
}

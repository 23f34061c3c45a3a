package providertest

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"crosstalk/probes/provider"
)

// secrets plants the credential wherever a target could echo it, and looks for
// it in everything that is made to be printed.
func (s suite) secrets(t *testing.T) {
	for _, test := range []struct {
		name string
		raw  string // the whole answer
	}{
		{"message", "HTTP/1.1 401 X\r\n\r\n" + `{"error":{"message":"wrong key ` + key + `","code":"` + key + `","type":"` + key + `","param":"` + key + `"}}`},
		{"long message", "HTTP/1.1 400 X\r\n\r\n" + `{"error":{"message":"` + strings.Repeat("x", 2030) + key + strings.Repeat("y", 99) + `"}}`},
		{"page", "HTTP/1.1 502 X\r\nContent-Type: text/html\r\n\r\n<title>" + key + "</title>"},
		{"page with 200", "HTTP/1.1 200 X\r\nContent-Type: text/html\r\n\r\n<title>" + key + "</title>"},
		{"content type", "HTTP/1.1 200 X\r\nContent-Type: " + key + "\r\n\r\n" + string(s.wire.Answer.Body)},
		{"header", "HTTP/1.1 500 X\r\nX-Echo: " + key + "\r\n\r\n"},
		{"status line", key + " is no status line\r\n\r\n"},
		{"header line", "HTTP/1.1 200 X\r\n" + key + "\r\n\r\n"},
		{"length", "HTTP/1.1 200 X\r\nContent-Length: " + key + "\r\n\r\n"},
		{"chunk", "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n" + key + "\r\n"},
		{"encoding", "HTTP/1.1 200 X\r\nContent-Encoding: " + key + "\r\n\r\n"},
		{"stream", "HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\n\r\ndata: {\"error\":\"" + key + "\"}\n\nevent: " + key + "\ndata: " + key + "\n\n" + key + "\n\n"},
		{"duplicate name", "HTTP/1.1 200 X\r\n\r\n{\"" + key + "\":1,\"" + key + "\":2}"},
		{"redirect", "HTTP/1.1 302 X\r\nLocation: http://" + key + "/\r\n\r\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				readAll(r)
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Errorf("hijack: %v", err)
					return
				}
				defer conn.Close()
				io.WriteString(conn, test.raw)
			})
			resp := do(t, s.client(t, server.URL, provider.Limits{}), newRequest(Text("hello"), false))
			printed := fmt.Sprintf("%+v %+v", resp.Failure, resp.Problems)
			// The beginning of the key is as bad as the whole of it.
			if strings.Contains(printed, key[:len(key)-6]) {
				t.Errorf("the credential is in %s", printed)
			}
		})
	}
}

// oneAttempt counts requests: never more than one, whatever comes back.
func (s suite) oneAttempt(t *testing.T) {
	for _, status := range []int{200, 408, 409, 429, 500, 502, 503, 504, 529, 0} {
		for _, reuse := range []bool{false, true} {
			var requests atomic.Int32
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				readAll(r)
				if status == 0 {
					if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
						conn.Close()
					}
					return
				}
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(status)
			})
			client := s.client(t, server.URL, provider.Limits{})
			for sent := int32(1); sent <= 2; sent++ {
				req := newRequest(Text("hello"), false)
				req.Reuse = reuse
				do(t, client, req)
				if n := requests.Load(); n != sent {
					t.Errorf("status %d, reuse %v: %d requests arrived, sent %d", status, reuse, n, sent)
				}
			}
		}
	}
}

// connections looks at who shares a connection with whom: nobody, unless a
// request asks for it.
func (s suite) connections(t *testing.T) {
	var mu sync.Mutex
	opened := 0
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		readAll(r)
		serveWhole(w, s.wire.Answer)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			mu.Lock()
			opened++
			mu.Unlock()
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	a := s.client(t, server.URL, provider.Limits{})
	b := s.client(t, server.URL, provider.Limits{})
	ordinals := map[provider.Client]int{}
	for i, step := range []struct {
		client provider.Client
		reuse  bool
		opens  bool
	}{
		{a, false, true},
		{a, false, true},
		{a, true, true},
		{a, true, false},
		{b, true, true},
		{a, false, true},
		{b, false, true},
		{a, true, false},
		{b, true, false},
	} {
		mu.Lock()
		before := opened
		mu.Unlock()
		req := newRequest(Text("hello"), false)
		req.Reuse = step.reuse
		resp := do(t, step.client, req)
		mu.Lock()
		got := opened > before
		mu.Unlock()
		if got != step.opens || resp.Conn.Reused == step.opens {
			t.Errorf("step %d: opened a connection: %v, says reused: %v, want new: %v", i, got, resp.Conn.Reused, step.opens)
		}
		ordinals[step.client]++
		if resp.Conn.Ordinal != ordinals[step.client] {
			t.Errorf("step %d: ordinal %d, want %d", i, resp.Conn.Ordinal, ordinals[step.client])
		}
	}
}

// request looks at what the client puts on the wire.
func (s suite) request(t *testing.T) {
	const prompt = "a prompt that belongs in the body and nowhere else"
	var got *http.Request
	var body []byte
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		serveWhole(w, s.wire.Answer)
	})
	req := newRequest(Text(prompt), false)
	do(t, s.client(t, server.URL, provider.Limits{}), req)
	if got.Method != http.MethodPost {
		t.Errorf("method %s", got.Method)
	}
	if got.ContentLength != int64(len(body)) || len(got.TransferEncoding) > 0 {
		t.Errorf("content length %d, encoding %v, body of %d bytes", got.ContentLength, got.TransferEncoding, len(body))
	}
	head := fmt.Sprint(got.URL, got.Header)
	if strings.Contains(head, "belongs") {
		t.Error("the prompt is in the header")
	}
	if !strings.Contains(head, key) {
		t.Error("the credential is not in the header")
	}
	if strings.Contains(got.URL.String(), key) || bytes.Contains(body, []byte(key)) {
		t.Error("the credential is in the URL or the body")
	}
	if !strings.Contains(head, req.ID.String()) {
		t.Error("the request id is not in the header")
	}
	if bytes.Contains(body, []byte(req.ID.String())) {
		t.Error("the request id is in the body")
	}
	if agent := got.UserAgent(); !strings.HasPrefix(agent, "crosstalk/") {
		t.Errorf("user agent %q", agent)
	}
}

// prompts sends texts that are easily damaged on the way.
func (s suite) prompts(t *testing.T) {
	var control strings.Builder
	for b := range byte(0x20) {
		control.WriteByte(b)
	}
	prompts := []string{
		"", "plain", `quotes " and \ backslashes \n`, control.String() + "\x7f", "<script>&amp;</script>",
		"emoji 👩‍👩‍👧‍👦 and 漢字 and ปล", "\u2028\u2029\ufeff\ufffd", strings.Repeat("é", 20000) + `"`,
		strings.Repeat("a", 32<<10-1) + "é", strings.Repeat("\x01", 40000),
	}
	var body []byte
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("X-Length", strconv.FormatInt(r.ContentLength, 10))
		serveWhole(w, s.wire.Answer)
	})
	client := s.client(t, server.URL, provider.Limits{})
	for _, prompt := range prompts {
		resp := do(t, client, newRequest(Text(prompt), false))
		got, err := s.wire.Prompt(body)
		if err != nil || got != prompt {
			t.Errorf("prompt %.40q arrived as %.40q (%v)", prompt, got, err)
		}
		if resp.Header.Get("X-Length") != strconv.Itoa(len(body)) {
			t.Errorf("prompt %.40q: content length %s, body of %d bytes", prompt, resp.Header.Get("X-Length"), len(body))
		}
	}
}

// badPrompt is a prompt that is not what it says.
type badPrompt struct {
	size   int64
	reader func() io.Reader
}

func (p badPrompt) Size() int64       { return p.size }
func (p badPrompt) Reader() io.Reader { return p.reader() }

// badPrompts are our own mistakes: errors, not responses.
func (s suite) badPrompts(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		readAll(r)
		serveWhole(w, s.wire.Answer)
	})
	client := s.client(t, server.URL, provider.Limits{})
	reads := 0
	changing := func() io.Reader { // shorter the second time
		reads++
		return strings.NewReader(strings.Repeat("a", 10-reads))
	}
	for name, prompt := range map[string]provider.Prompt{
		"no prompt": nil,
		"longer":    badPrompt{3, func() io.Reader { return strings.NewReader("four") }},
		"shorter":   badPrompt{5, func() io.Reader { return strings.NewReader("four") }},
		"broken":    badPrompt{4, func() io.Reader { return io.MultiReader(strings.NewReader("fo"), brokenReader{}) }},
		"not UTF-8": Text("a\xffb"),
		"cut UTF-8": Text("a\xc3"),
		"changing":  badPrompt{9, changing},
	} {
		if resp, err := client.Do(t.Context(), newRequest(prompt, false)); err == nil {
			t.Errorf("%s: no error, response %+v", name, resp)
		} else if strings.Contains(err.Error(), key) {
			t.Errorf("%s: the credential is in the error", name)
		}
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

// ProblemKinds lists the distinct kinds of problems, in order.
func ProblemKinds(resp *provider.Response) []string {
	var kinds []string
	for _, p := range resp.Problems {
		if !slices.Contains(kinds, p.Kind) {
			kinds = append(kinds, p.Kind)
		}
	}
	return kinds
}

package providertest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"crosstalk/probes/provider"
)

// fixtures serves every fixture in three ways and wants what Parse reads.
func (s suite) fixtures(t *testing.T) {
	for _, f := range s.wire.Fixtures {
		t.Run(f.Name, func(t *testing.T) {
			want := s.parse(t, f)
			for _, way := range []struct {
				name  string
				serve func(http.ResponseWriter, Fixture)
			}{{"whole", serveWhole}, {"byte by byte", serveBytes}, {"gzip", serveGzip}} {
				server := serve(t, func(w http.ResponseWriter, r *http.Request) {
					readAll(r)
					way.serve(w, f)
				})
				resp := do(t, s.client(t, server.URL, provider.Limits{}), newRequest(Text("hello"), want.Streamed))
				if diff := cmp.Diff(want, resp, sameAnswer()); diff != "" {
					t.Errorf("%s: differs from the recorded reading (-recorded +live):\n%s", way.name, diff)
				}
				checkTimes(t, resp)
			}
		})
	}
}

// serve starts a server that is closed with the test.
func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// sameAnswer compares what was said, not when or over which connection.
func sameAnswer() cmp.Option {
	return cmp.Options{
		cmpopts.IgnoreFields(provider.Response{}, "Header", "Times", "Conn", "WireBytes", "Identity"),
		cmpopts.IgnoreFields(provider.Event{}, "At"),
		cmpopts.EquateEmpty(),
	}
}

// checkTimes checks the order of the times of an exchange with an answer.
func checkTimes(t *testing.T, resp *provider.Response) {
	t.Helper()
	at := resp.Times
	order := []struct {
		name string
		at   time.Duration
	}{
		{"connected", at.Connected},
		{"wrote", at.Wrote},
		{"first byte", at.FirstByte},
		{"first content", at.FirstContent},
		{"last content", at.LastContent},
		{"end", at.End},
	}
	last := time.Duration(0)
	for _, o := range order {
		if strings.HasSuffix(o.name, "content") && o.at == 0 && resp.Content+resp.Reasoning == "" {
			continue
		}
		if o.at <= 0 || o.at < last && o.name != "first byte" {
			t.Errorf("time of %q is %v, after %v", o.name, o.at, last)
		}
		last = max(last, o.at)
	}
	if resp.Conn.Local == "" || resp.Conn.Remote == "" || resp.Conn.Ordinal < 1 {
		t.Errorf("connection not recorded: %+v", resp.Conn)
	}
}

func (s suite) parse(t *testing.T, f Fixture) *provider.Response {
	t.Helper()
	return s.client(t, "http://127.0.0.1", provider.Limits{}).Parse(f.Status, f.Header, bytes.NewReader(f.Body))
}

func writeHeader(w http.ResponseWriter, f Fixture) {
	for name, values := range f.Header {
		switch http.CanonicalHeaderKey(name) {
		case "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive":
		default:
			w.Header()[http.CanonicalHeaderKey(name)] = values
		}
	}
}

func serveWhole(w http.ResponseWriter, f Fixture) {
	writeHeader(w, f)
	w.WriteHeader(f.Status)
	w.Write(f.Body)
}

func serveBytes(w http.ResponseWriter, f Fixture) {
	writeHeader(w, f)
	w.WriteHeader(f.Status)
	for i := range f.Body {
		w.Write(f.Body[i : i+1])
		w.(http.Flusher).Flush()
	}
}

func serveGzip(w http.ResponseWriter, f Fixture) {
	writeHeader(w, f)
	w.Header().Set("Content-Encoding", "gzip")
	w.WriteHeader(f.Status)
	zip := gzip.NewWriter(w)
	defer zip.Close()
	zip.Write(f.Body)
}

// cuts ends every fixture after every byte. Only white space may be missing
// from an answer that looks sound.
func (s suite) cuts(t *testing.T) {
	client := s.client(t, "http://127.0.0.1", provider.Limits{})
	for _, f := range s.wire.Fixtures {
		whole := s.parse(t, f)
		for cut := range f.Body {
			resp := client.Parse(f.Status, f.Header, bytes.NewReader(f.Body[:cut]))
			lost := bytes.TrimSpace(f.Body[cut:])
			switch {
			case !resp.OK():
			case len(lost) > 0:
				t.Errorf("%s cut after byte %d looks sound", f.Name, cut)
			case !whole.OK():
				t.Errorf("%s cut after byte %d looks sound, the whole does not", f.Name, cut)
			case resp.Content != whole.Content:
				t.Errorf("%s cut after byte %d has content %q", f.Name, cut, resp.Content)
			}
		}
	}
}

// cutConnections cuts live connections, with and without a promised length.
func (s suite) cutConnections(t *testing.T) {
	for _, f := range []Fixture{s.wire.Answer, s.wire.Stream} {
		for _, cut := range []int{0, 1, len(f.Body) / 2, len(bytes.TrimSpace(f.Body)) - 1} {
			for _, promise := range []bool{true, false} {
				server := serve(t, func(w http.ResponseWriter, r *http.Request) { serveCut(t, w, r, f, cut, promise) })
				resp := do(t, s.client(t, server.URL, provider.Limits{}), newRequest(Text("hello"), true))
				wantFailure(t, resp, provider.FailureTruncated, provider.FailureNetwork)
			}
		}
	}
}

// serveCut writes the beginning of a fixture to the bare connection, and
// closes it.
func serveCut(t *testing.T, w http.ResponseWriter, r *http.Request, f Fixture, cut int, promise bool) {
	readAll(r)
	conn, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		t.Errorf("hijack: %v", err)
		return
	}
	defer conn.Close()
	fmt.Fprintf(buf, "HTTP/1.1 %d X\r\nContent-Type: %s\r\n", f.Status, f.Header.Get("Content-Type"))
	if promise {
		fmt.Fprintf(buf, "Content-Length: %d\r\n", len(f.Body))
	}
	fmt.Fprintf(buf, "Connection: close\r\n\r\n%s", f.Body[:cut])
	buf.Flush()
}

// noAnswers serves bodies with status 200 that are no answers.
func (s suite) noAnswers(t *testing.T) {
	for _, test := range []struct{ name, contentType, body string }{
		{"empty", "application/json", ""},
		{"page", "text/html", "<html><head><title>Bad gateway</title></head></html>"},
		{"page as JSON", "application/json", "<html></html>"},
		{"text", "text/plain", "upstream connect error"},
		{"null", "application/json", "null"},
		{"number", "application/json", "42"},
		{"not a number", "application/json", `{"a":NaN}`},
		{"empty object", "application/json", "{}"},
		{"empty list", "application/json", "[]"},
		{"error text", "application/json", `{"error":"it broke"}`},
		{"error object", "application/json", `{"error":{"message":"it broke"}}`},
		{"deep", "application/json", strings.Repeat("[", 100000)},
		{"deep object", "application/json", strings.Repeat(`{"a":`, 100000)},
		{"not UTF-8", "application/json", "{\"a\":\"\xff\xfe\"}"},
		{"binary", "application/octet-stream", "\x00\x01\x02\x80\xff"},
		{"empty stream", "text/event-stream", ""},
		{"stream of comments", "text/event-stream", ": ping\n\n: ping\n\n"},
		{"only the end", "text/event-stream", "data: [DONE]\n\n"},
		{"stream of nothing", "text/event-stream", strings.Repeat("data:\n\n", 1000)},
		{"stream of text", "text/event-stream", "data: hello\n\ndata: [DONE]\n\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				readAll(r)
				w.Header().Set("Content-Type", test.contentType)
				w.Write([]byte(test.body))
			})
			resp := do(t, s.client(t, server.URL, provider.Limits{}), newRequest(Text("hello"), false))
			if resp.OK() {
				t.Errorf("body %.60q looks sound", test.body)
			}
			if string(resp.Body) != test.body {
				t.Errorf("body is %.60q, want %.60q", resp.Body, test.body)
			}
		})
	}
}

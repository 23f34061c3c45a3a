package provider

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// exchange posts a text through a new transport.
func exchange(t *testing.T, o TransportOptions, target string) *Response {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	transport := NewTransport(o)
	t.Cleanup(transport.Close)
	resp, _, err := transport.Exchange(t.Context(), Call{URL: u, Header: http.Header{}, Body: strings.NewReader("hello"), Length: 5})
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func echoServer(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Write(append([]byte(r.Proto+" "), body...))
}

func TestTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(echoServer))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())

	for protocol, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2.0": true} {
		resp := exchange(t, TransportOptions{RootCAs: roots, HTTP2: http2}, server.URL)
		if got := string(resp.Body); got != protocol+" hello" || resp.Conn.Protocol != protocol {
			t.Errorf("HTTP2 %v: body %q over %s, failure %+v", http2, got, resp.Conn.Protocol, resp.Failure)
		}
		if resp.Times.Wrote <= 0 || resp.Times.Wrote > resp.Times.End {
			t.Errorf("%s: wrote at %v of %v", protocol, resp.Times.Wrote, resp.Times.End)
		}
	}
	for name, test := range map[string]struct {
		options TransportOptions
		target  string
		message string
	}{
		"unknown authority": {TransportOptions{}, server.URL, "TLS: certificate signed by an unknown authority"},
		"wrong name": {
			TransportOptions{RootCAs: roots},
			strings.Replace(server.URL, "127.0.0.1", "localhost", 1),
			"TLS: certificate is for another host",
		},
	} {
		resp := exchange(t, test.options, test.target)
		if resp.Failure == nil || resp.Failure.Kind != FailureNetwork || resp.Failure.Message != test.message {
			t.Errorf("%s: failure %+v, want %q", name, resp.Failure, test.message)
		}
	}
}

// TestEnvironmentProxy wants a proxy of the environment left alone, and one
// that was configured used.
func TestEnvironmentProxy(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(echoServer))
	t.Cleanup(server.Close)
	asked := 0
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		io.WriteString(w, "proxied "+r.URL.Host)
	}))
	t.Cleanup(proxy.Close)
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("HTTPS_PROXY", proxy.URL)
	if resp := exchange(t, TransportOptions{}, server.URL); string(resp.Body) != "HTTP/1.1 hello" || asked > 0 {
		t.Errorf("body %q, the proxy of the environment was asked %d times", resp.Body, asked)
	}
	u, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp := exchange(t, TransportOptions{Proxy: u}, "http://target.example/v1")
	if string(resp.Body) != "proxied target.example" {
		t.Errorf("body %q, want it from the proxy", resp.Body)
	}
}

func TestNoSuchHost(t *testing.T) {
	resp := exchange(t, TransportOptions{}, "http://nobody.invalid/")
	if resp.Failure == nil || resp.Failure.Kind != FailureNetwork {
		t.Errorf("failure %+v, want network", resp.Failure)
	}
}

func TestEndedBeforeItBegan(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	transport := NewTransport(TransportOptions{})
	resp, _, err := transport.Exchange(ctx, Call{URL: &url.URL{Scheme: "http", Host: "127.0.0.1:9"}, Header: http.Header{}, Body: strings.NewReader("")})
	if err != nil || resp.Failure == nil || resp.Failure.Kind != FailureCancelled {
		t.Errorf("failure %+v, error %v, want cancelled", resp.Failure, err)
	}
}

// TestOverdue: a context ended because the exchange took too long is a timeout
// that says what was waited for; one ended for another cause is a cancel.
func TestOverdue(t *testing.T) {
	begin := func(w http.ResponseWriter) { io.WriteString(w, "data: "); w.(http.Flusher).Flush() }
	for _, test := range []struct {
		name    string
		cause   error
		serve   func(w http.ResponseWriter)
		kind    FailureKind
		message string
	}{
		{"no header", Overdue{112 * time.Second}, func(http.ResponseWriter) {}, FailureTimeout, "no response header within 1m52s"},
		{"no end", Overdue{112 * time.Second}, begin, FailureTimeout, "the answer did not end within 1m52s"},
		{"operator", errors.New("paused"), begin, FailureCancelled, "cancelled by us"},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				test.serve(w)
				cancel(test.cause)
				<-r.Context().Done()
			}))
			defer server.Close()
			u, err := url.Parse(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			transport := NewTransport(TransportOptions{})
			defer transport.Close()
			resp, _, err := transport.Exchange(ctx, Call{URL: u, Header: http.Header{}, Body: strings.NewReader("hello"), Length: 5})
			if err != nil || resp.Failure == nil || resp.Failure.Kind != test.kind {
				t.Fatalf("failure %+v, error %v, want %s", resp.Failure, err, test.kind)
			}
			// The header may still be on its way when the context ends.
			if got := resp.Failure.Message; got != test.message && (test.name != "no end" || !strings.HasSuffix(got, " within 1m52s")) {
				t.Errorf("message %q, want %q", got, test.message)
			}
		})
	}
}

func TestArrivals(t *testing.T) {
	a := Arrivals{{10, 1}, {20, 2}, {30, 3}}
	for end, want := range map[int]int64{0: 1, 10: 1, 11: 2, 20: 2, 30: 3, 31: 0} {
		if got := a.At(end); int64(got) != want {
			t.Errorf("At(%d) = %d, want %d", end, got, want)
		}
	}
	if got := Arrivals(nil).At(5); got != 0 {
		t.Errorf("nothing arrived at %v", got)
	}
}

func TestExtras(t *testing.T) {
	var e Extras
	e.Add("a", "one ")
	e.Add("b", "x")
	e.Add("a", "two")
	e.AddLine("b", "y")
	e.Add("c", "")
	for i := range 2 * maxExtras {
		e.Add(strings.Repeat("z", i+2), "t")
	}
	texts := e.Texts()
	if texts[0] != (Text{"a", "one two"}) || texts[1] != (Text{"b", "x\ny"}) || len(texts) != maxExtras+1 {
		t.Errorf("%d texts, first %v", len(texts), texts[:2])
	}
	if last := texts[maxExtras]; last.Where != "further places" || len(last.Text) != maxExtras+2 {
		t.Errorf("last %v", last)
	}
}

func TestLimitsOrDefault(t *testing.T) {
	if got := (Limits{}).OrDefault(); got != DefaultLimits() {
		t.Errorf("%+v", got)
	}
	if got := (Limits{Body: 5}).OrDefault(); got.Body != 5 || got.Wire != DefaultLimits().Wire {
		t.Errorf("%+v", got)
	}
}

package providertest

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"crosstalk/probes/provider"
)

// short is a limit that is reached at once; the tests never wait for one that
// is not.
const short = 30 * time.Millisecond

func readAll(r *http.Request) { io.Copy(io.Discard, r.Body) }

// slowServers plays servers that stop at some point.
func (s suite) slowServers(t *testing.T) {
	half := s.wire.Stream.Body[:len(s.wire.Stream.Body)/2]
	for _, test := range []struct {
		name   string
		limits provider.Limits
		serve  func(w http.ResponseWriter, stop <-chan struct{})
	}{
		{"no header", provider.Limits{FirstByte: short}, func(w http.ResponseWriter, stop <-chan struct{}) { <-stop }},
		{"half a body", provider.Limits{Idle: short}, func(w http.ResponseWriter, stop <-chan struct{}) {
			w.Write(half)
			w.(http.Flusher).Flush()
			<-stop
		}},
		{"drip", provider.Limits{Wall: 5 * short}, func(w http.ResponseWriter, stop <-chan struct{}) {
			for tick := time.NewTicker(time.Millisecond); ; {
				select {
				case <-stop:
					tick.Stop()
					return
				case <-tick.C:
					io.WriteString(w, ": ping\n\n")
					w.(http.Flusher).Flush()
				}
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				readAll(r)
				w.Header().Set("Content-Type", "text/event-stream")
				test.serve(w, r.Context().Done())
			})
			resp := do(t, s.client(t, server.URL, test.limits), newRequest(Text("hello"), true))
			wantFailure(t, resp, provider.FailureTimeout)
			if resp.Failure.Message == "" {
				t.Error("the failure does not say which limit it was")
			}
		})
	}
}

// floods plays servers that send more than anybody wants.
func (s suite) floods(t *testing.T) {
	small := provider.Limits{Body: 64 << 10, Wire: 32 << 10, Header: 8 << 10, Line: 4 << 10}
	bomb := new(bytes.Buffer)
	zip := gzip.NewWriter(bomb)
	zip.Write(bytes.Repeat([]byte(" "), 8<<20))
	zip.Close()
	nothing := new(bytes.Buffer)
	gzip.NewWriter(nothing).Close()
	for _, test := range []struct {
		name  string
		serve func(w http.ResponseWriter)
		kinds []provider.FailureKind
	}{
		{
			"header", func(w http.ResponseWriter) { w.Header().Set("X-Flood", strings.Repeat("a", 64<<10)) },
			[]provider.FailureKind{provider.FailureLimit},
		},
		{
			"body", func(w http.ResponseWriter) { w.Write(bytes.Repeat([]byte(" "), 1<<20)) },
			[]provider.FailureKind{provider.FailureLimit},
		},
		{"gzip", func(w http.ResponseWriter) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bomb.Bytes())
		}, []provider.FailureKind{provider.FailureLimit}},
		{"gzip of nothing", func(w http.ResponseWriter) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bytes.Repeat(nothing.Bytes(), 4000))
		}, []provider.FailureKind{provider.FailureLimit}},
		{"broken gzip", func(w http.ResponseWriter) {
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, "this is no gzip")
		}, []provider.FailureKind{provider.FailureMalformed}},
		{"unknown encoding", func(w http.ResponseWriter) {
			w.Header().Set("Content-Encoding", "br")
			w.Write(s.wire.Answer.Body)
		}, []provider.FailureKind{provider.FailureMalformed}},
		{"line", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: %s\n\n", strings.Repeat("a", 8<<10))
			w.Write(s.wire.Stream.Body)
		}, []provider.FailureKind{provider.FailureLimit}},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				readAll(r)
				test.serve(w)
			})
			resp := do(t, s.client(t, server.URL, small), newRequest(Text("hello"), true))
			wantFailure(t, resp, test.kinds...)
			if int64(len(resp.Body)) > small.Body {
				t.Errorf("read %d bytes, limit %d", len(resp.Body), small.Body)
			}
		})
	}
}

// redirect is an answer, not an order.
func (s suite) redirect(t *testing.T) {
	var followed atomic.Int32
	other := serve(t, func(w http.ResponseWriter, r *http.Request) { followed.Add(1) })
	for _, status := range []int{301, 302, 303, 307, 308} {
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			readAll(r)
			http.Redirect(w, r, other.URL, status)
		})
		resp := do(t, s.client(t, server.URL, provider.Limits{}), newRequest(Text("hello"), false))
		wantFailure(t, resp, provider.FailureRedirect)
		if resp.Status != status {
			t.Errorf("status %d, want %d", resp.Status, status)
		}
	}
	if n := followed.Load(); n > 0 {
		t.Errorf("%d redirects were followed", n)
	}
}

// noConnection has nobody at the other end, or somebody who hangs up.
func (s suite) noConnection(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	resp := do(t, s.client(t, "http://"+address, provider.Limits{}), newRequest(Text("hello"), false))
	wantFailure(t, resp, provider.FailureNetwork)

	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		readAll(r)
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			conn.Close()
		}
	})
	resp = do(t, s.client(t, server.URL, provider.Limits{}), newRequest(Text("hello"), false))
	wantFailure(t, resp, provider.FailureNetwork)

	plain := strings.Replace(server.URL, "http://", "https://", 1)
	resp = do(t, s.client(t, plain, provider.Limits{}), newRequest(Text("hello"), false))
	wantFailure(t, resp, provider.FailureNetwork)
}

// cancel ends the context in the middle of a stream: what came stays.
func (s suite) cancel(t *testing.T) {
	body := s.wire.Stream.Body
	half := body[:bytes.LastIndex(body[:len(body)*3/4], []byte("\n\n"))+2]
	for _, test := range []struct {
		name string
		end  func(context.Context) (context.Context, context.CancelFunc)
		kind provider.FailureKind
	}{
		{"cancelled", context.WithCancel, provider.FailureCancelled},
		{"deadline", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 5*short)
		}, provider.FailureTimeout},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := test.end(t.Context())
			defer cancel()
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				readAll(r)
				writeHeader(w, s.wire.Stream)
				w.Write(half)
				w.(http.Flusher).Flush()
				if test.kind == provider.FailureCancelled {
					time.AfterFunc(5*short, cancel)
				}
				<-r.Context().Done()
			})
			resp, err := s.client(t, server.URL, provider.Limits{}).Do(ctx, newRequest(Text("hello"), true))
			if err != nil {
				t.Fatalf("Do: %v", err)
			}
			wantFailure(t, resp, test.kind)
			if !bytes.Equal(resp.Body, half) || resp.Content == "" {
				t.Errorf("what came before the end is lost: body %q, content %q", resp.Body, resp.Content)
			}
		})
	}
}

// earlyRefusal answers 413 without reading the body, and hangs up with a reset.
// The answer is there to be heard, whichever side of the client notices first.
func (s suite) earlyRefusal(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Errorf("hijack: %v", err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 413 X\r\nContent-Type: text/plain\r\nContent-Length: 9\r\nConnection: close\r\n\r\ntoo large")
	})
	for range 10 {
		resp := do(t, s.client(t, server.URL, provider.Limits{}), newRequest(Generated(8<<20), false))
		wantFailure(t, resp, provider.FailureTooLarge)
		if resp.Times.Wrote != 0 {
			t.Errorf("the request counts as written after %v although nobody read it", resp.Times.Wrote)
		}
	}
}

// lingering ends a stream but not the connection.
func (s suite) lingering(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		readAll(r)
		writeHeader(w, s.wire.Stream)
		w.Write(s.wire.Stream.Body)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	resp := do(t, s.client(t, server.URL, provider.Limits{Linger: short}), newRequest(Text("hello"), true))
	if !resp.OK() {
		t.Errorf("failure %+v, want a whole answer", *resp.Failure)
	}
}

//go:build unix

package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// slowReader is an engine that reads the beginning of a prompt and then no
// further until it is told to: a prompt of a million tokens stays in flight.
type slowReader struct {
	started chan struct{}   // one for each request
	goOn    chan struct{}   // one for each request that may be read on
	ended   chan readResult // one for each request
	sent    atomic.Int64    // requests
	bytes   atomic.Int64    // of all bodies
}

type readResult struct {
	read, length int64
	err          error
}

func newSlowReader() *slowReader {
	return &slowReader{started: make(chan struct{}, 100), goOn: make(chan struct{}, 100), ended: make(chan readResult, 100)}
}

// ServeHTTP implements http.Handler.
func (s *slowReader) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.sent.Add(1)
	first, err := io.CopyN(io.Discard, r.Body, 64<<10)
	s.bytes.Add(first)
	s.started <- struct{}{}
	<-s.goOn
	var rest int64
	if err == nil {
		rest, err = io.Copy(io.Discard, r.Body)
		s.bytes.Add(rest)
	}
	s.ended <- readResult{first + rest, r.ContentLength, err}
	http.Error(w, "too late", http.StatusServiceUnavailable)
}

// narrow is a listener whose connections hold little that has not been read: or
// the kernel would take most of a prompt from the daemon before it is read.
func narrow(t *testing.T) net.Listener {
	t.Helper()
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		var failure error
		err := c.Control(func(fd uintptr) {
			failure = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 8<<10)
		})
		return errors.Join(err, failure)
	}}
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestPauseInFlight: with a prompt of a million tokens in flight (a target that
// has counted nothing yet is sent a byte for each token of its window of four), a pause by the
// API, the command or the stop file breaks the connection in the middle of the
// prompt; not one request or byte follows until it is resumed, and then one does.
func TestPauseInFlight(t *testing.T) {
	t.Parallel()
	engine := newSlowReader()
	front := httptest.NewUnstartedServer(engine)
	front.Listener.Close()
	front.Listener = narrow(t)
	front.Start()
	t.Cleanup(front.Close)
	t.Cleanup(func() { close(engine.goOn) }) // before it: a server waits for its handlers
	s := newServedWith(t, servedConfig(front.URL+"/v1", "http://127.0.0.1:9/hook", 4*1048576, "  - {kind: top, every: 5s}\nstop_file: ./stop"))
	command := func(args ...string) {
		t.Helper()
		e, _, stderr := testEnv("")
		if code := run(t.Context(), append(args, "-c", s.config()), e); code != 0 {
			t.Fatalf("%v: exit %d: %s", args, code, stderr)
		}
	}
	stop := filepath.Join(s.dir, "stop")
	for _, way := range []struct {
		name          string
		pause, resume func()
	}{
		{"api", func() { s.post(t, "/-/pause?target=sim") }, func() { s.post(t, "/-/resume?target=sim") }},
		{"command", func() { command("pause", "sim") }, func() { command("resume", "sim") }},
		{"stop file", func() { stopFile(t, stop, true) }, func() { stopFile(t, stop, false) }},
	} {
		engine.await(t, s)
		before, at := s.skipped(t), time.Now()
		way.pause()
		took := time.Since(at)
		if way.name != "api" { // nobody answers: the daemon says that it has seen it
			s.until(t, "/metrics", "a round cut short", func(string) bool { return s.skipped(t) > before })
		}
		engine.goOn <- struct{}{}
		r := <-engine.ended
		if r.err == nil || r.read >= r.length {
			t.Errorf("%s: all %d bytes of the prompt were sent, in spite of the pause", way.name, r.read)
		}
		sent, bytes, skipped := engine.sent.Load(), engine.bytes.Load(), s.skipped(t)
		s.until(t, "/metrics", "a slot skipped for the pause", func(string) bool { return s.skipped(t) > skipped })
		if n, b := engine.sent.Load(), engine.bytes.Load(); n != sent || b != bytes {
			t.Errorf("%s: after the pause %d requests and %d bytes were sent", way.name, n-sent, b-bytes)
		}
		t.Logf("%s: acknowledged in %s; %d of %d bytes of the prompt had been sent", way.name, took.Round(time.Millisecond), r.read, r.length)
		way.resume()
	}
	engine.await(t, s)
}

// await waits for a request.
func (e *slowReader) await(t *testing.T, s *served) {
	t.Helper()
	select {
	case <-e.started:
	case <-time.After(time.Minute):
		t.Fatalf("no request was sent\n%s", s.stderr)
	}
}

// skipped counts the rounds that were not sent, or not to their end, for a pause.
func (s *served) skipped(t *testing.T) float64 {
	t.Helper()
	return s.countOf(t, "crosstalk_rounds_skipped_total", func(labels string) bool {
		return strings.Contains(labels, `reason="paused"`) || strings.Contains(labels, `reason="stop_file"`)
	})
}

func stopFile(t *testing.T, path string, on bool) {
	t.Helper()
	err := os.Remove(path)
	if on {
		err = os.WriteFile(path, nil, 0o600)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}

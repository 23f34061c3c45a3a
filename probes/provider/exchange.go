package provider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// Call is one request as a dialect lays it out.
type Call struct {
	URL    *url.URL
	Header http.Header
	// Body is read once, Length is its exact size in bytes.
	Body   io.Reader
	Length int64
	// Reuse allows a kept-alive connection.
	Reuse bool
	// Terminator is the data of the event that ends a stream of this API, ""
	// if it has none. After it, a connection that stays open is waited for
	// Limits.Linger only.
	Terminator string
}

// errWall and the like are causes of a context: they tell which timer ended
// an exchange.
var (
	errWall      = errors.New("the whole exchange took too long")
	errFirstByte = errors.New("no response header in time")
	errIdle      = errors.New("nothing came for too long")
	errLinger    = errors.New("connection stayed open after the end of the stream")
)

// Exchange sends one call, once, and reads all that comes back. The response
// has its status, header, body, times and connection; if something went wrong
// on the way it has a Failure as well as what came before it. What the body
// says is left to the dialect, which gets the arrival times of its bytes.
//
// The error is for a call that could not be sent as it was meant.
func (t *Transport) Exchange(ctx context.Context, call Call) (*Response, Arrivals, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	body := &sentBody{r: call.Body, left: call.Length}
	req := &http.Request{
		Method: http.MethodPost, URL: call.URL, Host: call.URL.Host, Header: call.Header,
		Body: body, ContentLength: call.Length,
	}
	// GetBody stays nil: net/http can then not send the request twice.
	tr := &trace{start: time.Now(), written: make(chan struct{})}
	req = req.WithContext(httptrace.WithClientTrace(ctx, tr.hooks()))

	resp := &Response{}
	arrivals := t.roundTrip(req, call, resp, tr, cancel)
	end := tr.since()
	tr.settle()
	resp.Times, resp.Conn = tr.snapshotWith(resp)
	resp.Times.End = end
	resp.Conn.Ordinal = int(t.ordinal.Add(1))
	if err := body.failed(); err != nil {
		return nil, nil, fmt.Errorf("send request: %w", err)
	}
	return resp, arrivals, nil
}

// roundTrip does the exchange under the timers of the limits.
func (t *Transport) roundTrip(req *http.Request, call Call, resp *Response, tr *trace, cancel context.CancelCauseFunc) Arrivals {
	ctx := req.Context()
	wall := time.AfterFunc(t.limits.Wall, func() { cancel(errWall) })
	defer wall.Stop()
	firstByte := time.AfterFunc(t.limits.FirstByte, func() { cancel(errFirstByte) })
	defer firstByte.Stop()

	via := t.fresh
	if call.Reuse {
		via = t.kept
	}
	got, err := via.RoundTrip(req)
	firstByte.Stop()
	if err != nil {
		resp.Failure, resp.Extra = failureOf(ctx, err, t.limits, awaitedHeader)
		return nil
	}
	defer got.Body.Close()
	resp.Status, resp.Header = got.StatusCode, got.Header
	resp.Conn.Protocol = got.Proto

	idle := startIdle(t.limits, call.Terminator, cancel)
	defer idle.timer.Stop()
	reader := bodyReader{limits: t.limits, since: tr.since, progress: idle.progress}
	err = reader.read(resp, got.Body)
	switch {
	case err == nil:
	case errors.Is(context.Cause(ctx), errLinger):
		resp.AddProblem("lingering", errLinger.Error(), len(resp.Body))
	default:
		resp.Failure, resp.Extra = failureOf(ctx, err, t.limits, awaitedEnd)
	}
	return reader.arrivals
}

// idleTimer ends an exchange of which nothing more comes.
type idleTimer struct {
	limits    Limits
	ends      [][]byte // lines that end a stream
	timer     *time.Timer
	lingering atomic.Bool
}

func startIdle(l Limits, terminator string, cancel context.CancelCauseFunc) *idleTimer {
	i := &idleTimer{limits: l}
	if terminator != "" {
		i.ends = [][]byte{[]byte("\ndata: " + terminator), []byte("\ndata:" + terminator)}
	}
	i.timer = time.AfterFunc(l.Idle, func() {
		if i.lingering.Load() {
			cancel(errLinger)
		} else {
			cancel(errIdle)
		}
	})
	return i
}

// progress is told of every read: the body so far, and how much of it is new.
func (i *idleTimer) progress(body []byte, fresh int) {
	if i.lingering.Load() {
		return
	}
	for _, end := range i.ends {
		// A raw newline cannot stand in JSON, so this is a line of its own.
		if bytes.Contains(body[max(0, len(body)-fresh-len(end)):], end) {
			i.lingering.Store(true)
			i.timer.Reset(min(i.limits.Linger, i.limits.Idle))
			return
		}
	}
	i.timer.Reset(i.limits.Idle)
}

// snapshotWith adds to the trace what the response itself knows.
func (t *trace) snapshotWith(resp *Response) (Times, Conn) {
	times, conn := t.snapshot()
	times.Started = t.start
	conn.Protocol = resp.Conn.Protocol
	return times, conn
}

// sentBody is a request body that must give exactly the bytes it promised. It
// remembers why it did not: that is our fault, not the target's.
type sentBody struct {
	r    io.Reader
	mu   sync.Mutex
	left int64
	err  error
}

// Read implements io.Reader.
func (b *sentBody) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left -= int64(n)
	switch {
	case b.left < 0:
		b.err = fmt.Errorf("%w: it is longer than it said", ErrPrompt)
	case err == io.EOF && b.left > 0:
		b.err = fmt.Errorf("%w: it is shorter than it said", ErrPrompt)
	case err != nil && err != io.EOF:
		b.err = fmt.Errorf("%w: read it: %w", ErrPrompt, err)
	}
	if b.err != nil {
		return n, b.err
	}
	return n, err
}

// Close implements io.Closer.
func (b *sentBody) Close() error { return nil }

func (b *sentBody) failed() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

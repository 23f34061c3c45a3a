package provider

import (
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"sync"
	"time"
)

// trace collects the times of one exchange. Its hooks run on net/http's own
// goroutines, some of them after the response is there.
type trace struct {
	start time.Time

	written chan struct{} // closed when the request is written, or will never be
	once    sync.Once

	mu    sync.Mutex
	times Times
	conn  Conn
	via   *patientConn
	// complete says that the whole request was written.
	complete bool
}

// since is the time since the start, at least one nanosecond: zero means
// "did not happen".
func (t *trace) since() time.Duration { return max(time.Since(t.start), 1) }

func (t *trace) hooks() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			now := t.since()
			t.mu.Lock()
			defer t.mu.Unlock()
			t.times.Connected = now
			t.conn.Reused = info.Reused
			t.conn.Local = info.Conn.LocalAddr().String()
			t.conn.Remote = info.Conn.RemoteAddr().String()
			t.via = underlying(info.Conn)
		},
		WroteRequest: func(info httptrace.WroteRequestInfo) {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.complete = info.Err == nil && t.via != nil && !t.via.broken.Load()
			t.once.Do(func() { close(t.written) })
		},
		GotFirstResponseByte: func() {
			now := t.since()
			t.mu.Lock()
			defer t.mu.Unlock()
			t.times.FirstByte = now
		},
	}
}

// underlying finds our own connection below TLS; nil if it is not there.
func underlying(c net.Conn) *patientConn {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	p, _ := c.(*patientConn)
	return p
}

// writeWait bounds the wait for the writing goroutine to tell that it is done.
const writeWait = 100 * time.Millisecond

// settle waits until the request counts as written or not: the answer can be
// there before the goroutine that wrote the request has run again.
func (t *trace) settle() {
	t.mu.Lock()
	connected := t.times.Connected > 0
	t.mu.Unlock()
	if !connected {
		return
	}
	timer := time.NewTimer(writeWait)
	defer timer.Stop()
	select {
	case <-t.written:
	case <-timer.C:
	}
}

// snapshot returns what is known so far.
func (t *trace) snapshot() (Times, Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.complete {
		firstByte := t.start.Add(t.times.FirstByte)
		if t.times.FirstByte == 0 {
			firstByte = time.Now()
		}
		t.times.Wrote = max(t.via.lastWrite(firstByte).Sub(t.start), 1)
	}
	return t.times, t.conn
}

package provider

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// patientConn is a connection that listens although its peer has stopped
// reading. A gateway that finds a body too large answers 413 and closes; the
// rest of our body then fails to write, and net/http would drop the answer
// for it. So a write that fails does not return until the connection is
// closed, while reading goes on: it brings the answer, or the end.
//
// It also stamps the begin and end of each write, so that the time of the last
// one is known.
type patientConn struct {
	net.Conn
	born   time.Time
	begun  atomic.Int64 // the last write, in nanoseconds after born
	ended  atomic.Int64
	broken atomic.Bool
	once   sync.Once
	closed chan struct{}
}

func newPatientConn(c net.Conn) *patientConn {
	return &patientConn{Conn: c, born: time.Now(), closed: make(chan struct{})}
}

// Write implements net.Conn.
func (c *patientConn) Write(p []byte) (int, error) {
	c.begun.Store(int64(time.Since(c.born)))
	n, err := c.Conn.Write(p)
	if err != nil {
		c.broken.Store(true)
		<-c.closed
		return n, err
	}
	c.ended.Store(int64(time.Since(c.born)))
	return n, nil
}

// Close implements net.Conn.
func (c *patientConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// lastWrite is when the kernel had taken the last bytes, given when the first
// byte of the answer came. A goroutine that returns from a write may have to
// wait for a processor, long enough for the answer to overtake it; then the
// answer bounds the time.
func (c *patientConn) lastWrite(firstByte time.Time) time.Time {
	begun := c.born.Add(time.Duration(c.begun.Load()))
	ended := c.born.Add(time.Duration(c.ended.Load()))
	if begun.Before(firstByte) && ended.After(firstByte) {
		return firstByte
	}
	return ended
}

package provider

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// deafConn has a peer that reads nothing more, but has said something.
type deafConn struct{ net.Conn }

func (deafConn) Write([]byte) (int, error)  { return 0, errors.New("connection reset") }
func (deafConn) Read(p []byte) (int, error) { return copy(p, "413"), io.EOF }
func (deafConn) Close() error               { return nil }

func TestPatientConn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newPatientConn(deafConn{})
		returned := false
		go func() {
			c.Write([]byte("hello"))
			returned = true
		}()
		synctest.Wait()
		if returned || !c.broken.Load() {
			t.Error("a write that failed returned before the connection was closed")
		}
		p := make([]byte, 8)
		if n, _ := c.Read(p); string(p[:n]) != "413" {
			t.Errorf("read %q, want the answer", p[:n])
		}
		c.Close()
		c.Close()
		synctest.Wait()
		if !returned {
			t.Error("the write is still there after the connection was closed")
		}
	})
}

func TestLastWrite(t *testing.T) {
	c := newPatientConn(nil)
	at := func(ns int) time.Time { return c.born.Add(time.Duration(ns)) }
	c.begun.Store(100)
	c.ended.Store(200)
	for firstByte, want := range map[int]int{50: 200, 150: 150, 300: 200} {
		if got := c.lastWrite(at(firstByte)); !got.Equal(at(want)) {
			t.Errorf("answer at %d: last write at %v, want %d", firstByte, got.Sub(c.born), want)
		}
	}
}

// TestIdleTimer runs in fake time: progress puts the end off, the terminator
// brings it near, once.
func TestIdleTimer(t *testing.T) {
	limits := Limits{Idle: time.Minute, Linger: time.Second}
	for _, test := range []struct {
		name  string
		reads []string
		want  error
		after time.Duration // the last read
	}{
		{"progress", []string{"data: a\n\n", "data: b\n\n", "data: c\n\n"}, errIdle, time.Minute},
		{"end", []string{"data: a\n\n", "data: [DONE]\n\n"}, errLinger, time.Second},
		{"end without space", []string{"data:a\n\n", "data:[DONE]\n\n"}, errLinger, time.Second},
		{"end in two reads", []string{"data: a\n\ndata: [DO", "NE]\n\n"}, errLinger, time.Second},
		{"end inside a text", []string{"data: {\"content\":\"data: [DONE]\"}\n\n"}, errIdle, time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				idle := startIdle(limits, "[DONE]", cancel)
				defer idle.timer.Stop()
				var body []byte
				for _, read := range test.reads {
					time.Sleep(50 * time.Second)
					body = append(body, read...)
					idle.progress(body, len(read))
				}
				last := time.Now()
				<-ctx.Done()
				if got := context.Cause(ctx); !errors.Is(got, test.want) || time.Since(last) != test.after {
					t.Errorf("ended by %v after %v, want %v after %v", got, time.Since(last), test.want, test.after)
				}
			})
		})
	}
}

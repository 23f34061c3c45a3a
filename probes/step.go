package probes

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"crosstalk/probes/provider"
)

// barrier holds goroutines until all of them have come to it.
type barrier struct {
	coming sync.WaitGroup
	open   chan struct{}
}

// newBarrier returns a barrier for n goroutines.
func newBarrier(n int) *barrier {
	b := &barrier{open: make(chan struct{})}
	b.coming.Add(n)
	return b
}

// wait says that its caller has come, and returns when the barrier is opened.
func (b *barrier) wait() {
	b.coming.Done()
	<-b.open
}

// release waits until all have come, and lets them go at once.
func (b *barrier) release() {
	b.coming.Wait()
	close(b.open)
}

// step makes the exchanges of one step and returns when all have ended. All
// requests are built before the first is released.
func (r Runner) step(ctx context.Context, b *brake, shots []*shot) {
	if err := pause(ctx, b.wait(time.Now())); err != nil {
		for _, s := range shots {
			s.skip(SkipCancelled, err.Error())
		}
		return
	}
	var ready []*shot
	var requests []*provider.Request
	for _, s := range shots {
		if req := r.request(s, b); req != nil {
			ready, requests = append(ready, s), append(requests, req)
		}
	}
	gate := newBarrier(len(ready))
	var running sync.WaitGroup
	for i, s := range ready {
		running.Go(func() {
			gate.wait()
			s.send(ctx, requests[i], r.timeout(s.Intent))
		})
	}
	gate.release()
	running.Wait()
	for _, s := range ready {
		b.observe(s, time.Now())
	}
}

// request builds the request of s, or records why it is not to be made.
func (r Runner) request(s *shot, b *brake) *provider.Request {
	if reason, detail := b.holds(s.Intent); reason != "" {
		s.skip(reason, detail)
		return nil
	}
	key, err := s.tenant.Credential.Value()
	if err != nil {
		s.skip(SkipCredential, strings.TrimPrefix(err.Error(), SkipCredential+": "))
		return nil
	}
	return &provider.Request{
		ID: s.ID, Credential: key, Model: r.Target.Model, Prompt: s.prompt,
		MaxTokens: s.Intent.MaxTokens, Stream: s.Intent.Stream, ThinkingOff: true,
	}
}

// send makes the exchange. A panic of the client is contained in it.
func (s *shot) send(ctx context.Context, req *provider.Request, timeout time.Duration) {
	defer func() {
		if v := recover(); v != nil {
			s.Response = nil
			s.skip(SkipPanic, fmt.Sprintf("%v (%s)", v, panicSite()))
		}
	}()
	if err := pause(ctx, s.Intent.Delay); err != nil {
		s.skip(SkipCancelled, err.Error())
		return
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, provider.Overdue{After: timeout})
	defer cancel()
	s.Started = time.Now()
	resp, err := s.client.Do(ctx, req)
	switch {
	case err != nil:
		s.skip(SkipError, err.Error())
	case resp == nil:
		s.skip(SkipError, "the client returned neither a response nor an error")
	default:
		s.Response = resp
	}
}

// pause waits for d, or returns why ctx ended.
func pause(ctx context.Context, d time.Duration) error {
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}

// panicSite is the file and line of the panic being recovered.
func panicSite() string {
	var callers [32]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers[:])])
	panicked := false
	for {
		f, more := frames.Next()
		inRuntime := strings.HasPrefix(f.Function, "runtime.")
		if panicked && !inRuntime {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		panicked = panicked || f.Function == "runtime.gopanic"
		if !more {
			return "unknown place"
		}
	}
}

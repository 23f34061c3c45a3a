package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progress is one line at the end of a terminal that is written over as work
// goes on. Where stderr is not a terminal it prints nothing.
type progress struct {
	w     io.Writer
	start time.Time
	now   func() time.Time

	mu   sync.Mutex
	text string
	done chan struct{}
	wg   sync.WaitGroup
}

// newProgress starts a line on the environment's stderr.
func newProgress(e *env) *progress {
	p := &progress{start: e.now(), now: e.now, done: make(chan struct{})}
	if !e.terminal {
		return p
	}
	p.w = e.stderr
	p.wg.Go(p.tick)
	return p
}

// say sets the line.
func (p *progress) say(format string, args ...any) {
	p.mu.Lock()
	p.text = fmt.Sprintf(format, args...)
	p.mu.Unlock()
	p.draw()
}

// tick redraws the line each second, so that a long prompt does not look like
// a hang.
func (p *progress) tick() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-t.C:
			p.draw()
		}
	}
}

func (p *progress) draw() {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.text != "" {
		fmt.Fprintf(p.w, "\r\033[K%4.0fs  %s", p.now().Sub(p.start).Seconds(), p.text)
	}
}

// end clears the line.
func (p *progress) end() {
	close(p.done)
	p.wg.Wait()
	if p.w != nil {
		fmt.Fprint(p.w, "\r\033[K")
	}
}

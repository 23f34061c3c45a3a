package scheduler

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"
)

// pauseEvery is how often pauses and the stop file are looked at. Twice that
// is within the second that a pause may take.
const pauseEvery = 400 * time.Millisecond

// pauseTakes is how long a pause may take to act.
const pauseTakes = time.Second

// pauses are what persons have stopped, as it was last seen.
type pauses struct {
	ledger Ledger
	file   string

	mu      sync.Mutex
	stopped map[string]*skip // by target; "" is everything
}

// look reads the stop file and the pauses of the targets. What cannot be read
// stays as it was seen last.
func (p *pauses) look(ctx context.Context, targets []string) error {
	seen := map[string]*skip{}
	var problems []error
	for _, target := range append([]string{""}, targets...) {
		why, err := p.read(ctx, target)
		if err != nil {
			problems = append(problems, err)
			why = p.of(target)
		}
		if why != nil {
			seen[target] = why
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = seen
	return errors.Join(problems...)
}

// read is why the target ("" for all) is stopped, nil if it is not.
func (p *pauses) read(ctx context.Context, target string) (*skip, error) {
	if target == "" && p.file != "" {
		_, err := os.Stat(p.file)
		if err == nil {
			return &skip{ReasonStopFile, "the stop file " + p.file + " is there"}, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("look for the stop file: %w", err)
		}
	}
	pause, on, err := p.ledger.Paused(ctx, target)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read pause of target %q: %w", target, err)
	case !on:
		return nil, nil
	}
	return &skip{ReasonPaused, fmt.Sprintf("paused by %s at %s: %s", pause.By, pause.At.UTC().Format(time.RFC3339), pause.Reason)}, nil
}

// of is why the target is stopped, itself or with all others.
func (p *pauses) of(target string) *skip {
	p.mu.Lock()
	defer p.mu.Unlock()
	if why := p.stopped[""]; why != nil {
		return why
	}
	return p.stopped[target]
}

// paused is why the entry is stopped.
func (s *Scheduler) paused(e *Entry) *skip {
	if e.Control {
		return nil
	}
	return s.pauses.of(e.Site.Target.Name)
}

// watchPauses looks at pauses until ctx ends.
func (s *Scheduler) watchPauses(ctx context.Context) {
	ticker := time.NewTicker(pauseEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.look(ctx)
		}
	}
}

// look reads pauses once, cuts short what is in flight at paused targets, and
// lets refused tenants of resumed ones try again.
func (s *Scheduler) look(ctx context.Context) {
	var targets []string
	before := map[string]*skip{}
	for _, e := range s.snapshot() {
		target := e.Site.Target.Name
		if _, twice := before[target]; !twice && !e.Control {
			targets, before[target] = append(targets, target), s.pauses.of(target)
		}
	}
	if err := s.pauses.look(ctx, targets); err != nil && ctx.Err() == nil {
		s.options.Log.Error("pauses not read", "err", err)
	}
	for _, target := range targets {
		switch now := s.pauses.of(target); {
		case now != nil:
			s.cut(target, now)
		case before[target] != nil:
			s.rules.forgive(target)
		}
	}
}

package scheduler

import (
	"context"
	"maps"
	"slices"
	"time"

	"crosstalk/internal/pipeline"
	"crosstalk/probes"
)

// begin notes a run in flight; false if its site has been taken out by then.
func (s *Scheduler) begin(r *run) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[r.key]; e == nil || e.Site != r.site {
		return false
	}
	s.runs[r] = true
	return true
}

// inFlight are the runs in flight.
func (s *Scheduler) inFlight() []*run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.runs))
}

// end notes that a run is over, and retires its site if it was the last there.
func (s *Scheduler) end(r *run) {
	defer close(r.ended)
	s.mu.Lock()
	delete(s.runs, r)
	last := s.retired[r.site] && !s.inUse(r.site)
	if last {
		delete(s.retired, r.site)
	}
	s.mu.Unlock()
	if f := s.options.Hooks.Retired; last && f != nil {
		f(r.site)
	}
}

// retire takes out the sites of old that no entry has any more: at once, or
// when their last run has ended.
func (s *Scheduler) retire(old map[key]*Entry) {
	s.mu.Lock()
	gone := map[*pipeline.Site]bool{}
	for _, e := range old {
		gone[e.Site] = true
	}
	for _, e := range s.entries {
		delete(gone, e.Site)
	}
	for site := range gone {
		if s.inUse(site) {
			s.retired[site] = true
			delete(gone, site)
		}
	}
	s.mu.Unlock()
	if f := s.options.Hooks.Retired; f != nil {
		for site := range gone {
			f(site)
		}
	}
}

// inUse reports whether a run uses the site. s.mu is held.
func (s *Scheduler) inUse(site *pipeline.Site) bool {
	for r := range s.runs {
		if r.site == site {
			return true
		}
	}
	return false
}

// cut ends what is in flight at a target, "" for all.
func (s *Scheduler) cut(target string, why *skip) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.runs {
		if target == "" || r.key.target == target {
			r.cancel(why)
		}
	}
}

// lane is what a schedule's runs go through one at a time.
func (s *Scheduler) lane(k key) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	lane := s.lanes[k]
	if lane == nil {
		lane = make(chan struct{}, 1)
		s.lanes[k] = lane
	}
	return lane
}

// takeLong waits until no other run has a long prompt at the target, if the
// plan has one. The run then keeps the place to its end, confirmations
// included. After half of the time it has left it gives up, and ends.
func (s *Scheduler) takeLong(ctx context.Context, r *run, plan probes.Plan) {
	if r.long != nil || !hasLong(plan) {
		return
	}
	place := s.longPlace(r.key.target)
	patience := s.options.MaxRound / 2
	if at, ok := ctx.Deadline(); ok {
		patience = time.Until(at) / 2
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case place <- struct{}{}:
		r.long = place
	case <-timer.C:
		r.cancel(&skip{ReasonLong, "another long prompt is in flight at the target"})
	case <-ctx.Done():
	}
}

// freeLong gives the place back.
func (r *run) freeLong() {
	if r.long != nil {
		<-r.long
		r.long = nil
	}
}

func (s *Scheduler) longPlace(target string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	place := s.long[target]
	if place == nil {
		place = make(chan struct{}, 1)
		s.long[target] = place
	}
	return place
}

func hasLong(plan probes.Plan) bool {
	for in := range plan.Intents() {
		if in.Tokens > probes.LongPrompt {
			return true
		}
	}
	return false
}

package scheduler

import (
	"fmt"
	"time"
)

// every is a schedule of slots on a grid of the wall clock:
//
//	k * interval + phase + jitter(k)
//
// The phase comes from the key, so it survives a restart; the jitter keeps the
// slots from beating with anything periodic at the target. Both are whole
// milliseconds.
type every struct {
	interval time.Duration
	phase    time.Duration // in [0, interval)
	jitter   time.Duration // bound of the jitter of a slot, 0 for none
	key      string
}

const (
	// A slot is late by at most this share of the interval and this long.
	jitterShare = 20
	jitterMost  = 5 * time.Second
)

func parseEvery(s Spec) (Schedule, error) {
	floor := s.Floor
	if floor == 0 {
		floor = EveryFloor
	}
	switch {
	case s.Every < floor:
		return nil, fmt.Errorf("schedule every %s is too often: use %s or more", s.Every, floor)
	case s.Every > longestEvery:
		return nil, fmt.Errorf("schedule every %s is too rare: use %s or less", s.Every, longestEvery)
	case s.Every%time.Millisecond != 0:
		return nil, fmt.Errorf("schedule every %s is too fine: use whole milliseconds", s.Every)
	}
	e := every{interval: s.Every, key: s.Key}
	if s.Key != "" {
		e.phase = hash(s.Key, s.Every).Truncate(time.Millisecond)
		e.jitter = min(s.Every/jitterShare, jitterMost)
	}
	return e, nil
}

// Next implements Schedule.
func (e every) Next(t time.Time) time.Time {
	interval := e.interval.Milliseconds()
	k := floorDiv(t.UnixMilli()-e.phase.Milliseconds(), interval)
	// Slot k lies at or after its grid point, and t is at or after that of k
	// and before that of k+1.
	if slot := e.slot(k); slot.After(t) {
		return slot
	}
	return e.slot(k + 1)
}

// slot is the k-th slot.
func (e every) slot(k int64) time.Time {
	late := int64(0)
	if e.jitter > 0 {
		late = int64(mix(uint64(k)^uint64(hash(e.key, 1<<62))) % uint64(e.jitter.Milliseconds()+1))
	}
	return time.UnixMilli(k*e.interval.Milliseconds() + e.phase.Milliseconds() + late).UTC()
}

// floorDiv is a/b rounded down, b > 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

package evidence

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"crosstalk/checks"
)

// ErrFull is wrapped by the error for evidence that a bound has left out.
var ErrFull = errors.New("left out")

// Limits bound what is kept.
type Limits struct {
	// Keep is the retention: what is older is deleted.
	Keep time.Duration
	// PerIncident bounds the bytes of the evidence of one incident: of one
	// target and class, from its opening on.
	PerIncident int64
	// Total bounds the bytes of all evidence.
	Total int64
}

// Keeper seals records into a folder, within limits. It is safe for concurrent
// use.
type Keeper struct {
	folder *Folder
	sealer *Sealer
	limits Limits
	opened func(target string, class checks.Class) time.Time

	mu sync.Mutex
}

// NewKeeper returns a Keeper. opened is when the incident that a class at a
// target belongs to was opened; a zero time if none is open.
func NewKeeper(f *Folder, s *Sealer, l Limits, opened func(target string, class checks.Class) time.Time) *Keeper {
	return &Keeper{folder: f, sealer: s, limits: l, opened: opened}
}

// unopened is how far back evidence counts towards a bound while no incident is
// open: what has come shortly before an incident belongs to it.
const unopened = 24 * time.Hour

// Worth reports whether evidence of a class is kept: what a person may have to
// look at.
func Worth(c checks.Class) bool {
	return c == checks.Leak || c == checks.Foreign || c == checks.Damaged
}

// Keep seals a record and writes it. An error wraps ErrFull or ErrTooLarge if a
// bound has left it out; any other says that it could not be kept.
func (k *Keeper) Keep(r *Record) error {
	data, err := k.sealer.Seal(r)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.admit(r.Label, int64(len(data))); err != nil {
		return err
	}
	return k.folder.Put(r.Label.ID, data)
}

// admit holds the size of an envelope against the limits.
func (k *Keeper) admit(l Label, size int64) error {
	list, err := k.folder.List()
	if err != nil {
		return err
	}
	since := l.At.Add(-unopened)
	if opened := k.opened(l.Target, l.Class); !opened.IsZero() {
		since = opened
	}
	incident, total := size, size
	for _, e := range list {
		if e.Label.ID == l.ID {
			continue // it is replaced
		}
		total += e.Bytes
		if e.Label.Target == l.Target && e.Label.Class == l.Class && !e.Label.At.Before(since) {
			incident += e.Bytes
		}
	}
	switch {
	case incident > k.limits.PerIncident:
		return fmt.Errorf("evidence of round %s is %w: the incident's would be %d bytes, at most %d", l.ID, ErrFull, incident, k.limits.PerIncident)
	case total > k.limits.Total:
		return fmt.Errorf("evidence of round %s is %w: all evidence would be %d bytes, at most %d", l.ID, ErrFull, total, k.limits.Total)
	}
	return nil
}

// Prune deletes what is past its retention and returns how many envelopes that
// were.
func (k *Keeper) Prune(now time.Time) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.folder.Prune(now.Add(-k.limits.Keep))
}

package alerting

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
)

var (
	// ErrNotOpen is that of an incident that is not open on the target.
	ErrNotOpen = errors.New("no such open incident")
	// ErrStopped is that of a foreign incident whose cells are still stopped.
	ErrStopped = errors.New("its cells are stopped")
)

// Acknowledge records that a person has taken an incident: it is not repeated or
// escalated any more. The first to take it has it.
func Acknowledge(s TargetState, id uuid.UUID, by string, at time.Time) (TargetState, error) {
	if by == "" {
		return s, errors.New("acknowledge: say who takes the incident")
	}
	m := begin(Policy{}, s, at)
	for i := range m.s.Open {
		in := &m.s.Open[i].Incident
		if in.ID != id {
			continue
		}
		if in.AcknowledgedBy == "" {
			in.AcknowledgedBy, in.Acknowledged = by, m.now
		}
		return m.s, nil
	}
	return s, fmt.Errorf("acknowledge %s: %w", id, ErrNotOpen)
}

// Resolve ends an incident by the word of a person. It is the only end of a
// foreign incident, and then the cells that were stopped must have been resumed
// before (Policy.Stopped): the person has looked, and probing goes on.
func Resolve(p Policy, s TargetState, id uuid.UUID, by string, at time.Time) (TargetState, []Page, error) {
	if by == "" {
		return s, nil, errors.New("resolve: say who resolves the incident")
	}
	m := begin(p, s, at)
	i := slices.IndexFunc(m.s.Open, func(o OpenIncident) bool { return o.Incident.ID == id })
	if i < 0 {
		return s, nil, fmt.Errorf("resolve %s: %w", id, ErrNotOpen)
	}
	in := m.s.Open[i].Incident
	if in.Kind == KindForeign {
		for _, c := range in.Cells {
			if slices.Contains(p.Stopped, c.Length) {
				return s, nil, fmt.Errorf("resolve %s: %w (length %s): run `crosstalk resume` for target %s first",
					id, ErrStopped, c.Length, in.Target)
			}
		}
	}
	m.resolve(in.Kind, by)
	next, pages := m.end()
	return next, pages, nil
}

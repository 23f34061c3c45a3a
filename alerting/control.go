package alerting

import (
	"fmt"
	"time"
)

// Control is what a control did. The null control is an honest target and must
// stay silent; the seeded control leaks and must alarm. A control that does not
// means that nothing we say can be believed: neither a page nor its absence.
type Control struct {
	Name   string    `json:"name"` // null, seeded
	Right  bool      `json:"right"`
	Detail string    `json:"detail,omitempty"` // one sentence, when not right
	At     time.Time `json:"at"`
}

// StepControl takes the run of a control into its state, which is one of its
// own: a control is the target of its name. Its rounds are not stepped besides,
// or a seeded leak would page as a leak.
func StepControl(p Policy, s TargetState, c Control) (TargetState, []Page) {
	m := begin(p, s, c.At)
	if m.s.Target == "" {
		m.s.Target = c.Name
	}
	now := ControlState{Name: c.Name, At: instant(c.At), Right: c.Right, Runs: 1}
	if last := m.s.Control; last != nil {
		if last.At.Equal(now.At) && last.Right == now.Right {
			return s, nil // told before
		}
		now.Runs = last.Runs + 1
	}
	m.s.Control = &now
	o := m.incident(KindProber)
	switch {
	case c.Right && o != nil:
		m.resolve(KindProber, "")
	case !c.Right && o != nil:
		o.Incident.LastSeen = m.now
		o.Incident.Sightings++
	case !c.Right:
		m.openProber(now, cut(c.Detail, 200))
	}
	m.pass()
	return m.end()
}

// openProber opens the incident about ourselves.
func (m *machine) openProber(c ControlState, reason string) {
	if reason == "" {
		reason = "it did not do what it must"
	}
	m.open(Incident{
		Kind: KindProber, Severity: SeverityPage, Sightings: 1, Reason: reason,
		Summary: fmt.Sprintf("prober: the %s control failed, trust neither pages nor silence: %s", c.Name, reason),
	}, fmt.Sprint(c.Name, c.Runs, m.now.UnixNano()))
}

// absentControl opens the incident when a control has not been heard of for
// three intervals: not running is not silence.
func (m *machine) absentControl() {
	c, every := m.s.Control, m.p.ControlEvery
	if every <= 0 || m.p.Paused || m.incident(KindProber) != nil {
		return
	}
	if c == nil { // not run yet: it is expected from now on
		m.s.Control = &ControlState{Name: m.s.Target, At: m.now, Right: true}
		return
	}
	if m.now.Sub(c.At) >= blindIntervals*every {
		m.openProber(*c, "it has not been run since "+c.At.Format(time.RFC3339))
	}
}

// cut is at most n bytes of s, whole characters.
func cut(s string, n int) string {
	for i := range s {
		if i > n {
			return s[:i] + "..."
		}
	}
	return s
}

package alerting

import "slices"

// credit counts a round of a cell towards the resolution of the incidents it
// is a member of.
func (m *machine) credit(t tally) {
	for i := range m.s.Open {
		o := &m.s.Open[i]
		if !o.passed(t) || !o.includes(t) {
			continue
		}
		for j, c := range o.Incident.Cells {
			if c == t.cell || c == whole(m.s.Target, t.cell.Probe) {
				o.Sound[j]++
			}
		}
	}
}

// passed reports whether a round of a cell counts towards the resolution: all
// that was decided in it is sound. Being blind ends with seeing, whatever is
// seen.
func (o *OpenIncident) passed(t tally) bool {
	if o.Incident.Kind == KindBlind {
		return t.decided > 0
	}
	return t.sound > 0 && t.sound == t.decided
}

// recovered resolves the incidents whose time has come.
func (m *machine) recovered() {
	var done []Kind
	for _, o := range m.s.Open {
		if m.over(o) {
			done = append(done, o.Incident.Kind)
		}
	}
	for _, k := range done {
		m.resolve(k, "")
	}
}

// over reports whether an incident has resolved: every member cell that is still
// probed has passed enough fresh rounds, and it has been quiet long enough. What
// a stranger may have been shown is never over by itself, and a control resolves
// at once, by being right.
func (m *machine) over(o OpenIncident) bool {
	if o.Incident.Kind == KindForeign || o.Incident.Kind == KindProber {
		return false
	}
	if m.now.Sub(o.Incident.LastSeen) < m.p.quiet() {
		return false
	}
	if len(m.waits(o)) > 0 {
		return false
	}
	// With no cell left, nothing can show that a fault is gone; but what is
	// not to be seen cannot be unseen.
	return slices.ContainsFunc(o.Incident.Cells, m.p.configured) || o.Incident.Kind == KindBlind
}

// waits are the member cells, of those still probed, that have not yet passed
// enough fresh rounds.
func (m *machine) waits(o OpenIncident) []Wait {
	var list []Wait
	for i, c := range o.Incident.Cells {
		if !m.p.configured(c) || o.Sound[i] >= m.p.soundRounds() {
			continue
		}
		w := Wait{Cell: c, Tenant: o.Identity, Passed: o.Sound[i], Needed: m.p.soundRounds()}
		if at, ok := m.find(c); ok {
			w.LastRound = m.s.Cells[at].LastRound
		}
		list = append(list, w)
	}
	return list
}

// outlook shows what each open incident waits for: an incident that stays open
// must say why, above all when a cell of it is not probed any more.
func (m *machine) outlook() {
	for i := range m.s.Open {
		o := &m.s.Open[i]
		o.Incident.Waits = nil
		if o.Incident.Kind != KindForeign && o.Incident.Kind != KindProber {
			o.Incident.Waits = m.waits(*o)
		}
	}
}

// remind repeats pages that nobody has taken, and escalates them once.
func (m *machine) remind() {
	for i := range m.s.Open {
		o := &m.s.Open[i]
		in := &o.Incident
		if in.AcknowledgedBy != "" || in.Severity != SeverityPage {
			continue
		}
		after := m.p.EscalateAfter
		switch {
		case after > 0 && in.Escalated.IsZero() && m.now.Sub(in.Opened) >= after:
			in.Escalated = m.now
			m.page(o, ActionEscalate)
		case m.p.repeatEvery() > 0 && m.now.Sub(o.Notified) >= m.p.repeatEvery():
			m.page(o, ActionRepeat)
		}
	}
}

package alerting

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"crosstalk/checks"
	"crosstalk/probes"
	"crosstalk/probes/provider"
)

// blind opens, widens and hardens the incident about cells in which nothing is
// decided. It is a ticket, because targets refuse and run out of budget; after a
// day, or when a deploy is to be watched, it is a page.
func (m *machine) blind() {
	m.expect()
	for i := range m.s.Cells {
		c := &m.s.Cells[i]
		if m.p.Paused {
			c.Watched = m.now
			continue
		}
		if m.isBlind(*c) {
			m.turnBlind(*c)
		}
	}
	o := m.incident(KindBlind)
	if o == nil || o.Incident.Severity == SeverityPage || o.Incident.AcknowledgedBy != "" {
		return
	}
	if m.now.Sub(o.Incident.Opened) >= blindPageAfter || m.now.Before(m.p.DeployedUntil) {
		o.Incident.Severity, o.Incident.Escalated = SeverityPage, m.now
		m.page(o, ActionEscalate)
	}
}

// expect keeps the list of cells in step with the probes that are configured:
// one that has never been run is expected as a whole, one that is gone is
// forgotten.
func (m *machine) expect() {
	if len(m.p.Probes) == 0 {
		return
	}
	met := map[string]bool{}
	for _, c := range m.s.Cells {
		met[c.Cell.Probe] = met[c.Cell.Probe] || c.Cell != whole(m.s.Target, c.Cell.Probe)
	}
	m.s.Cells = slices.DeleteFunc(m.s.Cells, func(c CellState) bool {
		return !m.p.configured(c.Cell) || met[c.Cell.Probe] && c.Cell == whole(m.s.Target, c.Cell.Probe)
	})
	m.s.Rates = m.s.Rates.Only(m.p.configured)
	for _, probe := range slices.Sorted(maps.Keys(m.p.Probes)) {
		if !met[probe] {
			m.cell(whole(m.s.Target, probe))
		}
	}
}

// whole is the cell that stands for all cells of a probe.
func whole(target, probe string) probes.Cell {
	return probes.Cell{Target: target, Probe: probe}
}

// isBlind reports whether nothing was decided in a cell for three intervals. A
// cell that is stopped for a stranger's sake is not called blind as well.
func (m *machine) isBlind(c CellState) bool {
	every := m.p.interval(c.Cell)
	if every <= 0 || m.stopped(c.Cell) {
		return false
	}
	since := sinceDecided(c)
	if since.IsZero() || m.now.Sub(since) < blindIntervals*every {
		return false
	}
	return c.LastRound.After(since) || !m.passedOver(c, since)
}

// passedOver reports whether a cell was not met because it was not its turn:
// rounds of its probe have met others since, and nobody said how often its turn
// comes. In a band that is stopped its turn never comes.
func (m *machine) passedOver(c CellState, since time.Time) bool {
	if m.p.Probes[c.Cell.Probe].Rounds > 0 || slices.Contains(m.p.Stopped, c.Cell.Length) {
		return false
	}
	return slices.ContainsFunc(m.s.Cells, func(o CellState) bool {
		return o.Cell.Probe == c.Cell.Probe && o.LastRound.After(since)
	})
}

// sinceDecided is since when a cell waits for a decided exchange.
func sinceDecided(c CellState) time.Time {
	if c.Watched.After(c.LastDecided) {
		return c.Watched
	}
	return c.LastDecided
}

// stopped reports whether a cell is stopped by the open foreign incident.
func (m *machine) stopped(c probes.Cell) bool {
	o := m.incident(KindForeign)
	if o == nil {
		return false
	}
	return slices.Contains(m.p.Stopped, c.Length) ||
		slices.ContainsFunc(o.Incident.Cells, func(x probes.Cell) bool { return x.Length == c.Length })
}

// turnBlind opens the incident for a cell, or makes it a member of the open one.
func (m *machine) turnBlind(c CellState) {
	o := m.incident(KindBlind)
	if o == nil {
		reason := m.reason(c)
		since := sinceDecided(c)
		m.open(Incident{
			Kind: KindBlind, Severity: m.blindSeverity(), Cells: []probes.Cell{c.Cell}, Reason: reason,
			Summary: fmt.Sprintf("blind on %s: nothing decided since %s, %s (%s)",
				m.s.Target, since.Format(time.RFC3339), reason, describe(c.Cell)),
		}, fmt.Sprint(c.Cell, since.UnixNano()))
		return
	}
	o.join(c.Cell)
	o.Incident.LastSeen = m.now
	o.Sound[slices.Index(o.Incident.Cells, c.Cell)] = 0
}

// blindSeverity is that of a new incident: inside the window after a deploy the
// first page is the page.
func (m *machine) blindSeverity() Severity {
	if m.now.Before(m.p.DeployedUntil) {
		return SeverityPage
	}
	return SeverityTicket
}

// reason says why nothing is decided in a cell.
func (m *machine) reason(c CellState) string {
	unsent := m.p.Unsent[c.Cell.Probe]
	switch {
	case c.Reason != "" && c.LastRound.After(sinceDecided(c)):
		return c.Reason // rounds were sent, and this is what became of them
	case unsent != "":
		return unsent
	case slices.Contains(m.p.Stopped, c.Cell.Length):
		return "stopped"
	case c.Reason != "":
		return c.Reason
	default:
		return "nothing sent"
	}
}

// reasons are the words for an undecided exchange that a blind incident knows:
// those of failures, of skips, and of inconclusive findings.
func reasons() []string {
	return []string{
		string(provider.FailureTooLarge), string(provider.FailureRateLimit),
		string(provider.FailurePayment), string(provider.FailureQuota),
		string(provider.FailureTimeout), string(provider.FailureModeration),
		string(provider.FailureAuth), string(provider.FailureOverload),
		string(provider.FailureOverLength), string(provider.FailureNotFound),
		string(provider.FailureBadRequest), string(provider.FailureServer),
		string(provider.FailureMalformed), string(provider.FailureTruncated),
		string(provider.FailureLimit), string(provider.FailureCancelled),
		string(provider.FailureNetwork), string(provider.FailureRedirect),
		probes.SkipCredential, probes.SkipTenant, probes.SkipBackoff, probes.SkipError, probes.SkipPanic,
		checks.KindRefusal, checks.KindErrorText, checks.KindLostAskedSeal, checks.KindPanic, checks.KindPageBudget,
		thinking, "sizing", "silent", "undecided",
	}
}

// thinking is the reason of an answer whose tokens the target's reasoning used
// up. The checks call it a budget, which here would be taken for money.
const thinking = "thinking"

// bounded is a reason as one of a fixed list of words.
func bounded(reason string) string {
	if reason == checks.KindBudget {
		return thinking
	}
	if slices.Contains(reasons(), reason) {
		return reason
	}
	return "other"
}

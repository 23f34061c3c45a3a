package metrics

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"crosstalk/checks"
	"crosstalk/probes"
)

// Round counts a finished round and its judgement. dropped are the intents that
// were taken out of its plan because their cells are stopped.
func (m *Metrics) Round(r *probes.Round, judged checks.Report, dropped []probes.Intent) {
	target, probe := r.Plan.Target, r.Plan.Probe
	exemplar := prometheus.Labels{"round_id": r.ID.String()}
	if len(r.Exchanges) > 0 {
		addOne(m.rounds.WithLabelValues(target, probe, judged.Class().String()), exemplar)
		m.lastRound.raise(r.Ended, target, probe)
	}
	verdicts := map[uuid.UUID]checks.Verdict{}
	for _, v := range judged.Verdicts {
		verdicts[v.Exchange] = v
	}
	for _, x := range r.Exchanges {
		m.exchange(r, x, verdicts[x.ID], exemplar)
	}
	for _, in := range dropped {
		m.unsent(target, probe, SkipStopped, in)
	}
	for _, f := range judged.Findings {
		if f.Class != checks.Sound {
			check := m.checks.word("", f.Check)
			addOne(m.findings.WithLabelValues(target, check, m.kinds.word(check, f.Kind)), exemplar)
		}
	}
}

func (m *Metrics) exchange(r *probes.Round, x *probes.Exchange, v checks.Verdict, exemplar prometheus.Labels) {
	target, probe := r.Plan.Target, r.Plan.Probe
	if x.Response == nil {
		m.unsent(target, probe, m.reasons.word("", x.SkipReason()), x.Intent)
		return
	}
	addOne(m.exchanges.WithLabelValues(target, probe, v.Class.String()), exemplar)
	length := x.Intent.Cell.Length
	if t := x.Response.Times.End; t > 0 {
		observe(m.duration.WithLabelValues(target, probe, length), t, exemplar)
	}
	switch v.Class {
	case checks.Inconclusive:
		reason, _, _ := strings.Cut(v.Reason, ":")
		m.undecided.WithLabelValues(target, m.reasons.word("", reason)).Inc()
		return
	case checks.Sound:
		m.lastSound.raise(r.Ended, target, probe)
		if t := x.Response.Times.FirstContent; t > 0 {
			observe(m.ttft.WithLabelValues(target, probe, length), t, exemplar)
		}
	}
	m.lastDecided.raise(r.Ended, target, probe)
}

func (m *Metrics) unsent(target, probe, reason string, in probes.Intent) {
	m.notSent.WithLabelValues(target, probe, reason).Inc()
	m.tokensNotSpent.WithLabelValues(target, probe, reason).Add(float64(max(0, in.Tokens+in.MaxTokens)))
}

// addOne counts one, with the round as its example.
func addOne(c prometheus.Counter, exemplar prometheus.Labels) {
	if e, ok := c.(prometheus.ExemplarAdder); ok {
		e.AddWithExemplar(1, exemplar)
		return
	}
	c.Inc()
}

func observe(o prometheus.Observer, d time.Duration, exemplar prometheus.Labels) {
	if e, ok := o.(prometheus.ExemplarObserver); ok {
		e.ObserveWithExemplar(d.Seconds(), exemplar)
		return
	}
	o.Observe(d.Seconds())
}

// Skip counts a round that was due and was not started, for one of
// Static.SkipReasons.
func (m *Metrics) Skip(target, probe, reason string) {
	m.roundsSkipped.WithLabelValues(target, probe, m.reasons.word("", reason)).Inc()
}

// Reserved counts what was reserved for a round before it was sent.
func (m *Metrics) Reserved(target, probe string, s probes.Spend) {
	m.reservedTokens.WithLabelValues(target, probe).Add(float64(max(0, s.Tokens)))
	m.reservedUSD.WithLabelValues(target, probe).Add(max(0, s.USD))
}

// Unjournaled counts exchanges sent while the ledger could not be written.
func (m *Metrics) Unjournaled(target string, n int) {
	m.unjournaled.WithLabelValues(target).Add(float64(max(0, n)))
}

// Schedule tells when a probe is due next.
func (m *Metrics) Schedule(target, probe string, next time.Time) {
	if next.IsZero() {
		m.scheduleNext.DeleteLabelValues(target, probe)
		return
	}
	m.scheduleNext.WithLabelValues(target, probe).Set(seconds(next))
}

// Paused tells whether a person has paused a target, and in how many length
// bands nothing is sent after a suspected disclosure.
func (m *Metrics) Paused(target string, paused bool, bandsStopped int) {
	m.paused.WithLabelValues(target).Set(truth(paused))
	m.stopped.WithLabelValues(target).Set(float64(bandsStopped))
}

// Cell is what a cell is worth over the window of its statistics.
type Cell struct {
	probes.Cell
	Planned, Decided int
	// Disclosures (leak or foreign) and Damaged are hits among the decided,
	// the bounds are the upper ends of their 95 % intervals.
	Disclosures, Damaged              int
	DisclosureBound, DamageBound      float64
	LastRound, LastDecided, LastSound time.Time
}

// Cells replaces the statistics of the cells of a target. After a start it also
// tells when each probe was last run, which the ledger knows and a new process
// does not.
func (m *Metrics) Cells(target string, cells []Cell) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var kept []probes.Cell
	for _, c := range cells {
		c.Target = target
		kept = append(kept, c.Cell)
		m.cell(c)
	}
	for _, old := range m.cells[target] {
		if !slices.Contains(kept, old) {
			m.dropCell(old)
		}
	}
	m.cells[target] = kept
}

func (m *Metrics) cell(c Cell) {
	l := labelsOf(c.Cell)
	m.cellPlanned.WithLabelValues(l...).Set(float64(c.Planned))
	m.cellDecided.WithLabelValues(l...).Set(float64(c.Decided))
	coverage := 0.0
	if c.Planned > 0 {
		coverage = float64(c.Decided) / float64(c.Planned)
	}
	m.cellCoverage.WithLabelValues(l...).Set(coverage)
	m.cellHits.WithLabelValues(labelsOf(c.Cell, "disclosure")...).Set(float64(c.Disclosures))
	m.cellHits.WithLabelValues(labelsOf(c.Cell, "damage")...).Set(float64(c.Damaged))
	m.cellBound.WithLabelValues(labelsOf(c.Cell, "disclosure")...).Set(c.DisclosureBound)
	m.cellBound.WithLabelValues(labelsOf(c.Cell, "damage")...).Set(c.DamageBound)
	if !c.LastDecided.IsZero() {
		m.cellLastDecided.WithLabelValues(l...).Set(seconds(c.LastDecided))
	}
	if !c.LastSound.IsZero() {
		m.cellLastSound.WithLabelValues(l...).Set(seconds(c.LastSound))
	}
	m.lastRound.raise(c.LastRound, c.Target, c.Probe)
	m.lastDecided.raise(c.LastDecided, c.Target, c.Probe)
	m.lastSound.raise(c.LastSound, c.Target, c.Probe)
}

func (m *Metrics) dropCell(c probes.Cell) {
	l := labelsOf(c)
	for _, v := range []*prometheus.GaugeVec{m.cellPlanned, m.cellDecided, m.cellCoverage, m.cellLastDecided, m.cellLastSound} {
		v.DeleteLabelValues(l...)
	}
	for _, rate := range []string{"disclosure", "damage"} {
		m.cellHits.DeleteLabelValues(labelsOf(c, rate)...)
		m.cellBound.DeleteLabelValues(labelsOf(c, rate)...)
	}
}

// Incident is an open incident as it is counted.
type Incident struct {
	Target   string
	Kind     string // as alerting.Kind; "damaged/recall" counts as damaged
	Severity string // page or ticket
}

// Incidents tells all that are open, of every target and control.
func (m *Metrics) Incidents(open []Incident) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := map[Incident]int{}
	for _, t := range m.static.Targets {
		for _, k := range []string{"leak", "foreign", "damaged", "blind"} {
			for _, s := range severities() {
				n[Incident{t.Name, k, s}] = 0
			}
		}
	}
	for _, c := range m.static.Controls {
		for _, s := range severities() {
			n[Incident{c, "prober", s}] = 0
		}
	}
	for _, i := range open {
		i.Kind = kindOf(i.Kind)
		if _, ok := n[i]; ok { // of what is configured
			n[i]++
		}
	}
	for i, count := range n {
		m.incidents.WithLabelValues(i.Target, i.Kind, i.Severity).Set(float64(count))
	}
}

// Raised counts a notification that an incident has asked for.
func (m *Metrics) Raised(target, kind, action string) {
	m.pagesRaised.WithLabelValues(target, kindOf(kind), action).Inc()
}

// kindOf is the kind of an incident without the check it may name.
func kindOf(kind string) string {
	kind, _, _ = strings.Cut(kind, "/")
	return kind
}

// Delivery counts an attempt to deliver a notification: reason is "" for a
// delivery and one of alerting.Reasons otherwise, delay the time since its
// commit.
func (m *Metrics) Delivery(notifier, reason string, delay time.Duration) {
	if reason != "" {
		m.pagesFailed.WithLabelValues(notifier, m.reasons.word("", reason)).Inc()
		return
	}
	m.pagesDelivered.WithLabelValues(notifier).Inc()
	m.pageDelay.WithLabelValues(notifier).Observe(max(0, delay).Seconds())
}

// Outbox tells how many deliveries are not made yet, and since when the oldest
// waits; the zero time for none.
func (m *Metrics) Outbox(depth int, oldest time.Time) {
	m.outboxDepth.WithLabelValues().Set(float64(depth))
	at := 0.0
	if !oldest.IsZero() {
		at = seconds(oldest)
	}
	m.outboxOldest.WithLabelValues().Set(at)
}

// Preflight tells what the last preflight of a target came to: how many of its
// judgements had each outcome. nil means that the target has none.
func (m *Metrics) Preflight(target string, judgements map[string]int) {
	m.preflight.DeletePartialMatch(prometheus.Labels{"target": target})
	for outcome, n := range judgements {
		m.preflight.WithLabelValues(target, m.reasons.word("preflight", outcome)).Set(float64(n))
	}
}

// Heartbeat counts a heartbeat: err says why it was withheld or did not arrive.
func (m *Metrics) Heartbeat(err error, at time.Time) {
	if err != nil {
		m.heartbeatFailures.WithLabelValues().Inc()
		return
	}
	m.heartbeats.WithLabelValues().Inc()
	m.heartbeatLast.WithLabelValues().Set(seconds(at))
}

// Control counts a run of a control.
func (m *Metrics) Control(name string, right bool, at time.Time) {
	m.controlRuns.WithLabelValues(name, outcome(right)).Inc()
	m.controlRight.WithLabelValues(name).Set(truth(right))
	if right {
		m.controlLastRight.WithLabelValues(name).Set(seconds(at))
	}
}

// Ledger tells whether the ledger is kept in memory because it cannot be
// written.
func (m *Metrics) Ledger(degraded bool) { m.ledgerDegraded.WithLabelValues().Set(truth(degraded)) }

// LedgerError counts a failed operation: begin, save, tick, outbox, read.
func (m *Metrics) LedgerError(operation string) {
	if !slices.Contains(ledgerOperations(), operation) {
		operation = other
	}
	m.ledgerErrors.WithLabelValues(operation).Inc()
}

// Reload tells how a load of the configuration went.
func (m *Metrics) Reload(ok bool, at time.Time) {
	m.reloadOK.WithLabelValues().Set(truth(ok))
	if ok {
		m.reloadLast.WithLabelValues().Set(seconds(at))
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

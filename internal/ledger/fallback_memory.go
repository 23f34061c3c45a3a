package ledger

import (
	"context"
	"slices"
	"time"

	"crosstalk/alerting"
	"crosstalk/checks"
	"crosstalk/internal/pipeline"
	"crosstalk/probes"
	"crosstalk/tenants"
)

// memory is what a Fallback remembers of a ledger that works, for the day when
// it can no longer be read.
type memory struct {
	known  map[string]pipeline.Known
	states map[string]alerting.TargetState
	pauses map[string]PauseRecord
	spent  map[spendKey]probes.Spend
	refs   []checks.PromptRef // the newest begun, oldest first
}

// spendKey is a day of a target, "" for all.
type spendKey struct {
	target string
	day    int64
}

// keptRefs is how many prompts a Fallback remembers of a ledger that works.
const keptRefs = 1 << 12

func newMemory() memory {
	return memory{
		known: map[string]pipeline.Known{}, states: map[string]alerting.TargetState{},
		pauses: map[string]PauseRecord{}, spent: map[spendKey]probes.Spend{},
	}
}

// begun remembers a round that the ledger has begun.
func (m *memory) begun(ctx context.Context, l Ledger, b Begun, cost probes.Spend) {
	for _, target := range []string{b.Plan.Target, ""} {
		k := spendKey{target, dayOf(b.At)}
		sum, ok := m.spent[k]
		if !ok { // the first of its day, or after a start
			if stored, err := l.Spent(ctx, target, b.At); err == nil {
				m.spent[k] = stored // with this round in it
			}
			continue
		}
		m.spent[k] = sum.Plus(cost)
	}
	m.yesterday(b.At)
	for _, x := range b.Bound {
		m.refs = append(m.refs, checks.PromptRef{Exchange: x.Exchange, Payload: x.Payload.Request(), Spec: x.Intent.Spec})
	}
	if n := len(m.refs); n > 2*keptRefs {
		m.refs = slices.Clone(m.refs[n-keptRefs:])
	}
}

// yesterday forgets the spend of other days.
func (m *memory) yesterday(now time.Time) {
	for k := range m.spent {
		if k.day != dayOf(now) {
			delete(m.spent, k)
		}
	}
}

// spentIn is what has been spent in a day, as well as can be told.
func (m *memory) spentIn(ctx context.Context, l Ledger, target string, at time.Time) probes.Spend {
	k := spendKey{target, dayOf(at)}
	if _, ok := m.spent[k]; !ok {
		if stored, err := l.Spent(ctx, target, at); err == nil {
			m.spent[k] = stored
		}
	}
	return m.spent[k]
}

// spend adds what was reserved while the ledger could not be written.
func (m *memory) spend(target string, at time.Time, cost probes.Spend) {
	for _, t := range []string{target, ""} {
		k := spendKey{t, dayOf(at)}
		m.spent[k] = m.spent[k].Plus(cost)
	}
}

// settled remembers a round that the ledger has saved.
func (m *memory) settled(ctx context.Context, l Ledger, s Settled) {
	m.known[s.Round.Target] = s.Known
	if state, err := l.State(ctx, s.Round.Target); err == nil {
		m.states[s.Round.Target] = state
	}
}

// paused remembers what the ledger says of a target.
func (m *memory) paused(target string, p PauseRecord, paused bool) {
	delete(m.pauses, target)
	delete(m.pauses, "")
	if paused {
		m.pauses[p.Target] = p
	}
}

// seen reports whether a request is among those remembered.
func (m *memory) seen(p tenants.Payload) bool {
	return slices.ContainsFunc(m.refs, func(r checks.PromptRef) bool { return r.Payload == p.Request() })
}

// forget takes over what an outage held that has been written back.
func (m *memory) forget(d *outage) {
	for name, t := range d.targets {
		m.known[name], m.states[name] = t.known, t.state
	}
	m.refs = append(m.refs, d.refs...)
}

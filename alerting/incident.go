package alerting

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"crosstalk/probes"
)

// Kind is what an incident is about. With the target it is the incident's
// fingerprint: there is at most one open incident of a kind on a target.
type Kind string

const (
	// KindLeak is content of ours in another tenant's answer, proved.
	KindLeak Kind = "leak"
	// KindForeign is an answer without contact with our prompt.
	KindForeign Kind = "foreign"
	// KindBlind is a cell without a decided exchange for too long.
	KindBlind Kind = "blind"
	// KindProber is ourselves: a control that did not do what it must.
	KindProber Kind = "prober"
)

// damagePrefix begins the kind of every incident about damage.
const damagePrefix = "damaged/"

// KindDamage is the kind of damage that a check names, "damaged/recall" say.
func KindDamage(check string) Kind { return Kind(damagePrefix + check) }

// Damage is the check that a kind of damage names; ok is false for the other
// kinds.
func (k Kind) Damage() (check string, ok bool) {
	return strings.CutPrefix(string(k), damagePrefix)
}

// Disclosure reports whether the kind means that content reached the wrong
// tenant. An open incident of such a kind absorbs damage of its target.
func (k Kind) Disclosure() bool { return k == KindLeak || k == KindForeign }

// Severity is whom an incident reaches.
type Severity string

const (
	SeverityPage   Severity = "page"   // a person, now
	SeverityTicket Severity = "ticket" // a person, in working hours
)

// IncidentState is where an incident stands.
type IncidentState string

const (
	StateOpen     IncidentState = "open"
	StateResolved IncidentState = "resolved"
)

// Incident is what pages: one for each fingerprint, from the first sighting to
// its resolution.
type Incident struct {
	ID       uuid.UUID     `json:"id"`
	Target   string        `json:"target"`
	Kind     Kind          `json:"kind"`
	Severity Severity      `json:"severity"`
	State    IncidentState `json:"state"`
	// DedupKey is the key under which every notification of the incident is
	// sent, for ever: a receiver that has seen it twice has seen one page.
	DedupKey string    `json:"dedup_key"`
	Opened   time.Time `json:"opened"`
	LastSeen time.Time `json:"last_seen"`
	// Escalated is when it last became more urgent: a ticket turned into a
	// page, or nobody had taken the page.
	Escalated time.Time `json:"escalated,omitzero"`
	Resolved  time.Time `json:"resolved,omitzero"`
	// AcknowledgedBy is who took it, "" if nobody did.
	AcknowledgedBy string    `json:"acknowledged_by,omitempty"`
	Acknowledged   time.Time `json:"acknowledged,omitzero"`
	// ResolvedBy is who resolved it, "" if sound rounds did.
	ResolvedBy string `json:"resolved_by,omitempty"`
	// Sightings counts, FirstExchange and LastExchange are the evidence.
	Sightings     int       `json:"sightings"`
	FirstRound    uuid.UUID `json:"first_round"`
	FirstExchange uuid.UUID `json:"first_exchange"`
	LastExchange  uuid.UUID `json:"last_exchange"`
	// Members: what has been seen in it.
	Checks  []string      `json:"checks,omitempty"`
	Cells   []probes.Cell `json:"cells,omitempty"`
	Tenants []string      `json:"tenants,omitempty"`
	// Origins are the tenants, by index, whose content a leak was.
	Origins []uint16 `json:"origins,omitempty"`
	// Absorbed counts, by check, the damaged exchanges of the target that
	// opened no incident of their own because this one was open.
	Absorbed map[string]int `json:"absorbed,omitempty"`
	// Reason says why a cell is blind, or what a control did.
	Reason string `json:"reason,omitempty"`
	// Waits are the member cells that its resolution waits for: they have to
	// pass fresh rounds first. It is empty for an incident that only a person
	// ends, and for one that is over.
	Waits []Wait `json:"waits,omitempty"`
	// Summary is one line for a person, never foreign text.
	Summary string `json:"summary"`
}

// Wait is a member cell that has not yet passed enough fresh rounds.
type Wait struct {
	Cell probes.Cell `json:"cell"`
	// Tenant says that only rounds with that tenant count, "" that all do.
	Tenant string `json:"tenant,omitempty"`
	// Passed of Needed fresh rounds since the last sighting were without fault.
	Passed int `json:"passed"`
	Needed int `json:"needed"`
	// LastRound is when a round last met the cell; zero if none has. A cell
	// whose turn does not come again, because a probe was changed say, keeps
	// its incident open until a person resolves it.
	LastRound time.Time `json:"last_round,omitzero"`
}

// String is the wait for a person.
func (w Wait) String() string {
	met := "never met"
	if !w.LastRound.IsZero() {
		met = "last met " + w.LastRound.UTC().Format(time.RFC3339)
	}
	what := describe(w.Cell)
	if w.Tenant != "" {
		what += ", to tenant " + w.Tenant
	}
	return fmt.Sprintf("%d of %d sound rounds of %s (%s)", w.Passed, w.Needed, what, met)
}

// RunbookName names the runbook for the incident: its kind's own, or that of
// the check that saw it first.
func (i Incident) RunbookName() string {
	if check, ok := i.Kind.Damage(); ok {
		return check
	}
	switch {
	case !i.Kind.Disclosure():
		return string(i.Kind)
	case len(i.Checks) > 0:
		return i.Checks[0]
	case i.Kind == KindForeign:
		return "contact"
	default:
		return "foreignmarker"
	}
}

// Action is what a notification asks of its receiver.
type Action string

const (
	ActionTrigger  Action = "trigger"
	ActionRepeat   Action = "repeat"   // the incident is still open, and nobody's
	ActionEscalate Action = "escalate" // it has become more urgent
	ActionResolve  Action = "resolve"
)

// Page is one notification to be delivered: a row of the outbox. It is
// committed before the first attempt and delivered at least once to each
// notifier, under one dedup key.
type Page struct {
	ID       uuid.UUID `json:"id"`
	Action   Action    `json:"action"`
	At       time.Time `json:"at"`
	Incident Incident  `json:"incident"` // as it was at that instant
}

// Route says which pages a notifier is to get. The zero Route, with a name,
// gets everything.
type Route struct {
	Notifier string
	// PagesOnly keeps tickets from it.
	PagesOnly bool
	// EscalatedOnly keeps from it what has not been escalated: the second
	// person to be woken.
	EscalatedOnly bool
}

// Wants reports whether the notifier is to get the page. An incident that it
// was told of is one whose resolution it is told of.
func (r Route) Wants(p Page) bool {
	switch {
	case r.PagesOnly && p.Incident.Severity != SeverityPage:
		return false
	case r.EscalatedOnly && p.Incident.Escalated.IsZero():
		return false
	}
	return true
}

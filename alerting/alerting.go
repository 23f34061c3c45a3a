package alerting

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"crosstalk/checks"
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

// KindDamage is the kind of damage that a check names, "damaged/recall" say.
func KindDamage(check string) Kind { return Kind("damaged/" + check) }

// Severity is whom an incident reaches.
type Severity string

const (
	SeverityPage   Severity = "page"   // a person, now
	SeverityTicket Severity = "ticket" // a person, in working hours
)

// Sighting is one exchange as alerting sees it.
type Sighting struct {
	Exchange uuid.UUID    `json:"exchange"`
	Cell     probes.Cell  `json:"cell"`
	Tenant   string       `json:"tenant"`
	Class    checks.Class `json:"class"`
	// Check and Finding name what decided: for damage the finding that
	// explains most, so that one spoilt answer is one incident.
	Check   string `json:"check,omitempty"`
	Finding string `json:"finding,omitempty"`
	// Reason says why an undecided exchange is undecided.
	Reason string `json:"reason,omitempty"`
	// Supported says that a second kind of evidence stands beside a foreign
	// answer: prefill rate, usage or the paired control.
	Supported bool `json:"supported,omitempty"`
	// Confirms says that the exchange belongs to a confirming round.
	Confirms bool `json:"confirms,omitempty"`
	// Origin is the tenant whose content a leak is, 0 if none; PChance bounds
	// the chance of accident.
	Origin  uint16  `json:"origin,omitempty"`
	PChance float64 `json:"p_chance,omitempty"`
}

// Observation is a finished round as alerting sees it.
type Observation struct {
	Round     uuid.UUID  `json:"round"`
	Target    string     `json:"target"`
	At        time.Time  `json:"at"`
	Sightings []Sighting `json:"sightings"`
}

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
	Resolved time.Time `json:"resolved,omitzero"`
	// AcknowledgedBy is who took it, "" if nobody did.
	AcknowledgedBy string `json:"acknowledged_by,omitempty"`
	// Sightings counts, FirstExchange and LastExchange are the evidence.
	Sightings     int       `json:"sightings"`
	FirstRound    uuid.UUID `json:"first_round"`
	FirstExchange uuid.UUID `json:"first_exchange"`
	LastExchange  uuid.UUID `json:"last_exchange"`
	// Members: what has been seen in it.
	Checks  []string      `json:"checks,omitempty"`
	Cells   []probes.Cell `json:"cells,omitempty"`
	Tenants []string      `json:"tenants,omitempty"`
	// Reason says why a cell is blind, or what a control did.
	Reason string `json:"reason,omitempty"`
	// Summary is one line for a person, never foreign text.
	Summary string `json:"summary"`
}

// Action is what a notification asks of its receiver.
type Action string

const (
	ActionTrigger Action = "trigger"
	ActionRepeat  Action = "repeat" // the incident is still open
	ActionResolve Action = "resolve"
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

// Notifier delivers pages to one receiver. It is safe for concurrent use.
type Notifier interface {
	// Name is the name of the notifier in the configuration.
	Name() string
	// Notify delivers a page, trying as often as ctx allows what may be tried
	// again. A failure is a *DeliveryError, which holds no secret.
	Notify(ctx context.Context, p Page) error
}

// DeliveryError is why a page was not delivered.
type DeliveryError struct {
	Notifier string
	// Reason is one bounded word: refused, unauthorized, ratelimited,
	// unavailable, timeout, network, tls.
	Reason string
	// Retryable says that a later attempt may succeed.
	Retryable  bool
	RetryAfter time.Duration // 0 if the receiver did not say
	Err        error
}

func (e *DeliveryError) Error() string {
	return fmt.Sprintf("notifier %s: %s: %v", e.Notifier, e.Reason, e.Err)
}

func (e *DeliveryError) Unwrap() error { return e.Err }

// Delivery is a page that is due to a notifier.
type Delivery struct {
	Page     Page
	Notifier string
	Attempts int // made so far
}

// Outbox holds the pages that are to be delivered.
type Outbox interface {
	// Due returns at most n deliveries that are due at now, oldest first.
	Due(ctx context.Context, now time.Time, n int) ([]Delivery, error)
	// Delivered records a delivery; it is never due again.
	Delivered(ctx context.Context, d Delivery, at time.Time) error
	// Failed records a failed attempt and when the next is due; a zero next
	// gives the delivery up, which is counted and shown.
	Failed(ctx context.Context, d Delivery, reason string, next time.Time) error
}

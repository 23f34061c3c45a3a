package ledger

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"crosstalk/alerting"
	"crosstalk/checks"
	"crosstalk/internal/report"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

// DefaultLimit is how many rows a list has at most when its filter does not say.
const DefaultLimit = 100

// IncidentFilter chooses incidents; zero values choose all.
type IncidentFilter struct {
	Target string
	Kind   alerting.Kind
	Open   bool // open ones only
	Limit  int  // 0: DefaultLimit
}

// RoundFilter chooses rounds; zero values choose all.
type RoundFilter struct {
	Target, Probe string
	Since         time.Time
	Worst         checks.Class // at least this bad; Inconclusive: all
	Limit         int          // 0: DefaultLimit
}

// limit is n, or the default.
func limit(n int) int64 {
	if n <= 0 {
		return DefaultLimit
	}
	return int64(n)
}

// RoundRecord is a round as it is kept: metadata and findings, no text of any
// answer.
type RoundRecord struct {
	ID       uuid.UUID `json:"id"`
	Target   string    `json:"target"`
	Probe    string    `json:"probe"`
	Confirms uuid.UUID `json:"confirms,omitzero"`
	Seed     uint64    `json:"seed"`
	// Reserved is what was reserved for it; it stays spent.
	Reserved probes.Spend `json:"reserved"`
	Begun    time.Time    `json:"begun"`
	Started  time.Time    `json:"started,omitzero"`
	// Ended is zero for a round that is under way or was lost.
	Ended time.Time `json:"ended,omitzero"`
	// Lost is when the round was found never to have been saved.
	Lost      time.Time        `json:"lost,omitzero"`
	Class     checks.Class     `json:"class"` // the worst of its exchanges
	Exchanges []ExchangeRecord `json:"exchanges"`
}

// ExchangeRecord is an exchange as it is kept.
type ExchangeRecord struct {
	report.Exchange
	Round   uuid.UUID       `json:"round"`
	Payload tenants.Payload `json:"payload"`
	Cell    probes.Cell     `json:"cell"`
	Started time.Time       `json:"started,omitzero"`
	// Reason is the verdict's: the kind of the finding that decided.
	Reason string          `json:"reason,omitempty"`
	Usage  *provider.Usage `json:"usage,omitempty"`
	Times  Times           `json:"times,omitzero"`
	Conn   provider.Conn   `json:"conn,omitzero"`
	// RequestIDs are the provider's ids by header. A header in which
	// something was found is not kept.
	RequestIDs map[string]string `json:"request_ids,omitempty"`
	BodyHash   string            `json:"body_sha256,omitempty"` // hex, of the response body
	BodyBytes  int               `json:"body_bytes,omitempty"`
	// Unjournaled says that the ledger could not be written when it was sent.
	Unjournaled bool             `json:"unjournaled,omitempty"`
	Findings    []checks.Finding `json:"findings,omitempty"`
}

// Times are seconds since the start of the exchange; 0 means that it did not
// happen.
type Times struct {
	Connected    float64 `json:"connected,omitempty"`
	Wrote        float64 `json:"wrote,omitempty"`
	FirstByte    float64 `json:"first_byte,omitempty"`
	FirstContent float64 `json:"first_content,omitempty"`
	LastContent  float64 `json:"last_content,omitempty"`
	End          float64 `json:"end,omitempty"`
}

// CellRecord is a cell's counts over a time with the bounds they support.
type CellRecord struct {
	report.Cell
	LastRound   time.Time `json:"last_round,omitzero"`
	LastDecided time.Time `json:"last_decided,omitzero"`
	LastSound   time.Time `json:"last_sound,omitzero"`
}

// PageRecord is a page and how its delivery to one notifier stands.
type PageRecord struct {
	alerting.Delivery
	Next      time.Time // of the next attempt
	Reason    string    // of the last failure
	Delivered time.Time // zero until it is
	GivenUp   time.Time // zero unless it was
}

// Queue is the state of the outbox.
type Queue struct {
	Waiting int       // deliveries not made yet
	Oldest  time.Time // page of the oldest of them; zero if none
	GivenUp int
}

// PauseRecord says who stopped probing, when and why.
type PauseRecord struct {
	Target string    `json:"target"` // "" for all
	By     string    `json:"by"`
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

// The kinds of events that a ledger records by itself.
const (
	EventPause    = "pause"
	EventResume   = "resume"
	EventLost     = "lost"     // a round that was begun and never saved
	EventRepair   = "repair"   // a damaged file was set aside
	EventFallback = "fallback" // the ledger could not be written for a time
)

// The kinds of events of which a target can cause one a slot: those of an hour
// with the same target, probe, reason and person are one event that counts.
const (
	EventSkip   = "skip"   // a slot that was not run
	EventMissed = "missed" // slots that passed while nobody walked
	EventTenant = "tenant" // a tenant that the target refuses
)

// EventEvidence is the kind of what became of evidence: Reason is one of the
// Evidence reasons, Detail names what it was about.
const EventEvidence = "evidence"

// The reasons of events about evidence.
const (
	EvidenceKept   = "kept"
	EvidenceLeft   = "left out" // a bound was reached, and it was not kept
	EvidenceFailed = "failed"   // it could not be sealed or written
	EvidenceOpened = "opened"
	EvidenceErased = "erased"
)

// Event is a fact that is not a round.
type Event struct {
	At     time.Time `json:"at"`   // of the last one, where several are counted
	Kind   string    `json:"kind"` // skip, missed, evidence, reload, pause, resume, ...
	Target string    `json:"target,omitempty"`
	Probe  string    `json:"probe,omitempty"`
	Reason string    `json:"reason,omitempty"` // bounded word
	Detail string    `json:"detail,omitempty"` // of the last one
	By     string    `json:"by,omitempty"`
	// Count is how often it happened in its hour, the first of them at First;
	// 0 and no time for what happened once.
	Count int       `json:"count,omitempty"`
	First time.Time `json:"first,omitzero"`
}

// tally names the hour and the thing that e is counted under, "" if it stands
// alone.
func (e Event) tally() string {
	again := e.Reason == EvidenceLeft || e.Reason == EvidenceFailed
	switch {
	case e.Kind == EventSkip, e.Kind == EventMissed, e.Kind == EventTenant, e.Kind == EventEvidence && again:
		hour := e.At.UTC().Truncate(time.Hour).Format(time.RFC3339)
		return strings.Join([]string{hour, e.Kind, e.Target, e.Probe, e.Reason, e.By}, "\n")
	}
	return ""
}

// plus is e with another event of its tally counted in.
func (e Event) plus(more Event) Event {
	sum := more
	sum.First = e.First
	if sum.First.IsZero() {
		sum.First = e.At
	}
	sum.Count = max(e.Count, 1) + max(more.Count, 1)
	if more.At.Before(e.At) {
		sum.At, sum.Detail = e.At, e.Detail
	}
	return sum
}

// Pruned counts what Prune deleted.
type Pruned struct{ Rounds, Markers, Pages, Incidents, Events, Cells int64 }

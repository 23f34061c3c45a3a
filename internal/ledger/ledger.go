// Package ledger keeps what must outlive the process: every marker ever sent,
// every round with what was found in it, incidents and the pages they owe,
// what is known of each target, and when each probe is next due.
//
// The order of writing is the point of it. A round's markers and its spend are
// written before anything is sent (Begin), so that no marker is ever in the
// world that the ledger does not know. A round's findings, the step of its
// incidents and the pages they owe are written in one transaction (Save), so
// that a page is committed before it is first attempted.
package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/google/uuid"

	"crosstalk/alerting"
	"crosstalk/checks"
	"crosstalk/internal/pipeline"
	"crosstalk/internal/report"
	"crosstalk/probes"
	"crosstalk/tenants"
)

// Ledger is what the daemon needs of its store. Every engine passes
// ledgertest.
type Ledger interface {
	pipeline.Store
	alerting.Outbox

	// InTx runs f in a transaction: committed if f returns nil. The scheduler
	// advances a schedule and inserts its job in one.
	InTx(ctx context.Context, f func(tx *sql.Tx) error) error

	// Seen reports whether a request has been begun: a minter draws again.
	Seen(ctx context.Context, p tenants.Payload) (bool, error)

	// LastSlot is the last slot of a schedule that was turned into a job;
	// zero if none was. SetSlot is used within InTx.
	LastSlot(ctx context.Context, probe, target string) (time.Time, error)
	SetSlot(ctx context.Context, tx *sql.Tx, probe, target string, slot time.Time) error

	// Tick steps what depends on time alone: blind cells, resolution,
	// repeats.
	Tick(ctx context.Context, now time.Time) error
	// Control records what a control (null or seeded) did.
	Control(ctx context.Context, name string, right bool, detail string, at time.Time) error

	// Incidents lists incidents, newest first; Incident is one with its
	// sightings' exchanges.
	Incidents(ctx context.Context, f IncidentFilter) ([]alerting.Incident, error)
	Incident(ctx context.Context, id uuid.UUID) (alerting.Incident, error)
	Acknowledge(ctx context.Context, id uuid.UUID, by string, at time.Time) error
	ResolveIncident(ctx context.Context, id uuid.UUID, by string, at time.Time) error

	// Rounds lists rounds, newest first; Round is one with its findings.
	Rounds(ctx context.Context, f RoundFilter) ([]RoundRecord, error)
	Round(ctx context.Context, id uuid.UUID) (RoundRecord, error)
	// Cells are the statistics of every cell of a target since a time.
	Cells(ctx context.Context, target string, since time.Time) ([]CellRecord, error)
	// Spent is what was reserved for a target in the day of t (UTC).
	Spent(ctx context.Context, target string, t time.Time) (probes.Spend, error)

	// Pauses: a target ("" for all) is paused until resumed.
	Pause(ctx context.Context, target, by, reason string, at time.Time) error
	// Resume ends a pause of the target and lifts the stops of its cells.
	Resume(ctx context.Context, target, by string, at time.Time) error
	Paused(ctx context.Context, target string) (PauseRecord, bool, error)

	// Record writes a fact that is not a round: a missed slot, a skip with
	// its reason, an opening of evidence, a reload.
	Record(ctx context.Context, e Event) error
	Events(ctx context.Context, since time.Time, kinds ...string) ([]Event, error)

	Close() error
}

// IncidentFilter chooses incidents; zero values choose all.
type IncidentFilter struct {
	Target string
	Kind   alerting.Kind
	Open   bool // open ones only
	Limit  int  // 0: 100
}

// RoundFilter chooses rounds; zero values choose all.
type RoundFilter struct {
	Target, Probe string
	Since         time.Time
	Worst         checks.Class // at least this bad; Inconclusive: all
	Limit         int          // 0: 100
}

// RoundRecord is a round as it is kept: metadata and findings, no text of any
// answer.
type RoundRecord struct {
	ID        uuid.UUID
	Target    string
	Probe     string
	Confirms  uuid.UUID
	Seed      uint64
	Started   time.Time
	Ended     time.Time
	Class     checks.Class
	Exchanges []ExchangeRecord
}

// ExchangeRecord is an exchange as it is kept.
type ExchangeRecord struct {
	report.Exchange
	Payload    tenants.Payload
	Cell       probes.Cell
	RequestIDs map[string]string // provider's ids by header
	BodyHash   string            // hex SHA-256 of the response body
	BodyBytes  int
	Findings   []checks.Finding
}

// CellRecord is a cell's counts over a time with the bounds they support.
type CellRecord struct {
	report.Cell
	LastRound, LastDecided, LastSound time.Time
}

// PauseRecord says who stopped probing, when and why.
type PauseRecord struct {
	Target, By, Reason string
	At                 time.Time
}

// Event is a fact that is not a round.
type Event struct {
	At     time.Time
	Kind   string // skip, missed, evidence, reload, pause, resume, ...
	Target string
	Probe  string
	Reason string // bounded word
	Detail string
	By     string
}

// Package ledger keeps what must outlive the process: every marker ever sent,
// every round with what was found in it, incidents and the pages they owe,
// what is known of each target, and when each probe is next due.
//
// # The order of writing
//
// It is the point of the package. Begin writes a round's markers and reserves
// its spend before anything is sent, so that no marker is ever in the world that
// the ledger does not know. Save writes the round's findings, steps the
// incidents of its target and writes the pages they owe, all in one transaction,
// so that a page is committed before it is first attempted:
//
//	Begin  { spend, round, prompts }               -> the requests are sent
//	Save   { exchanges, findings, cells, known,
//	         alerting.Step, incidents, outbox }    -> the courier is woken
//
// A process that is killed between the two leaves a round that was begun and
// never saved. Its markers are attributable, its spend stays spent, and
// Interrupted tells of it at the next start.
//
// # What is kept
//
// No text of any answer: metadata, hashes, offsets, counts and classes. A prompt
// is kept as payload and spec, from which the fleet key makes its bytes again;
// these are kept much longer than rounds are (Options.KeepMarkers), because a
// marker may come back a year later.
//
// # When it fails
//
// A file that is damaged is set aside and a new one begun, loudly (Repaired): a
// prober that does not start sees nothing. One that cannot be written, because
// the disk is full say, gives errors that wrap ErrUnwritable, and a Fallback
// around the ledger then holds in memory what it is told, pages from there, and
// writes it back when it can.
//
// # Engines
//
// SQLite is the engine for one machine. The schema (migrations) and the queries
// are kept to what PostgreSQL reads too. Every engine passes ledgertest.
package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/google/uuid"

	"crosstalk/alerting"
	"crosstalk/checks"
	"crosstalk/internal/pipeline"
	"crosstalk/probes"
	"crosstalk/tenants"
)

// Ledger is what the daemon needs of its store. It is safe for concurrent use.
// Every engine passes ledgertest.
type Ledger interface {
	pipeline.Store
	alerting.Outbox

	// InTx runs f in a transaction: committed if f returns nil. The scheduler
	// advances a schedule and inserts its job in one. Within f, only SetSlot
	// writes; any other writing method would wait for the transaction to end.
	InTx(ctx context.Context, f func(tx *sql.Tx) error) error

	// Seen reports whether a request has been begun: a minter draws again.
	Seen(ctx context.Context, p tenants.Payload) (bool, error)
	// Prompt is the prompt of an exchange; the error wraps ErrNotFound if it
	// was never begun, or so long ago that it was pruned.
	Prompt(ctx context.Context, exchange uuid.UUID) (checks.PromptRef, error)
	// Interrupted returns the rounds that were begun before a time and never
	// saved, and records each as lost: it is told once. Call it at start, with
	// the time of the start.
	Interrupted(ctx context.Context, before time.Time) ([]RoundRecord, error)

	// LastSlot is the last slot of a schedule that was turned into a job;
	// zero if none was. SetSlot is used within InTx.
	LastSlot(ctx context.Context, probe, target string) (time.Time, error)
	SetSlot(ctx context.Context, tx *sql.Tx, probe, target string, slot time.Time) error

	// Tick steps what depends on time alone: blind cells, resolution,
	// repeats.
	Tick(ctx context.Context, now time.Time) error
	// Control records what a control (null or seeded) did.
	Control(ctx context.Context, name string, right bool, detail string, at time.Time) error
	// State is the state of a target's incidents, for status pages; the zero
	// value for a target never probed.
	State(ctx context.Context, target string) (alerting.TargetState, error)

	// Incidents lists incidents, newest first; Incident is one, and Sightings
	// are the exchanges it has seen, as long as they are kept.
	Incidents(ctx context.Context, f IncidentFilter) ([]alerting.Incident, error)
	Incident(ctx context.Context, id uuid.UUID) (alerting.Incident, error)
	Sightings(ctx context.Context, id uuid.UUID) ([]ExchangeRecord, error)
	// IncidentsOf are the incidents that have seen an exchange of a round,
	// oldest first.
	IncidentsOf(ctx context.Context, round uuid.UUID) ([]alerting.Incident, error)
	// Pages are the notifications of an incident, oldest first, and how the
	// delivery of each stands.
	Pages(ctx context.Context, id uuid.UUID) ([]PageRecord, error)
	Acknowledge(ctx context.Context, id uuid.UUID, by string, at time.Time) error
	ResolveIncident(ctx context.Context, id uuid.UUID, by string, at time.Time) error

	// Rounds lists rounds, newest first; Round is one. Both come with their
	// exchanges and findings.
	Rounds(ctx context.Context, f RoundFilter) ([]RoundRecord, error)
	Round(ctx context.Context, id uuid.UUID) (RoundRecord, error)
	// Cells are the statistics of every cell of a target since a time, whole
	// hours.
	Cells(ctx context.Context, target string, since time.Time) ([]CellRecord, error)
	// Spent is what was reserved for a target ("" for all) in the day of t
	// (UTC).
	Spent(ctx context.Context, target string, t time.Time) (probes.Spend, error)
	// Queue is the state of the outbox.
	Queue(ctx context.Context) (Queue, error)

	// Pauses: a target ("" for all) is paused until resumed. A second pause
	// of the same target changes nothing.
	Pause(ctx context.Context, target, by, reason string, at time.Time) error
	// Resume ends a pause and lifts the stops of the target's cells. Of "" it
	// ends the pause of all, but lifts no stop: after a suspected disclosure
	// each target is resumed by its name.
	Resume(ctx context.Context, target, by string, at time.Time) error
	Paused(ctx context.Context, target string) (PauseRecord, bool, error)

	// Record writes a fact that is not a round: a missed slot, a skip with
	// its reason, an opening of evidence, a reload. What a target can cause
	// without end is counted by the hour (EventSkip).
	Record(ctx context.Context, e Event) error
	// Events lists facts since a time, newest first, of all kinds or some.
	Events(ctx context.Context, since time.Time, kinds ...string) ([]Event, error)

	// Keep stores a settled round, as Save does. Replay does, in order and in
	// one transaction, what was put off while the ledger could not be
	// written. Both are idempotent for rounds; they serve a Fallback.
	Keep(ctx context.Context, s Settled) error
	Replay(ctx context.Context, deferred []Deferred) error

	// Prune deletes the rounds begun before a time, with what belongs to
	// them, but for those an open incident has seen; and markers, events and
	// counts older than Options.KeepMarkers.
	Prune(ctx context.Context, before time.Time) (Pruned, error)

	Close() error
}

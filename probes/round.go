package probes

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"crosstalk/corpus"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

// Round is one run of a plan, frozen when Run returns it.
type Round struct {
	ID        uuid.UUID
	Plan      Plan
	Started   time.Time
	Ended     time.Time
	Exchanges []*Exchange // in the order of the plan
}

// Prompt is what a check may ask of the prompt of an exchange. A
// *corpus.Prompt is one; a corpus.Text is one for recorded exchanges.
type Prompt interface {
	Size() int64
	Task() corpus.Task
	Question() string
	Expected() string // "" when not known
	Markers() []corpus.Marker
	Match(text string, min, budget int) (spans []corpus.Span, pages int)
}

// Exchange is one request of a round and everything that came back.
type Exchange struct {
	ID uuid.UUID // nonce: UUIDv7
	// Intent is the intent of the plan, bound: its length is that of the
	// exact bytes, and what is expected may be definite where the plan said
	// ExpectEither.
	Intent  Intent
	Tenant  uint16          // index
	Payload tenants.Payload // of the request: Index 0
	Prompt  Prompt
	// Started is when the request was handed to the client; zero if it never
	// was.
	Started time.Time
	// Response is nil when there is nothing to judge: Skipped then says why,
	// as "reason: detail" with one of the Skip reasons.
	Response *provider.Response
	Skipped  string
}

// The reasons why an exchange has no response.
const (
	SkipCancelled  = "cancelled"  // the round was stopped before it was sent
	SkipCredential = "credential" // the tenant's key could not be read
	SkipTenant     = "tenant"     // the target refused the tenant earlier in the round
	SkipBackoff    = "backoff"    // the target asked for less earlier in the round
	SkipError      = "error"      // the client could not make the request: our fault
	SkipPanic      = "panic"      // the client panicked: our fault
)

// SkipReason is the reason in Skipped, one of the Skip constants: it is bounded
// and can be a label. It is "" when the exchange has a response.
func (e *Exchange) SkipReason() string {
	reason, _, _ := strings.Cut(e.Skipped, ":")
	return reason
}

// skip records why e has no response.
func (e *Exchange) skip(reason, detail string) { e.Skipped = reason + ": " + detail }

// Bound is an intent with its identity, as it is journaled before the round
// starts.
type Bound struct {
	Exchange uuid.UUID
	Intent   Intent
	Payload  tenants.Payload
}

// Journal is where a round is recorded before anything is sent.
type Journal interface {
	// Begin reserves the round's spend and records its markers, all or
	// nothing. It fails with an error that wraps ErrBudget when a cap would
	// be passed; then nothing is sent.
	Begin(ctx context.Context, round uuid.UUID, plan Plan, bound []Bound) error
}

// Minter makes the prompt of a new request. A *tenants.Minter is one.
type Minter interface {
	Mint(tenant uint16, spec corpus.Spec) (tenants.Payload, *corpus.Prompt, error)
}

package probes

import (
	"context"
	"time"

	"github.com/google/uuid"

	"crosstalk/corpus"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

// Target is one model behind one endpoint, as far as probes know it.
type Target struct {
	Name      string
	API       string
	Model     string
	Window    int  // tokens, as advertised
	MaxOutput int  // tokens the target may be asked for
	Loopback  bool // on this machine: needs no authorization
	Authorization
	Pricing Pricing
	// Family and Dress and Task override the probes' choice of filler, dress
	// and task: small or unusual models need it. Empty: the probe decides.
	Family     string
	Dress      corpus.Dress
	Task       corpus.Task
	NoLocators bool
}

// Basis says who allowed a target to be probed.
type Basis string

const (
	BasisOwner    Basis = "owner"
	BasisContract Basis = "contract"
	BasisConsent  Basis = "provider-consent"
	BasisCustomer Basis = "customer"
)

// Authorization is the stated permission to probe a target.
type Authorization struct {
	Basis     Basis
	Reference string
	Contact   string
	Expires   time.Time
}

// Pricing is in USD per million tokens.
type Pricing struct{ Input, CachedInput, Output float64 }

// State is all a plan may depend on besides its seed.
type State struct {
	Target  Target
	Tenants []tenants.Tenant // that may use the target, in order of index
	// Calibration per family; a missing family has corpus.Prior.
	Calibration map[string]corpus.Calibration
	// Limit is the target's own prompt limit in tokens as a refusal stated
	// it; 0 if it never did.
	Limit int
	// MaxTokens is the answer budget learnt so far; 0 if not yet.
	MaxTokens int
	// Confirm names the round that this plan is to confirm with fresh
	// markers, uuid.Nil for an ordinary plan.
	Confirm uuid.UUID
}

// Probe is one kind of experiment.
type Probe interface {
	// Kind is the name of the probe in the configuration.
	Kind() string
	// Plan lays out one round. It is pure: the same seed and state give the
	// same plan. An error says that this target cannot be probed this way,
	// and what to change; it wraps ErrNotAllowed when it is for lack of
	// authorization.
	Plan(seed uint64, s State) (Plan, error)
}

// Plan is one round laid out: unbound specs, no secret, printable.
type Plan struct {
	Probe   string    `json:"probe"`
	Target  string    `json:"target"`
	Seed    uint64    `json:"seed"`
	Confirm uuid.UUID `json:"confirm,omitzero"`
	Steps   []Step    `json:"steps"`
}

// Step is a set of exchanges released together when the step before has ended.
type Step struct {
	Name    string   `json:"name"`
	Intents []Intent `json:"intents"`
}

// Role is what an exchange is for in its round.
type Role string

const (
	RoleMain      Role = "main"
	RoleControl   Role = "control"   // the paired control: same prompt, known-good length
	RoleSeed      Role = "seed"      // leaves its content behind for a later one
	RoleStraggler Role = "straggler" // after a burst
)

// Expect is what the target should do with a prompt of that length.
type Expect string

const (
	ExpectAnswer  Expect = "answer"  // within the limit: the right answer
	ExpectRefusal Expect = "refusal" // over the limit: an over-length refusal
	ExpectEither  Expect = "either"  // within our interval of the limit
)

// Intent is one exchange to be made.
type Intent struct {
	Tenant string      `json:"tenant"`
	Role   Role        `json:"role"`
	Spec   corpus.Spec `json:"spec"`
	// Tokens is the predicted prompt length with its interval.
	Tokens     int           `json:"tokens"`
	TokensLow  int           `json:"tokens_low"`
	TokensHigh int           `json:"tokens_high"`
	MaxTokens  int           `json:"max_tokens"`
	Stream     bool          `json:"stream"`
	Expect     Expect        `json:"expect"`
	Delay      time.Duration `json:"delay,omitempty"` // after the step's release
	Cell       Cell          `json:"cell"`
}

// Cell is where an exchange counts: rates, bounds and coverage are per cell.
type Cell struct {
	Target      string `json:"target"`
	Probe       string `json:"probe"`
	Length      string `json:"length"`      // band, see LengthBand
	Concurrency string `json:"concurrency"` // band, see ConcurrencyBand
	Warm        bool   `json:"warm"`
	Stream      bool   `json:"stream"`
}

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
	ID      uuid.UUID // nonce: UUIDv7
	Intent  Intent
	Tenant  uint16          // index
	Payload tenants.Payload // of the request: Index 0
	Prompt  Prompt
	Started time.Time
	// Response is nil when nothing was sent: Skipped then says why.
	Response *provider.Response
	Skipped  string
}

// Intents and payloads of a round as they are journaled before it starts.
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

package probes

import (
	"iter"
	"time"

	"github.com/google/uuid"

	"crosstalk/corpus"
	"crosstalk/tenants"
)

// State is all a plan may depend on besides its seed.
type State struct {
	Target  Target
	Tenants []tenants.Tenant // that may use the target, in order of index
	// Now is when the plan is made. It is part of the state because an
	// authorization expires and a shared prefix lives for a day; a plan never
	// reads a clock. A target on this machine may leave it zero.
	Now time.Time
	// Calibration per family; a missing family has corpus.Prior.
	Calibration map[string]corpus.Calibration
	// Limit is the target's own prompt limit in tokens as a refusal stated
	// it; 0 if it never did.
	Limit int
	// MaxTokens is the answer budget learnt so far; 0 if not yet.
	MaxTokens int
	// Confirm names the round that this plan is to confirm with fresh
	// markers, uuid.Nil for an ordinary plan. A confirming plan asks for the
	// smallest answer that can still be right.
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
	// Bytes is the size of the prompt: the mean over all keys in a plan, the
	// exact size once the intent is bound.
	Bytes int64 `json:"bytes"`
	// Tokens is the predicted prompt length with its interval.
	Tokens     int `json:"tokens"`
	TokensLow  int `json:"tokens_low"`
	TokensHigh int `json:"tokens_high"`
	MaxTokens  int `json:"max_tokens"`
	// Limit is the limit that Expect was judged against, in tokens of prompt
	// and answer together.
	Limit  int           `json:"limit"`
	Stream bool          `json:"stream"`
	Expect Expect        `json:"expect"`
	Delay  time.Duration `json:"delay,omitempty"` // after the step's release
	Cell   Cell          `json:"cell"`
}

// Intents yields the intents of every step, in order.
func (p Plan) Intents() iter.Seq[Intent] {
	return func(yield func(Intent) bool) {
		for _, step := range p.Steps {
			for _, in := range step.Intents {
				if !yield(in) {
					return
				}
			}
		}
	}
}

// expect judges a prompt against a limit. The answer needs room beside the
// prompt, but some targets count only the prompt against their limit and cut
// the answer short: between the two, both outcomes are lawful.
func expect(low, high, maxTokens, limit int) Expect {
	switch {
	case high+maxTokens <= limit:
		return ExpectAnswer
	case low > limit:
		return ExpectRefusal
	default:
		return ExpectEither
	}
}

// bind is the intent once the exact size of its prompt is known: the part of
// the interval that came from not knowing the key is gone, and so an
// expectation may become definite.
func (in Intent) bind(bytes int64) Intent {
	if in.Bytes <= 0 {
		in.Bytes = bytes
		return in
	}
	mean, slack := float64(in.Bytes), float64(sizeSlack(in.Spec, in.Bytes))
	exact := float64(bytes)
	in.Bytes = bytes
	in.Tokens = int(float64(in.Tokens) * exact / mean)
	in.TokensLow = min(in.Tokens, int(float64(in.TokensLow)*exact/(mean-slack)))
	in.TokensHigh = max(in.Tokens, int(float64(in.TokensHigh)*exact/(mean+slack))+1)
	in.Expect = expect(in.TokensLow, in.TokensHigh, in.MaxTokens, in.Limit)
	return in
}

package checks

import (
	"github.com/google/uuid"

	"crosstalk/corpus"
	"crosstalk/probes"
	"crosstalk/tenants"
)

// Channel is where in a response a finding stands.
type Channel string

const (
	ChannelContent       Channel = "content"
	ChannelReasoning     Channel = "reasoning"
	ChannelToolName      Channel = "tool_name"
	ChannelToolArguments Channel = "tool_arguments"
	ChannelError         Channel = "error"
	ChannelHeader        Channel = "header"
)

// Finding is what a check saw in one exchange.
type Finding struct {
	Check    string    `json:"check"`
	Kind     string    `json:"kind"` // one word or two, bounded: it becomes a label
	Class    Class     `json:"class"`
	Exchange uuid.UUID `json:"exchange,omitzero"`
	Channel  Channel   `json:"channel,omitempty"`
	// Offset and Length are UTF-8 bytes of the channel's joined text.
	Offset int `json:"offset"`
	Length int `json:"length"`
	// PChance bounds the probability of the evidence by accident; 0 when the
	// check is not of that kind.
	PChance float64 `json:"p_chance,omitempty"`
	Origin  *Origin `json:"origin,omitempty"`
	Detail  string  `json:"detail"` // one sentence for a person, never foreign text
}

// Origin says whose content a finding is.
type Origin struct {
	Tenant   uint16          `json:"tenant"`
	Payload  tenants.Payload `json:"payload"`
	Exchange uuid.UUID       `json:"exchange,omitzero"` // nil when not in the look-back
	// PromptOffset is where in that prompt the content stands, bytes; -1 if
	// the prompt could not be rebuilt.
	PromptOffset int64 `json:"prompt_offset"`
	Marker       int   `json:"marker,omitempty"` // number of the marker, from 1
}

// PromptRef names a prompt that was live recently: enough to rebuild it.
type PromptRef struct {
	Exchange uuid.UUID
	Payload  tenants.Payload
	Spec     corpus.Spec
	// Key names the fleet key it was minted under, as tenants.FleetKey.ID
	// does; "" is the newest.
	Key string
}

// Input is all a check may look at. It is frozen: checks do no I/O, read no
// clock and change nothing.
type Input struct {
	Round    *probes.Round
	Codec    *tenants.Codec // nil: no fleet key, leaks cannot be judged
	Lookback []PromptRef    // newest first; may hold the round's own prompts
	Baseline Baseline

	// facts holds what several checks need and one has computed.
	facts *facts
}

// Baseline is what is known of a target from earlier rounds.
type Baseline struct {
	// Prefill is the prefill rate fitted on shorter cold prompts of this
	// target, tokens a second; 0 if not known.
	Prefill float64
	// Calibration of the target per family.
	Calibration map[string]corpus.Calibration
	// Limit is the prompt limit the target stated, tokens; 0 if never.
	Limit int
	// LostSeal tells, per cell, that the round this one confirms lost its
	// deciding seal.
	LostSeal map[probes.Cell]bool
	// IDs are response ids given before, with the exchange they were given to.
	IDs map[string]uuid.UUID
	// Model is the model that was asked for, "" when not known.
	Model string
}

// Check looks for one kind of damage in a finished round.
type Check interface {
	// Name is the check's name in reports, metrics and runbooks.
	Name() string
	// Run returns what it saw. Nothing means "nothing to say", never
	// "sound": only a Sound finding says that.
	Run(in *Input) []Finding
}

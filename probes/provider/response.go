package provider

import (
	"net/http"
	"time"
)

// Response is everything that came back of one exchange.
type Response struct {
	Status int
	Header http.Header
	// Body is the raw body after decompression, up to Limits.Body.
	Body []byte
	// WireBytes counts the bytes of the body before decompression.
	WireBytes int64
	// Streamed says that the body is an event stream.
	Streamed bool

	// Content, Reasoning and Tools are of the first choice, joined over all
	// deltas. Extra holds every other text that the body carries where an
	// answer could stand: further choices, unknown string fields of a choice,
	// events after the terminator. Refusal is the API's own refusal field.
	Content   string
	Reasoning string
	Refusal   string
	Tools     []ToolCall
	Extra     []Text

	// FinishReason is as given, "" if none was.
	FinishReason string
	// Usage is nil when none was given. In a stream it is the last given.
	Usage *Usage

	ID    string // of the first event that has one
	Model string
	// Identity holds every other hint of who answered: system_fingerprint,
	// provider, weight_version, routing headers. Keys are the wire's names.
	Identity map[string]string

	Stream  *Stream  // nil when not streamed
	Failure *Failure // nil when the target claims success
	// Problems are violations of the protocol, in order of discovery.
	Problems []Problem

	Times Times
	Conn  Conn
}

// OK reports whether the target claims success and the answer is whole: read
// to its end, without error, with a finish reason and, if streamed, the API's
// terminator. It says nothing about what the answer says.
func (r *Response) OK() bool { return r.Failure == nil }

// AddProblem notes a violation of the protocol at an offset of Body. After
// maxProblems nothing more is noted.
func (r *Response) AddProblem(kind, detail string, offset int) {
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, Problem{Kind: kind, Detail: detail, Offset: offset})
	}
}

// maxProblems bounds Problems: the first few tell what is wrong, a million of
// the same kind do not tell more.
const maxProblems = 256

// Text is a text found in a response and where.
type Text struct {
	Where string // e.g. "choices[1].message.content", "after [DONE]"
	Text  string
}

// WhereTransport is where a text stands that was quoted from a peer whose bytes
// were no HTTP. It is no answer of a model: it is only searched for what is
// ours.
const WhereTransport = "transport error"

// ToolCall is one tool call of an answer; Arguments is the raw text.
type ToolCall struct{ ID, Name, Arguments string }

// Usage is what the target says it counted, in tokens. A nil field was not
// given, which is not zero.
type Usage struct {
	Prompt     *int `json:"prompt_tokens,omitempty"`
	Completion *int `json:"completion_tokens,omitempty"`
	Total      *int `json:"total_tokens,omitempty"`
	Cached     *int `json:"cached_tokens,omitempty"`
	Reasoning  *int `json:"reasoning_tokens,omitempty"`
}

// Stream tells how an event stream went.
type Stream struct {
	Events []Event
	// Done says that the API's terminator was seen.
	Done bool
	// IDs are the distinct response ids of its events, in order.
	IDs []string
	// Finishes counts the non-null finish reasons of the first choice.
	Finishes int
}

// Event is one event of a stream.
type Event struct {
	At     time.Duration // since the start of the exchange, when it was whole
	Offset int           // of its first byte in Body
	Bytes  int
	Text   int // bytes of content and reasoning it brought
}

// Problem is one violation of the protocol.
type Problem struct {
	Kind   string // one word, see the dialect's package doc
	Detail string
	Offset int // in Body
}

// Times are durations since the start of the exchange, on the monotonic
// clock; 0 means it did not happen.
type Times struct {
	Started      time.Time
	Connected    time.Duration
	Wrote        time.Duration // last byte of the request body handed to the kernel
	FirstByte    time.Duration // response header
	FirstContent time.Duration // first non-empty content or reasoning
	LastContent  time.Duration
	End          time.Duration
}

// Conn is the connection an exchange went over.
type Conn struct {
	Local, Remote string
	Reused        bool
	Protocol      string
	Ordinal       int // of this request on its client, from 1
}

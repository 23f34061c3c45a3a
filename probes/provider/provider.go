package provider

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/google/uuid"

	"crosstalk/internal/secret"
)

// Client speaks one API dialect to one target for one tenant. Clients of
// different tenants share nothing: no transport, connection or buffer.
//
// What the target does wrong is data in the Response. The error is for what we
// did wrong: a request that could not be built, a prompt that did not read.
// When ctx ends, the response so far comes back with Failure.Kind
// FailureCancelled or FailureTimeout and no error.
type Client interface {
	// Do sends one request, once, and reads all that comes back under the
	// client's Limits. It never retries and never follows a redirect.
	Do(ctx context.Context, req *Request) (*Response, error)
	// Parse reads a recorded answer as Do would read a live one.
	Parse(status int, header http.Header, body io.Reader) *Response
	// Close closes idle connections.
	Close()
}

// Prompt is the text of a request, read as often as needed. A *corpus.Prompt
// is one.
type Prompt interface {
	Size() int64
	Reader() io.Reader
}

// Request is one request to a model.
type Request struct {
	// ID is the nonce of the request: a header and a ledger key, never part
	// of the prompt.
	ID         uuid.UUID
	Credential secret.Value
	Model      string
	Prompt     Prompt
	// MaxTokens bounds the answer; 0 leaves it to the target.
	MaxTokens int
	Stream    bool
	// ThinkingOff asks for no reasoning, where the API has a switch for it.
	ThinkingOff bool
	// Reuse allows a kept-alive connection; without it the exchange has a
	// connection of its own.
	Reuse bool
}

// Limits bound what a client reads of one response.
type Limits struct {
	Body       int64         // bytes after decompression
	Wire       int64         // bytes before decompression
	Header     int64         // bytes of response header
	Line       int           // bytes of one stream line
	Depth      int           // nesting of JSON
	Idle       time.Duration // between two reads
	FirstByte  time.Duration // until the response header
	Wall       time.Duration // for the whole exchange
	Connecting time.Duration // dial and TLS
}

// DefaultLimits are generous for an honest answer and small for us.
func DefaultLimits() Limits {
	return Limits{
		Body: 16 << 20, Wire: 16 << 20, Header: 256 << 10, Line: 4 << 20, Depth: 64,
		Idle: 2 * time.Minute, FirstByte: 15 * time.Minute, Wall: 20 * time.Minute,
		Connecting: 20 * time.Second,
	}
}

// Response is everything that came back of one exchange.
type Response struct {
	Status int
	Header http.Header
	// Body is the raw body after decompression, up to Limits.Body.
	Body []byte
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

// Text is a text found in a response and where.
type Text struct {
	Where string // e.g. "choices[1].message.content", "after [DONE]"
	Text  string
}

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
	At     time.Duration // since the start of the exchange
	Offset int           // of its first byte in Body
	Bytes  int
	Text   int // bytes of content and reasoning it brought
}

// FailureKind says in one word why a request did not succeed.
type FailureKind string

const (
	FailureOverLength FailureKind = "overlength" // refused: the prompt is too long
	FailureAuth       FailureKind = "auth"       // 401, 403 about the key
	FailureQuota      FailureKind = "quota"      // allowance used up, not to be retried
	FailurePayment    FailureKind = "payment"    // 402
	FailureRateLimit  FailureKind = "ratelimit"  // 429 to be retried later
	FailureOverload   FailureKind = "overload"   // 503, 529, no capacity
	FailureModeration FailureKind = "moderation" // refused for its content
	FailureTooLarge   FailureKind = "toolarge"   // 413: body too large for a gateway
	FailureNotFound   FailureKind = "notfound"   // no such model or path
	FailureBadRequest FailureKind = "badrequest" // another 4xx
	FailureServer     FailureKind = "server"     // 5xx or an error within a 200
	FailureMalformed  FailureKind = "malformed"  // not an answer of this API
	FailureTruncated  FailureKind = "truncated"  // the body ended early
	FailureLimit      FailureKind = "limit"      // one of our Limits was reached
	FailureTimeout    FailureKind = "timeout"
	FailureCancelled  FailureKind = "cancelled" // by us
	FailureNetwork    FailureKind = "network"   // no connection, reset, TLS
	FailureRedirect   FailureKind = "redirect"  // 3xx: not followed
)

// Failure is why a request did not succeed, as the target told it.
type Failure struct {
	Kind    FailureKind
	Code    string // as given, numbers as text
	Type    string
	Message string // innermost text
	// Limit and Given are the numbers of an over-length refusal, 0 if not
	// told. AtLeast says that Given is only a lower bound.
	Limit, Given int
	AtLeast      bool
	RetryAfter   time.Duration // 0 if not told
	// InStream says that the error came inside a 200.
	InStream bool
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
	Wrote        time.Duration // last byte of the request body
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

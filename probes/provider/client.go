package provider

import (
	"context"
	"io"
	"net/http"

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
	// Size is the length of the text in bytes.
	Size() int64
	// Reader returns a new reader of the text, from its beginning.
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

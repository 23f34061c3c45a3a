// Package providertest is the conformance suite of API dialects: what every
// [provider.Client] must do, whatever it speaks.
//
// A new dialect is done when its test is one call of [Run] with its fixtures:
// recorded answers of real servers, good and bad. The suite serves them over
// real connections, whole, byte by byte, compressed and cut at every offset;
// it plays servers that hang, flood, redirect, echo the credential and close;
// and it looks at what the client put on the wire.
//
// The one rule behind all of it: an answer may look sound ([provider.Response.OK])
// only if every byte of it came.
package providertest

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"crosstalk/internal/secret"
	"crosstalk/probes/provider"
)

// New makes a client of the dialect under test.
type New func(t *testing.T, baseURL string, limits provider.Limits) provider.Client

// Fixture is one recorded answer.
type Fixture struct {
	Name   string
	Status int
	Header http.Header
	Body   []byte
}

// Wire is what the suite must know of a dialect.
type Wire struct {
	// Answer and Stream are sound answers, whole and streamed.
	Answer, Stream Fixture
	// Fixtures are all recorded answers.
	Fixtures []Fixture
	// Prompt finds the prompt in the body of a request.
	Prompt func(body []byte) (string, error)
}

// Run runs the whole suite against a dialect.
func Run(t *testing.T, newClient New, wire Wire) {
	s := suite{new: newClient, wire: wire}
	for _, test := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"fixtures", s.fixtures},
		{"cuts", s.cuts},
		{"cut connections", s.cutConnections},
		{"no answer of the API", s.noAnswers},
		{"slow servers", s.slowServers},
		{"floods", s.floods},
		{"redirect", s.redirect},
		{"no connection", s.noConnection},
		{"cancel", s.cancel},
		{"early refusal", s.earlyRefusal},
		{"lingering stream", s.lingering},
		{"secrets", s.secrets},
		{"one attempt", s.oneAttempt},
		{"connections", s.connections},
		{"request", s.request},
		{"prompts", s.prompts},
		{"bad prompts", s.badPrompts},
		{"large prompt", s.largePrompt},
	} {
		t.Run(test.name, test.run)
	}
}

type suite struct {
	new  New
	wire Wire
}

// key is the credential of all requests of the suite.
const key = "sk-conformance-5f0c7f1b9d"

// Text is a prompt that is a string.
type Text string

// Size implements provider.Prompt.
func (p Text) Size() int64 { return int64(len(p)) }

// Reader implements provider.Prompt.
func (p Text) Reader() io.Reader { return strings.NewReader(string(p)) }

// newRequest returns a request with a prompt.
func newRequest(prompt provider.Prompt, stream bool) *provider.Request {
	return &provider.Request{
		ID: uuid.New(), Credential: secret.New(key), Model: "model", Prompt: prompt, MaxTokens: 32, Stream: stream,
	}
}

// client returns a client that is closed with the test.
func (s suite) client(t *testing.T, baseURL string, limits provider.Limits) provider.Client {
	t.Helper()
	c := s.new(t, baseURL, limits)
	t.Cleanup(c.Close)
	return c
}

// do sends one request, which must not be our own error.
func do(t *testing.T, c provider.Client, req *provider.Request) *provider.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	resp, err := c.Do(ctx, req)
	if err != nil {
		t.Fatalf("Do: %v", err)
	}
	return resp
}

// wantFailure checks the kind of a failure.
func wantFailure(t *testing.T, resp *provider.Response, kinds ...provider.FailureKind) {
	t.Helper()
	if resp.OK() {
		t.Fatalf("the answer looks sound, want failure %v", kinds)
	}
	for _, k := range kinds {
		if resp.Failure.Kind == k {
			return
		}
	}
	t.Errorf("failure %+v, want kind %v", *resp.Failure, kinds)
}

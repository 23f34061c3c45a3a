package probes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"crosstalk/corpus"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

// fakeClient answers in this process.
type fakeClient func(ctx context.Context, req *provider.Request) (*provider.Response, error)

func (f fakeClient) Do(ctx context.Context, req *provider.Request) (*provider.Response, error) {
	return f(ctx, req)
}
func (fakeClient) Parse(int, http.Header, io.Reader) *provider.Response { return nil }
func (fakeClient) Close()                                               {}

func answerOK(context.Context, *provider.Request) (*provider.Response, error) {
	return &provider.Response{Status: 200, Content: "fine", FinishReason: "stop"}, nil
}

// answerFailure answers with that status and failure.
func answerFailure(status int, f provider.Failure) fakeClient {
	return func(context.Context, *provider.Request) (*provider.Response, error) {
		return &provider.Response{Status: status, Failure: &f}, nil
	}
}

// memoryJournal keeps what was begun, or refuses with err.
type memoryJournal struct {
	err   error
	bound []Bound
	begun atomic.Bool
}

func (j *memoryJournal) Begin(_ context.Context, _ uuid.UUID, _ Plan, bound []Bound) error {
	if j.err != nil {
		return j.err
	}
	j.bound = bound
	j.begun.Store(true)
	return nil
}

// newRunner returns a runner of two tenants for a target on this machine. All
// tenants have the same client here, to see what is sent in which order.
func newRunner(t testing.TB, client fakeClient) Runner {
	t.Helper()
	r := Runner{
		Minter: &countingMinter{}, Journal: &memoryJournal{},
		Clients: make(map[string]provider.Client),
		Tenants: twoTenants(t),
		Target:  Target{Name: "edge", Model: "glm-5.3", Window: 1 << 20, Loopback: true},
	}
	for _, tenant := range r.Tenants {
		r.Clients[tenant.Name] = client
	}
	return r
}

// short is an intent of a short prompt.
func short(tenant string) Intent {
	return Intent{
		Tenant: tenant, Role: RoleMain, Tokens: 300, TokensLow: 290, TokensHigh: 310, MaxTokens: 100, Limit: 1 << 20,
		Spec: corpus.Spec{
			Version: corpus.Version, Family: corpus.Families()[0].Name, Task: corpus.TaskSeals,
			Dress: corpus.DressWords, Sentences: 3, Seals: 2,
		},
	}
}

// long is an intent that says it is long; its prompt is as short as any.
func long(tenant string) Intent {
	in := short(tenant)
	in.Tokens, in.TokensLow, in.TokensHigh = 200_000, 199_000, 201_000
	return in
}

func planOf(steps ...[]Intent) Plan {
	p := Plan{Probe: "test", Target: "edge"}
	for i, intents := range steps {
		p.Steps = append(p.Steps, Step{Name: fmt.Sprint("step ", i+1), Intents: intents})
	}
	return p
}

// outcome is what became of an exchange, in a word.
func outcome(e *Exchange) string {
	switch {
	case e.Response == nil:
		return e.SkipReason()
	case e.Response.Failure != nil:
		return string(e.Response.Failure.Kind)
	default:
		return "answer"
	}
}

func outcomes(r *Round) []string {
	var all []string
	for _, e := range r.Exchanges {
		all = append(all, outcome(e))
	}
	return all
}

func mustRun(t *testing.T, ctx context.Context, r Runner, p Plan) *Round {
	t.Helper()
	round, err := Run(ctx, r, p)
	if err != nil {
		t.Fatal(err)
	}
	return round
}

// TestRunRecords: the round holds the plan's exchanges in order, each with the
// identity that was journaled before anything was sent.
func TestRunRecords(t *testing.T) {
	journal := &memoryJournal{}
	var sent []uuid.UUID
	r := newRunner(t, func(_ context.Context, req *provider.Request) (*provider.Response, error) {
		if !journal.begun.Load() {
			t.Error("a request was sent before the round was journaled")
		}
		if req.Model != "glm-5.3" || req.MaxTokens != 100 || !req.ThinkingOff || req.Reuse {
			t.Errorf("request %+v", req)
		}
		sent = append(sent, req.ID)
		return &provider.Response{Status: 200, Content: reveal(req.Credential)}, nil
	})
	r.Journal = journal
	plan := planOf([]Intent{short("alpha")}, []Intent{short("bravo")}, []Intent{short("alpha")})
	round := mustRun(t, t.Context(), r, plan)

	if diff := cmp.Diff(plan, round.Plan); diff != "" {
		t.Errorf("the round has another plan:\n%s", diff)
	}
	var ids []uuid.UUID
	for i, e := range round.Exchanges {
		ids = append(ids, e.ID)
		b := journal.bound[i]
		if b.Exchange != e.ID || b.Payload != e.Payload || b.Intent != e.Intent {
			t.Errorf("exchange %d was journaled as %+v", i, b)
		}
		if want := "key-of-" + e.Intent.Tenant; e.Response.Content != want {
			t.Errorf("exchange %d was sent with %q, want %q", i, e.Response.Content, want)
		}
		if e.Intent.Bytes != e.Prompt.Size() {
			t.Errorf("exchange %d: intent of %d bytes, prompt of %d", i, e.Intent.Bytes, e.Prompt.Size())
		}
		if e.Payload.Tenant != e.Tenant || e.Started.Before(round.Started) || e.Started.After(round.Ended) {
			t.Errorf("exchange %d: %+v", i, e)
		}
	}
	if diff := cmp.Diff(ids, sent); diff != "" {
		t.Errorf("sent in another order:\n%s", diff)
	}
}

// TestRunCancelledBefore: a round that is stopped before it begins is not
// journaled.
func TestRunCancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	journal := &memoryJournal{}
	r := newRunner(t, answerOK)
	r.Journal = journal
	if _, err := Run(ctx, r, planOf([]Intent{short("alpha")})); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v", err)
	}
	if journal.begun.Load() {
		t.Error("the round was journaled")
	}
}

// TestRunRefused: nothing is sent, and nothing journaled, when the round must
// not take place.
func TestRunRefused(t *testing.T) {
	many := slices.Repeat([]Intent{short("alpha")}, MaxBurst+1)
	tests := map[string]struct {
		edit func(*Runner, *Plan)
		want string
		is   error
	}{
		"no budget": {
			func(r *Runner, _ *Plan) { r.Journal = &memoryJournal{err: fmt.Errorf("%w: 5 tokens left", ErrBudget)} },
			"round of test on target edge: journal: budget used up: 5 tokens left", ErrBudget,
		},
		"another target": {
			func(_ *Runner, p *Plan) { p.Target = "other" },
			"round of test on target other: the runner is for target edge", nil,
		},
		"no authorization": {
			func(r *Runner, _ *Plan) { r.Target.Loopback = false },
			"round of test on target edge: target edge: not allowed: it has no authorization: state basis, reference, contact and expires", ErrNotAllowed,
		},
		"expired since it was planned": {
			func(r *Runner, _ *Plan) {
				r.Target.Loopback = false
				r.Target.Authorization = ownerAuthorization()
				r.Target.Expires = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
			},
			"round of test on target edge: target edge: not allowed: its authorization (CHG-1234) expired on 2020-01-01: renew it", ErrNotAllowed,
		},
		"too many at once": {
			func(_ *Runner, p *Plan) { p.Steps[0].Intents = many },
			"round of test on target edge: step step 1: target edge: not allowed: 65 requests at once, at most 64", ErrNotAllowed,
		},
		"two long prompts at once": {
			func(_ *Runner, p *Plan) { p.Steps[0].Intents = []Intent{long("alpha"), long("bravo")} },
			"round of test on target edge: step step 1: target edge: not allowed: 2 prompts above 131072 tokens at once, at most 1", ErrNotAllowed,
		},
		"no client": {
			func(r *Runner, _ *Plan) { delete(r.Clients, "alpha") },
			"round of test on target edge: the runner has no client for tenant alpha", nil,
		},
		"no marker": {
			func(r *Runner, _ *Plan) { r.Minter = brokenMinter{} },
			"round of test on target edge: mint a prompt for tenant alpha: no draw is left", errNoDraw,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			journal := &memoryJournal{}
			r := newRunner(t, func(context.Context, *provider.Request) (*provider.Response, error) {
				t.Error("a request was sent")
				return nil, nil
			})
			r.Journal = journal
			plan := planOf([]Intent{short("alpha")})
			tt.edit(&r, &plan)
			round, err := Run(t.Context(), r, plan)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got error  %v\nwant error %s", err, tt.want)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("error does not wrap %v", tt.is)
			}
			if round != nil || journal.begun.Load() {
				t.Error("there is a round")
			}
		})
	}
}

var errNoDraw = errors.New("no draw is left")

type brokenMinter struct{}

func (brokenMinter) Mint(uint16, corpus.Spec) (tenants.Payload, *corpus.Prompt, error) {
	return tenants.Payload{}, nil, errNoDraw
}

// BenchmarkRun is what a round of n short prompts costs beside the client.
func BenchmarkRun(b *testing.B) {
	for _, n := range []int{1, 16, 64} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := newRunner(b, answerOK)
			plan := planOf(slices.Repeat([]Intent{short("alpha")}, n))
			for b.Loop() {
				if _, err := Run(b.Context(), r, plan); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

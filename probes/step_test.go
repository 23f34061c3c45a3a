package probes

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"crosstalk/probes/provider"
)

// TestRunBarrier proves that every request of a step is built before any is
// sent, and that all are in flight together: each client checks that all keys
// have been read, and answers only when all of them have been called.
func TestRunBarrier(t *testing.T) {
	const n = 24
	var built atomic.Int32
	var called sync.WaitGroup
	called.Add(n)
	r := newRunner(t, nil)
	r.Tenants = nil
	var intents []Intent
	for i := range n {
		name := fmt.Sprint("tenant-", i)
		r.Tenants = append(r.Tenants, newTenant(t, name, uint16(i+1), "", func(string) (string, bool) {
			built.Add(1)
			return "key", true
		}))
		r.Clients[name] = fakeClient(func(ctx context.Context, req *provider.Request) (*provider.Response, error) {
			if got := built.Load(); got != n {
				t.Errorf("sent when %d of %d requests were built", got, n)
			}
			called.Done()
			called.Wait()
			return answerOK(ctx, req)
		})
		intents = append(intents, short(name))
	}
	round := mustRun(t, t.Context(), r, planOf(intents))
	for _, e := range round.Exchanges {
		if outcome(e) != "answer" {
			t.Errorf("exchange of %s: %s", e.Intent.Tenant, e.Skipped)
		}
	}
}

// TestBarrier: nobody passes before the last has come, and then all do.
func TestBarrier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 8
		b := newBarrier(n)
		var passed atomic.Int32
		come := func() {
			b.wait()
			passed.Add(1)
		}
		go b.release()
		for range n - 1 {
			go come()
		}
		synctest.Wait()
		if got := passed.Load(); got != 0 {
			t.Errorf("%d passed before the last had come", got)
		}
		go come()
		synctest.Wait()
		if got := passed.Load(); got != n {
			t.Errorf("%d of %d passed", got, n)
		}
	})
}

// TestRunSteps: a step starts when every exchange of the one before has ended.
func TestRunSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var inFlight, ended atomic.Int32
		var before []int32
		var mu sync.Mutex
		r := newRunner(t, func(ctx context.Context, req *provider.Request) (*provider.Response, error) {
			mu.Lock()
			before = append(before, ended.Load())
			mu.Unlock()
			time.Sleep(time.Duration(inFlight.Add(1)) * time.Second)
			inFlight.Add(-1)
			ended.Add(1)
			return answerOK(ctx, req)
		})
		mustRun(t, t.Context(), r, planOf(
			[]Intent{short("alpha"), short("bravo"), short("alpha")},
			[]Intent{short("bravo")},
			[]Intent{short("alpha"), short("bravo")},
		))
		if diff := cmp.Diff([]int32{0, 0, 0, 3, 4, 4}, before); diff != "" {
			t.Errorf("exchanges ended before each start (-want +got):\n%s", diff)
		}
	})
}

func TestRunDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		intents := []Intent{short("alpha"), short("bravo"), short("alpha")}
		intents[1].Delay, intents[2].Delay = 50*time.Millisecond, 3*time.Second
		round := mustRun(t, t.Context(), newRunner(t, answerOK), planOf(intents))
		for i, e := range round.Exchanges {
			if got := e.Started.Sub(round.Started); got != intents[i].Delay {
				t.Errorf("exchange %d started after %v, want %v", i, got, intents[i].Delay)
			}
		}
	})
}

// TestRunTimeout: an exchange that takes too long is ended by its own timeout,
// and the next one still takes place.
func TestRunTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRunner(t, answerOK)
		var cause error
		r.Clients["alpha"] = fakeClient(func(ctx context.Context, _ *provider.Request) (*provider.Response, error) {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return &provider.Response{Failure: &provider.Failure{Kind: provider.FailureTimeout}}, nil
		})
		in := short("alpha")
		round := mustRun(t, t.Context(), r, planOf([]Intent{in}, []Intent{short("bravo")}))
		if diff := cmp.Diff([]string{"timeout", "answer"}, outcomes(round)); diff != "" {
			t.Errorf("outcomes (-want +got):\n%s", diff)
		}
		want := DefaultTimeout(round.Exchanges[0].Intent)
		if got := round.Ended.Sub(round.Started); got != want {
			t.Errorf("the round took %v, want %v", got, want)
		}
		if !errors.Is(cause, provider.Overdue{After: want}) {
			t.Errorf("ended by %v", cause)
		}
	})
}

func TestRunCancel(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	r := newRunner(t, func(ctx context.Context, _ *provider.Request) (*provider.Response, error) {
		cancel(errors.New("paused by operator"))
		<-ctx.Done()
		return &provider.Response{Failure: &provider.Failure{Kind: provider.FailureCancelled}}, nil
	})
	late := short("bravo")
	late.Delay = time.Hour
	round := mustRun(t, ctx, r, planOf([]Intent{short("alpha"), late}, []Intent{short("alpha"), short("bravo")}))
	want := []string{"cancelled", "cancelled: paused by operator", "cancelled: paused by operator", "cancelled: paused by operator"}
	got := []string{string(round.Exchanges[0].Response.Failure.Kind)}
	for _, e := range round.Exchanges[1:] {
		got = append(got, e.Skipped)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("after a stop (-want +got):\n%s", diff)
	}
}

// TestRunOurFaults: what breaks on our side stays in its exchange.
func TestRunOurFaults(t *testing.T) {
	r := newRunner(t, answerOK)
	r.Clients["panics"] = fakeClient(func(context.Context, *provider.Request) (*provider.Response, error) {
		var none []int
		_ = none[len(none)]
		return nil, nil
	})
	r.Clients["errs"] = fakeClient(func(context.Context, *provider.Request) (*provider.Response, error) {
		return nil, errors.New("read prompt: disk on fire")
	})
	r.Clients["silent"] = fakeClient(func(context.Context, *provider.Request) (*provider.Response, error) {
		return nil, nil
	})
	r.Clients["keyless"] = fakeClient(answerOK)
	for i, name := range []string{"panics", "errs", "silent"} {
		r.Tenants = append(r.Tenants, newTenant(t, name, uint16(i+3), "", nil))
	}
	r.Tenants = append(r.Tenants, newTenant(t, "keyless", 9, "", func(string) (string, bool) { return "", false }))
	round := mustRun(t, t.Context(), r, planOf(
		[]Intent{short("panics"), short("errs"), short("silent"), short("keyless"), short("alpha")},
		[]Intent{short("bravo")},
	))
	if diff := cmp.Diff([]string{"panic", "error", "error", "credential", "answer", "answer"}, outcomes(round)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	for i, part := range []string{"index out of range [0] with length 0 (step_test.go:", "disk on fire", "neither a response nor an error", "KEY_keyless"} {
		if got := round.Exchanges[i].Skipped; !strings.Contains(got, part) {
			t.Errorf("exchange %d: %q does not say %q", i, got, part)
		}
	}
}

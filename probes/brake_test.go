package probes

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"crosstalk/probes/provider"
)

// TestRunStopsTenant: a tenant whose key or money is refused sends nothing more
// in the round, others do; and a refused key is read again in the next round.
func TestRunStopsTenant(t *testing.T) {
	tests := map[string]struct {
		failure provider.Failure
		status  int
		reads   int32 // of the key, over two rounds
	}{
		"401":          {provider.Failure{Kind: provider.FailureAuth}, 401, 2},
		"402":          {provider.Failure{Kind: provider.FailurePayment}, 402, 1},
		"429 for good": {provider.Failure{Kind: provider.FailureQuota}, 429, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRunner(t, answerOK)
			r.Clients["alpha"] = answerFailure(tt.status, tt.failure)
			var reads atomic.Int32
			r.Tenants[0] = newTenant(t, "alpha", 1, "", func(string) (string, bool) { return "key", reads.Add(1) > 0 })
			plan := planOf([]Intent{short("alpha"), short("bravo")}, []Intent{short("alpha"), short("bravo")})
			for range 2 {
				round := mustRun(t, t.Context(), r, plan)
				want := []string{string(tt.failure.Kind), "answer", "tenant", "answer"}
				if diff := cmp.Diff(want, outcomes(round)); diff != "" {
					t.Errorf("outcomes (-want +got):\n%s", diff)
				}
				said := fmt.Sprintf("the target answered tenant alpha with status %d (%s)", tt.status, tt.failure.Kind)
				if got := round.Exchanges[2].Skipped; got != "tenant: "+said {
					t.Errorf("skipped for %q", got)
				}
			}
			if got := reads.Load(); got != tt.reads {
				t.Errorf("the key was read %d times, want %d", got, tt.reads)
			}
		})
	}
}

// TestRunBacksOff: a target that says it is overloaded gets less, and nothing
// twice.
func TestRunBacksOff(t *testing.T) {
	tests := map[string]struct {
		failure provider.Failure
		want    []string
		wait    time.Duration // before the second step
	}{
		"rate limit": {
			provider.Failure{Kind: provider.FailureRateLimit},
			[]string{"ratelimit", "backoff", "backoff", "answer"},
			0,
		},
		"rate limit for long": {
			provider.Failure{Kind: provider.FailureRateLimit, RetryAfter: time.Minute},
			[]string{"ratelimit", "backoff", "backoff", "answer"},
			0,
		},
		"overload": {
			provider.Failure{Kind: provider.FailureOverload},
			[]string{"overload", "backoff", "backoff", "answer"},
			0,
		},
		"rate limit for a moment": {
			provider.Failure{Kind: provider.FailureRateLimit, RetryAfter: 3 * time.Second},
			[]string{"ratelimit", "ratelimit", "answer", "answer"},
			3 * time.Second,
		},
		"over length": {
			provider.Failure{Kind: provider.FailureOverLength},
			[]string{"overlength", "overlength", "answer", "answer"},
			0,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRunner(t, answerOK)
				calls := 0
				r.Clients["alpha"] = fakeClient(func(ctx context.Context, req *provider.Request) (*provider.Response, error) {
					calls++
					return answerFailure(429, tt.failure)(ctx, req)
				})
				round := mustRun(t, t.Context(), r, planOf(
					[]Intent{short("alpha")}, []Intent{short("alpha"), long("bravo"), short("bravo")}))
				if diff := cmp.Diff(tt.want, outcomes(round)); diff != "" {
					t.Errorf("outcomes (-want +got):\n%s", diff)
				}
				if want := 2 - strings.Count(tt.want[1], "backoff"); calls != want {
					t.Errorf("alpha was asked %d times, want %d", calls, want)
				}
				if got := round.Exchanges[3].Started.Sub(round.Started); got != tt.wait {
					t.Errorf("the second step began after %v, want %v", got, tt.wait)
				}
			})
		})
	}
}

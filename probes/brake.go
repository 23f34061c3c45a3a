package probes

import (
	"fmt"
	"time"

	"crosstalk/probes/provider"
)

// shortRetry is the longest Retry-After that a round waits out before its next
// step. A longer one ends what the round may still ask of that tenant.
const shortRetry = 5 * time.Second

// longWhenBusy is the length in tokens above which nobody's prompt is welcome
// any more once the target has said that it is overloaded.
const longWhenBusy = 32 << 10

// brake remembers what the earlier steps of a round have heard that makes the
// later ones unwelcome. It never makes anything be sent again.
//
// A tenant whose key, money or allowance is refused sends nothing more. A
// target that says it is overloaded (429, 503, 529) gets nothing more from that
// tenant and no long prompt from anyone, unless it asks to come back within
// shortRetry: then the next step starts that much later.
type brake struct {
	stopped map[string]string // tenant: why it sends nothing more
	backoff map[string]string // tenant: what the target said
	busy    string            // what the target said last, to anyone
	resume  time.Time         // when the next step may start
}

// observe takes note of how an exchange ended.
func (b *brake) observe(s *shot, now time.Time) {
	if s.Response == nil || s.Response.Failure == nil {
		return
	}
	f := s.Response.Failure
	said := fmt.Sprintf("the target answered tenant %s with status %d (%s)", s.tenant.Name, s.Response.Status, f.Kind)
	switch f.Kind {
	case provider.FailureAuth:
		s.tenant.Credential.Invalidate()
		b.stop(s.tenant.Name, said)
	case provider.FailurePayment, provider.FailureQuota:
		b.stop(s.tenant.Name, said)
	case provider.FailureRateLimit, provider.FailureOverload:
		if f.RetryAfter > 0 && f.RetryAfter <= shortRetry {
			b.resume = later(b.resume, now.Add(f.RetryAfter))
			return
		}
		if b.backoff == nil {
			b.backoff = make(map[string]string)
		}
		b.backoff[s.tenant.Name], b.busy = said, said
	}
}

func (b *brake) stop(tenant, why string) {
	if b.stopped == nil {
		b.stopped = make(map[string]string)
	}
	b.stopped[tenant] = why
}

// holds is why an exchange must not be made; "" if it may.
func (b *brake) holds(in Intent) (reason, detail string) {
	if why := b.stopped[in.Tenant]; why != "" {
		return SkipTenant, why
	}
	if why := b.backoff[in.Tenant]; why != "" {
		return SkipBackoff, why
	}
	if b.busy != "" && in.Tokens > longWhenBusy {
		return SkipBackoff, b.busy + ", and this prompt is long"
	}
	return "", ""
}

// wait is how long the next step has to wait.
func (b *brake) wait(now time.Time) time.Duration {
	if b.resume.IsZero() {
		return 0
	}
	return b.resume.Sub(now)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

package alerting

import (
	"context"
	"fmt"
	"time"
)

// Notifier delivers pages to one receiver. It is safe for concurrent use.
type Notifier interface {
	// Name is the name of the notifier in the configuration.
	Name() string
	// Notify delivers a page, trying as often as ctx allows what may be tried
	// again. A failure is a *DeliveryError, which holds no secret.
	Notify(ctx context.Context, p Page) error
}

// Refresher is a notifier whose receiver forgets. Alertmanager holds alerts in
// memory and ends them at their time: whoever raises one must repeat it while
// it lasts.
type Refresher interface {
	Notifier
	// RefreshEvery is how often Refresh is to be called.
	RefreshEvery() time.Duration
	// Refresh tells the receiver of every open incident again. Failures are
	// as those of Notify.
	Refresh(ctx context.Context, open []Incident) error
}

// The reasons of a DeliveryError.
const (
	ReasonRefused      = "refused"      // 3xx, 4xx: the receiver will not have it
	ReasonUnauthorized = "unauthorized" // 401, 403
	ReasonRateLimited  = "ratelimited"  // 429
	ReasonUnavailable  = "unavailable"  // 5xx
	ReasonTimeout      = "timeout"      // no answer in time, 408
	ReasonNetwork      = "network"      // no connection, or one that broke off
	ReasonTLS          = "tls"          // a certificate or handshake that is not right
)

// Reasons returns every reason of a DeliveryError: they are labels, and their
// series are to exist before the first failure.
func Reasons() []string {
	return []string{
		ReasonRefused, ReasonUnauthorized, ReasonRateLimited, ReasonUnavailable,
		ReasonTimeout, ReasonNetwork, ReasonTLS,
	}
}

// DeliveryError is why a page was not delivered.
type DeliveryError struct {
	Notifier string
	// Reason is one bounded word, see Reasons.
	Reason string
	// Retryable says that a later attempt may succeed with nothing mended.
	Retryable  bool
	RetryAfter time.Duration // 0 if the receiver did not say
	Err        error
}

func (e *DeliveryError) Error() string {
	return fmt.Sprintf("notifier %s: %s: %v", e.Notifier, e.Reason, e.Err)
}

func (e *DeliveryError) Unwrap() error { return e.Err }

// Delivery is a page that is due to a notifier.
type Delivery struct {
	Page     Page
	Notifier string
	Attempts int // made so far
}

// Outbox holds the pages that are to be delivered.
type Outbox interface {
	// Due returns at most n deliveries that are due at now, oldest first. Of
	// several pages of one incident to one notifier only the oldest that is
	// not delivered should be due: a trigger that arrives after its
	// resolution would stay open at the receiver for ever.
	Due(ctx context.Context, now time.Time, n int) ([]Delivery, error)
	// Delivered records a delivery; it is never due again.
	Delivered(ctx context.Context, d Delivery, at time.Time) error
	// Failed records a failed attempt and when the next is due; a zero next
	// gives the delivery up, which is counted and shown. A Courier never
	// gives up.
	Failed(ctx context.Context, d Delivery, reason string, next time.Time) error
}

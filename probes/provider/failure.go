package provider

import "time"

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
	FailureTimeout    FailureKind = "timeout"    // ours, or a 408, 504 or 524
	FailureCancelled  FailureKind = "cancelled"  // by us
	FailureNetwork    FailureKind = "network"    // no connection, reset, TLS
	FailureRedirect   FailureKind = "redirect"   // 3xx: not followed
)

// RefusesTenant reports whether the target refuses who asks rather than what is
// asked: for the tenant's key, its money or its allowance. Nothing more of it
// will be taken until a person has looked.
func (k FailureKind) RefusesTenant() bool {
	return k == FailureAuth || k == FailurePayment || k == FailureQuota
}

// Failure is why a request did not succeed, as the target told it. Its texts
// never hold the request's credential.
type Failure struct {
	Kind    FailureKind
	Code    string // as given, numbers as text
	Type    string
	Param   string // the parameter the target complains of, as given
	Message string // innermost text
	// Limit and Given are the numbers of an over-length refusal in tokens, 0
	// if not told. Given counts what the target compared with Limit, so it
	// may include the answer asked for; Prompt is the prompt alone, where
	// the two are told apart. AtLeast says that Given is only a lower bound.
	Limit, Given, Prompt int
	AtLeast              bool
	RetryAfter           time.Duration // 0 if not told, at most 24 h
	// InStream says that the error came inside a 200.
	InStream bool
}

// ours reports whether the failure was seen by us on the way rather than told
// by the target.
func (f *Failure) ours() bool {
	switch f.Kind {
	case FailureTruncated, FailureLimit, FailureTimeout, FailureCancelled, FailureNetwork, FailureMalformed:
		return true
	}
	return false
}

// Fail sets the failure of r. An earlier one stays, except that a refusal in
// the target's own words replaces a connection that merely broke off.
func (r *Response) Fail(f *Failure) {
	switch {
	case f == nil:
	case r.Failure == nil:
		r.Failure = f
	case !f.ours() && (r.Failure.Kind == FailureTruncated || r.Failure.Kind == FailureNetwork):
		r.Failure = f
	}
}

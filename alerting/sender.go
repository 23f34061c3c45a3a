package alerting

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"crosstalk/internal/secret"
)

// Sender posts what must arrive: pages, heartbeats, hooks. It retries what may
// pass, for as long as its context allows, on go-retryablehttp; and it mends what
// that library leaves to its user: a Retry-After is clamped, a wait that would
// outlast the deadline is not begun, a redirect is refused (it would carry
// headers with keys in them to another host), nothing is logged, and errors name
// neither URL nor body.
//
// It is safe for concurrent use.
type Sender struct {
	name    string
	client  *http.Client
	secrets []secret.Value
	min     time.Duration
	max     time.Duration
}

// SenderOptions are the options of a Sender; the zero value is good.
type SenderOptions struct {
	// Transport makes the connections; nil means one of its own, with the
	// proxies of the environment.
	Transport http.RoundTripper
	// Try bounds one request; 0 means 10 seconds.
	Try time.Duration
	// WaitMin and WaitMax bound the wait between two requests of one call; 0
	// means 500 milliseconds and 5 seconds. What a receiver asks for beyond
	// WaitMax ends the call, with the time it asked for in the error.
	WaitMin, WaitMax time.Duration
	// Secrets are blanked in every error.
	Secrets []secret.Value
}

// maxTries is the most requests of one call. The deadline of the context ends
// most calls before.
const maxTries = 8

// NewSender returns a Sender that names its errors after a notifier.
func NewSender(name string, o SenderOptions) *Sender {
	s := &Sender{name: name, secrets: o.Secrets, min: o.WaitMin, max: o.WaitMax}
	if s.min <= 0 {
		s.min = 500 * time.Millisecond
	}
	if s.max <= 0 {
		s.max = 5 * time.Second
	}
	try := o.Try
	if try <= 0 {
		try = 10 * time.Second
	}
	transport := o.Transport
	if transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.MaxIdleConnsPerHost = 1
		transport = t
	}
	s.client = &http.Client{
		Transport: transport, Timeout: try,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s
}

// Post posts a body and returns nil for any 2xx; an error is a *DeliveryError.
// The URL is taken as a secret: many are.
func (s *Sender) Post(ctx context.Context, to secret.Value, h http.Header, body []byte) error {
	req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, to.Reveal(), bytes.NewReader(body))
	if err != nil {
		return &DeliveryError{Notifier: s.name, Reason: ReasonRefused, Err: errors.New("the URL cannot be used")}
	}
	req.Header = h.Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	if req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("User-Agent", "crosstalk")

	c := &call{s: s}
	client := &retryablehttp.Client{
		HTTPClient: s.client, RetryMax: maxTries - 1, RetryWaitMin: s.min, RetryWaitMax: s.max,
		CheckRetry: c.again, Backoff: c.wait, ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
	resp, err := client.Do(req)
	if resp != nil {
		drain(resp.Body)
	}
	if c.last == nil && err != nil { // it ended without a try that was judged
		c.last = s.classify(ctx, nil, err)
	}
	if c.last == nil {
		return nil
	}
	return c.last
}

// call is one call of Post: what its last request came to.
type call struct {
	s     *Sender
	tries int
	last  *DeliveryError
}

// again judges a request, and says whether to make another: if the failure may
// pass, and the wait for it ends before the deadline.
func (c *call) again(ctx context.Context, resp *http.Response, err error) (bool, error) {
	c.tries++
	c.last = c.s.classify(ctx, resp, err)
	if c.last == nil || !c.last.Retryable || ctx.Err() != nil || c.last.RetryAfter > c.s.max {
		return false, nil
	}
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) > c.next(), nil
}

// wait is the wait before the next request. The arguments are the library's; its
// own reading of Retry-After is not bounded.
func (c *call) wait(_, _ time.Duration, _ int, _ *http.Response) time.Duration { return c.next() }

func (c *call) next() time.Duration {
	b := Backoff{Min: c.s.min, Max: c.s.max, Long: c.s.max}
	return b.Wait(c.tries, c.last)
}

// classify says why a request failed, nil if it did not.
func (s *Sender) classify(ctx context.Context, resp *http.Response, err error) *DeliveryError {
	if err != nil {
		return s.classifyError(ctx, err)
	}
	d := &DeliveryError{Notifier: s.name, Err: fmt.Errorf("status %d", resp.StatusCode)}
	switch code := resp.StatusCode; {
	case code >= 200 && code < 300:
		return nil
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		d.Reason = ReasonUnauthorized
	case code == http.StatusTooManyRequests:
		d.Reason, d.Retryable = ReasonRateLimited, true
	case code == http.StatusRequestTimeout:
		d.Reason, d.Retryable = ReasonTimeout, true
	case code >= 500:
		d.Reason, d.Retryable = ReasonUnavailable, true
	case code >= 300 && code < 400:
		d.Reason, d.Err = ReasonRefused, fmt.Errorf("status %d: redirects are not followed: name the final URL", code)
	default:
		d.Reason = ReasonRefused
	}
	if d.Retryable {
		d.RetryAfter = retryAfter(resp.Header, time.Now())
	}
	return d
}

// classifyError says why a request had no answer.
func (s *Sender) classifyError(ctx context.Context, err error) *DeliveryError {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // it names the URL
	}
	d := &DeliveryError{Notifier: s.name, Reason: ReasonNetwork, Retryable: true, Err: errors.New(secret.Redact(err.Error(), s.secrets...))}
	var timeout net.Error
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.Is(err, context.DeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout():
		d.Reason = ReasonTimeout
	case isTLS(err):
		d.Reason, d.Retryable = ReasonTLS, false
	}
	return d
}

// isTLS reports whether a connection failed for its certificate or handshake.
func isTLS(err error) bool {
	var (
		verification *tls.CertificateVerificationError
		record       tls.RecordHeaderError
		alert        tls.AlertError
		authority    x509.UnknownAuthorityError
		host         x509.HostnameError
		invalid      x509.CertificateInvalidError
	)
	return errors.As(err, &verification) || errors.As(err, &record) || errors.As(err, &alert) ||
		errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid) ||
		strings.HasPrefix(err.Error(), "tls: ") || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

// drain reads what little a receiver says, so that the connection can be used
// again. It is not kept: it may quote what was sent.
func drain(body io.ReadCloser) {
	defer body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(body, 64<<10))
}

// Package notifytest is the suite that every notifier passes. A notifier is done
// when its test is one call to [Run].
//
// The suite plays receivers that are well, ill and hostile, and asks for the
// right word each time: what failed, whether waiting helps, and for how long. It
// plants a secret in the address and the credentials, and text of a stranger in
// the answer that led to the page, and looks for both where they must not be.
package notifytest

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"crosstalk/alerting"
	"crosstalk/checks"
	"crosstalk/probes"
	"crosstalk/probes/provider"
)

// Secret is to be the credential of the notifier under test, whatever it has.
// The address it is given holds it as well.
const Secret = "planted-s3cret/key+42"

// inAddress is a secret as it stands in an address.
const inAddress = "planted-s3cret-path"

// foreign is text of a stranger in the answer that led to the page.
const foreign = "Dear Ms Marchetti, your biopsy results of 14 March are attached"

// WaitMax is what the notifier under test should have as the longest wait
// between two requests of one call, so that the suite takes no longer than it
// must.
const WaitMax = 50 * time.Millisecond

// Run runs the suite. open returns the notifier under test, which sends to url
// with Secret as its credentials, retries within WaitMax, and is named "test".
func Run(t *testing.T, open func(t *testing.T, url string) alerting.Notifier) {
	t.Run("success", func(t *testing.T) { success(t, open) })
	t.Run("failures", func(t *testing.T) { failures(t, open) })
	t.Run("retry after", func(t *testing.T) { afterward(t, open) })
	t.Run("recovers", func(t *testing.T) { recovers(t, open) })
	t.Run("redirect", func(t *testing.T) { redirect(t, open) })
	t.Run("tls", func(t *testing.T) { badTLS(t, open) })
	t.Run("nobody listens", func(t *testing.T) { nobody(t, open) })
	t.Run("one key for ever", func(t *testing.T) { oneKey(t, open) })
	t.Run("concurrent", func(t *testing.T) { concurrent(t, open) })
}

// opener is how a notifier under test is made.
type opener = func(t *testing.T, url string) alerting.Notifier

// Pages returns the pages of one incident from trigger to resolution, made the
// way they are made in earnest: a round with a leak in it is observed and
// stepped.
func Pages() []alerting.Page {
	at := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	policy := alerting.Policy{RepeatEvery: time.Hour, EscalateAfter: 30 * time.Minute}
	s, pages := alerting.Step(policy, alerting.TargetState{}, observation(at))
	for _, after := range []time.Duration{31 * time.Minute, 2 * time.Hour} {
		var more []alerting.Page
		s, more = alerting.Tick(policy, s, at.Add(after))
		pages = append(pages, more...)
	}
	_, last, err := alerting.Resolve(policy, s, pages[0].Incident.ID, "jo", at.Add(3*time.Hour))
	if err != nil {
		panic(err) // the suite is broken
	}
	return append(pages, last...)
}

// observation is a round in which another tenant's marker, and a stranger's
// letter, stood in the answer.
func observation(at time.Time) alerting.Observation {
	id := uuid.NewSHA1(uuid.NameSpaceURL, []byte("exchange"))
	x := &probes.Exchange{
		ID: id, Tenant: 1, Started: at,
		Intent: probes.Intent{Tenant: "alpha", Role: probes.RoleMain, Cell: probes.Cell{
			Target: "edge-glm", Probe: "seedwatch", Length: probes.BandWindow, Concurrency: "1", Stream: true,
		}},
		Response: &provider.Response{Status: 200, Content: foreign},
	}
	round := &probes.Round{
		ID: uuid.NewSHA1(uuid.NameSpaceURL, []byte("round")), Started: at, Ended: at,
		Plan:      probes.Plan{Probe: "seedwatch", Target: "edge-glm"},
		Exchanges: []*probes.Exchange{x},
	}
	return alerting.Observe(round, checks.Report{
		Findings: []checks.Finding{{
			Check: "foreignmarker", Kind: checks.KindMarker, Class: checks.Leak, Exchange: id,
			PChance: 1e-20, Origin: &checks.Origin{Tenant: 2}, Detail: "a marker of tenant 2",
		}},
		Verdicts: []checks.Verdict{{Exchange: id, Class: checks.Leak, Reason: checks.KindMarker}},
	})
}

func success(t *testing.T, open opener) {
	for _, code := range []int{200, 201, 202, 204} {
		r := serve(t, func(w http.ResponseWriter, _ int) { w.WriteHeader(code) })
		n := open(t, r.address())
		if n.Name() != "test" {
			t.Errorf("Name() = %q, want the name it was given, test", n.Name())
		}
		for _, p := range Pages() {
			if err := n.Notify(t.Context(), p); err != nil {
				t.Errorf("status %d: Notify: %v", code, err)
			}
		}
		if got, want := len(r.got()), len(Pages()); got != want {
			t.Errorf("status %d: %d requests, want %d", code, got, want)
		}
		for _, q := range r.got() {
			if bytes.Contains(q.body, []byte(Secret)) || bytes.Contains(q.body, []byte(inAddress)) {
				t.Errorf("a secret is in the body: %s", q.body)
			}
			if bytes.Contains(q.body, []byte("Marchetti")) {
				t.Errorf("text of the answer is in the body: %s", q.body)
			}
		}
	}
}

func failures(t *testing.T, open opener) {
	tests := []struct {
		name      string
		answer    func(http.ResponseWriter, int)
		reason    string
		retryable bool
	}{
		{"bad request", status(400), alerting.ReasonRefused, false},
		{"unauthorized", status(401), alerting.ReasonUnauthorized, false},
		{"forbidden", status(403), alerting.ReasonUnauthorized, false},
		{"not found", status(404), alerting.ReasonRefused, false},
		{"request timeout", status(408), alerting.ReasonTimeout, true},
		{"gone", status(410), alerting.ReasonRefused, false},
		{"too many", status(429), alerting.ReasonRateLimited, true},
		{"server error", status(500), alerting.ReasonUnavailable, true},
		{"bad gateway", status(502), alerting.ReasonUnavailable, true},
		{"unavailable", status(503), alerting.ReasonUnavailable, true},
		{"gateway timeout", status(504), alerting.ReasonUnavailable, true},
		{"reset", reset, alerting.ReasonNetwork, true},
		{"not HTTP", noise, alerting.ReasonNetwork, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := serve(t, tt.answer)
			d := fail(t, open(t, r.address()), 2*time.Second)
			if d.Reason != tt.reason || d.Retryable != tt.retryable {
				t.Errorf("reason %s, retryable %t; want %s, %t", d.Reason, d.Retryable, tt.reason, tt.retryable)
			}
			if !tt.retryable && len(r.got()) != 1 {
				t.Errorf("%d requests for what waiting does not mend", len(r.got()))
			}
		})
	}
	t.Run("hang", func(t *testing.T) {
		free := make(chan struct{})
		r := serve(t, func(http.ResponseWriter, int) { <-free })
		defer close(free)
		d := fail(t, open(t, r.address()), 200*time.Millisecond)
		if d.Reason != alerting.ReasonTimeout || !d.Retryable {
			t.Errorf("reason %s, retryable %t; want timeout, true", d.Reason, d.Retryable)
		}
	})
}

// fail delivers a page that cannot be delivered, and checks what is true of
// every failure: its type, its bounded reason, and that it tells no secret, not
// to a log either.
func fail(t *testing.T, n alerting.Notifier, within time.Duration) *alerting.DeliveryError {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	started := time.Now()
	err := n.Notify(ctx, Pages()[0])
	if took := time.Since(started); took > within+5*time.Second {
		t.Errorf("Notify took %v, %v after its context had ended", took, took-within)
	}
	var d *alerting.DeliveryError
	if !errors.As(err, &d) {
		t.Fatalf("Notify: %v, want a *alerting.DeliveryError", err)
	}
	if d.Notifier != "test" {
		t.Errorf("the error names notifier %q, want test", d.Notifier)
	}
	if !contains(alerting.Reasons(), d.Reason) {
		t.Errorf("reason %q is none of %v", d.Reason, alerting.Reasons())
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Warn("failed", "err", err)
	for _, text := range []string{err.Error(), log.String()} {
		for _, s := range []string{Secret, strconv.Quote(Secret), inAddress} {
			if strings.Contains(text, s) {
				t.Errorf("a secret is in %q", text)
			}
		}
	}
	return d
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// afterward: what the receiver asks for is handed on, and cannot be absurd.
func afterward(t *testing.T, open opener) {
	tests := []struct {
		name, header string
		least, most  time.Duration
	}{
		{"seconds", "7", 7 * time.Second, 7 * time.Second},
		{"date", time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat), time.Minute, 91 * time.Second},
		{"a date in the past", "Fri, 31 Dec 1999 23:59:59 GMT", 0, 0},
		{"absurd", "99999999999999999999", time.Minute, 24 * time.Hour},
		{"an absurd date", "Fri, 31 Dec 9999 23:59:59 GMT", time.Minute, 24 * time.Hour},
		{"negative", "-5", 0, 0},
		{"nonsense", "soon", 0, 0},
		{"NaN", "NaN", 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := serve(t, func(w http.ResponseWriter, _ int) {
				w.Header().Set("Retry-After", tt.header)
				w.WriteHeader(http.StatusTooManyRequests)
			})
			d := fail(t, open(t, r.address()), 5*time.Second)
			if d.Reason != alerting.ReasonRateLimited || !d.Retryable {
				t.Errorf("reason %s, retryable %t; want ratelimited, true", d.Reason, d.Retryable)
			}
			if d.RetryAfter < tt.least || d.RetryAfter > tt.most {
				t.Errorf("RetryAfter = %v, want %v to %v", d.RetryAfter, tt.least, tt.most)
			}
			if tt.least > WaitMax && len(r.got()) != 1 {
				t.Errorf("%d requests before the time that the receiver asked for", len(r.got()))
			}
		})
	}
}

// recovers: a failure that passes within the call is no failure, and the page is
// the same each time.
func recovers(t *testing.T, open opener) {
	r := serve(t, func(w http.ResponseWriter, n int) {
		switch n {
		case 1:
			w.WriteHeader(http.StatusInternalServerError)
		case 2:
			reset(w, n)
		default:
			w.WriteHeader(http.StatusOK)
		}
	})
	if err := open(t, r.address()).Notify(t.Context(), Pages()[0]); err != nil {
		t.Fatalf("Notify: %v", err)
	}
	got := r.got()
	if len(got) != 3 {
		t.Fatalf("%d requests, want 3", len(got))
	}
	for _, q := range got[1:] {
		if !bytes.Equal(q.body, got[0].body) {
			t.Errorf("a retry sent another body:\n%s\n%s", got[0].body, q.body)
		}
	}
}

// redirect: credentials do not follow a redirect to another host.
func redirect(t *testing.T, open opener) {
	for _, code := range []int{301, 302, 303, 307, 308} {
		var followed atomic.Int32
		other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) }))
		t.Cleanup(other.Close)
		r := serve(t, func(w http.ResponseWriter, _ int) {
			w.Header().Set("Location", other.URL+"/elsewhere")
			w.WriteHeader(code)
		})
		d := fail(t, open(t, r.address()), 2*time.Second)
		if d.Reason != alerting.ReasonRefused || d.Retryable {
			t.Errorf("status %d: reason %s, retryable %t; want refused, false", code, d.Reason, d.Retryable)
		}
		if followed.Load() > 0 {
			t.Errorf("status %d: the redirect was followed", code)
		}
	}
}

// badTLS: a certificate that nobody has signed is not accepted.
func badTLS(t *testing.T, open opener) {
	var got atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { got.Add(1) }))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.StartTLS()
	t.Cleanup(s.Close)
	d := fail(t, open(t, s.URL+"/"+inAddress), 2*time.Second)
	if d.Reason != alerting.ReasonTLS || d.Retryable {
		t.Errorf("reason %s, retryable %t; want tls, false", d.Reason, d.Retryable)
	}
	if got.Load() > 0 {
		t.Error("the page was sent to a server without a right certificate")
	}
}

// nobody: a port where nobody listens.
func nobody(t *testing.T, open opener) {
	s := httptest.NewServer(http.NotFoundHandler())
	address := s.URL + "/" + inAddress
	s.Close()
	d := fail(t, open(t, address), 2*time.Second)
	if d.Reason != alerting.ReasonNetwork || !d.Retryable {
		t.Errorf("reason %s, retryable %t; want network, true", d.Reason, d.Retryable)
	}
}

// oneKey: all notifications of an incident carry its dedup key.
func oneKey(t *testing.T, open opener) {
	r := serve(t, func(w http.ResponseWriter, _ int) { w.WriteHeader(http.StatusOK) })
	n := open(t, r.address())
	key := Pages()[0].Incident.DedupKey
	for _, p := range append(Pages(), Pages()...) {
		if p.Incident.DedupKey != key {
			t.Fatalf("the pages of one incident have keys %q and %q", key, p.Incident.DedupKey)
		}
		if err := n.Notify(t.Context(), p); err != nil {
			t.Fatalf("Notify: %v", err)
		}
	}
	for _, q := range r.got() {
		if !bytes.Contains(q.body, []byte(key)) {
			t.Errorf("no dedup key %s in %s", key, q.body)
		}
	}
}

// concurrent: a notifier is safe for concurrent use.
func concurrent(t *testing.T, open opener) {
	r := serve(t, func(w http.ResponseWriter, n int) {
		if n%3 == 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	n := open(t, r.address())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, p := range Pages() {
				if err := n.Notify(t.Context(), p); err != nil {
					t.Errorf("Notify: %v", err)
				}
			}
		})
	}
	wg.Wait()
}

package simulator

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Names of the gateway's ills, as the ground truth gives them.
const (
	illTooLarge   = "toolarge"
	illRateLimit  = "ratelimit"
	illOverload   = "overload"
	illPayment    = "payment"
	illModeration = "moderation"
	illHTML       = "html"
	illHang       = "hang"
	illDrop       = "drop"
)

// gateway answers in place of the engine where the profile has it ill. It
// reports whether it did; the request body has been read.
func (s *Server) gateway(w http.ResponseWriter, r *http.Request, j *job, p Profile) bool {
	// One draw each, so that one ill's rate does not move another's requests.
	overload, payment, moderation := j.rng.Float64(), j.rng.Float64(), j.rng.Float64()
	html, hang := j.rng.Float64(), j.rng.Float64()
	if !p.ill(time.Since(s.started)) {
		return false
	}
	wait, limited := s.meter.charge(j.truth.Tenant, j.prompt.tokens, p.TPM, time.Now())
	t := j.truth
	switch {
	case payment < p.Payment:
		t.Ill = illPayment
		writeGatewayError(w, http.StatusPaymentRequired, "insufficient_credits", "402", "Your account has run out of credits. Add credits to go on.")
	case limited:
		t.Ill = illRateLimit
		seconds := int(wait/time.Second) + 1
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		writeGatewayError(w, http.StatusTooManyRequests, "tokens", "rate_limit_exceeded", fmt.Sprintf("Rate limit reached for tokens per minute (TPM): limit %d, requested %d. Please try again in %ds.", p.TPM, j.prompt.tokens, seconds))
	case overload < p.Overload:
		t.Ill = illOverload
		w.Header().Set("Retry-After", "2")
		writeGatewayError(w, http.StatusServiceUnavailable, "service_unavailable", "overloaded", "The server is overloaded, please try again later.")
	case moderation < p.Moderation:
		t.Ill = illModeration
		writeGatewayError(w, http.StatusBadRequest, "invalid_request_error", "content_filter", "The prompt was flagged by our content management policy. Please modify your prompt and try again.")
	case html < p.HTML:
		t.Ill = illHTML
		writePage(w, http.StatusOK, "Please wait while we check your browser")
	case hang < p.Hang:
		t.Ill = illHang
		s.hang(r)
	default:
		return false
	}
	return true
}

// hang keeps the client waiting without a byte until it leaves, the limit is
// reached or the server closes, and then breaks the connection.
func (s *Server) hang(r *http.Request) {
	timer := time.NewTimer(s.opts.HangLimit)
	defer timer.Stop()
	select {
	case <-r.Context().Done():
	case <-timer.C:
	case <-s.closing:
	}
}

// tooLarge answers 413 as nginx does, before the body has been read, and then
// reads what the client still sends, so that it gets to see the answer.
func tooLarge(w http.ResponseWriter, r *http.Request, limit int64) {
	control := http.NewResponseController(w)
	// Not every connection can do it; then the client may see a reset, as with
	// real gateways.
	_ = control.EnableFullDuplex()
	w.Header().Set("Connection", "close")
	writePage(w, http.StatusRequestEntityTooLarge, "413 Request Entity Too Large")
	_ = control.Flush()
	_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, limit))
}

// meter counts the prompt tokens of each tenant in the running minute.
type meter struct {
	mu     sync.Mutex
	minute time.Time
	spent  map[string]int
}

// charge adds tokens to a tenant's minute. Over the limit it adds nothing and
// returns how long is left of the minute.
func (m *meter) charge(tenant string, tokens, limit int, now time.Time) (wait time.Duration, limited bool) {
	if limit <= 0 {
		return 0, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if now.Sub(m.minute) >= time.Minute {
		m.minute, m.spent = now, map[string]int{}
	}
	if m.spent[tenant]+tokens > limit {
		return m.minute.Add(time.Minute).Sub(now), true
	}
	m.spent[tenant] += tokens
	return 0, false
}

// prefixes remembers which beginnings of prompts have been seen, the last few
// thousand of them.
type prefixes struct {
	mu   sync.Mutex
	seen map[uint64]bool
	ring []uint64
	next int
}

// see reports whether a prefix was seen before, and remembers it.
func (p *prefixes) see(hash uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen[hash] {
		return true
	}
	if p.seen == nil {
		p.seen, p.ring = map[uint64]bool{}, make([]uint64, 4096)
	}
	delete(p.seen, p.ring[p.next])
	p.ring[p.next], p.seen[hash] = hash, true
	p.next = (p.next + 1) % len(p.ring)
	return false
}

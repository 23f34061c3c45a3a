package checks

import (
	"fmt"
	"time"

	"crosstalk/probes"
)

// KindSkippedPrefill is an answer that came before its prompt can have been read.
const KindSkippedPrefill = "skipped" // damaged

// prefillrateCheck sees prompts that nobody read. The first token of an answer
// cannot come before the prompt was prefilled, and the time that takes grows
// with its length. When a prompt is answered several times faster than this
// target can prefill, and no part of it was cached, it was not prefilled: a
// placeholder was, or nothing.
//
// The rate of an exchange is our own estimate of its tokens, never the target's
// count, over the time from the last byte written to the first content. It is
// compared with the rate fitted on shorter cold prompts of the target or, where
// there is none, with the control of the same round.
type prefillrateCheck struct{}

func (prefillrateCheck) Name() string { return "prefillrate" }

func (c prefillrateCheck) Run(in *Input) []Finding {
	return in.each(c.Name(), func(s *subject) []Finding {
		tokens, took, ok := s.prefill()
		if !ok || tokens < minPrefillTokens || s.whole() {
			return nil // a whole answer was read, whatever the clock says
		}
		known, ok := s.knownPrefill(tokens, took)
		rate := float64(tokens) / took.Seconds()
		if !ok || rate <= maxPrefillRatio*known {
			return nil
		}
		return []Finding{{Kind: KindSkippedPrefill, Class: Damaged, Detail: fmt.Sprintf(
			"first content %v after the last byte of a cold prompt of about %d tokens: %.0f tokens a second, %.1f times what this target prefills",
			took.Round(time.Millisecond), tokens, rate, rate/known)}}
	})
}

const (
	// minPrefillTokens is the shortest prompt judged: below, other delays
	// hide the prefill.
	minPrefillTokens = 32 << 10
	// maxPrefillRatio is how much faster than known a prefill may be: more
	// replicas, another batch, an idle machine.
	maxPrefillRatio = 5.0
	// minControlTokens and minControlTime say what a control must be for
	// its time to be that of a prefill, and not of a network.
	minControlTokens = 16 << 10
	minControlTime   = 250 * time.Millisecond
)

// prefill is how long the prompt took from last byte to first content, if that
// time says anything: a cold prompt, streamed, with no part of it cached.
func (s *subject) prefill() (tokens int, took time.Duration, ok bool) {
	i, t := s.x.Intent, s.r.Times
	if !i.Stream || !s.r.Streamed || i.Cell.Warm || i.Spec.Prefix != nil || s.r.Failure != nil {
		return 0, 0, false
	}
	if u := s.r.Usage; u != nil && value(u.Cached) > 0 {
		return 0, 0, false
	}
	if t.Wrote <= 0 || t.FirstContent <= 0 || i.Tokens <= 0 {
		return 0, 0, false
	}
	// Content before the last byte was written: nobody waited for it.
	return i.Tokens, max(t.FirstContent-t.Wrote, time.Millisecond), true
}

// knownPrefill is the rate to compare with, tokens a second: the target's, if
// by it the prompt should have taken long enough to measure, else that of a
// control.
func (s *subject) knownPrefill(tokens int, took time.Duration) (rate float64, ok bool) {
	if known := s.facts.in.Baseline.Prefill; known > 0 {
		return known, float64(tokens)/known >= minControlTime.Seconds()
	}
	for _, o := range s.facts.order {
		if o == s || o.x.Intent.Role != probes.RoleControl && o.x.Intent.Role != probes.RoleSeed {
			continue
		}
		n, t, usable := o.prefill()
		// The control must be right, long enough that its time is that
		// of its prefill, and not have taken less than the longer prompt.
		if usable && o.whole() && n >= minControlTokens && 8*n >= tokens && n < tokens && t >= minControlTime && took < t {
			rate, ok = max(rate, float64(n)/t.Seconds()), true
		}
	}
	return rate, ok
}

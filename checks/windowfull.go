package checks

import (
	"fmt"
	"strings"

	"crosstalk/probes"
)

// kindSizing is an exchange that tells nothing because our prompt was longer
// than we meant; inconclusive.
const kindSizing = "sizing"

// windowReached reports whether the target stopped because prompt and answer
// together filled its window, by its own count: the limit that the plan went by,
// or the one that the target stated. Targets differ by a token in where they
// stop; one that counts far more than its limit has another.
func (s *subject) windowReached() bool {
	switch stopReasonOf(s.r.FinishReason) {
	case stopLength, stopWindow:
	default:
		return false
	}
	u := s.r.Usage
	if u == nil || u.Prompt == nil || u.Completion == nil {
		return false
	}
	total := *u.Prompt + *u.Completion
	for _, limit := range []int{s.x.Intent.Limit, s.facts.in.Baseline.Limit} {
		if limit > 0 && total >= limit-1 && float64(total) <= (1+windowSlack)*float64(limit) {
			return true
		}
	}
	return false
}

// cutByWindow reports whether an answer was lawfully cut: the window was full,
// the prompt was not one to be refused, and what there is of the answer is
// right. A seal lost before one that came back is not lost by the cut.
func (s *subject) cutByWindow() bool {
	if s.expected() == "" || s.x.Intent.Expect == probes.ExpectRefusal || !s.windowReached() {
		return false
	}
	if strings.HasPrefix(s.rightAnswer(), normalizedHead(s.r.Content)) {
		return true
	}
	if len(s.seals) == 0 || !s.contact().found {
		return false
	}
	got := s.recall()
	missing := got.missing()
	return len(missing) == 0 || len(missing) < len(s.seals) && missing[0] == len(s.seals)-len(missing)
}

// leftNoRoom is the finding for such an answer.
func (s *subject) leftNoRoom() []Finding {
	return []Finding{{
		Kind: kindSizing, Class: Inconclusive, Channel: ChannelContent, Length: len(s.r.Content),
		Detail: fmt.Sprintf("prompt and answer filled the window with %s of answer: the prompt left less room than we meant",
			plural(s.completionTokens(), "token")),
	}}
}

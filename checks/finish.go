package checks

import (
	"fmt"
	"strings"
)

// finishCheck compares the finish reason with what happened. An answer that
// used all the tokens it was allowed and still claims to have stopped by itself
// was cut and relabelled; a reason that no API knows, or none, is a relay that
// lost it. A stop by a content filter is nobody's fault, and tells nothing.
type finishCheck struct{}

func (finishCheck) Name() string { return "finish" }

func (c finishCheck) Run(in *Input) []Finding {
	return in.each(c.Name(), func(s *subject) []Finding {
		if s.r.Failure != nil {
			return nil
		}
		return finishFindings(s)
	})
}

// stopReason is what a finish reason means, whatever the API calls it.
type stopReason uint8

const (
	stopUnknown stopReason = iota
	stopNatural
	stopLength
	stopTools
	stopFilter
	stopWindow // the context window was full
)

// stopReasonOf reads the finish reasons of the APIs that are spoken.
func stopReasonOf(s string) stopReason {
	switch strings.ToLower(s) {
	case "stop", "end_turn", "stop_sequence", "eos", "eos_token", "completed", "complete", "pause_turn", "end":
		return stopNatural
	case "length", "max_tokens", "max_output_tokens", "incomplete", "model_length":
		return stopLength
	case "tool_calls", "function_call", "tool_use":
		return stopTools
	case "content_filter", "content_filtered", "guardrail_intervened", "refusal", "safety",
		"recitation", "blocklist", "prohibited_content", "spii", "language":
		return stopFilter
	case "model_context_window_exceeded":
		return stopWindow
	default:
		return stopUnknown
	}
}

func finishFindings(s *subject) []Finding {
	if s.r.FinishReason == "" {
		return s.noFinish()
	}
	switch stopReasonOf(s.r.FinishReason) {
	case stopUnknown:
		return []Finding{{
			Kind: "invented", Class: s.slip(),
			Detail: fmt.Sprintf("a finish reason of %s that no API has", plural(len(s.r.FinishReason), "byte")),
		}}
	case stopFilter:
		return []Finding{{
			Kind: "moderation", Class: Inconclusive,
			Detail: "the answer was stopped by a content filter",
		}}
	case stopTools:
		if len(s.r.Tools) == 0 {
			return []Finding{{
				Kind: "no_calls", Class: Damaged,
				Detail: "the finish reason speaks of tool calls and there is none",
			}}
		}
	case stopNatural:
		if len(s.r.Tools) > 0 {
			return []Finding{{
				Kind: "calls_unsaid", Class: Degraded,
				Detail: "there are tool calls, and the finish reason does not speak of them",
			}}
		}
		return s.hiddenCut()
	case stopLength:
		return s.earlyCut()
	}
	return nil
}

// slip is the class of a lapse of the protocol: a sign beside the whole right
// answer, damage without it.
func (s *subject) slip() Class {
	if s.whole() {
		return Degraded
	}
	return Damaged
}

// noFinish judges an answer without finish reason. A recorded text without a
// body never had one.
func (s *subject) noFinish() []Finding {
	if len(s.r.Body) == 0 {
		return nil
	}
	return []Finding{{
		Kind: "missing", Class: s.slip(),
		Detail: "the answer has no finish reason",
	}}
}

// hiddenCut finds an answer that used up its tokens and claims to have stopped
// by itself. A whole answer may end at the cap by chance.
func (s *subject) hiddenCut() []Finding {
	used, limit := s.completionTokens(), s.x.Intent.MaxTokens
	if limit == 0 || used < limit || s.whole() {
		return nil
	}
	return []Finding{{Kind: "cap", Class: Damaged, Detail: fmt.Sprintf(
		"%d of %d tokens used, and the finish reason is not that of the limit", used, limit)}}
}

// earlyCut finds an answer that claims the limit and did not reach it: the
// reason stands for another one, as that of a request that was never run.
func (s *subject) earlyCut() []Finding {
	u := s.r.Usage
	limit := s.x.Intent.MaxTokens
	if limit == 0 || u == nil || u.Completion == nil || s.whole() {
		return nil
	}
	if s.cutByWindow() {
		return s.leftNoRoom()
	}
	used := *u.Completion
	if u.Reasoning != nil && *u.Reasoning > used { // counted apart
		used += *u.Reasoning
	}
	if used*2 > limit {
		return nil
	}
	return []Finding{{Kind: "early", Class: Damaged, Detail: fmt.Sprintf(
		"the finish reason is the limit of %d tokens, and %d were used", limit, used)}}
}

// completionTokens is what the target counted for its output, 0 when it did
// not say.
func (s *subject) completionTokens() int {
	if s.r.Usage == nil || s.r.Usage.Completion == nil {
		return 0
	}
	return *s.r.Usage.Completion
}

package checks

import (
	"fmt"
	"math"

	"crosstalk/corpus"
)

// Kinds of the usage check that others act on.
const (
	// KindPromptLow is fewer prompt tokens counted than the prompt has, and
	// KindPromptCapped the same count for prompts of other lengths; damaged.
	KindPromptLow    = "prompt_low"
	KindPromptCapped = "capped"
	// KindPromptHigh is more than the prompt has: somebody else's text may be
	// before it; damaged.
	KindPromptHigh = "prompt_high"
	// KindNotMonotone is fewer tokens counted than for a shorter prompt of the
	// round, KindConstant as many as for one; damaged.
	KindNotMonotone = "not_monotone"
	KindConstant    = "constant"
	// KindCountChanged is another count than this target's tokenizer has made
	// so far, beside an answer that shows that all was read; degraded.
	KindCountChanged = "count_changed"
)

// usageCheck compares what the target counted with what was sent. The count of
// prompt tokens is the strongest single sign that a prompt was cut, replaced or
// added to; it is compared with the calibration of this target. Where there is
// none yet only gross errors count. A modest difference beside the whole right
// answer is a changed tokenizer or template: a sign, not damage.
type usageCheck struct{}

func (usageCheck) Name() string { return "usage" }

func (c usageCheck) Run(in *Input) []Finding {
	return in.each(c.Name(), func(s *subject) []Finding {
		if s.r.Failure != nil {
			return nil
		}
		found := s.badCounts()
		if s.r.Usage == nil {
			return append(found, s.noUsage()...)
		}
		if low := s.promptCount(); len(low) > 0 {
			found = append(found, low...)
		} else {
			found = append(found, s.fewerForMore()...)
		}
		found = append(found, s.sums()...)
		return append(found, s.overCap()...)
	})
}

// badCounts reports counts that are no numbers; the client leaves them out.
func (s *subject) badCounts() []Finding {
	for _, p := range s.r.Problems {
		if p.Kind == "bad_usage" {
			return []Finding{{
				Kind: "bad_count", Class: s.slip(),
				Detail: "a token count that is no whole number",
			}}
		}
	}
	return nil
}

// noUsage is a sign only, and only in streams: there we ask for the count.
func (s *subject) noUsage() []Finding {
	if !s.x.Intent.Stream || s.x.Intent.Expect == "" {
		return nil
	}
	return []Finding{{
		Kind: "absent", Class: Degraded,
		Detail: "a stream without token counts, although they were asked for",
	}}
}

// estimate is how many tokens a prompt should have.
type estimate struct {
	least, likely, most int
	calibrated          bool
}

// Slack around the interval of a calibrated prediction, and the gross bounds
// for one that is not: tokenizers make 1 to 6 bytes a token of our text, so a
// quarter or four times the prior of 4 bytes is something else.
const (
	slackShare  = 0.02
	slackTokens = 64
	grossLow    = 0.25
	grossHigh   = 4.0
)

// densest is more bytes a token than any tokenizer makes of our own prompts:
// their words are of 6 letters in the mean, and a token seldom holds two. It
// holds against a calibration too, which has only believed the target so far: a
// target that has counted half of everything from the start looks like a
// tokenizer nobody has.
const densest = 8

// estimate predicts the tokens of the prompt; ok is false when its length is
// not known.
func (s *subject) estimate() (e estimate, ok bool) {
	i := s.x.Intent
	size := s.promptSize()
	c, known := s.facts.in.Baseline.Calibration[i.Spec.Family]
	switch {
	case known && c.N > 0 && size > 0:
		e.least, e.likely, e.most = c.Tokens(size)
		slack := slackTokens + int(slackShare*float64(e.likely))
		e.least, e.most, e.calibrated = e.least-slack, e.most+slack, true
	case i.Tokens > 0:
		e.likely = i.Tokens
	case size > 0:
		// Recorded: there may have been more to the request than this.
		_, e.likely, _ = corpus.Prior().Tokens(size)
		e.least, e.most = int(grossLow*float64(e.likely)), math.MaxInt
		return e, e.likely > slackTokens
	}
	if !e.calibrated {
		e.least, e.most = int(grossLow*float64(e.likely)), int(grossHigh*float64(e.likely))
	}
	if i.Spec.Version > 0 {
		e.least = max(e.least, int(size/densest))
	}
	return e, e.likely > 0
}

// low and high report whether a count is outside the estimate. A few tokens of
// template are not worth a word.
func (e estimate) low(n int) bool  { return n < e.least || n <= 1 && e.likely > 8 }
func (e estimate) high(n int) bool { return n > e.most && n > e.likely+slackTokens }

// gross reports whether a count is so far off that no tokenizer explains it.
func (e estimate) gross(n int) bool { return float64(n) < 0.5*float64(e.likely) }

// promptCount compares the count of the prompt with its estimate.
func (s *subject) promptCount() []Finding {
	e, ok := s.estimate()
	if !ok || s.r.Usage.Prompt == nil {
		return nil
	}
	n := *s.r.Usage.Prompt
	f := Finding{Class: Damaged, Detail: fmt.Sprintf(
		"%s counted for a prompt of about %d", plural(n, "token"), e.likely)}
	switch {
	case e.low(n) && s.whole() && !e.gross(n) && !s.tooDense(n):
		f.Kind, f.Class = KindCountChanged, Degraded
		f.Detail += "; the answer shows that all of it was read"
	case e.low(n):
		f.Kind = KindPromptLow
		if others := s.sameCount(n); others > 0 {
			f.Kind = KindPromptCapped
			f.Detail += fmt.Sprintf(", and for %s of other lengths", plural(others, "prompt"))
		} else if s.whole() {
			f.Detail += ": the answer is right, so the count is not"
		}
	case e.high(n) && s.whole() && n <= 2*e.likely:
		f.Kind, f.Class = KindCountChanged, Degraded
	case e.high(n):
		f.Kind = KindPromptHigh
	default:
		return nil
	}
	return []Finding{f}
}

// tooDense reports whether no tokenizer makes so few tokens of our prompt.
func (s *subject) tooDense(n int) bool {
	return s.x.Intent.Spec.Version > 0 && int64(n) < s.promptSize()/densest
}

// sameCount counts the exchanges of the round whose prompt was of another
// length, and was counted the same: the count is a cap.
func (s *subject) sameCount(n int) int {
	others := 0
	for _, o := range s.facts.order {
		u := o.r.Usage
		if o == s || u == nil || u.Prompt == nil || *u.Prompt != n {
			continue
		}
		if differs(s.promptSize(), o.promptSize()) {
			others++
		}
	}
	return others
}

// differs reports whether two sizes in bytes cannot give one token count.
func differs(a, b int64) bool {
	return a > 0 && b > 0 && (max(a, b)-min(a, b))*50 > max(a, b) && max(a, b)-min(a, b) > 256
}

// fewerForMore finds a prompt that was counted no higher than a clearly shorter
// one of the same family in the round.
func (s *subject) fewerForMore() []Finding {
	n := s.r.Usage.Prompt
	if n == nil || s.x.Intent.Spec.Family == "" {
		return nil
	}
	for _, o := range s.facts.order {
		u := o.r.Usage
		if u == nil || u.Prompt == nil || o.r.Failure != nil || o.x.Intent.Spec.Family != s.x.Intent.Spec.Family {
			continue
		}
		a, b := s.promptSize(), o.promptSize()
		if (a-b)*20 <= a || a-b <= 1024 || *n > *u.Prompt {
			continue
		}
		kind := KindNotMonotone
		if *n == *u.Prompt {
			kind = KindConstant
		}
		return []Finding{{Kind: kind, Class: Damaged, Detail: fmt.Sprintf(
			"%d tokens counted for %d bytes, and %d for %d bytes in the same round", *n, a, *u.Prompt, b)}}
	}
	return nil
}

// sums checks that the counts of one answer agree with each other. Vendors may
// count reasoning within the completion or apart.
func (s *subject) sums() []Finding {
	u := s.r.Usage
	for _, n := range []*int{u.Prompt, u.Completion, u.Total, u.Cached, u.Reasoning} {
		if n != nil && *n < 0 {
			return []Finding{{
				Kind: "negative", Class: Damaged,
				Detail: fmt.Sprintf("a count of %d tokens", *n),
			}}
		}
	}
	var found []Finding
	if u.Total != nil && u.Prompt != nil && u.Completion != nil {
		sum, reasoning := *u.Prompt+*u.Completion, value(u.Reasoning)
		if *u.Total != sum && *u.Total != sum+reasoning {
			found = append(found, Finding{Kind: "total", Class: Damaged, Detail: fmt.Sprintf(
				"a total of %d tokens for %d and %d", *u.Total, *u.Prompt, *u.Completion)})
		}
	}
	if u.Cached != nil && u.Prompt != nil && *u.Cached > *u.Prompt {
		found = append(found, Finding{Kind: "cached", Class: s.slip(), Detail: fmt.Sprintf(
			"%d cached tokens of a prompt of %d", *u.Cached, *u.Prompt)})
	}
	if u.Reasoning != nil && u.Completion != nil && *u.Reasoning > *u.Completion {
		found = append(found, Finding{Kind: "reasoning_apart", Class: Degraded, Detail: fmt.Sprintf(
			"%d tokens of reasoning beside %d of the answer: they are counted apart", *u.Reasoning, *u.Completion)})
	}
	return found
}

// maxOverCap is how far a completion may pass the limit: end of turn, the last
// step of a speculative decoder.
const maxOverCap = 1.1

// overCap finds answers longer than was allowed. Some vendors do not count
// reasoning against the limit.
func (s *subject) overCap() []Finding {
	limit, used := s.x.Intent.MaxTokens, s.completionTokens()
	if limit == 0 || used <= limit {
		return nil
	}
	f := Finding{
		Kind: "over_cap", Class: Damaged,
		Detail: fmt.Sprintf("%d tokens of output, %d were allowed", used, limit),
	}
	answer, _ := s.answerTokens()
	if float64(used) <= maxOverCap*float64(limit) || answer <= limit {
		f.Class = Degraded
	}
	return []Finding{f}
}

func value(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

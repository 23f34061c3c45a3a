package probes

import (
	"maps"
	"strings"

	"crosstalk/corpus"
	"crosstalk/probes/provider"
)

// Learn returns the state with what a round has taught about the target: how
// many tokens its text has, where the target says its limit is, and how large
// an answer budget must be. It is pure, and leaves s as it was.
//
// It learns only from answers that show that the whole prompt was read: a
// target that reads from the wrong place must not teach us that its figures are
// right. Counts that cannot be true are left out (corpus.Calibration.Observe);
// so a target whose tokenizer really changed shows as a finding, and whoever
// keeps the state drops its calibration.
func Learn(s State, r *Round) State {
	s.Calibration = maps.Clone(s.Calibration)
	if s.Calibration == nil {
		s.Calibration = make(map[string]corpus.Calibration)
	}
	for _, e := range r.Exchanges {
		if e.Response == nil {
			continue
		}
		s.learnLimit(e)
		s.learnTokens(e)
		s.learnBudget(e)
	}
	return s
}

// learnLimit takes the limit from an over-length refusal that states it, unless
// the refused prompt and its answer were surely within it: such a refusal is not
// to be believed. A limit is forgotten when a longer prompt has been read whole.
func (s *State) learnLimit(e *Exchange) {
	resp, in := e.Response, e.Intent
	if f := resp.Failure; f != nil {
		if f.Kind == provider.FailureOverLength && f.Limit > 0 && f.Limit < in.TokensHigh+in.MaxTokens {
			s.Limit = f.Limit
		}
		return
	}
	if u := resp.Usage; u != nil && u.Prompt != nil && *u.Prompt > s.Limit && answered(resp) && reachedEnds(e) {
		s.Limit = 0
	}
}

// learnTokens adds the counted prompt length to the calibration of its family,
// which leaves out what cannot be true.
func (s *State) learnTokens(e *Exchange) {
	u := e.Response.Usage
	if !answered(e.Response) || u == nil || u.Prompt == nil || !reachedEnds(e) {
		return
	}
	family := e.Intent.Spec.Family
	c, ok := s.Calibration[family]
	if !ok || c.N == 0 {
		c = corpus.Prior()
	}
	if c = c.Observe(e.Prompt.Size(), *u.Prompt); c.N > 0 {
		s.Calibration[family] = c
	}
}

// answered reports whether the target claims success.
func answered(r *provider.Response) bool { return r.Status == 200 && r.Failure == nil }

// reachedEnds reports whether the answer holds the first and the last marker of
// the prompt: a prompt cut at either end has lost one of them.
func reachedEnds(e *Exchange) bool {
	markers := e.Prompt.Markers()
	if len(markers) == 0 {
		return false
	}
	first, last := markers[0].Text, markers[len(markers)-1].Text
	return strings.Contains(e.Response.Content, first) && strings.Contains(e.Response.Content, last)
}

// learnBudget raises the answer budget: to twice what it was if thinking used
// it up, and to twice what a right answer took if that was more than half of
// it. It never lowers it.
func (s *State) learnBudget(e *Exchange) {
	if !answered(e.Response) {
		return
	}
	u, want := e.Response.Usage, 0
	switch {
	case e.Response.FinishReason == "length" && thought(e.Response):
		want = 2 * e.Intent.MaxTokens
	case reachedEnds(e) && u != nil && u.Completion != nil && 2**u.Completion > e.Intent.MaxTokens:
		want = 2 * *u.Completion
	}
	if want > s.MaxTokens {
		s.MaxTokens = min(want, s.Target.maxOutput())
	}
}

// thought reports whether part of the answer was reasoning.
func thought(r *provider.Response) bool {
	return r.Reasoning != "" || r.Usage != nil && r.Usage.Reasoning != nil && *r.Usage.Reasoning > 0
}

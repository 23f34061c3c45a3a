package probes

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"crosstalk/corpus"
	"crosstalk/probes/provider"
)

func number(n int) *int { return &n }

// exchange is an exchange of a prompt of about so many sentences, with the
// right answer and a usage of that many tokens a byte.
func exchange(t *testing.T, sentences int, perByte float64) *Exchange {
	t.Helper()
	spec := short("alpha").Spec
	spec.Sentences = sentences
	_, prompt, err := (&countingMinter{}).Mint(1, spec)
	if err != nil {
		t.Fatal(err)
	}
	in := short("alpha").bind(prompt.Size())
	in.Spec = spec
	tokens := int(perByte * float64(prompt.Size()))
	in.Tokens, in.TokensLow, in.TokensHigh = tokens, tokens, tokens
	return &Exchange{
		Intent: in, Prompt: prompt,
		Response: &provider.Response{
			Status: 200, Content: prompt.Expected(), FinishReason: "stop",
			Usage: &provider.Usage{Prompt: number(tokens), Completion: number(30)},
		},
	}
}

func learnt(s State, exchanges ...*Exchange) State {
	return Learn(s, &Round{Exchanges: exchanges})
}

// TestLearnTokens: a round of right answers narrows the calibration, and leaves
// the state it came from alone.
func TestLearnTokens(t *testing.T) {
	s := newState(t, 1<<20, nil)
	var all []*Exchange
	for i := range 12 {
		all = append(all, exchange(t, 4+i*9, 0.5))
	}
	after := learnt(s, all...)
	family := all[0].Intent.Spec.Family
	c := after.Calibration[family]
	if c.N != len(all) || c.PerByte < 0.45 || c.PerByte > 0.55 || c.Spread >= corpus.Prior().Spread {
		t.Errorf("learnt %+v of 0.5 tokens a byte", c)
	}
	if len(s.Calibration) != 0 {
		t.Error("the old state was changed")
	}
	before := counts(after)
	learnt(after, exchange(t, 50, 0.5))
	if diff := cmp.Diff(before, counts(after)); diff != "" {
		t.Errorf("the old state was changed:\n%s", diff)
	}
}

func counts(s State) map[string]int {
	n := make(map[string]int)
	for family, c := range s.Calibration {
		n[family] = c.N
	}
	return n
}

// TestLearnNothing: answers that do not show that the prompt was read, and
// counts that cannot be true, teach nothing.
func TestLearnNothing(t *testing.T) {
	tests := map[string]func(*Exchange){
		"nothing sent":      func(e *Exchange) { e.Response = nil },
		"failed":            func(e *Exchange) { e.Response.Failure = &provider.Failure{Kind: provider.FailureServer} },
		"no usage":          func(e *Exchange) { e.Response.Usage = nil },
		"no prompt tokens":  func(e *Exchange) { e.Response.Usage.Prompt = nil },
		"another's answer":  func(e *Exchange) { e.Response.Content = "1: something else entirely" },
		"the first is lost": func(e *Exchange) { e.Response.Content = "2: " + e.Prompt.Markers()[1].Text },
		"the last is lost":  func(e *Exchange) { e.Response.Content = "1: " + e.Prompt.Markers()[0].Text },
		"one token":         func(e *Exchange) { e.Response.Usage.Prompt = number(1) },
		"a million tokens":  func(e *Exchange) { e.Response.Usage.Prompt = number(1e6) },
	}
	for name, edit := range tests {
		t.Run(name, func(t *testing.T) {
			e := exchange(t, 40, 0.25)
			edit(e)
			after := learnt(newState(t, 1<<20, nil), e)
			if len(after.Calibration) > 0 || after.Limit != 0 {
				t.Errorf("learnt %v, limit %d", after.Calibration, after.Limit)
			}
		})
	}
}

// TestLearnKeepsToWhatItKnows: a count that is far off what many observations
// predict is a finding for the checks, not a lesson.
func TestLearnKeepsToWhatItKnows(t *testing.T) {
	s := newState(t, 1<<20, evenly(0.25, 0.01))
	e := exchange(t, 400, 0.40)
	if diff := cmp.Diff(counts(s), counts(learnt(s, e))); diff != "" {
		t.Errorf("learnt from a count 60 %% too high:\n%s", diff)
	}
}

func TestLearnLimit(t *testing.T) {
	refusal := func(limit int) *Exchange {
		e := exchange(t, 4, 0.25)
		e.Intent.Tokens, e.Intent.TokensLow, e.Intent.TokensHigh = 1_070_000, 1_065_000, 1_075_000
		e.Response = &provider.Response{
			Status: 400, Failure: &provider.Failure{Kind: provider.FailureOverLength, Limit: limit},
		}
		return e
	}
	s := newState(t, 1<<20, nil)
	if got := learnt(s, refusal(681_280)).Limit; got != 681_280 {
		t.Errorf("limit %d, want the stated one", got)
	}
	if got := learnt(s, refusal(0)).Limit; got != 0 {
		t.Errorf("limit %d from a refusal that states none", got)
	}
	if got := learnt(s, refusal(2_000_000)).Limit; got != 0 {
		t.Errorf("limit %d from a refusal of a prompt that was within it", got)
	}
	s.Limit = 100
	if got := learnt(s, exchange(t, 400, 0.25)).Limit; got != 0 {
		t.Errorf("limit %d after a longer prompt was read whole", got)
	}
	s.Limit = 1 << 19
	if got := learnt(s, exchange(t, 400, 0.25)).Limit; got != 1<<19 {
		t.Errorf("limit %d after a shorter prompt was read whole", got)
	}
}

func TestLearnBudget(t *testing.T) {
	cut := func(reasoning string) *Exchange {
		e := exchange(t, 4, 0.25)
		e.Intent.MaxTokens = 200
		e.Response.Content, e.Response.Reasoning, e.Response.FinishReason = "", reasoning, "length"
		return e
	}
	full := exchange(t, 4, 0.25)
	full.Intent.MaxTokens, full.Response.Usage.Completion = 200, number(150)

	s := newState(t, 1<<20, nil)
	if got := learnt(s, cut("let me see")).MaxTokens; got != 400 {
		t.Errorf("budget %d after thinking used up 200, want 400", got)
	}
	if got := learnt(s, cut("")).MaxTokens; got != 0 {
		t.Errorf("budget %d after an answer without thinking was cut", got)
	}
	if got := learnt(s, full).MaxTokens; got != 300 {
		t.Errorf("budget %d after a right answer took 150 of 200, want 300", got)
	}
	s.Target.MaxOutput = 256
	if got := learnt(s, cut("let me see")).MaxTokens; got != 256 {
		t.Errorf("budget %d, above the cap of 256", got)
	}
	s.MaxTokens = 250
	if got := learnt(s, exchange(t, 4, 0.25)).MaxTokens; got != 250 {
		t.Errorf("budget %d, lowered from 250", got)
	}
}

package probes

import (
	"errors"
	"fmt"
)

// ErrBudget is wrapped by the error of a round that was not started because a
// cap on tokens or money would have been passed.
var ErrBudget = errors.New("budget used up")

// Spend is what exchanges cost. It is reserved before they are sent: tokens of
// prompt and answer together, and money at the cold price.
type Spend struct {
	Tokens int64   `json:"tokens"`
	USD    float64 `json:"usd"`
}

// Plus is the sum of both.
func (s Spend) Plus(t Spend) Spend { return Spend{s.Tokens + t.Tokens, s.USD + t.USD} }

// Spend is the most the exchange can cost: the highest prompt length of its
// interval, none of it cached, and the whole answer budget. A refusal is mostly
// free, but an acceptance is what over-length probes look for.
func (in Intent) Spend(p Pricing) Spend { return spend(in.TokensHigh, in.MaxTokens, p) }

// Likely is what the exchange costs at its likeliest length, with nothing
// cached and the whole answer budget used.
func (in Intent) Likely(p Pricing) Spend { return spend(in.Tokens, in.MaxTokens, p) }

func spend(prompt, answer int, p Pricing) Spend {
	const million = 1e6
	return Spend{
		Tokens: int64(prompt) + int64(answer),
		USD:    float64(prompt)/million*p.Input + float64(answer)/million*p.Output,
	}
}

// Spend is the most the plan can cost: what a journal reserves.
func (p Plan) Spend(pr Pricing) Spend {
	var sum Spend
	for in := range p.Intents() {
		sum = sum.Plus(in.Spend(pr))
	}
	return sum
}

// Tokens is the likeliest number of tokens of the plan, prompts and answer
// budgets together.
func (p Plan) Tokens() int64 { return p.likely(Pricing{}).Tokens }

// Cost is the likeliest cost of the plan in USD: cold prompts, and the whole
// budget of every answer.
func (p Plan) Cost(pr Pricing) float64 { return p.likely(pr).USD }

func (p Plan) likely(pr Pricing) Spend {
	var sum Spend
	for in := range p.Intents() {
		sum = sum.Plus(in.Likely(pr))
	}
	return sum
}

// Limits are the caps on what may be spent; 0 is no cap.
type Limits struct {
	TokensPerRun int64
	USDPerRun    float64
	TokensPerDay int64
	USDPerDay    float64
}

// Admit reports whether more may be spent after what this run and this day have
// spent or reserved so far. The error wraps ErrBudget and names the cap.
func (l Limits) Admit(run, day, more Spend) error {
	run, day = run.Plus(more), day.Plus(more)
	switch {
	case l.TokensPerRun > 0 && run.Tokens > l.TokensPerRun:
		return fmt.Errorf("%w: %d tokens of this run are above the cap of %d", ErrBudget, run.Tokens, l.TokensPerRun)
	case l.USDPerRun > 0 && run.USD > l.USDPerRun:
		return fmt.Errorf("%w: %.2f USD of this run are above the cap of %.2f", ErrBudget, run.USD, l.USDPerRun)
	case l.TokensPerDay > 0 && day.Tokens > l.TokensPerDay:
		return fmt.Errorf("%w: %d tokens of this day are above the cap of %d", ErrBudget, day.Tokens, l.TokensPerDay)
	case l.USDPerDay > 0 && day.USD > l.USDPerDay:
		return fmt.Errorf("%w: %.2f USD of this day are above the cap of %.2f", ErrBudget, day.USD, l.USDPerDay)
	}
	return nil
}

package checks

import (
	"fmt"

	"crosstalk/probes"
	"crosstalk/probes/provider"
)

// overlengthCheck judges what a target did with a prompt of that length. A
// prompt over the limit must be refused; answered, it was cut in silence, or
// its rejection was lost on the way and somebody else's memory answered. A
// prompt within the advertised window must be answered; refused, the window is
// not as advertised. Where our own count is not certain enough to say on which
// side a prompt is, both are lawful.
type overlengthCheck struct{}

func (overlengthCheck) Name() string { return "overlength" }

func (c overlengthCheck) Run(in *Input) []Finding {
	return in.each(c.Name(), func(s *subject) []Finding {
		f := s.r.Failure
		switch {
		case s.x.Intent.Expect == "":
			return nil // recorded: nothing was expected
		case f != nil && f.Kind == provider.FailureOverLength:
			return s.refusedLength(f)
		case f != nil && f.Kind == provider.FailureTooLarge:
			return []Finding{{
				Kind: "toolarge", Class: Inconclusive, Channel: ChannelError,
				Detail: fmt.Sprintf("a gateway refused the body of %d bytes: the model never saw it", s.promptSize()),
			}}
		case f == nil && s.x.Intent.Expect == probes.ExpectRefusal:
			return s.acceptedLength()
		}
		return nil
	})
}

func (s *subject) promptSize() int64 {
	if s.x.Prompt == nil {
		return 0
	}
	return s.x.Prompt.Size()
}

// refusedLength judges an over-length refusal.
func (s *subject) refusedLength(f *provider.Failure) []Finding {
	i := s.x.Intent
	if i.Expect != probes.ExpectAnswer {
		return []Finding{{
			Kind: "refused", Class: Sound, Channel: ChannelError,
			Detail: "a prompt over the limit was refused" + numbersOf(f),
		}}
	}
	if s.missized(f) {
		return []Finding{{Kind: kindSizing, Class: Inconclusive, Channel: ChannelError, Detail: fmt.Sprintf(
			"the prompt was longer than the %d to %d tokens that we meant, and refused%s",
			i.TokensLow, i.TokensHigh, numbersOf(f))}}
	}
	return []Finding{{Kind: "window", Class: Damaged, Channel: ChannelError, Detail: fmt.Sprintf(
		"window not as advertised: %d tokens and %d for the answer should fit, and were refused%s",
		i.Tokens, i.MaxTokens, numbersOf(f))}}
}

// windowSlack is the share of the advertised window that a stated limit may
// lack: some tokens of a template, a round number for a power of two.
const windowSlack = 0.02

// missized reports whether the refusal shows that our prediction was wrong: what
// the target says it allows is enough for the prompt that we meant or, where it
// tells no limit, by its own count the prompt is longer than we meant it to be.
//
// A limit well below the window that we planned with is the target's own word
// that its window is smaller, whatever we meant to send. One that lacks only the
// room kept for the answer is not: some targets state what a prompt may have.
func (s *subject) missized(f *provider.Failure) bool {
	i := s.x.Intent
	switch {
	case f.Limit > 0 && float64(f.Limit+i.MaxTokens) < (1-windowSlack)*float64(i.Limit):
		return false
	case i.Tokens == 0:
		return false
	case f.Limit > 0:
		return f.Limit >= i.Tokens+i.MaxTokens
	default:
		return f.Given > i.TokensHigh+i.MaxTokens
	}
}

// numbersOf tells the numbers of a refusal.
func numbersOf(f *provider.Failure) string {
	switch {
	case f.Given > 0 && f.Limit > 0 && f.AtLeast:
		return fmt.Sprintf(": at least %d tokens given, %d allowed", f.Given, f.Limit)
	case f.Given > 0 && f.Limit > 0:
		return fmt.Sprintf(": %d tokens given, %d allowed", f.Given, f.Limit)
	case f.Limit > 0:
		return fmt.Sprintf(": %d tokens allowed", f.Limit)
	case f.Given > 0:
		return fmt.Sprintf(": %d tokens given", f.Given)
	default:
		return ", without numbers"
	}
}

// acceptedLength judges an answer to a prompt that had to be refused.
func (s *subject) acceptedLength() []Finding {
	i := s.x.Intent
	if s.whole() && !s.countsLow() {
		return []Finding{{Kind: "accepted", Class: Degraded, Detail: fmt.Sprintf(
			"a prompt of about %d tokens, over the limit, was answered rightly", i.Tokens)}}
	}
	counted := "no count"
	if u := s.r.Usage; u != nil && u.Prompt != nil {
		counted = plural(*u.Prompt, "token") + " counted"
	}
	return []Finding{{Kind: "truncated", Class: Damaged, Detail: fmt.Sprintf(
		"a prompt of about %d tokens, over the limit, was answered and not refused: %d of %d seals came back, %s",
		i.Tokens, s.complete(), len(s.seals), counted)}}
}

// countsLow reports whether the target counted fewer tokens than the least
// that the prompt can have.
func (s *subject) countsLow() bool {
	e, ok := s.estimate()
	u := s.r.Usage
	return ok && u != nil && u.Prompt != nil && e.low(*u.Prompt)
}

package simulator

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"
)

// shorten applies the truncation faults to a prompt: what a gateway or a
// tokenizer with a cap does before the engine sees it. It reports the name of
// the fault that had an effect.
func (j *job) shorten() {
	for _, name := range []string{FaultTruncateHead, FaultTruncateMiddle, FaultTruncateTail} {
		f, ok := j.strikes(name)
		n, keep := j.prompt.pages(), max(pagesFor(f.Cap), 1)
		if !ok || n <= keep {
			continue
		}
		before := len(findSeals(j.prompt.text))
		switch name {
		case FaultTruncateHead:
			j.prompt = j.prompt.cut(0, 0, n-keep, n)
		case FaultTruncateMiddle:
			j.prompt = j.prompt.cut(0, keep/2, n-(keep-keep/2), n)
		case FaultTruncateTail:
			if f.KeepQuestion {
				j.prompt = j.prompt.cut(0, keep, n-min(2, n-keep), n)
			} else {
				j.prompt = j.prompt.cut(0, keep, n, n)
			}
		}
		j.mark(name)
		j.lost = len(findSeals(j.prompt.text)) < before || !findQuestion(j.prompt.text).found
	}
}

// damage applies the faults of the sampler and the detokenizer to an answer.
// spoilt reports whether one had an effect.
func (j *job) damage(a answer) (_ answer, spoilt bool) {
	for _, name := range []string{FaultLoop, FaultBang, FaultWrongScript, FaultMarkup, FaultEmpty} {
		f, ok := j.strikes(name)
		if !ok {
			continue
		}
		switch name {
		case FaultLoop:
			a.content, a.stop = loop(j.rng, a.content, j.budget), "length"
		case FaultBang:
			a.content, a.stop = bang(j.rng, a.content, j.budget, f.Amount), "length"
		case FaultWrongScript:
			a.content = wrongScript(j.rng, a.content, f.Amount)
		case FaultMarkup:
			a.content = markup(j.rng, a.content)
		case FaultEmpty:
			a.content, a.stop = strings.Repeat(pick(j.rng, []string{"", " ", "\n"}), 1+j.rng.IntN(40)), "stop"
			a.sources = nil
		}
		if name == FaultBang && f.Amount == "all" {
			a.sources = nil
		}
		j.mark(name)
		spoilt = true
	}
	return a, spoilt
}

// head is a good beginning of an answer: a tenth to nine tenths of it, at a
// word.
func head(rng *rand.Rand, text string) string {
	n := len(text) * (1 + rng.IntN(9)) / 10
	for n < len(text) && text[n] != ' ' && text[n] != '\n' {
		n++
	}
	return text[:n]
}

// loop is the head of an answer and then its last words again and again until
// the budget is used up.
func loop(rng *rand.Rand, text string, budget int) string {
	start := head(rng, text)
	phrase := strings.Fields(start)
	if most := 3 + rng.IntN(20); len(phrase) > most {
		phrase = phrase[len(phrase)-most:]
	}
	cycle := " " + strings.Join(phrase, " ")
	if len(phrase) < 2 {
		cycle = pick(rng, []string{" and so on", " the end of the", " of the same", "\nI am sorry, I"})
	}
	copies := min(budget/max(len(phrase), 1)+4, (64<<10)/len(cycle)+4)
	return start + strings.Repeat(cycle, copies)
}

// bang is token 0 until the budget is used up, after a good head or from the
// start.
func bang(rng *rand.Rand, text string, budget int, amount string) string {
	start := ""
	if amount == "tail" {
		start = head(rng, text)
	}
	// The vocabulary has a token of eight exclamation marks at most.
	return start + strings.Repeat("!", min(budget*8, 16<<10)+8)
}

// wrongScript puts tokens of another script between those of an answer: one to
// three of one letter, or ten to thirty of two to four.
func wrongScript(rng *rand.Rand, text string, amount string) string {
	letters := []rune(pick(rng, []string{
		"的是不了人我在有他这", "のはにをたがでてとし", "поведениярежщ", "العربيةمنفي",
		"กขคงจฉชซฌญ", "한국어로답변입니다", "हिन्दीकेलिए", "ქართულიენა",
	}))
	count, length := 1+rng.IntN(3), 1
	if amount == "many" {
		count = 10 + rng.IntN(21)
	}
	tokens := tokenise(text, TokenizerWords)
	for range count {
		if amount == "many" {
			length = 2 + rng.IntN(3)
		}
		var token strings.Builder
		for range length {
			token.WriteRune(pick(rng, letters))
		}
		tokens = slices.Insert(tokens, rng.IntN(len(tokens)+1), token.String())
	}
	return strings.Join(tokens, "")
}

// markup lets pieces of the chat format into an answer.
func markup(rng *rand.Rand, text string) string {
	middle := len(text) / 2
	for middle > 0 && !utf8.RuneStart(text[middle]) {
		middle--
	}
	switch leak := pick(rng, []string{
		"<|im_end|>", "<|endoftext|>", "</think>", "<|assistant|>", "<|eot_id|>", "<pad>", "[/INST]",
		"<tool_call>", "<｜end▁of▁sentence｜>", "<unused49>",
	}); rng.IntN(5) {
	case 0:
		return text + leak
	case 1:
		return text[:middle] + leak + text[middle:]
	case 2:
		return "<think>\nThe user wants the list.\n</think>\n\n" + text
	case 3:
		return "analysisThe user asks for a list. We need to answer.assistantfinal" + text
	default:
		return leak + text + "<|im_end|>\n<|im_start|>user\n"
	}
}

// reported is what usage.prompt_tokens says of a request, and whether usage is
// given at all.
func (j *job) reported() (tokens int, given bool) {
	tokens, given = j.truth.Tokens, true
	for _, name := range []string{FaultTruncateHead, FaultTruncateMiddle, FaultTruncateTail} {
		if f, ok := j.strikes(name); ok && f.Usage == "cap" && j.prompt.tokens < tokens {
			tokens = j.prompt.tokens
		}
	}
	if f, ok := j.strikes(FaultSeed); ok && j.rejected {
		switch f.Usage {
		case "1":
			tokens = 1
		case "absent":
			return 0, false
		}
	}
	if f, ok := j.strikes(FaultUsage); ok {
		j.mark(FaultUsage)
		switch f.Usage {
		case "fixed":
			tokens = f.Value
		case "half":
			tokens /= 2
		case "double":
			tokens *= 2
		case "zero":
			tokens = 0
		case "one":
			tokens = 1
		}
	}
	return tokens, given
}

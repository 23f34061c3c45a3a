package provider

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// overLengthPattern recognises one wording of "your prompt is too long".
// Groups: L the limit, N what was given, P the prompt alone, O the answer
// asked for; all in tokens. In a pattern, # is a number and … is whatever
// stands between.
type overLengthPattern struct {
	who     string
	pattern string
	atLeast bool // N is a lower bound
}

// overLengthPatterns are tried in order; the first that fits decides. The
// specific come before the general.
func overLengthPatterns() []overLengthPattern {
	return []overLengthPattern{
		{"vllm", `context length is (?<L>#) tokens…contains at least (?<N>#) input tokens`, true},
		{"vllm characters", `context length is (?<L>#) tokens…contains # characters \(more than`, false},
		{"vllm 0.15", `passed (?<N>#) input tokens…context length is only (?<L>#) tokens`, false},
		{"vllm model length", `prompt \(length (?<N>#)\) is longer than the maximum model length of (?<L>#)`, false},
		{"sglang sum", `maximum context length of (?<L>#) tokens\. You requested a total of (?<N>#) tokens: (?<P>#) tokens from the input`, false},
		{"sglang window", `input \((?<N>#) tokens\) is longer than the model's context length \((?<L>#) tokens`, false},
		{"sglang pool", `input length \((?<N>#) tokens\) exceeds the maximum allowed length \((?<L>#) tokens`, false},
		{"sglang prefill queue", `exceeds the maximum number of tokens: (?<N>#) > (?<L>#)`, false},
		{"openai parts", `context length is (?<L>#) tokens…requested (?:about )?(?<N>#) tokens \((?<P>#) (?:in the messages|in your prompt|of text input)`, false},
		{"openai requested", `context length is (?<L>#) tokens…requested (?:about )?(?<N>#) tokens`, false},
		{"openai resulted", `context length is (?<L>#) tokens…resulted in (?<N>#) tokens`, false},
		{"openai limit", `configured limit of (?<L>#) tokens(?:…resulted in (?<N>#) tokens)?`, false},
		{"openai window", `exceeds the context window`, false},
		{"sglang general", `exceeds the model's maximum context length of (?<L>#)`, false},
		{"mistral", `prompt contains (?<N>#) tokens…too large for model with (?<L>#) maximum context length`, false},
		{"mistral short", `too large for model with (?<L>#) maximum context length`, false},
		{"openai general", `maximum context length is (?<L>#) tokens`, false},
		{"tensorrt", `prompt length \((?<N>#(?:\.#)?)\)…should not exceed max_[a-z_]+ \((?<L>#)\)`, false},
		{"tensorrt window", `default_max_tokens…must be greater than 0(?:…max_seq_len \((?<L>#)\)…prompt_len. \((?<N>#)\))?`, false},
		{"llama.cpp", `request \((?<N>#) tokens\) exceeds the available context size \((?<L>#) tokens`, false},
		{"llama.cpp old", `exceeds the available context size`, false},
		{"ollama", `prompt is longer than the context length|input length exceeds the context length`, false},
		{"tgi sum", `max_new_tokens.…must be <= (?<L>#)\. Given: (?<P>#) .inputs. tokens and (?<O>#)`, false},
		{"tgi", `inputs.…must have less than (?<L>#) tokens\. Given: (?<N>#)`, false},
		{"anthropic", `prompt is too long: (?<N>#) tokens > (?<L>#)`, false},
		{"anthropic sum", `exceed context limit: (?<P>#) \+ (?<O>#) > (?<L>#)`, false},
		{"gemini", `input token count(?: \((?<N>#)\))?…exceeds the maximum number of tokens allowed(?: \((?<L>#)\))?`, false},
		{"bedrock", `input is too long for requested model`, false},
		{"cloudflare", `max context reached (?<N>#) tokens but model supports only (?<L>#)`, false},
		{"cloudflare sequence", `sequence too long(?:: (?<N>#) > (?<L>#))?`, false},
		{"xai", `maximum prompt length is (?<L>#)(?:…contains (?<N>#) tokens)?`, false},
		{"moonshot", `exceeded model token limit: (?<L>#)(?:…requested: (?<N>#))?`, false},
		{"minimax", `context window exceeds limit`, false},
		{"qwen", `range of input length should be \[#, ?(?<L>#)\]`, false},
		{"lm studio", `greater than the context length`, false},
		{"copilot", `prompt token count of (?<N>#) exceeds the limit of (?<L>#)`, false},
		{"groq", `reduce the length of the messages`, false},
	}
}

// overLength is what an over-length refusal tells.
type overLength struct {
	limit, given, prompt int
	atLeast              bool
}

// compiledOverLength compiles the table when it is first needed, once. RE2 does
// not backtrack: a hostile text costs time in proportion to its length.
var compiledOverLength = sync.OnceValue(func() []*regexp.Regexp {
	short := strings.NewReplacer("#", `[0-9][0-9,]*`, "…", `[^\n]*?`)
	var all []*regexp.Regexp
	for _, p := range overLengthPatterns() {
		all = append(all, regexp.MustCompile(`(?i)`+short.Replace(p.pattern)))
	}
	return all
})

// findOverLength reports whether a text refuses a prompt for its length.
func findOverLength(text string) (overLength, bool) {
	text = strings.ReplaceAll(Clip(text, maxMessage), `\'`, "'") // Python's way to print
	for i, re := range compiledOverLength() {
		m := re.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		group := func(name string) int {
			if k := re.SubexpIndex(name); k >= 0 {
				return tokens(m[k])
			}
			return 0
		}
		o := overLength{limit: group("L"), given: group("N"), prompt: group("P"), atLeast: overLengthPatterns()[i].atLeast}
		if o.given == 0 && o.prompt > 0 {
			o.given = o.prompt + group("O")
		}
		return o, true
	}
	return overLength{}, false
}

// tokens reads a count as servers write it: 8192, 8,192, 9001.0.
func tokens(s string) int {
	s, _, _ = strings.Cut(strings.ReplaceAll(s, ",", ""), ".")
	n, err := strconv.Atoi(s)
	if err != nil || n > 1<<40 {
		return 0
	}
	return n
}

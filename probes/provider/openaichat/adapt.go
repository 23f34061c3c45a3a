package openaichat

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"crosstalk/probes/provider"
)

// adaption is what a client has learnt of the parameters of its target.
type adaption struct {
	maxTokens string          // the name of that field
	without   map[string]bool // optional parameters to leave out
}

func (a adaption) clone() adaption {
	a.without = maps.Clone(a.without)
	return a
}

// optional are the parameters a request is still the same request without.
func optional() []string {
	return []string{"temperature", "stream_options", "chat_template_kwargs", "reasoning_effort", "thinking"}
}

// refusedParameter finds words that say a parameter, not a value of the
// prompt, is what the target minds.
var refusedParameter = regexp.MustCompile(`(?i)unsupported|not support|unrecogni[sz]ed|unknown|extra[_ ]forbidden|extra inputs|unexpected|not permitted|not allowed|deprecated|does not exist|invalid param`)

// learn takes note of a refused parameter.
func (a *adaption) learn(f *provider.Failure) {
	if f == nil || f.Kind != provider.FailureBadRequest || !refusedParameter.MatchString(f.Message+" "+f.Code) {
		return
	}
	for _, name := range []string{MaxTokens, MaxCompletionTokens} {
		if a.maxTokens == name && blames(f, name) {
			a.maxTokens = other(name)
			return
		}
	}
	for _, name := range optional() {
		if blames(f, name) {
			if a.without == nil {
				a.without = make(map[string]bool)
			}
			a.without[name] = true
			return
		}
	}
}

func other(name string) string {
	if name == MaxTokens {
		return MaxCompletionTokens
	}
	return MaxTokens
}

// blames reports whether a failure is about a parameter: by its param field,
// or else because the parameter is the first that the message names.
func blames(f *provider.Failure, name string) bool {
	if f.Param != "" {
		return f.Param == name || strings.HasPrefix(f.Param, name+".")
	}
	first, which := len(f.Message), ""
	for _, p := range append(optional(), MaxTokens, MaxCompletionTokens) {
		if i := wordIndex(f.Message, p); i >= 0 && i < first {
			first, which = i, p
		}
	}
	return which == name
}

// wordIndex finds a name that is not part of a longer one.
func wordIndex(text, name string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return -1
		}
		i += from
		end := i + len(name)
		if (i == 0 || !wordByte(text[i-1])) && (end == len(text) || !wordByte(text[end])) {
			return i
		}
		from = end
	}
}

func wordByte(b byte) bool {
	return b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

// list says what is different from what the options ask for.
func (a adaption) list(maxTokens string) []string {
	var out []string
	if a.maxTokens != maxTokens {
		out = append(out, maxTokens+" -> "+a.maxTokens)
	}
	for _, name := range slices.Sorted(maps.Keys(a.without)) {
		out = append(out, "without "+name)
	}
	return out
}

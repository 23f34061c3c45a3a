package openaichat

import (
	"maps"
	"slices"
	"strings"

	"crosstalk/probes/provider"
)

// usage reads token counts. What was not given stays nil: many servers count
// cached tokens only when told to, and "unknown" is not "none".
func (r *reading) usage(n *provider.Node) *provider.Usage {
	u := &provider.Usage{
		Prompt:     r.count(n.Get("prompt_tokens")),
		Completion: r.count(n.Get("completion_tokens")),
		Total:      r.count(n.Get("total_tokens")),
		Cached:     r.count(n.Get("prompt_tokens_details").Get("cached_tokens")),
		Reasoning:  r.count(n.Get("completion_tokens_details").Get("reasoning_tokens")),
	}
	if u.Reasoning == nil {
		u.Reasoning = r.count(n.Get("reasoning_tokens")) // SGLang
	}
	if u.Cached == nil {
		u.Cached = r.count(n.Get("cached_tokens"))
	}
	if u.Cached == nil {
		u.Cached = r.count(n.Get("prompt_cache_hit_tokens")) // DeepSeek
	}
	return u
}

// count reads one number of tokens.
func (r *reading) count(n *provider.Node) *int {
	if !n.Given() {
		return nil
	}
	i, ok := n.Int()
	if !ok {
		r.problemOnce("bad_usage", "a token count that is no whole number")
		return nil
	}
	return &i
}

// identityHeaders tell who answered, or whether anybody did: a gateway may
// have answered from a cache.
var identityHeaders = []string{
	"server", "via", "age", "x-cache", "x-served-by", "x-request-id", "request-id", "cf-ray", "cf-ai-req-id",
	"cf-aig-cache-status", "apim-request-id", "x-ms-region", "x-ms-deployment-name", "azureml-model-session",
	"azureml-model-group", "openai-organization", "openai-project", "openai-version", "x-generation-id",
	"x-litellm-call-id", "x-litellm-model-id", "x-litellm-model-api-base", "x-litellm-attempted-fallbacks",
	"x-litellm-attempted-retries", "x-litellm-cache-key", "x-litellm-version", "llm_provider-x-request-id",
	"x-portkey-provider", "x-portkey-cache-status", "x-portkey-trace-id", "x-compute-type",
}

// identity keeps the headers that tell who answered.
func (r *reading) identity() {
	for _, name := range identityHeaders {
		if value := strings.Join(r.resp.Header.Values(name), ", "); value != "" {
			r.setIdentity(name, value)
		}
	}
}

func (r *reading) setIdentity(name, value string) {
	if r.resp.Identity == nil {
		r.resp.Identity = make(map[string]string)
	}
	r.resp.Identity[name] = strings.ToValidUTF8(value, "\uFFFD")
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

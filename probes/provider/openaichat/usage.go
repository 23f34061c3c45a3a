package openaichat

import "crosstalk/probes/provider"

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

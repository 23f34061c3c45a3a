package openaichat

import (
	"fmt"
	"slices"

	"crosstalk/probes/provider"
)

// chunk reads a chat.completion (part "message") or a chat.completion.chunk
// (part "delta").
func (r *reading) chunk(root *provider.Node, part string) {
	r.head(root)
	list := root.Get("choices").Items
	if len(list) == 0 && !root.Get("usage").Given() && root.Get("prompt_filter_results") == nil {
		r.problemOnce("empty_choices", "a list of choices with nothing in it")
	}
	for i := range list {
		r.choices++
		index, numbered := list[i].Get("index").Int()
		if !numbered {
			r.problemOnce("index", "a choice without a number")
			index = i
		}
		if index == 0 {
			r.first = true
			r.firstChoice(&list[i], part)
		} else {
			r.otherChoice(&list[i], index)
		}
	}
}

// head reads what stands beside the choices.
func (r *reading) head(root *provider.Node) {
	resp := r.resp
	if id := root.Get("id").Text(); id != "" {
		if resp.ID == "" {
			resp.ID = id
		}
		r.streamID(id)
	}
	r.same("model", &resp.Model, root.Get("model"))
	for _, name := range []string{"system_fingerprint", "provider", "service_tier"} {
		r.hint(name, root.Get(name))
	}
	r.hint("weight_version", root.Get("metadata").Get("weight_version"))
	if usage := root.Get("usage"); usage.Is(provider.Object) {
		resp.Usage = r.usage(usage)
	} else if usage.Given() {
		r.problemOnce("wrong_type", "usage is no object")
	}
	r.extras.CollectMembers("", root, func(name string) bool { return slices.Contains(knownHead, name) })
}

// streamID notes the id of an event of a stream.
func (r *reading) streamID(id string) {
	s := r.resp.Stream
	if s == nil || slices.Contains(s.IDs, id) || len(s.IDs) >= maxIDs {
		return
	}
	if s.IDs = append(s.IDs, id); len(s.IDs) == 2 {
		r.problem("several_ids", "events of one stream have different ids")
	}
}

// same fills *have, or notes that the value changed.
func (r *reading) same(name string, have *string, n *provider.Node) {
	switch text := n.Text(); {
	case text == "" || text == *have:
	case *have == "":
		*have = text
	default:
		r.problemOnce("identity", name+" changed within the answer")
	}
}

// hint keeps a hint of who answered.
func (r *reading) hint(name string, n *provider.Node) {
	have := r.resp.Identity[name]
	if r.same(name, &have, n); have != "" {
		r.setIdentity(name, have)
	}
}

// firstChoice reads the choice that is the answer.
func (r *reading) firstChoice(choice *provider.Node, part string) {
	before := r.resp.FinishReason
	where := "choices[0].message"
	if part == "delta" {
		where = "choices[0].delta"
	}
	r.message(choice.Get(part), where)
	if before != "" && r.added > 0 {
		r.problemOnce("after_finish", "content after the finish reason")
	}
	r.finishReason(choice.Get("finish_reason"), before)
	for _, name := range []string{"native_finish_reason", "matched_stop", "stop_reason"} {
		if text := choice.Get(name).Text(); text != "" {
			r.setIdentity(name, text)
		}
	}
	if choice.Get("error").Given() {
		if f := provider.ClassifyError(r.resp.Status, r.resp.Header, choice.Raw); f != nil {
			r.problem("error_in_stream", "a choice that is an error")
			r.resp.Fail(f)
		}
	}
	r.logprobs(choice.Get("logprobs"))
	r.extras.CollectMembers("choices[0]", choice, func(name string) bool {
		return name == part || slices.Contains(knownChoice, name)
	})
}

// finishReason reads a finish reason. A second one that says the same and
// brings nothing is how OpenRouter sends the usage.
func (r *reading) finishReason(n *provider.Node, before string) {
	if !n.Given() {
		return
	}
	if !n.Is(provider.String) || n.Text() == "" {
		r.problemOnce("wrong_type", "the finish reason is no word")
		return
	}
	if s := r.resp.Stream; s != nil {
		s.Finishes++
	}
	if before != "" && (before != n.Text() || r.added > 0) {
		r.problemOnce("several_finishes", "the finish reason comes twice")
	}
	r.resp.FinishReason = n.Text()
}

// otherChoice keeps every text of a further choice. We ask for one only.
func (r *reading) otherChoice(choice *provider.Node, index int) {
	where := fmt.Sprintf("choices[%d]", index)
	for i := range choice.Members {
		m := &choice.Members[i]
		switch m.Name {
		case "message", "delta":
			r.extras.CollectMembers(where+"."+m.Name, &m.Value, func(name string) bool { return name == "role" })
		case "finish_reason":
		default:
			r.extras.Collect(where+"."+m.Name, &m.Value)
		}
	}
}

// logprobs keeps the tokens that the target says the answer is made of.
func (r *reading) logprobs(n *provider.Node) {
	for _, channel := range []string{"content", "refusal"} {
		if list := n.Get(channel); list != nil {
			for i := range list.Items {
				r.extras.Add("choices[0].logprobs."+channel, list.Items[i].Get("token").Text())
			}
		}
	}
}

// The fields that are read elsewhere, or hold no text of an answer: numbers,
// padding, verdicts of filters.
var (
	knownHead = []string{
		"id", "object", "created", "model", "choices", "usage", "system_fingerprint", "provider",
		"service_tier", "error", "obfuscation", "p", "metadata", "timings", "prompt_filter_results", "user_id",
	}
	knownChoice = []string{
		"index", "finish_reason", "native_finish_reason", "matched_stop", "stop_reason",
		"error", "logprobs", "content_filter_results",
	}
	knownMessage = []string{"role", "content", "reasoning_content", "reasoning", "refusal", "tool_calls", "function_call"}
)

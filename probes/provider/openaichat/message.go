package openaichat

import (
	"fmt"
	"slices"
	"strings"

	"crosstalk/probes/provider"
)

// message reads the message, or a delta of it, of the first choice.
func (r *reading) message(m *provider.Node, where string) {
	if m.Given() && !m.Is(provider.Object) {
		r.problemOnce("wrong_type", "the message is no object")
		r.extras.Collect(where, m)
		return
	}
	if role := m.Get("role"); role.Given() && role.Text() != "assistant" && role.Text() != "" {
		r.problemOnce("role", "the answer is by "+provider.Clip(role.Text(), 40))
	}
	r.textField(m, "content", where, &r.content)
	r.reasoningFields(m, where)
	if refusal := m.Get("refusal"); refusal.Is(provider.String) {
		r.refusal.WriteString(refusal.Text())
	} else if refusal.Given() {
		r.extras.Collect(where+".refusal", refusal)
	}
	if !r.tools.add(m.Get("tool_calls"), m.Get("function_call")) {
		r.problemOnce("wrong_type", "tool calls that are no list of objects")
		r.extras.Collect(where+".tool_calls", m.Get("tool_calls"))
	}
	r.extras.CollectMembers(where, m, func(name string) bool { return slices.Contains(knownMessage, name) })
}

// append adds text to the answer and counts it for the event.
func (r *reading) append(to *strings.Builder, text string) {
	to.WriteString(text)
	r.added += len(text)
}

// textField reads a field that is a string, or a list of parts.
func (r *reading) textField(of *provider.Node, field, where string, to *strings.Builder) {
	switch n := of.Get(field); {
	case !n.Given():
	case n.Is(provider.String):
		r.append(to, n.Text())
	case n.Is(provider.Array):
		for i := range n.Items {
			r.part(&n.Items[i], fmt.Sprintf("%s.%s[%d]", where, field, i), to)
		}
	default:
		r.problemOnce("wrong_type", "the "+field+" is neither text nor parts")
		r.extras.Collect(where+"."+field, n)
	}
}

// part reads one part of a content: text, or the thinking of Mistral. What
// else it may be is kept as it is.
func (r *reading) part(n *provider.Node, where string, to *strings.Builder) {
	switch n.Get("type").Text() {
	case "text", "output_text":
		r.textField(n, "text", where, to)
		r.extras.CollectMembers(where, n, func(name string) bool { return name == "type" || name == "text" })
	case "thinking", "reasoning":
		for _, name := range []string{"thinking", "reasoning", "text"} {
			r.textField(n, name, where, &r.reasoning)
		}
	default:
		if n.Is(provider.String) {
			r.append(to, n.Text())
		} else {
			r.extras.Collect(where, n)
		}
	}
}

// reasoningFields reads the two names that reasoning goes by. Some servers
// send both with the same text.
func (r *reading) reasoningFields(m *provider.Node, where string) {
	a, b := m.Get("reasoning_content"), m.Get("reasoning")
	r.textField(m, "reasoning_content", where, &r.reasoning)
	if a.Text() == "" || a.Text() != b.Text() {
		if b.Is(provider.Object) {
			r.extras.Collect(where+".reasoning", b)
		} else {
			r.textField(m, "reasoning", where, &r.reasoning)
		}
	}
}

// maxTools bounds the tool calls of one answer; we never offer a tool.
const maxTools = 128

// toolCalls joins tool calls over the deltas of a stream, by their index.
type toolCalls struct {
	indexes []int
	calls   []*toolCall
}

type toolCall struct {
	id, name  string
	arguments strings.Builder
}

// add reads a tool_calls list and the older function_call. It reports false
// if they are of another type.
func (t *toolCalls) add(list, function *provider.Node) bool {
	if function.Is(provider.Object) {
		t.at(0).add(nil, function)
	}
	if !list.Given() {
		return true
	}
	if !list.Is(provider.Array) {
		return false
	}
	for i := range list.Items {
		item := &list.Items[i]
		if !item.Is(provider.Object) {
			return false
		}
		index, ok := item.Get("index").Int()
		if !ok {
			index = i
		}
		t.at(index).add(item.Get("id"), item.Get("function"))
	}
	return true
}

// at returns the call with an index, the last one when there are too many.
func (t *toolCalls) at(index int) *toolCall {
	if i := slices.Index(t.indexes, index); i >= 0 {
		return t.calls[i]
	}
	if len(t.calls) < maxTools {
		t.indexes = append(t.indexes, index)
		t.calls = append(t.calls, new(toolCall))
	}
	return t.calls[len(t.calls)-1]
}

// add joins a piece of a call. Servers either send id and name once, or again
// with every delta.
func (c *toolCall) add(id, function *provider.Node) {
	if text := id.Text(); text != "" {
		c.id = text
	}
	if name := function.Get("name").Text(); name != c.name {
		c.name += name
	}
	switch arguments := function.Get("arguments"); {
	case arguments.Is(provider.String):
		c.arguments.WriteString(arguments.Text())
	case arguments.Given():
		c.arguments.Write(arguments.Raw) // an object, where a text should be
	}
}

func (t *toolCalls) list() []provider.ToolCall {
	var out []provider.ToolCall
	for _, c := range t.calls {
		out = append(out, provider.ToolCall{
			ID:        strings.ToValidUTF8(c.id, "\uFFFD"),
			Name:      strings.ToValidUTF8(c.name, "\uFFFD"),
			Arguments: valid(&c.arguments),
		})
	}
	return out
}

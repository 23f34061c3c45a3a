package openaichat

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"crosstalk/probes/provider"
)

// call lays out a request. The body is never in memory as a whole: what is
// before and after the prompt is, and the prompt is read twice, once to count
// and once to send.
func (c *Client) call(req *provider.Request, adapt adaption) (provider.Call, error) {
	if req.Prompt == nil {
		return provider.Call{}, errors.New("it has no prompt")
	}
	size, err := provider.EscapedSize(req.Prompt.Reader(), req.Prompt.Size())
	if err != nil {
		return provider.Call{}, err
	}
	before, after, err := c.frame(req, adapt)
	if err != nil {
		return provider.Call{}, err
	}
	return provider.Call{
		URL:    c.endpoint,
		Header: c.header(req),
		Body: io.MultiReader(
			bytes.NewReader(before),
			provider.EscapeReader(req.Prompt.Reader()),
			bytes.NewReader(after),
		),
		Length:     int64(len(before)) + size + int64(len(after)),
		Reuse:      req.Reuse,
		Terminator: terminator,
	}, nil
}

// header has no more than the API needs. The prompt is never in it, nor
// anything made from the prompt.
func (c *Client) header(req *provider.Request) http.Header {
	h := http.Header{
		"Content-Type": {"application/json"},
		"User-Agent":   {"crosstalk/" + cmp.Or(c.options.Version, "dev")},
		"X-Request-Id": {req.ID.String()},
	}
	if req.Stream {
		// Compression would hold back what the stream is there to show.
		h.Set("Accept", "text/event-stream")
		h.Set("Accept-Encoding", "identity")
	} else {
		h.Set("Accept", "application/json")
		h.Set("Accept-Encoding", "gzip")
	}
	for name, value := range c.options.Header {
		h.Set(name, value)
	}
	if key := req.Credential.Reveal(); key != "" {
		if c.options.KeyHeader != "" {
			h.Set(c.options.KeyHeader, key)
		} else {
			h.Set("Authorization", "Bearer "+key)
		}
	}
	return h
}

// frame returns the body before and after the prompt.
func (c *Client) frame(req *provider.Request, adapt adaption) (before, after []byte, err error) {
	var head, tail bytes.Buffer
	model, err := json.Marshal(req.Model)
	if err != nil {
		return nil, nil, fmt.Errorf("model name: %w", err)
	}
	fmt.Fprintf(&head, `{"model":%s,"messages":[{"role":"user","content":"`, model)
	tail.WriteString(`"}]`)
	for _, p := range c.parameters(req, adapt) {
		value, err := json.Marshal(p.value)
		if err != nil {
			return nil, nil, fmt.Errorf("body field %s: %w", p.name, err)
		}
		fmt.Fprintf(&tail, `,%q:%s`, p.name, value)
	}
	tail.WriteByte('}')
	return head.Bytes(), tail.Bytes(), nil
}

// parameter is one field of the body.
type parameter struct {
	name  string
	value any
}

// parameters returns the fields besides model and messages, in a fixed order.
func (c *Client) parameters(req *provider.Request, adapt adaption) []parameter {
	var all []parameter
	add := func(name string, value any) {
		if _, given := c.options.Body[name]; !given && !adapt.without[name] {
			all = append(all, parameter{name, value})
		}
	}
	if req.MaxTokens > 0 {
		add(adapt.maxTokens, req.MaxTokens)
	}
	add("temperature", 0)
	add("stream", req.Stream)
	if req.Stream {
		add("stream_options", map[string]bool{"include_usage": true})
	}
	if req.ThinkingOff {
		if name, value := c.options.Thinking.parameter(); name != "" {
			add(name, value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.options.Body)) {
		all = append(all, parameter{name, c.options.Body[name]})
	}
	return all
}

// parameter returns the field that is the switch, "" if there is none.
func (t Thinking) parameter() (string, any) {
	switch t {
	case ThinkingTemplate:
		return "chat_template_kwargs", map[string]bool{"enable_thinking": false}
	case ThinkingLow, ThinkingMinimal:
		return "reasoning_effort", string(t)
	case ThinkingDisabled:
		return "thinking", map[string]string{"type": "disabled"}
	}
	return "", nil
}

// terminator is the data of the event that ends a stream.
const terminator = "[DONE]"

// isDone reports whether an event is the terminator.
func isDone(data []byte) bool { return strings.TrimSpace(string(data)) == terminator }

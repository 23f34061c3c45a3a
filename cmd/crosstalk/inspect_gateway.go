package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The formats of recordings.
const (
	formatAuto    = "auto"
	formatNative  = "crosstalk"
	formatOpenAI  = "openai"
	formatLiteLLM = "litellm"
	formatText    = "text"
	formatLines   = "lines"
)

var inspectFormats = []string{formatAuto, formatNative, formatOpenAI, formatLiteLLM, formatText, formatLines}

// members are the members of a JSON object, not yet read.
type members map[string]json.RawMessage

// given reports whether the member is there and not null.
func (m members) given(name string) bool {
	v, ok := m[name]
	return ok && len(v) > 0 && string(v) != "null"
}

// formatOf tells the format of a line by its members.
func formatOf(m members) string {
	switch {
	case m.given("text"), m.given("expected"), m.given("api"):
		return formatNative
	case m.given("call_type"), m.given("litellm_call_id"), m.given("model_parameters"),
		m.given("request_id") && (m.given("startTime") || m.given("spend")):
		return formatLiteLLM
	case m.given("request"), m.given("custom_id"), m.given("choices"), m.given("messages"):
		return formatOpenAI
	}
	return formatNative
}

// openAILine reads a line of OpenAI's shapes: request and response as gateways
// log them, a line of a batch's output, a body alone, or a conversation whose
// last message is the answer.
func openAILine(m members) (*inspectIn, error) {
	in := &inspectIn{ID: firstOf(m, "id", "custom_id", "request_id"), bare: true}
	request := bodyOf(m["request"])
	if request == nil && !m.given("request") {
		request = m // members of the request may stand beside the response
	}
	in.Prompt = promptText(request)
	in.MaxTokens = maxTokensOf(request)
	switch {
	case m.given("response"):
		return in, in.setResponse(m["response"])
	case m.given("request") && m.given("body"):
		in.status = statusOf(m)
		return in, in.setResponse(m["body"])
	case m.given("choices"):
		body, err := json.Marshal(m)
		if err != nil {
			return nil, fmt.Errorf("read body: %w", err)
		}
		return in, in.setResponse(body)
	case m.given("error"):
		return nil, errors.New("the request failed and has no answer")
	case m.given("messages"):
		return in, in.lastMessage(m["messages"])
	}
	return nil, errors.New("a request without its answer: log the response too, as \"response\"")
}

// liteLLMLine reads a row of LiteLLM's spend log, or of its logging payload.
func liteLLMLine(m members) (*inspectIn, error) {
	in := &inspectIn{ID: firstOf(m, "request_id", "id", "litellm_call_id"), bare: true}
	if status := textOf(m["status"]); status == "failure" {
		return nil, errors.New("the request failed and has no answer")
	}
	if kind := textOf(m["call_type"]); kind != "" && !strings.Contains(kind, "completion") && !strings.Contains(kind, "anthropic_messages") && !strings.Contains(kind, "responses") {
		return nil, fmt.Errorf("a call of type %s has no answer in words: leave such rows out", kind)
	}
	in.Prompt = promptText(m)
	if in.Prompt == "" {
		in.Prompt = promptText(bodyOf(m["proxy_server_request"]))
	}
	in.MaxTokens = maxTokensOf(bodyOf(m["model_parameters"]))
	if in.MaxTokens == 0 {
		in.MaxTokens = maxTokensOf(bodyOf(m["proxy_server_request"]))
	}
	response := m["response"]
	if unlogged(response) {
		return nil, errors.New("the content was not logged: set store_prompts_in_spend_logs: true in LiteLLM's general_settings, and turn_off_message_logging off")
	}
	return in, in.setResponse(response)
}

// unlogged reports whether a member holds nothing of an answer: LiteLLM writes
// {} when it is told to keep no content, and a fixed word when told to redact.
func unlogged(v json.RawMessage) bool {
	text := string(bytes.TrimSpace(v))
	return text == "" || text == "null" || text == "{}" || text == `"{}"` || text == `""` || text == "[]" ||
		len(text) < 4096 && strings.Contains(text, "redacted-by-litellm")
}

// setResponse takes what a log has as the response: the provider's body as an
// object or as text, an envelope with its status around it, or the answer's text
// alone.
func (in *inspectIn) setResponse(v json.RawMessage) error {
	v = unquoted(v)
	var m members
	if json.Unmarshal(v, &m) != nil {
		text := textOf(v)
		if text == "" {
			return errors.New("the response is neither a body nor a text")
		}
		if strings.HasPrefix(strings.TrimSpace(text), "data:") || strings.HasPrefix(strings.TrimSpace(text), "event:") {
			in.Response = v // a recorded event stream
			return nil
		}
		in.Text = &text
		return nil
	}
	switch {
	case m.given("choices"):
		return in.setChoices(m, v)
	case m.given("error") && !m.given("body"):
		in.Response = v
	case m.given("body"):
		in.status = statusOf(m)
		return in.setResponse(m["body"])
	case m.given("content"), m.given("role"):
		return in.setMessage(m)
	case m.given("output"), m.given("candidates"):
		return errors.New("a body of another API than chat completions: bring it into the form of inspect, {\"id\", \"text\"}")
	default:
		return errors.New("the response has no choices: want the body of a chat completion")
	}
	return nil
}

// setChoices takes a body with choices. Those of the older completions API hold
// their text where a message should be.
func (in *inspectIn) setChoices(m members, body json.RawMessage) error {
	var choices []members
	if json.Unmarshal(m["choices"], &choices) != nil {
		return errors.New("\"choices\" is no list of objects")
	}
	in.choices = len(choices)
	if len(choices) == 0 {
		in.Response = body
		return nil
	}
	if !choices[0].given("text") || choices[0].given("message") {
		return in.setFinished(m, choices)
	}
	text := textOf(choices[0]["text"])
	in.Text = &text
	if choices[0].given("finish_reason") {
		reason := textOf(choices[0]["finish_reason"])
		in.FinishReason = &reason
	}
	if m.given("usage") && json.Unmarshal(m["usage"], &in.Usage) != nil {
		return errors.New("\"usage\" is no object of numbers")
	}
	return nil
}

// setFinished takes the body with these choices as the response. A finish reason
// that is missing was lost in the log: the answer is taken to have ended.
func (in *inspectIn) setFinished(m members, choices []members) error {
	for _, choice := range choices {
		if choice != nil && !choice.given("finish_reason") {
			choice["finish_reason"] = json.RawMessage(`"stop"`)
		}
	}
	list, err := json.Marshal(choices)
	if err != nil {
		return fmt.Errorf("read choices: %w", err)
	}
	m["choices"] = list
	if in.Response, err = json.Marshal(m); err != nil {
		return fmt.Errorf("read body: %w", err)
	}
	return nil
}

// unquoted is v, and where v is a string that holds a JSON object, that object:
// databases export JSON columns as text.
func unquoted(v json.RawMessage) json.RawMessage {
	text := strings.TrimSpace(textOf(v))
	if strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return v
}

// lastMessage takes the last message of a conversation as the answer, and those
// before it as the prompt.
func (in *inspectIn) lastMessage(v json.RawMessage) error {
	var list []members
	if err := json.Unmarshal(unquotedList(v), &list); err != nil || len(list) == 0 {
		return errors.New("\"messages\" is no list of messages")
	}
	last := list[len(list)-1]
	if role := textOf(last["role"]); role != "assistant" {
		return fmt.Errorf("the conversation ends with a message by %q: the last must be the assistant's answer", role)
	}
	in.Prompt = joinMessages(list[:len(list)-1])
	return in.setMessage(last)
}

// setMessage takes a message as the answer, as if it stood in a body.
func (in *inspectIn) setMessage(message members) error {
	body, err := json.Marshal(map[string]any{
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": "stop"}},
	})
	if err != nil {
		return fmt.Errorf("read message: %w", err)
	}
	in.Response = body
	return nil
}

// firstOf is the first of the members that is given.
func firstOf(m members, names ...string) json.RawMessage {
	for _, name := range names {
		if m.given(name) {
			return m[name]
		}
	}
	return nil
}

// textOf is the text of a JSON string, "" for anything else.
func textOf(v json.RawMessage) string {
	var text string
	if json.Unmarshal(v, &text) != nil {
		return ""
	}
	return text
}

// bodyOf is the request in a log: an object, one as text, or an envelope around
// either; nil if there is none.
func bodyOf(v json.RawMessage) members {
	var m members
	if json.Unmarshal(unquoted(v), &m) != nil {
		return nil
	}
	if m.given("body") {
		return bodyOf(m["body"])
	}
	return m
}

// statusOf is the HTTP status that a log gives, 0 for none.
func statusOf(m members) int {
	for _, name := range []string{"status_code", "status"} {
		if n, err := strconv.Atoi(strings.Trim(string(m[name]), `"`)); err == nil && n >= 100 && n < 600 {
			return n
		}
	}
	return 0
}

// maxTokensOf is the cap on the answer that a request states, 0 for none.
func maxTokensOf(request members) int {
	for _, name := range []string{"max_completion_tokens", "max_tokens"} {
		if n, err := strconv.Atoi(string(request[name])); err == nil && n > 0 {
			return n
		}
	}
	return 0
}

// promptText is all text of a request that the model was given.
func promptText(request members) string {
	for _, name := range []string{"messages", "prompt", "input"} {
		if !request.given(name) {
			continue
		}
		v := unquotedList(request[name])
		if text := textOf(v); text != "" {
			return text
		}
		var list []members
		if json.Unmarshal(v, &list) == nil && len(list) > 0 {
			return joinMessages(list)
		}
	}
	return ""
}

// unquotedList is unquoted for a list.
func unquotedList(v json.RawMessage) json.RawMessage {
	text := strings.TrimSpace(textOf(v))
	if strings.HasPrefix(text, "[") && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return v
}

// joinMessages is the text of messages: strings, and the text of parts.
func joinMessages(list []members) string {
	var texts []string
	for _, message := range list {
		if text := textOf(message["content"]); text != "" {
			texts = append(texts, text)
			continue
		}
		var parts []members
		if json.Unmarshal(message["content"], &parts) != nil {
			continue
		}
		for _, part := range parts {
			if text := textOf(part["text"]); text != "" {
				texts = append(texts, text)
			}
		}
	}
	return strings.Join(texts, "\n")
}

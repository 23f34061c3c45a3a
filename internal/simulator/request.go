package simulator

import (
	"errors"
	"fmt"
	"io"
)

// request is a chat completion request, its messages already tokenised.
type request struct {
	model       string
	prompt      *draft
	messages    int
	stream      bool
	usage       bool // stream_options.include_usage
	maxTokens   int  // 0: not given
	thinkingOff bool
}

// Limits of what a request may be.
const (
	maxDepth  = 64      // nesting of JSON
	maxString = 4 << 10 // bytes of a string outside messages
	// templateTokens are the tokens of the chat template around a message,
	// replyTokens those that open the answer.
	templateTokens = 4
	replyTokens    = 3
)

// errBody is wrapped by every error about a body that is not a request.
var errBody = errors.New("invalid request body")

func bodyError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errBody, fmt.Sprintf(format, args...))
}

// readRequest reads a request body. Message text goes straight into draft, so
// that a prompt of a million tokens is held once, as tokens, and never as JSON.
func readRequest(r io.Reader, prompt *draft) (*request, error) {
	p := &jsonReader{r: r, buf: make([]byte, 64<<10)}
	req := &request{prompt: prompt}
	c, err := p.token()
	if err != nil {
		return nil, err
	}
	if c != '{' {
		return nil, bodyError("want an object, found %q", c)
	}
	if err := p.object(func(key string) error { return req.field(p, key) }); err != nil {
		return nil, err
	}
	if req.messages == 0 {
		return nil, bodyError("messages is missing or empty")
	}
	prompt.template(replyTokens)
	return req, nil
}

// field reads the value of one field of the request.
func (q *request) field(p *jsonReader, key string) (err error) {
	switch key {
	case "model":
		q.model, err = p.stringValue()
	case "messages":
		err = p.array(func() error { return q.message(p) })
	case "stream":
		q.stream, err = p.boolValue()
	case "max_tokens", "max_completion_tokens":
		q.maxTokens, err = p.intValue()
		if err == nil && q.maxTokens < 0 {
			err = bodyError("%s is negative", key)
		}
	case "reasoning_effort":
		var effort string
		effort, err = p.stringValue()
		q.thinkingOff = q.thinkingOff || effort == "none" || effort == "minimal"
	case "stream_options", "chat_template_kwargs", "thinking", "reasoning":
		err = p.objectValue(func(inner string) error { return q.option(p, key, inner) })
	default:
		err = p.skip()
	}
	return err
}

// option reads a field of one of the request's inner objects.
func (q *request) option(p *jsonReader, outer, key string) error {
	switch outer + "." + key {
	case "stream_options.include_usage":
		on, err := p.boolValue()
		q.usage = on
		return err
	case "chat_template_kwargs.enable_thinking", "chat_template_kwargs.thinking", "reasoning.enabled":
		on, err := p.boolValue()
		q.thinkingOff = q.thinkingOff || !on
		return err
	case "thinking.type", "reasoning.effort":
		kind, err := p.stringValue()
		q.thinkingOff = q.thinkingOff || kind == "disabled" || kind == "none" || kind == "minimal"
		return err
	}
	return p.skip()
}

// message reads one message into the prompt.
func (q *request) message(p *jsonReader) error {
	q.messages++
	if q.messages > 1 {
		q.prompt.write("\n")
	}
	q.prompt.template(templateTokens)
	return p.objectValue(func(key string) error {
		if key != "content" {
			return p.skip()
		}
		c, err := p.token()
		switch {
		case err != nil:
			return err
		case c == '"':
			return p.text(q.prompt)
		case c == '[':
			return p.elements(func() error {
				return p.objectValue(func(key string) error { return q.part(p, key) })
			})
		}
		return p.skipAfter(c)
	})
}

// part reads a field of a content part.
func (q *request) part(p *jsonReader, key string) error {
	if key != "text" {
		return p.skip()
	}
	c, err := p.token()
	if err != nil {
		return err
	}
	if c != '"' {
		return p.skipAfter(c)
	}
	return p.text(q.prompt)
}

package provider

import (
	"cmp"
	"regexp"
	"strings"
)

// toldError is an error as a body tells it, whatever its shape.
type toldError struct {
	message, code, typ, param string
	reason                    string // further words: an inner code, a status name
	retryDelay                string
	status                    int // as the body says
	limit, given              int
}

// effectiveStatus is the status to judge by: the body's own if the answer's
// says nothing.
func (e toldError) effectiveStatus(status int) int {
	if e.status != 0 && status/100 == 2 {
		return e.status
	}
	return status
}

// errorDepth bounds the nesting of an error body.
const errorDepth = 32

// maxUnwrap bounds how often an error may be wrapped in another.
const maxUnwrap = 6

// readToldError finds the error in a body. It reports false if the body has
// none, or is not JSON.
func readToldError(body []byte) (toldError, bool) {
	root, _, _, err := ParseJSON(body, errorDepth)
	if err != nil {
		return toldError{}, false
	}
	told, found := errorOfNode(root)
	if !found {
		return toldError{}, false
	}
	for range maxUnwrap {
		inner, ok := unwrap(told)
		if !ok {
			break
		}
		told = inner
	}
	told.message = strings.TrimSpace(strings.ToValidUTF8(told.message, "\uFFFD"))
	return told, true
}

// errorOfNode reads the shapes that errors come in, the commonest first.
func errorOfNode(root *Node) (toldError, bool) {
	if root.Is(Array) && len(root.Items) > 0 {
		return errorOfNode(&root.Items[0]) // Gemini
	}
	if !root.Is(Object) {
		return toldError{}, false
	}
	inner := root.Get("error")
	switch {
	case inner.Is(Object):
		return errorOfObject(inner), true
	case inner.Is(String) && inner.Text() != "":
		return errorOfString(root, inner.Text()), true
	case root.Get("object").Text() == "error": // SGLang, TensorRT-LLM, old vLLM
		return errorOfObject(root), true
	case root.Get("errors").Is(Array) && len(root.Get("errors").Items) > 0: // Cloudflare
		return errorOfObject(&root.Get("errors").Items[0]), true
	case root.Get("type").Text() == "error": // OpenAI Responses
		return errorOfObject(root), true
	case root.Get("choices") != nil:
		return toldError{}, false
	case root.Get("message").Is(String), root.Get("Message").Is(String): // AWS
		return errorOfObject(root), true
	case root.Get("detail").Given(): // FastAPI
		return toldError{message: detailText(root.Get("detail"))}, true
	}
	return toldError{}, false
}

// errorOfString reads {"error": "text", ...} of TGI, xAI, Ollama and others. A
// message beside it says more than the error.
func errorOfString(root *Node, text string) toldError {
	told := errorOfObject(root)
	told.typ = cmp.Or(root.Get("error_type").Text(), told.typ)
	if told.message == "" {
		told.message = text
	} else {
		told.typ = cmp.Or(told.typ, text)
	}
	return told
}

// errorOfObject reads the object that holds the message.
func errorOfObject(n *Node) toldError {
	told := toldError{
		message: cmp.Or(n.Get("message").Text(), n.Get("Message").Text()),
		code:    n.Get("code").Text(),
		typ:     n.Get("type").Text(),
		param:   n.Get("param").Text(),
		reason:  n.Get("status").Text() + " " + n.Get("innererror").Get("code").Text(),
	}
	for _, name := range []string{"http_status_code", "status_code", "code", "status"} {
		if s, ok := n.Get(name).Int(); ok && s >= 400 && s < 600 {
			told.status = s
			break
		}
	}
	told.given, _ = n.Get("n_prompt_tokens").Int()
	told.limit, _ = n.Get("n_ctx").Int()
	told.addDetails(n)
	if raw := n.Get("metadata").Get("raw"); raw.Text() != "" {
		told.message = raw.Text() // OpenRouter: what the provider said
	} else if raw.Is(Object) {
		told.message = string(raw.Raw)
	}
	return told
}

// addDetails reads Google's list of details.
func (e *toldError) addDetails(n *Node) {
	details := n.Get("details")
	if details == nil {
		return
	}
	for i := range details.Items {
		d := &details.Items[i]
		e.retryDelay = cmp.Or(e.retryDelay, d.Get("retryDelay").Text())
		e.reason += " " + d.Get("reason").Text()
	}
}

// detailText is a text, or the messages of a list of validation errors.
func detailText(n *Node) string {
	if n.Kind != Array {
		return cmp.Or(n.Text(), cmp.Or(n.Get("message").Text(), string(n.Raw)))
	}
	var parts []string
	for i := range n.Items[:min(len(n.Items), 8)] {
		if m := n.Items[i].Get("msg").Text(); m != "" {
			parts = append(parts, m)
		}
	}
	if parts == nil {
		return string(n.Raw)
	}
	return strings.Join(parts, "; ")
}

// Texts that gateways put around the text of the server behind them.
var (
	wrapPrefix = regexp.MustCompile(`^\s*(?:AiError:\s*|litellm\.[A-Za-z]+:\s*|[A-Za-z]+Error:\s+|[A-Za-z_]+Exception - |Error code: \d+ - |[a-z]+ error: )+`)
	wrapSuffix = regexp.MustCompile(`(?s)(?:\.? Received Model Group=.*|\s*\([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\))$`)
)

// unwrap takes one wrapper off an error and reports whether there was one.
func unwrap(e toldError) (toldError, bool) {
	text := strings.TrimSpace(e.message)
	bare := wrapPrefix.ReplaceAllString(wrapSuffix.ReplaceAllString(text, ""), "")
	if bare == "" {
		return e, false
	}
	if inner, ok := errorInText(bare); ok {
		return e.around(inner), true
	}
	if bare == text {
		return e, false
	}
	e.message = bare
	return e, true
}

// errorInText reads an error that stands as JSON in a text, possibly behind
// some words.
func errorInText(text string) (toldError, bool) {
	for _, open := range []string{"{", "["} {
		i := strings.Index(text, open)
		if i < 0 || i > 200 {
			continue
		}
		root, _, _, err := ParseJSON([]byte(text[i:]), errorDepth)
		if err != nil {
			continue
		}
		if told, ok := errorOfNode(root); ok && told.message != "" {
			return told, true
		}
	}
	return toldError{}, false
}

// around returns the inner error with what only the outer one tells.
func (e toldError) around(inner toldError) toldError {
	inner.code = cmp.Or(inner.code, e.code)
	inner.typ = cmp.Or(inner.typ, e.typ)
	inner.param = cmp.Or(inner.param, e.param)
	inner.retryDelay = cmp.Or(inner.retryDelay, e.retryDelay)
	inner.reason += " " + e.reason
	if inner.status == 0 {
		inner.status = e.status
	}
	return inner
}

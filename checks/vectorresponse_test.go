package checks_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/probes/provider/openaichat"
)

// rawResponse reads a raw body as the OpenAI chat client reads a live one; nil
// when the vector has none.
func rawResponse(files map[string]string, n *numbers) (*provider.Response, error) {
	body, stream := files["response.sse"]
	kind := "text/event-stream"
	if !stream {
		plain := false
		if body, plain = files["response.json"]; !plain {
			return nil, nil
		}
		kind = "application/json"
	}
	header := http.Header{"Content-Type": {kind}}
	if text := files["headers"]; text != "" {
		header = http.Header{}
		if err := readHeader(header, text); err != nil {
			return nil, err
		}
	}
	client, err := openaichat.New(openaichat.Options{BaseURL: "http://127.0.0.1:1/v1"})
	if err != nil {
		return nil, err
	}
	defer client.Close()
	return client.Parse(n.int("status", 200), header, strings.NewReader(body)), nil
}

// plainResponse puts a response together from the keys and files of e.
func (w *world) plainResponse(x *probes.Exchange, e *vectorExchange, files map[string]string, n *numbers) (*provider.Response, error) {
	r := &provider.Response{
		Status: n.int("status", 200), Header: http.Header{}, Streamed: x.Intent.Stream,
		Content: files["content"], Reasoning: files["reasoning"], Refusal: files["refusal"],
		FinishReason: "stop", ID: e.get("id"), Model: e.get("model"),
	}
	if n.bool("recorded", false) {
		r.FinishReason = ""
	} else {
		r.Body = []byte(files["content"] + files["reasoning"] + "\n")
	}
	if e.has("finish") {
		r.FinishReason = e.get("finish")
	}
	if text, ok := files["extra"]; ok {
		r.Extra = []provider.Text{{Where: "choices[1].message.content", Text: text}}
	}
	if text, ok := files["usage.json"]; ok {
		if err := json.Unmarshal([]byte(text), &r.Usage); err != nil {
			return nil, fmt.Errorf("usage.json: %w", err)
		}
	}
	if text, ok := files["tools.json"]; ok {
		if err := json.Unmarshal([]byte(text), &r.Tools); err != nil {
			return nil, fmt.Errorf("tools.json: %w", err)
		}
	}
	if err := readHeader(r.Header, files["headers"]); err != nil {
		return nil, err
	}
	for _, s := range e.all("identity") {
		if r.Identity == nil {
			r.Identity = map[string]string{}
		}
		name, value, _ := strings.Cut(s, " ")
		r.Identity[name] = value
	}
	for _, s := range e.all("problem") {
		kind, detail, _ := strings.Cut(s, " ")
		r.Problems = append(r.Problems, provider.Problem{Kind: kind, Detail: detail})
	}
	if x.Intent.Stream {
		r.Stream = plainStream(r, e, n)
	}
	var err error
	if s := e.get("failure"); s != "" {
		r.Failure, err = failureOf(s)
	}
	return r, err
}

func plainStream(r *provider.Response, e *vectorExchange, n *numbers) *provider.Stream {
	s := &provider.Stream{Done: n.bool("done", true), IDs: strings.Fields(e.get("ids"))}
	if r.FinishReason != "" {
		s.Finishes = 1
	}
	s.Finishes = n.int("finishes", s.Finishes)
	if r.ID != "" && len(s.IDs) == 0 {
		s.IDs = []string{r.ID}
	}
	return s
}

// failureOf reads "kind [name=value|flag]...".
func failureOf(s string) (*provider.Failure, error) {
	fields := strings.Fields(s)
	f := &provider.Failure{Kind: provider.FailureKind(fields[0])}
	for _, field := range fields[1:] {
		name, value, _ := strings.Cut(field, "=")
		var err error
		switch name {
		case "code":
			f.Code = value
		case "limit":
			f.Limit, err = strconv.Atoi(value)
		case "given":
			f.Given, err = strconv.Atoi(value)
		case "at_least":
			f.AtLeast = true
		case "in_stream":
			f.InStream = true
		default:
			err = fmt.Errorf("unknown word %q", name)
		}
		if err != nil {
			return nil, fmt.Errorf("failure: %w", err)
		}
	}
	return f, nil
}

func readHeader(h http.Header, text string) error {
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			return fmt.Errorf("headers: %q: want name: value", line)
		}
		h.Add(name, strings.TrimSpace(value))
	}
	return nil
}

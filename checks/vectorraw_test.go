package checks_test

import (
	"net/http"
	"strings"

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

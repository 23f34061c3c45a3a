package openaichat

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"crosstalk/internal/secret"
	"crosstalk/probes/provider"
	"crosstalk/probes/provider/providertest"
)

// body is the request body that a client would send.
func body(t *testing.T, o Options, req *provider.Request) string {
	t.Helper()
	o.BaseURL = "http://127.0.0.1/v1"
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	call, err := c.call(req, c.adapt)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(call.Body)
	if err != nil || int64(len(text)) != call.Length {
		t.Fatalf("%d bytes (%v), length says %d", len(text), err, call.Length)
	}
	if !json.Valid(text) {
		t.Errorf("not JSON: %s", text)
	}
	return string(text)
}

func TestBody(t *testing.T) {
	const head = `{"model":"m","messages":[{"role":"user","content":"say \"a\""}]`
	for _, test := range []struct {
		name    string
		options Options
		request provider.Request
		want    string
	}{
		{"plain", Options{}, provider.Request{MaxTokens: 32}, `,"max_tokens":32,"temperature":0,"stream":false}`},
		{"no bound", Options{}, provider.Request{}, `,"temperature":0,"stream":false}`},
		{"stream", Options{}, provider.Request{Stream: true}, `,"temperature":0,"stream":true,"stream_options":{"include_usage":true}}`},
		{"other name", Options{MaxTokensField: MaxCompletionTokens}, provider.Request{MaxTokens: 1}, `,"max_completion_tokens":1,"temperature":0,"stream":false}`},
		{"thinking not asked off", Options{Thinking: ThinkingTemplate}, provider.Request{}, `,"temperature":0,"stream":false}`},
		{"no switch", Options{}, provider.Request{ThinkingOff: true}, `,"temperature":0,"stream":false}`},
		{"template", Options{Thinking: ThinkingTemplate}, provider.Request{ThinkingOff: true}, `,"temperature":0,"stream":false,"chat_template_kwargs":{"enable_thinking":false}}`},
		{"low", Options{Thinking: ThinkingLow}, provider.Request{ThinkingOff: true}, `,"temperature":0,"stream":false,"reasoning_effort":"low"}`},
		{"minimal", Options{Thinking: ThinkingMinimal}, provider.Request{ThinkingOff: true}, `,"temperature":0,"stream":false,"reasoning_effort":"minimal"}`},
		{"disabled", Options{Thinking: ThinkingDisabled}, provider.Request{ThinkingOff: true}, `,"temperature":0,"stream":false,"thinking":{"type":"disabled"}}`},
		{"extra fields", Options{Body: map[string]any{"temperature": 0.5, "cache_salt": "a-1"}}, provider.Request{}, `,"stream":false,"cache_salt":"a-1","temperature":0.5}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			req := test.request
			req.Model, req.Prompt = "m", providertest.Text(`say "a"`)
			if diff := cmp.Diff(head+test.want, body(t, test.options, &req)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestHeader(t *testing.T) {
	id := uuid.MustParse("01937f3e-0000-7000-8000-000000000001")
	req := &provider.Request{ID: id, Credential: secret.New("key"), Prompt: providertest.Text("x")}
	for _, test := range []struct {
		name    string
		options Options
		stream  bool
		want    http.Header
	}{
		{"plain", Options{Version: "1.2"}, false, http.Header{
			"Authorization": {"Bearer key"}, "Accept": {"application/json"},
			"Accept-Encoding": {"gzip"}, "User-Agent": {"crosstalk/1.2"},
		}},
		{"stream", Options{}, true, http.Header{
			"Authorization": {"Bearer key"}, "Accept": {"text/event-stream"},
			"Accept-Encoding": {"identity"}, "User-Agent": {"crosstalk/dev"},
		}},
		{"azure", Options{KeyHeader: "api-key", Header: map[string]string{"x-route": "a"}}, false, http.Header{
			"Api-Key": {"key"},
			"Accept":  {"application/json"}, "Accept-Encoding": {"gzip"}, "User-Agent": {"crosstalk/dev"}, "X-Route": {"a"},
		}},
	} {
		test.options.BaseURL = "http://127.0.0.1"
		c, err := New(test.options)
		if err != nil {
			t.Fatal(err)
		}
		req.Stream = test.stream
		test.want.Set("Content-Type", "application/json")
		test.want.Set("X-Request-Id", id.String())
		if diff := cmp.Diff(test.want, c.header(req)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestEndpoint(t *testing.T) {
	for base, want := range map[string]string{
		"http://host":                     "http://host/chat/completions",
		"http://host/":                    "http://host/chat/completions",
		"https://host/v1":                 "https://host/v1/chat/completions",
		"https://host/v1/":                "https://host/v1/chat/completions",
		"https://host/v1?api-version=1#x": "https://host/v1/chat/completions?api-version=1",
		"https://host/a/chat/completions": "https://host/a/chat/completions",
	} {
		c, err := New(Options{BaseURL: base})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.endpoint.String(); got != want {
			t.Errorf("%s: %s, want %s", base, got, want)
		}
	}
}

func TestBadOptions(t *testing.T) {
	for name, o := range map[string]Options{
		"no URL":          {},
		"relative URL":    {BaseURL: "host/v1"},
		"other scheme":    {BaseURL: "ftp://host"},
		"no URL at all":   {BaseURL: "http://[pass-word"},
		"password in URL": {BaseURL: "https://user:pass-word@host/v1"},
		"thinking":        {BaseURL: "http://host", Thinking: "hard"},
		"max tokens":      {BaseURL: "http://host", MaxTokensField: "limit"},
		"body field":      {BaseURL: "http://host", Body: map[string]any{"messages": 1}},
		"header":          {BaseURL: "http://host", Header: map[string]string{"authorization": "x"}},
		"proxy":           {BaseURL: "http://host", Proxy: "pass-word"},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%s: no error", name)
		} else if strings.Contains(err.Error(), "pass-word") {
			t.Errorf("%s: the error tells a secret: %v", name, err)
		}
	}
}

func TestBodyValueThatIsNoJSON(t *testing.T) {
	c, err := New(Options{BaseURL: "http://host", Body: map[string]any{"x": func() {}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do(t.Context(), &provider.Request{Prompt: providertest.Text("x")}); err == nil {
		t.Error("no error")
	}
}

// refusal is a server's way to mind one parameter.
type refusal struct{ name, field, body string }

func TestAdapt(t *testing.T) {
	for _, test := range []struct {
		refusal
		want string
	}{
		{
			refusal{"openai max_tokens", "max_tokens", `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`},
			"max_tokens -> max_completion_tokens",
		},
		{
			refusal{"max_tokens without param", "max_tokens", `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."}}`},
			"max_tokens -> max_completion_tokens",
		},
		{
			refusal{"openai temperature", "temperature", `{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.","param":"temperature","code":"unsupported_value"}}`},
			"without temperature",
		},
		{
			refusal{"tensorrt", "chat_template_kwargs", `{"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body', 'chat_template_kwargs'), 'msg': 'Extra inputs are not permitted', 'input': {'enable_thinking': False}}]","type":"BadRequestError","param":null,"code":400}`},
			"without chat_template_kwargs",
		},
		{
			refusal{"old gateway", "stream_options", `{"error":{"message":"Unrecognized request argument supplied: stream_options","type":"invalid_request_error"}}`},
			"without stream_options",
		},
		{
			refusal{"fastapi", "stream_options", `{"detail":[{"loc":["body","stream_options"],"msg":"stream_options: extra fields not permitted"}]}`},
			"without stream_options",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var bodies []map[string]any
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var got map[string]any
				if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
					t.Error(err)
				}
				bodies = append(bodies, got)
				if got[test.field] != nil {
					w.WriteHeader(http.StatusBadRequest)
					io.WriteString(w, test.body)
					return
				}
				io.WriteString(w, sse(delta(`"content":"a"`), stop, counts))
			}))
			defer server.Close()
			c, err := New(Options{BaseURL: server.URL, Thinking: ThinkingTemplate})
			if err != nil {
				t.Fatal(err)
			}
			req := &provider.Request{Prompt: providertest.Text("x"), MaxTokens: 5, Stream: true, ThinkingOff: true}
			first, err := c.Do(t.Context(), req)
			if err != nil || first.OK() || first.Failure.Kind != provider.FailureBadRequest || len(bodies) != 1 {
				t.Fatalf("first answer %+v (%v) after %d requests, want the refusal as it is", first.Failure, err, len(bodies))
			}
			second, err := c.Do(t.Context(), req)
			if err != nil || !second.OK() {
				t.Fatalf("second answer %+v (%v)", second.Failure, err)
			}
			if diff := cmp.Diff([]string{test.want}, c.Adapted()); diff != "" {
				t.Errorf("adapted (-want +got):\n%s", diff)
			}
			if _, renamed := bodies[1][MaxCompletionTokens]; test.field == MaxTokens && !renamed {
				t.Error("the second request does not bound the answer")
			}
		})
	}
}

func TestDoNotAdapt(t *testing.T) {
	for _, f := range []*provider.Failure{
		nil,
		{Kind: provider.FailureOverLength, Message: "max_tokens is not supported"},
		{Kind: provider.FailureServer, Message: "temperature is not supported"},
		{Kind: provider.FailureBadRequest, Message: "max_tokens must be at least 1", Param: "max_tokens"},
		{Kind: provider.FailureBadRequest, Message: "unknown field my_temperature_x"},
		{Kind: provider.FailureBadRequest, Message: "unknown field", Param: "model"},
	} {
		a := adaption{maxTokens: MaxTokens}
		a.learn(f)
		if got := a.list(MaxTokens); got != nil {
			t.Errorf("%+v: %v", f, got)
		}
	}
}

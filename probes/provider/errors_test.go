package provider

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestClassifyError has the shapes and wrappers that no recorded answer of a
// dialect shows.
func TestClassifyError(t *testing.T) {
	for _, test := range []struct {
		name   string
		status int
		header http.Header
		body   string
		want   *Failure
	}{
		{"no error", 200, nil, `{"choices":[],"error":null}`, nil},
		{"no error, empty text", 200, nil, `{"choices":[],"error":""}`, nil},
		{"message of an answer", 200, nil, `{"choices":[{}],"message":"fine"}`, nil},
		{
			"gemini list", 400, nil, `[{"error":{"code":400,"message":"The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`,
			&Failure{Kind: FailureOverLength, Code: "400", Limit: 1048576, Given: 1200293},
		},
		{
			"gemini rate limit", 429, nil, `{"error":{"code":429,"message":"Too much","status":"RESOURCE_EXHAUSTED","details":[{"reason":"X"},{"retryDelay":"37s"}]}}`,
			&Failure{Kind: FailureRateLimit, Code: "429", Message: "Too much", RetryAfter: 37 * time.Second},
		},
		{
			"gemini bad key", 400, nil, `{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`,
			&Failure{Kind: FailureAuth, Code: "400", Message: "API key not valid."},
		},
		{
			"anthropic", 529, nil, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`,
			&Failure{Kind: FailureOverload, Type: "overloaded_error", Message: "Overloaded"},
		},
		{
			"responses event", 200, nil, `{"type":"error","code":"context_length_exceeded","message":"Your input exceeds the context window of this model.","param":"input","sequence_number":3}`,
			&Failure{Kind: FailureOverLength, Code: "context_length_exceeded", Type: "error", Param: "input", InStream: true},
		},
		{
			"bedrock", 400,
			http.Header{"X-Amzn-Errortype": {"ValidationException:http://internal"}},
			`{"message":"Input is too long for requested model."}`,
			&Failure{Kind: FailureOverLength, Type: "ValidationException"},
		},
		{
			"bedrock throttling", 429,
			http.Header{"X-Amzn-Errortype": {"ThrottlingException"}},
			`{"Message":"Too many tokens, please wait"}`,
			&Failure{Kind: FailureRateLimit, Type: "ThrottlingException", Message: "Too many tokens, please wait"},
		},
		{"fastapi text", 404, nil, `{"detail":"Not Found"}`, &Failure{Kind: FailureNotFound, Message: "Not Found"}},
		{
			"fastapi list", 422, nil, `{"detail":[{"loc":["body","x"],"msg":"field required"},{"msg":"extra fields"}]}`,
			&Failure{Kind: FailureBadRequest, Message: "field required; extra fields"},
		},
		{
			"xai", 400, nil, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 140000 tokens."}`,
			&Failure{Kind: FailureOverLength, Code: "Client specified an invalid argument", Limit: 131072, Given: 140000},
		},
		{
			"error word and message", 404, nil, `{"error":"Not Found","message":"Cannot POST /v1/x","status":404}`,
			&Failure{Kind: FailureNotFound, Type: "Not Found", Message: "Cannot POST /v1/x"},
		},
		{
			"status changed by a gateway", 502, nil, `{"error":{"code":400,"message":"request (15047 tokens) exceeds the available context size (2048 tokens)","type":"exceed_context_size_error","n_prompt_tokens":15047,"n_ctx":2048}}`,
			&Failure{Kind: FailureOverLength, Code: "400", Type: "exceed_context_size_error", Limit: 2048, Given: 15047},
		},
		{
			"numbers only in fields", 400, nil, `{"error":{"code":400,"message":"too long","type":"exceed_context_size_error","n_prompt_tokens":15047,"n_ctx":2048}}`,
			&Failure{Kind: FailureOverLength, Code: "400", Type: "exceed_context_size_error", Message: "too long", Limit: 2048, Given: 15047},
		},
		{
			"JSON in text in JSON", 400, nil, `{"error":{"message":"{\"error\":{\"message\":\"{\\\"message\\\":\\\"input is too long for requested model\\\"}\"}}"}}`,
			&Failure{Kind: FailureOverLength},
		},
		{
			"python in text", 400, nil, `{"error":{"message":"litellm.BadRequestError: OpenAIException - Error code: 400 - {'error': {'message': 'The input (9001 tokens) is longer than the model\\'s context length (8192 tokens).'}}"}}`,
			&Failure{Kind: FailureOverLength, Limit: 8192, Given: 9001},
		},
		{
			"metadata.raw object", 400, nil, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":{"error":{"message":"prompt is too long: 209303 tokens > 200000 maximum"}}}}}`,
			&Failure{Kind: FailureOverLength, Code: "400", Limit: 200000, Given: 209303},
		},
		{
			"limit per minute is no window", 429, nil, `{"error":{"message":"Request too large for model x on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size","code":"rate_limit_exceeded"}}`,
			&Failure{Kind: FailureTooLarge, Code: "rate_limit_exceeded"},
		},
		{
			"status of the body within a 200", 200, nil, `{"error":{"message":"slow down","code":429}}`,
			&Failure{Kind: FailureRateLimit, Code: "429", Message: "slow down", InStream: true},
		},
		{
			"quota beats 429", 429, nil, `{"error":{"message":"You have no credits remaining.","code":"credit_balance_exhausted"}}`,
			&Failure{Kind: FailureQuota, Code: "credit_balance_exhausted"},
		},
		{"moderation beats 403", 403, nil, `{"error":{"message":"input requires moderation","code":403}}`, &Failure{Kind: FailureModeration, Code: "403"}},
		{"redirect", 307, nil, "", &Failure{Kind: FailureRedirect, Code: "307"}},
		{
			"page", 502,
			http.Header{"Content-Type": {"text/html"}},
			"<html><head><TITLE> 502 Bad Gateway </TITLE></head>",
			&Failure{Kind: FailureServer, Message: "a page of HTML: 502 Bad Gateway"},
		},
		{"page without title", 413, nil, "<html></html>", &Failure{Kind: FailureTooLarge, Message: "a page of HTML"}},
		{"text", 503, nil, "upstream connect error", &Failure{Kind: FailureOverload, Message: "upstream connect error"}},
		{"nothing", 401, nil, "", &Failure{Kind: FailureAuth}},
		{"cut JSON", 400, nil, `{"error":{"message":"prompt is too long: 209303 tokens > 200000 max`, &Failure{Kind: FailureOverLength, Limit: 200000, Given: 209303}},
		{"408", 408, nil, "", &Failure{Kind: FailureTimeout}},
		{"524", 524, nil, "", &Failure{Kind: FailureTimeout}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ClassifyError(test.status, test.header, []byte(test.body))
			if got != nil && test.want != nil && test.want.Message == "" {
				got.Message = "" // the texts are long; the kinds and numbers matter
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestInnermostText(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{`{"errors":[{"message":"AiError: AiError: too bad (0a0b0c0d-1111-4222-8333-444455556666)","code":1}]}`, "too bad"},
		{`{"error":{"message":"litellm.BadRequestError: Hosted_vllmException - too bad. Received Model Group=x\nAvailable Model Group Fallbacks=None"}}`, "too bad"},
		{`{"error":{"message":"openai error: too bad"}}`, "too bad"},
		{`{"error":{"message":"litellm.APIError: OpenAIException - {\"error\":{\"message\":\"too bad\"}}"}}`, "too bad"},
		{`{"error":{"message":"Provider returned error","metadata":{"raw":"{\"detail\":\"too bad\"}"}}}`, "too bad"},
		{`{"error":{"message":"  too bad  "}}`, "too bad"},
		{`{"error":{"message":"\ud83d"}}`, "\ufffd"},
	} {
		f := ClassifyError(500, nil, []byte(test.body))
		if f.Message != test.want {
			t.Errorf("%s: %q, want %q", test.body, f.Message, test.want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	date := http.Header{"Date": {"Mon, 30 Nov 2026 18:00:00 GMT"}, "Retry-After": {"Mon, 30 Nov 2026 18:01:30 GMT"}}
	for _, test := range []struct {
		header  http.Header
		message string
		want    time.Duration
	}{
		{http.Header{"Retry-After": {"12"}}, "", 12 * time.Second},
		{http.Header{"Retry-After": {"0.5"}}, "", 500 * time.Millisecond},
		{http.Header{"Retry-After-Ms": {"293"}, "Retry-After": {"1"}}, "", 293 * time.Millisecond},
		{date, "", 90 * time.Second},
		{http.Header{"Retry-After": {"-5"}}, "", 0},
		{http.Header{"Retry-After": {"NaN"}}, "", 0},
		{http.Header{"Retry-After": {"1e300"}}, "", maxRetryAfter},
		{http.Header{"Retry-After": {"864000"}}, "", maxRetryAfter},
		{http.Header{"Retry-After": {"soon"}}, "Please try again in 292ms.", 292 * time.Millisecond},
		{nil, "Please retry after 40 seconds. Please go here", 40 * time.Second},
		{nil, "Try again in 5 seconds. Passed model=x", 5 * time.Second},
		{nil, "try again in 1m30s", 90 * time.Second},
		{nil, "try again in 2 minutes", 2 * time.Minute},
		{nil, "try again in 99999h", maxRetryAfter},
		{nil, "try again in ... s", 0},
		{nil, "try again", 0},
	} {
		if got := retryAfter(test.header, toldError{message: test.message}); got != test.want {
			t.Errorf("%v %q: %v, want %v", test.header, test.message, got, test.want)
		}
	}
}

func TestRedactClipped(t *testing.T) {
	const key = "sk-0123456789"
	for text, want := range map[string]string{
		"a " + key + " b":   "a <secret> b",
		"cut sk-01234…":     "cut <secret>",
		"cut sk-…":          "cut sk-…",
		"nothing to see":    "nothing to see",
		key + key:           "<secret><secret>",
		"ends with sk-0123": "ends with sk-0123",
	} {
		if got := withoutKey(text, key); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzClassifyError wants a kind for every refusal, bounded texts and no panic.
func FuzzClassifyError(f *testing.F) {
	for _, seed := range []string{
		`{"error":{"message":"x","code":1}}`, `{"error":"x"}`, `[{"error":{}}]`, `{"errors":[{"message":"AiError: {}"}]}`,
		`{"detail":[{}]}`, `<title>`, `</title><title>`, `{"error":{"metadata":{"raw":"{\"error\":\"{}\"}"}}}`, "<İTITLE></title>",
	} {
		f.Add(400, []byte(seed), "5")
	}
	f.Fuzz(func(t *testing.T, status int, body []byte, retry string) {
		failure := ClassifyError(status, http.Header{"Retry-After": {retry}, "Content-Type": {retry}}, body)
		if failure == nil {
			if status/100 != 2 {
				t.Fatalf("status %d is no failure", status)
			}
			return
		}
		if failure.Kind == "" || failure.RetryAfter < 0 || failure.RetryAfter > maxRetryAfter {
			t.Fatalf("failure %+v", failure)
		}
		if len(failure.Message) > maxMessage+4 || len(failure.Code)+len(failure.Type)+len(failure.Param) > 3*(maxWord+4) {
			t.Fatalf("texts of %d bytes", len(failure.Message))
		}
	})
}

// FuzzOverLength wants no negative number, whatever the text.
func FuzzOverLength(f *testing.F) {
	for _, p := range overLengthTexts() {
		f.Add(p.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, found := findOverLength(text)
		if o.limit < 0 || o.given < 0 || o.prompt < 0 || !found && o != (overLength{}) {
			t.Fatalf("%+v from %q", o, text)
		}
	})
}

type overLengthText struct {
	text         string
	limit, given int
}

// overLengthTexts are wordings of vendors of which there is no recorded answer.
func overLengthTexts() []overLengthText {
	return []overLengthText{
		{"prompt is too long: 209303 tokens > 200000 maximum", 200000, 209303},
		{"input length and `max_tokens` exceed context limit: 143653 + 64000 > 200000, decrease input length", 200000, 207653},
		{"The input token count exceeds the maximum number of tokens allowed (1048576).", 1048576, 0},
		{"The input token count exceeds the maximum number of tokens allowed.", 0, 0},
		{"Sequence too long: 9003 > 8192", 8192, 9003},
		{"Max context reached 80030 tokens but model supports only 60000", 60000, 80030},
		{"This model's maximum prompt length is 131072", 131072, 0},
		{"Please reduce the length of the messages or completion.", 0, 0},
		{"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length", 32768, 40000},
		{"Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)", 262144, 300000},
		{"invalid params, context window exceeds limit (2013)", 0, 0},
		{"Range of input length should be [1, 129024]", 129024, 0},
		{"The number of tokens to keep from the initial prompt is greater than the context length.", 0, 0},
		{"prompt token count of 130000 exceeds the limit of 128000", 128000, 130000},
		{"the prompt is longer than the context length currently available to the model; shorten it", 0, 0},
		{"the input length exceeds the context length", 0, 0},
		{"The decoder prompt (length 9001) is longer than the maximum model length of 8192.", 8192, 9001},
		{"Request 3f exceeds the maximum number of tokens: 284937 > 284928", 284928, 284937},
		{"This model's maximum context length is 4,097 tokens, however you requested 5,000 tokens (4,000 in your prompt; 1,000 for the completion).", 4097, 5000},
	}
}

func TestOverLengthTexts(t *testing.T) {
	for _, test := range overLengthTexts() {
		o, found := findOverLength(test.text)
		if !found || o.limit != test.limit || o.given != test.given {
			t.Errorf("%q: %+v, found %v, want limit %d, given %d", test.text, o, found, test.limit, test.given)
		}
	}
	for _, text := range []string{
		"", "Rate limit reached on tokens per min (TPM): Limit 200000, Used 199871, Requested 1104.",
		"max_tokens is too large: 9000. This model supports at most 4096 completion tokens.",
		"The model `nope` does not exist.", "Internal server error",
		strings.Repeat("maximum context length ", 1000),
	} {
		if o, found := findOverLength(text); found {
			t.Errorf("%.60q is taken for a refusal for length: %+v", text, o)
		}
	}
}

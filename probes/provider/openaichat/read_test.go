package openaichat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crosstalk/probes/provider"
	"crosstalk/probes/provider/providertest"
)

// parse reads a body as a client does.
func parse(t testing.TB, body string) *provider.Response {
	t.Helper()
	return newClient(t, "http://127.0.0.1", provider.Limits{}).Parse(200, nil, strings.NewReader(body))
}

// sse makes a stream of the given events, with the terminator at its end.
func sse(events ...string) string {
	return "data: " + strings.Join(append(events, "[DONE]"), "\n\ndata: ") + "\n\n"
}

// delta is an event with a delta of the first choice.
func delta(fields string) string {
	return `{"id":"a","model":"m","choices":[{"index":0,"delta":{` + fields + `},"finish_reason":null}]}`
}

const (
	stop    = `{"id":"a","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	counts  = `{"id":"a","model":"m","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`
	message = `{"choices":[{"index":0,"message":{%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`
)

// want is what a test looks at.
type want struct {
	failure  provider.FailureKind
	content  string
	think    string
	refusal  string
	tools    []provider.ToolCall
	extra    []provider.Text
	problems string
}

func (w want) check(t *testing.T, r *provider.Response) {
	t.Helper()
	got := want{
		content: r.Content, think: r.Reasoning, refusal: r.Refusal, tools: r.Tools, extra: r.Extra,
		problems: strings.Join(providertest.ProblemKinds(r), " "),
	}
	if r.Failure != nil {
		got.failure = r.Failure.Kind
	}
	if diff := cmp.Diff(w, got, cmp.AllowUnexported(want{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadMessage(t *testing.T) {
	for _, test := range []struct {
		name, fields string
		want         want
	}{
		{"text", `"content":"a"`, want{content: "a"}},
		{"null", `"content":null`, want{}},
		{"nothing", ``, want{}},
		{"parts", `"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]`, want{content: "ab"}},
		{"thinking part", `"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"b"}]`, want{content: "b", think: "hm"}},
		{"unknown part", `"content":[{"type":"image","url":"u"}]`, want{extra: []provider.Text{
			{Where: "choices[0].message.content[0].type", Text: "image"}, {Where: "choices[0].message.content[0].url", Text: "u"},
		}}},
		{"content of another type", `"content":{"text":"a"}`, want{
			problems: "wrong_type",
			extra:    []provider.Text{{Where: "choices[0].message.content.text", Text: "a"}},
		}},
		{"tags stay", `"content":"<think>hm</think>a"`, want{content: "<think>hm</think>a"}},
		{"reasoning_content", `"content":"a","reasoning_content":"hm"`, want{content: "a", think: "hm"}},
		{"reasoning", `"content":"a","reasoning":"hm"`, want{content: "a", think: "hm"}},
		{"both alike", `"content":"a","reasoning":"hm","reasoning_content":"hm"`, want{content: "a", think: "hm"}},
		{"both different", `"content":"a","reasoning":"y","reasoning_content":"x"`, want{content: "a", think: "xy"}},
		{"refusal", `"content":null,"refusal":"no"`, want{refusal: "no"}},
		{"role", `"role":"user","content":"a"`, want{content: "a", problems: "role"}},
		{
			"tool", `"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]`,
			want{tools: []provider.ToolCall{{ID: "1", Name: "f", Arguments: `{"a":1}`}}},
		},
		{
			"tool with an object", `"tool_calls":[{"id":"1","function":{"name":"f","arguments":{"a":1}}}]`,
			want{tools: []provider.ToolCall{{ID: "1", Name: "f", Arguments: `{"a":1}`}}},
		},
		{"old function call", `"function_call":{"name":"f","arguments":"{}"}`, want{tools: []provider.ToolCall{{Name: "f", Arguments: "{}"}}}},
		{"tools of another type", `"tool_calls":"x"`, want{problems: "wrong_type", extra: []provider.Text{{Where: "choices[0].message.tool_calls", Text: "x"}}}},
		{"unknown fields", `"content":"a","note":"b","deep":{"list":["c",{"x":"d"}],"n":1}`, want{content: "a", extra: []provider.Text{
			{Where: "choices[0].message.note", Text: "b"},
			{Where: "choices[0].message.deep.list[0]", Text: "c"},
			{Where: "choices[0].message.deep.list[1].x", Text: "d"},
		}}},
		{"name twice", `"content":"FIRST","content":"SECOND"`, want{
			content: "SECOND", problems: "duplicate_key",
			extra: []provider.Text{{Where: "choices[0].message.content", Text: "FIRST"}},
		}},
		{"not UTF-8", "\"content\":\"a\xffb\"", want{content: "a\ufffdb", problems: "bad_utf8"}},
		{"half a pair", `"content":"a\ud83d"`, want{content: "a\ufffd", problems: "bad_utf8"}},
	} {
		t.Run(test.name, func(t *testing.T) { test.want.check(t, parse(t, fmt.Sprintf(message, test.fields))) })
	}
}

func TestReadAnswer(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       want
	}{
		{
			"no finish reason", `{"choices":[{"index":0,"message":{"content":"a"}}],"usage":{}}`,
			want{failure: provider.FailureMalformed, content: "a", problems: "no_finish"},
		},
		{"no choice", `{"choices":[],"usage":{}}`, want{failure: provider.FailureMalformed, problems: "empty_choices"}},
		{
			"no first choice", `{"choices":[{"index":3,"message":{"content":"x"},"finish_reason":"stop"}],"usage":{}}`,
			want{failure: provider.FailureMalformed, problems: "index", extra: []provider.Text{{Where: "choices[3].message.content", Text: "x"}}},
		},
		{"no number, no usage", `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, want{content: "a", problems: "index no_usage"}},
		{
			"two choices", `{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"},{"index":1,"message":{"role":"assistant","content":"b","reasoning":"c"},"finish_reason":"stop","note":"d"}],"usage":{}}`,
			want{content: "a", extra: []provider.Text{
				{Where: "choices[1].message.content", Text: "b"},
				{Where: "choices[1].message.reasoning", Text: "c"},
				{Where: "choices[1].note", Text: "d"},
			}},
		},
		{
			"unknown at the top", `{"tenant":"OTHER","choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}],"usage":{}}`,
			want{content: "a", extra: []provider.Text{{Where: "tenant", Text: "OTHER"}}},
		},
		{
			"error beside choices", `{"error":{"message":"x"},"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}],"usage":{}}`,
			want{failure: provider.FailureServer, content: "a"},
		},
		{
			"error in a choice", `{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop","error":{"code":429,"message":"x"}}],"usage":{}}`,
			want{failure: provider.FailureRateLimit, content: "a", problems: "error_in_stream"},
		},
		{"abort", `{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"abort"}],"usage":{}}`, want{failure: provider.FailureServer, content: "a"}},
		{
			"finish reason is an object", `{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":{"type":"stop"}}],"usage":{}}`,
			want{failure: provider.FailureMalformed, content: "a", problems: "wrong_type no_finish"},
		},
		{
			"two answers", fmt.Sprintf(message, `"content":"a"`) + fmt.Sprintf(message, `"content":"b"`),
			want{content: "a", problems: "after_body", extra: []provider.Text{{Where: "after the body", Text: fmt.Sprintf(message, `"content":"b"`)}}},
		},
		{
			"count is not a number", `{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":"many"}}`,
			want{content: "a", problems: "bad_usage"},
		},
		{
			"usage is a text", `{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}],"usage":"x"}`,
			want{content: "a", problems: "wrong_type no_usage"},
		},
		{
			"not a number", `{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":NaN}}`,
			want{failure: provider.FailureMalformed, extra: []provider.Text{{
				Where: "body",
				Text:  `{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":NaN}}`,
			}}},
		},
		{
			"too deep", `{"choices":[{"index":0,"message":{"content":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}}]}`,
			want{failure: provider.FailureLimit, problems: "depth", extra: []provider.Text{{
				Where: "body",
				Text:  `{"choices":[{"index":0,"message":{"content":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}}]}`,
			}}},
		},
	} {
		t.Run(test.name, func(t *testing.T) { test.want.check(t, parse(t, test.body)) })
	}
}

func TestReadStream(t *testing.T) {
	whole := sse(delta(`"content":"a"`), delta(`"content":"b"`), stop, counts)
	for _, test := range []struct {
		name, body string
		want       want
	}{
		{"whole", whole, want{content: "ab"}},
		{"CR LF", strings.ReplaceAll(whole, "\n", "\r\n"), want{content: "ab"}},
		{"CR", strings.ReplaceAll(whole, "\n", "\r"), want{content: "ab"}},
		{"without space", strings.ReplaceAll(whole, "data: ", "data:"), want{content: "ab"}},
		{"data over lines", strings.ReplaceAll(whole, `"choices"`, "\ndata: \"choices\""), want{content: "ab"}},
		{"without the last line end", strings.TrimSpace(whole), want{content: "ab"}},
		{"without terminator", strings.Replace(whole, "data: [DONE]\n\n", "", 1), want{failure: provider.FailureTruncated, content: "ab", problems: "no_done"}},
		{"without finish", sse(delta(`"content":"a"`), counts), want{failure: provider.FailureTruncated, content: "a", problems: "no_finish"}},
		{"without usage", sse(delta(`"content":"a"`), stop), want{content: "a", problems: "no_usage"}},
		{"two finish reasons", sse(delta(`"content":"a"`), stop, strings.Replace(stop, "stop", "length", 1), counts), want{content: "a", problems: "several_finishes"}},
		{"the same again with the usage", sse(delta(`"content":"a"`), stop, strings.Replace(stop, `{"id"`, `{"usage":{"prompt_tokens":1},"id"`, 1)), want{content: "a"}},
		{"content after the finish", sse(delta(`"content":"a"`), stop, delta(`"content":"b"`), counts), want{content: "ab", problems: "after_finish"}},
		{"two ids", sse(delta(`"content":"a"`), strings.Replace(delta(`"content":"b"`), `"a"`, `"z"`, 1), stop, counts), want{content: "ab", problems: "several_ids"}},
		{"two models", sse(delta(`"content":"a"`), strings.Replace(delta(`"content":"b"`), `"m"`, `"n"`, 1), stop, counts), want{content: "ab", problems: "identity"}},
		{"reasoning", sse(delta(`"reasoning_content":"h"`), delta(`"reasoning":"m"`), delta(`"content":"a"`), stop, counts), want{content: "a", think: "hm"}},
		{
			"tools", sse(delta(`"tool_calls":[{"index":0,"id":"1","function":{"name":"f","arguments":""}}]`),
				delta(`"tool_calls":[{"index":1,"id":"2","function":{"name":"g","arguments":"{}"}}]`),
				delta(`"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]`),
				delta(`"tool_calls":[{"index":0,"function":{"name":"f","arguments":":1}"}}]`), stop, counts),
			want{tools: []provider.ToolCall{{ID: "1", Name: "f", Arguments: `{"a":1}`}, {ID: "2", Name: "g", Arguments: "{}"}}},
		},
		{
			"unknown field over deltas", sse(delta(`"content":"a","note":"some"`), delta(`"note":"body else"`), stop, counts),
			want{content: "a", extra: []provider.Text{{Where: "choices[0].delta.note", Text: "somebody else"}}},
		},
		{
			"further choice over deltas", sse(delta(`"content":"a"`), strings.Replace(delta(`"content":"x"`), `"index":0`, `"index":1`, 1),
				strings.Replace(delta(`"content":"y"`), `"index":0`, `"index":1`, 1), stop, counts),
			want{content: "a", extra: []provider.Text{{Where: "choices[1].delta.content", Text: "xy"}}},
		},
		{
			"after the end", whole + "data: " + delta(`"content":"so"`) + "\n\ndata: " + delta(`"content":"me"`) + "\n\n",
			want{content: "ab", problems: "after_done", extra: []provider.Text{{Where: "after [DONE]", Text: "some"}}},
		},
		{"text after the end", whole + "data: hello\n\n", want{
			content: "ab", problems: "after_done bad_json",
			extra: []provider.Text{{Where: "after [DONE]", Text: "hello"}},
		}},
		{"two ends", whole + "data: [DONE]\n\n", want{content: "ab", problems: "after_done"}},
		{"event that is no JSON", sse(delta(`"content":"a"`), "hello", stop, counts), want{
			content: "a", problems: "bad_json",
			extra: []provider.Text{{Where: "bad event", Text: "hello"}},
		}},
		{"two values in an event", sse(delta(`"content":"a"`)+`{"x":"y"}`, stop, counts), want{
			content: "a", problems: "bad_json",
			extra: []provider.Text{{Where: "bad event", Text: `{"x":"y"}`}},
		}},
		{"event that is no chunk", sse(delta(`"content":"a"`), `{"type":"ping","note":"x"}`, stop, counts), want{
			content: "a", problems: "unknown_event",
			extra: []provider.Text{{Where: "event.type", Text: "ping"}, {Where: "event.note", Text: "x"}},
		}},
		{"stray line", strings.Replace(whole, "\n\ndata: {", "\n\nhello\ndata: {", 1), want{
			content: "ab", problems: "stray",
			extra: []provider.Text{{Where: "stray line", Text: "hello"}},
		}},
		{"named error", "event: error\ndata: it broke\n\n" + whole, want{
			failure: provider.FailureServer, content: "ab", problems: "bad_json error_in_stream",
			extra: []provider.Text{{Where: "bad event", Text: "it broke"}},
		}},
		{"error field", "error: {\"code\":500,\"message\":\"x\"}\n\n" + whole, want{
			failure: provider.FailureServer, content: "ab",
			problems: "error_in_stream",
		}},
		{"error after the finish", sse(delta(`"content":"a"`), stop, `{"error":{"message":"x","code":503}}`), want{failure: provider.FailureOverload, content: "a", problems: "error_in_stream"}},
		{"flat error", sse(`{"object":"error","message":"x","code":400}`), want{failure: provider.FailureBadRequest, problems: "error_in_stream"}},
		{"name twice", sse(delta(`"content":"a","content":"b"`), stop, counts), want{
			content: "b", problems: "duplicate_key",
			extra: []provider.Text{{Where: "choices[0].delta.content", Text: "a"}},
		}},
		{"a character over two deltas", sse(delta("\"content\":\"\xe6\xbc\""), delta("\"content\":\"\xa2\""), stop, counts), want{content: "漢", problems: "bad_utf8"}},
		{
			"logprobs", sse(strings.Replace(delta(`"content":"a"`), `"finish_reason"`, `"logprobs":{"content":[{"token":"b"}]},"finish_reason"`, 1), stop, counts),
			want{content: "a", extra: []provider.Text{{Where: "choices[0].logprobs.content", Text: "b"}}},
		},
	} {
		t.Run(test.name, func(t *testing.T) { test.want.check(t, parse(t, test.body)) })
	}
}

func TestReadStreamCounts(t *testing.T) {
	r := parse(t, sse(delta(`"role":"assistant","content":""`), delta(`"reasoning":"hm"`), delta(`"content":"漢"`), stop, stop, counts))
	if r.Stream.Finishes != 2 || len(r.Stream.Events) != 7 || !r.Stream.Done {
		t.Errorf("stream %+v", r.Stream)
	}
	var texts []int
	for _, e := range r.Stream.Events[:6] { // the seventh is the terminator
		texts = append(texts, e.Text)
		if !bytes.HasPrefix(r.Body[e.Offset:e.Offset+e.Bytes], []byte("data: {")) {
			t.Errorf("event at %d is %.20q", e.Offset, r.Body[e.Offset:])
		}
	}
	if diff := cmp.Diff([]int{0, 2, 3, 0, 0, 0}, texts); diff != "" {
		t.Errorf("texts of the events (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a"}, r.Stream.IDs); diff != "" || r.ID != "a" || r.Model != "m" {
		t.Errorf("id %q, model %q, ids (-want +got):\n%s", r.ID, r.Model, diff)
	}
}

func TestUsage(t *testing.T) {
	n := func(i int) *int { return &i }
	for _, test := range []struct {
		usage string
		want  *provider.Usage
	}{
		{`{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}`, &provider.Usage{Prompt: n(1), Completion: n(2), Total: n(3)}},
		{`{"prompt_tokens":0,"prompt_tokens_details":{"cached_tokens":0}}`, &provider.Usage{Prompt: n(0), Cached: n(0)}},
		{`{"prompt_tokens":9.0,"prompt_tokens_details":null,"reasoning_tokens":4}`, &provider.Usage{Prompt: n(9), Reasoning: n(4)}},
		{`{"completion_tokens_details":{"reasoning_tokens":5},"reasoning_tokens":4}`, &provider.Usage{Reasoning: n(5)}},
		{`{"prompt_cache_hit_tokens":7}`, &provider.Usage{Cached: n(7)}},
		{`{}`, &provider.Usage{}},
		{`null`, nil},
	} {
		r := parse(t, `{"choices":[{"index":0,"message":{},"finish_reason":"stop"}],"usage":`+test.usage+`}`)
		if diff := cmp.Diff(test.want, r.Usage); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.usage, diff)
		}
	}
}

func TestIdentity(t *testing.T) {
	header := http.Header{"X-Litellm-Model-Id": {"m1"}, "Server": {"llama.cpp"}, "X-Secret": {"no"}}
	body := `{"id":"x","model":"m","provider":"P","system_fingerprint":"fp","service_tier":"default","metadata":{"weight_version":"w1"},
		"choices":[{"index":0,"message":{},"finish_reason":"stop","matched_stop":151645,"native_finish_reason":"eos"}],"usage":{}}`
	r := newClient(t, "http://127.0.0.1", provider.Limits{}).Parse(200, header, strings.NewReader(body))
	want := map[string]string{
		"x-litellm-model-id": "m1", "server": "llama.cpp", "provider": "P", "system_fingerprint": "fp",
		"service_tier": "default", "weight_version": "w1", "matched_stop": "151645", "native_finish_reason": "eos",
	}
	if diff := cmp.Diff(want, r.Identity); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzAnswer and FuzzStream want no panic, valid text, and no sound answer
// from a body that is not one.
func FuzzAnswer(f *testing.F) {
	for _, x := range allFixtures(f) {
		f.Add(x.Body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r := newClient(t, "http://127.0.0.1", provider.Limits{}).Parse(200, http.Header{"Content-Type": {"application/json"}}, bytes.NewReader(body))
		checkAnswer(t, r)
		if r.OK() && !r.Streamed {
			var value struct{ Choices []json.RawMessage }
			if err := json.NewDecoder(bytes.NewReader(body)).Decode(&value); err != nil || len(value.Choices) == 0 {
				t.Fatalf("looks sound, encoding/json says %v, %d choices", err, len(value.Choices))
			}
		}
	})
}

func FuzzStream(f *testing.F) {
	for _, x := range allFixtures(f) {
		f.Add(x.Body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r := newClient(t, "http://127.0.0.1", provider.Limits{}).Parse(200, http.Header{"Content-Type": {"text/event-stream"}}, bytes.NewReader(body))
		checkAnswer(t, r)
		if r.OK() && r.Streamed && !bytes.Contains(body, []byte(terminator)) {
			t.Fatal("looks sound without terminator")
		}
	})
}

func checkAnswer(t *testing.T, r *provider.Response) {
	t.Helper()
	texts := append([]provider.Text{{Text: r.Content}, {Text: r.Reasoning}, {Text: r.Refusal}}, r.Extra...)
	for _, c := range r.Tools {
		texts = append(texts, provider.Text{Text: c.ID + c.Name + c.Arguments})
	}
	for _, x := range texts {
		if strings.ToValidUTF8(x.Text, "") != x.Text {
			t.Fatalf("text at %q is not UTF-8", x.Where)
		}
	}
	if r.OK() && r.FinishReason == "" {
		t.Fatal("looks sound without finish reason")
	}
}

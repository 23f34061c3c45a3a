package simulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// parsed is a request in comparable form.
type parsed struct {
	Model, Text   string
	Messages      int
	Stream, Usage bool
	MaxTokens     int
	ThinkingOff   bool
}

func parse(r io.Reader) (parsed, error) {
	q, err := readRequest(r, newDraft(TokenizerWords, 1<<20, 0))
	if err != nil {
		return parsed{}, err
	}
	return parsed{q.model, string(q.prompt.text), q.messages, q.stream, q.usage, q.maxTokens, q.thinkingOff}, nil
}

func TestReadRequest(t *testing.T) {
	tests := []struct {
		body string
		want parsed
	}{
		{`{"model":"m","messages":[{"role":"user","content":"hi"}]}`, parsed{Model: "m", Text: "hi", Messages: 1}},
		{
			`{"messages":[{"role":"system","content":"be brief"},{"content":[{"type":"text","text":"a\n\"b\" é 😀"},{"type":"image_url","image_url":{"url":"x"}}],"role":"user"}],"stream":true,"stream_options":{"include_usage":true},"max_tokens":12, "model" : "m" }`,
			parsed{Model: "m", Text: "be brief\na\n\"b\" é 😀", Messages: 2, Stream: true, Usage: true, MaxTokens: 12},
		},
		{
			`{"model":"m","temperature":0.5e-1,"stop":["x",{"y":[]}],"n":null,"messages":[{"content":null},{"content":"\u0041\/"}],"max_completion_tokens":3,"chat_template_kwargs":{"enable_thinking":false}}`,
			parsed{Model: "m", Text: "\nA/", Messages: 2, MaxTokens: 3, ThinkingOff: true},
		},
		{`{"messages":[{"content":"x"}],"reasoning_effort":"none","stream":false}`, parsed{Text: "x", Messages: 1, ThinkingOff: true}},
		{`{"messages":[{"content":"x"}],"thinking":{"type":"disabled"}}`, parsed{Text: "x", Messages: 1, ThinkingOff: true}},
	}
	for _, tt := range tests {
		for name, r := range map[string]io.Reader{
			"whole": strings.NewReader(tt.body), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.body)),
		} {
			got, err := parse(r)
			if err != nil || !cmp.Equal(got, tt.want) {
				t.Errorf("%s %s: %v %s", name, tt.body, err, cmp.Diff(tt.want, got))
			}
		}
	}
}

func TestReadRequestErrors(t *testing.T) {
	for _, body := range []string{
		``, `[]`, `{`, `{}`, `{"messages":[]}`, `{"messages":[{"content":"x"}`, `{"messages":[{"content":"x`, `{"messages":"x"}`,
		`{"messages":[{"content":"\x"}]}`, `{"messages":[{"content":"\ud800x"}]}`, `{"messages":[{"content":"\u00g0"}]}`,
		`{"messages":[{"content":"x"}],"max_tokens":-1}`, `{"messages":[{"content":"x"}],"max_tokens":1.5}`, `{"a" 1}`, `{"a":1 "b":2}`,
		`{"a":[1 2]}`, `{"a":yes}`, `{"a":` + strings.Repeat("[", 100), `{"model":"` + strings.Repeat("m", 1<<17) + `"}`, `{"a":` + strings.Repeat("1", 100) + `}`,
	} {
		if _, err := parse(strings.NewReader(body)); !errors.Is(err, errBody) {
			t.Errorf("%.60s: %v", body, err)
		}
	}
	broken := errors.New("connection reset")
	if _, err := parse(io.MultiReader(strings.NewReader(`{"mess`), iotest.ErrReader(broken))); !errors.Is(err, broken) || errors.Is(err, errBody) {
		t.Errorf("broken connection: %v", err)
	}
}

// The reader accepts what encoding/json accepts, and sees the same text.
func FuzzReadRequest(f *testing.F) {
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":"hi \n \u00e9"}],"stream":true}`))
	f.Add([]byte(`{"messages":[{"content":[{"text":"a"},{"x":{"y":[1,2,null]}}]}],"max_tokens":7}`))
	f.Add([]byte(`{"messages":[{"content":"x"}],"a":[[[{}]]]} trailing`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := parse(bytes.NewReader(body))
		again, err2 := parse(iotest.HalfReader(bytes.NewReader(body)))
		if !cmp.Equal(got, again) || (err == nil) != (err2 == nil) {
			t.Fatalf("depends on the reads: %v, %v", err, err2)
		}
		var want struct {
			Messages []struct{ Content string }
		}
		if err != nil || json.Unmarshal(body, &want) != nil || len(want.Messages) != 1 || bytes.Contains(body, []byte(`\`)) || bytes.Count(body, []byte("ontent")) != 1 || bytes.Count(body, []byte("essages")) != 1 {
			return
		}
		if c := want.Messages[0].Content; strings.ToValidUTF8(got.Text, "") != strings.ToValidUTF8(c, "") && !strings.Contains(c, "�") && bytes.Contains(body, []byte(`"content"`)) {
			t.Fatalf("read %q, want %q", got.Text, c)
		}
	})
}

// Intake is what the server does while a body arrives.
func BenchmarkIntake(b *testing.B) {
	p := makePrompt("alpha", 1_000_000, 5, 0)
	body := call{text: p.text}.body()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := readRequest(bytes.NewReader(body), newDraft(TokenizerWords, 2<<20, int64(len(body)))); err != nil {
			b.Fatal(err)
		}
	}
}

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/internal/report"
	"crosstalk/tenants"
)

// TestInspectFindsLeakInGatewayLogs: one of our markers in any shape of log is a
// leak with the fleet key, and nothing without.
func TestInspectFindsLeakInGatewayLogs(t *testing.T) {
	const key = "YSBmbGVldCBrZXkgZm9yIHRoZSB0ZXN0cyBvbmx5Li4="
	fleet, err := tenants.ParseFleetKey(key)
	if err != nil {
		t.Fatal(err)
	}
	codec, payload := tenants.NewCodec(fleet), tenants.Payload{Tenant: 3, Second: 5000}
	marker, ok := codec.Mint(payload, corpus.DressWords)
	for ; !ok; marker, ok = codec.Mint(payload, corpus.DressWords) {
		payload.Draw++
	}
	path := filepath.Join(t.TempDir(), "fleet.key")
	if err := os.WriteFile(path, []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	quote := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	answer := "Sure, here it is: " + marker + " and nothing more."
	body := `{"choices":[{"message":{"role":"assistant","content":` + quote(answer) + `},"finish_reason":"stop"}]}`
	for name, line := range map[string]string{
		"spend log":    `{"request_id":"a","call_type":"completion","spend":0,"startTime":"x","response":` + quote(body) + `}`,
		"payload":      `{"id":"a","call_type":"completion","litellm_call_id":"x","response":` + quote(answer) + `}`,
		"request":      `{"request":{},"response":` + body + `}`,
		"envelope":     `{"request":{},"response":{"status_code":200,"body":` + body + `}}`,
		"stream":       `{"request":{},"response":` + quote("data: "+strings.Replace(body, "message", "delta", 1)+"\n\ndata: [DONE]\n\n") + `}`,
		"conversation": `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":` + quote(answer) + `}]}`,
		"second":       `{"choices":[{"message":{"content":"no"}},{"message":{"content":` + quote(answer) + `}}]}`,
		"text":         answer,
	} {
		t.Run(name, func(t *testing.T) {
			e, stdout, stderr := testEnv(line + "\n")
			if code := run(t.Context(), []string{"inspect", "--fleet-key", "file:" + path}, e); code != report.ExitLeak {
				t.Errorf("with the key: exit %d, want 4\n%s%s", code, stdout, stderr)
			}
			e, stdout, stderr = testEnv(line + "\n")
			if code := run(t.Context(), []string{"inspect"}, e); code == report.ExitLeak || code == report.ExitUsage {
				t.Errorf("without the key: exit %d\n%s%s", code, stdout, stderr)
			}
		})
	}
	// A marker that stands in the request is the request's own.
	e, stdout, _ := testEnv(`{"messages":[{"role":"user","content":` + quote(marker) + `},{"role":"assistant","content":` + quote(answer) + `}]}`)
	if code := run(t.Context(), []string{"inspect", "--fleet-key", "file:" + path}, e); code == report.ExitLeak {
		t.Errorf("an own marker is a leak:\n%s", stdout)
	}
}

// FuzzInspect: whatever a log holds, each line that is not blank has one result,
// and nothing is a leak without a key.
func FuzzInspect(f *testing.F) {
	for _, line := range []string{
		`{"id":1,"text":"x"}`,
		`{"request_id":"a","call_type":"completion","spend":0,"startTime":"x","response":"{\"choices\":[{\"text\":\"a\"}]}"}`,
		`{"request":{"body":{"messages":[{"content":[{"text":"a"}]}]}},"response":{"status_code":"200","body":"data: x"}}`,
		`{"messages":[{"role":"assistant","content":null,"tool_calls":[{}]}]}`,
		`{"choices":[],"usage":{"prompt_tokens":-1}}`, "not json", "[1]", `"text"`, "\xff\xfe{",
	} {
		for i := range inspectFormats {
			f.Add(line+"\n\n"+line, i)
		}
	}
	f.Fuzz(func(t *testing.T, text string, format int) {
		if len(text) > 1<<14 || format < 0 {
			return
		}
		e, stdout, _ := testEnv(text)
		name := inspectFormats[format%len(inspectFormats)]
		code := run(t.Context(), []string{"inspect", "--format", name}, e)
		if code == report.ExitLeak || code == report.ExitUsage {
			t.Fatalf("exit %d for %q", code, text)
		}
		lines := 0
		for line := range strings.Lines(text) {
			if strings.TrimSpace(line) != "" {
				lines++
			}
		}
		if name == formatText || name == formatAuto && strings.Count(stdout.String(), "\n") == 1 {
			lines = min(lines, 1)
		}
		got := 0
		for line := range strings.Lines(stdout.String()) {
			var out struct {
				Verdict checks.Class `json:"verdict"`
			}
			if err := json.Unmarshal([]byte(line), &out); err != nil {
				t.Fatalf("result %q: %v", line, err)
			}
			got++
		}
		if got != lines {
			t.Fatalf("%d results for %d lines of %q", got, lines, text)
		}
	})
}

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crosstalk/internal/report"
)

// benchRun runs bench detect with arguments and an input.
func benchRun(t *testing.T, input string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	e := &env{stdin: strings.NewReader(input), stdout: &out, stderr: &errs, lookup: func(string) (string, bool) { return "", false }}
	code = run(t.Context(), append([]string{"bench", "detect"}, args...), e)
	return code, out.String(), errs.String()
}

func TestBenchDetectOwnCases(t *testing.T) {
	t.Parallel()
	const good = `{"id":"1","class":"A","want":["damaged"],"kinds":["repetition/run"],"bar":1,"text":"!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!","expected":"41"}
{"id":"2","class":"lawful","want":["sound"],"bar":1,"text":"41","expected":"41"}
`
	for _, tt := range []struct {
		name, input string
		code        int
		out, err    string
	}{
		{"all right", good, report.ExitSound, "0 of 2 rows below their bar", ""},
		{"a bar missed", good + `{"id":"3","class":"D","want":["sound"],"bar":1,"text":"42","expected":"41"}`, report.ExitDamaged, "missed 3: called damaged", ""},
		{"a line without label", good + `{"id":"3","text":"42"}`, report.ExitInconclusive, "2 cases", `line 3: label: no "class"`},
		{"a line that is no JSON", good + `{`, report.ExitInconclusive, "2 cases", "line 3: label"},
		{"nothing", "", report.ExitUsage, "", "there is no case"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := benchRun(t, tt.input, "-")
			if code != tt.code || !strings.Contains(out, tt.out) || !strings.Contains(errs, tt.err) {
				t.Errorf("exit %d, want %d\n%s\n%s", code, tt.code, out, errs)
			}
		})
	}
}

func TestBenchDetectShipped(t *testing.T) {
	t.Parallel()
	doc := filepath.Join(t.TempDir(), "detection.md")
	if err := os.WriteFile(doc, []byte("before\n"+tableBegin+"\nthe previous table\n"+tableEnd+"\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := benchRun(t, "", "-n", "1", "--format", "markdown", "--docs", doc)
	if code != report.ExitSound {
		t.Fatalf("exit %d\n%s\n%s", code, out, errs)
	}
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	if s := string(text); !strings.HasPrefix(s, "before\n") || !strings.HasSuffix(s, "\nafter\n") || strings.Contains(s, "previous table") || !strings.Contains(s, out) {
		t.Errorf("document:\n%s", s)
	}
}

func TestBenchDetectRefuses(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--format", "xml"}, {"-n", "0"}, {"no-such-file.jsonl"}, {"a", "b"}} {
		if code, _, errs := benchRun(t, "", args...); code != report.ExitUsage || errs == "" {
			t.Errorf("%v: exit %d, %s", args, code, errs)
		}
	}
}

// TestBenchDetectInterrupted: told to end, it ends at once and says so.
func TestBenchDetectInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e, stdout, stderr := testEnv("")
	if code := run(ctx, []string{"bench", "detect", "-n", "100000"}, e); code != report.ExitInconclusive || stdout.Len() > 0 || !strings.Contains(stderr.String(), "interrupted after") {
		t.Errorf("exit %d, %q, %s", code, stdout, stderr)
	}
}

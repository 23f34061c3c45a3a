package main

import (
	"context"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"crosstalk/internal/report"
	"crosstalk/tenants"
)

// TestInterruptEndsTheWaitForInput: a command that waits for input nobody gives
// ends when it is told to, as "could not tell".
func TestInterruptEndsTheWaitForInput(t *testing.T) {
	key, err := tenants.NewFleetKey()
	if err != nil {
		t.Fatal(err)
	}
	fifo := filepath.Join(t.TempDir(), "fifo")
	hasFifo := exec.Command("mkfifo", fifo).Run() == nil
	for _, tt := range []struct {
		name string
		fifo bool
		args []string
		note string
	}{
		{"inspect", false, []string{"inspect"}, "interrupted after 1 line;"},
		{"attribute", false, []string{"attribute", "--fleet-key", "env:KEY"}, "interrupted while waiting for input, so nothing was looked for"},
		{"inspect a pipe", true, []string{"inspect", fifo}, "interrupted while waiting"},
		{"attribute a pipe", true, []string{"attribute", "--fleet-key", "env:KEY", fifo}, "interrupted while waiting"},
		{"configuration from a pipe", true, []string{"config", "check", "-c", fifo}, "interrupted while waiting"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.fifo && !hasFifo {
				t.Log("this system makes no pipes with names")
				return
			}
			e, _, stderr := testEnv("")
			e.lookup = func(string) (string, bool) { return key.Encode(), true }
			in, out := io.Pipe()
			defer out.Close()
			e.stdin = in
			ctx, cancel := context.WithCancel(t.Context())
			if tt.fifo {
				cancel()
			} else {
				go func() {
					// Both writes return once what they wrote has been read.
					io.WriteString(out, `{"id":1,"text":"x"}`+"\n")
					io.WriteString(out, `{"id":2,`)
					cancel()
				}()
			}
			if code := run(ctx, tt.args, e); code != report.ExitInconclusive {
				t.Errorf("exit %d, want %d", code, report.ExitInconclusive)
			}
			if !strings.Contains(stderr.String(), tt.note) {
				t.Errorf("no %q in %s", tt.note, stderr)
			}
			cancel()
		})
	}
}

package engine

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestListening(t *testing.T) {
	l := &listening{log: io.Discard, address: make(chan string, 1)}
	for _, part := range []string{"loading\n", "srv: listening on http://127.", "0.0.1:4012", "3\nlistening on http://127.0.0.1:9\n"} {
		if _, err := l.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case got := <-l.address:
		if want := "127.0.0.1:40123"; got != want {
			t.Errorf("address %q, want %q", got, want)
		}
	default:
		t.Error("no address found")
	}
}

// TestStartFails starts a program that ends at once: its last words are in the
// error.
func TestStartFails(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "lib"), 0o755); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\necho 'unknown argument: --no-such-flag' >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, "lib", "llama-server"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	_, err := Start(t.Context(), dir, &log, "--no-such-flag")
	if err == nil || !strings.Contains(err.Error(), "unknown argument") || !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("Start: error %v", err)
	}
	if !strings.Contains(log.String(), "unknown argument") {
		t.Errorf("log %q", log.String())
	}
}

package tenants_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"crosstalk/tenants"
)

// lookup is an environment for tests.
func lookup(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := env[name]; return v, ok }
}

func write(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func TestCredentialValue(t *testing.T) {
	dir := t.TempDir()
	env := lookup(map[string]string{"KEY": "sk-env", "EMPTY": "", "BLANK": "  ", "LINES": "a\nb"})
	for name, text := range map[string]string{
		"plain": "sk-file", "newline": "sk-file\n", "crlf": "sk-file\r\n", "two": "sk-file\n\n",
		"empty": "", "only": "\n", "inner": " sk file ", "large": strings.Repeat("x", 70_000),
	} {
		write(t, filepath.Join(dir, name), text, 0o644)
	}
	absolute := filepath.Join(dir, "plain")
	tests := []struct{ ref, want, err string }{
		{"env:KEY", "sk-env", ""},
		{"file:plain", "sk-file", ""},
		{"file:" + absolute, "sk-file", ""},
		{"file:newline", "sk-file", ""},
		{"file:crlf", "sk-file", ""},
		{"file:inner", " sk file ", ""},
		{"env:UNSET", "", "environment variable UNSET is not set"},
		{"env:EMPTY", "", "environment variable EMPTY is empty"},
		{"env:BLANK", "", "env:BLANK holds only white space"},
		{"env:LINES", "", "env:LINES has several lines"},
		{"file:missing", "", filepath.Join(dir, "missing") + " does not exist: create it"},
		{"file:empty", "", "is empty"},
		{"file:only", "", "holds only white space"},
		{"file:two", "", "has several lines"},
		{"file:large", "", "larger than"},
		{"file:.", "", "is a directory"},
	}
	for _, tt := range tests {
		t.Run(tt.ref, func(t *testing.T) {
			c, err := tenants.NewCredential(tt.ref, dir, env)
			if err != nil {
				t.Fatal(err)
			}
			v, err := c.Value()
			if got := v.Reveal(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			switch {
			case tt.err == "" && err != nil:
				t.Errorf("unexpected error: %v", err)
			case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
				t.Errorf("error is %v, want one with %q", err, tt.err)
			}
			if c.Ref() != tt.ref || fmt.Sprint(c) != tt.ref {
				t.Errorf("Ref is %q and String %q, want %q", c.Ref(), c, tt.ref)
			}
			if out := fmt.Sprintf("%v %+v %#v %s", c, c, c, err); tt.want != "" && strings.Contains(out, tt.want) {
				t.Errorf("the secret is printed: %s", out)
			}
		})
	}
}

func TestNewCredentialRefusesForms(t *testing.T) {
	for _, ref := range []string{"", "sk-live-123", "https://x", "env:", "file:", "ENV:KEY"} {
		_, err := tenants.NewCredential(ref, "", lookup(nil))
		if err == nil || !strings.Contains(err.Error(), "env:NAME") {
			t.Errorf("NewCredential(%q): %v, want an error that tells the form", ref, err)
		}
	}
	// A pasted secret must not be repeated.
	if _, err := tenants.NewCredential("sk-live-123", "", lookup(nil)); strings.Contains(err.Error(), "sk-live") {
		t.Errorf("the error repeats the secret: %v", err)
	}
}

func TestCredentialInvalidate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	write(t, path, "old\n", 0o600)
	c, err := tenants.NewCredential("file:"+path, "", lookup(nil))
	if err != nil {
		t.Fatal(err)
	}
	reveal := func() string {
		v, err := c.Value()
		if err != nil {
			t.Fatal(err)
		}
		return v.Reveal()
	}
	if got := reveal(); got != "old" {
		t.Fatalf("got %q, want old", got)
	}
	write(t, path, "new\n", 0o600)
	if got := reveal(); got != "old" {
		t.Errorf("got %q before Invalidate, want old", got)
	}
	c.Invalidate()
	if got := reveal(); got != "new" {
		t.Errorf("got %q after Invalidate, want new", got)
	}
	// An error is not remembered.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	c.Invalidate()
	if _, err := c.Value(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v, want one that says the file does not exist", err)
	}
	write(t, path, "back", 0o600)
	if got := reveal(); got != "back" {
		t.Errorf("got %q, want back", got)
	}
}

func TestCredentialConcurrently(t *testing.T) {
	c, err := tenants.NewCredential("env:KEY", "", lookup(map[string]string{"KEY": "k"}))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				if v, err := c.Value(); err != nil || v.Reveal() != "k" {
					t.Errorf("got %q, %v", v.Reveal(), err)
				}
				c.Invalidate()
			}
		})
	}
	wg.Wait()
}

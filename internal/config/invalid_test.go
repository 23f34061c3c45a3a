package config

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite golden files")

// options are those of every test: a fixed day, no environment.
func options() Options {
	return Options{
		Now:       time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
		LookupEnv: func(string) (string, bool) { return "", false },
	}
}

// TestInvalid holds the whole message of every file that breaks a rule. A file
// of testdata/invalid is named after its rule; planted secrets are of the form
// that leaked looks for.
func TestInvalid(t *testing.T) {
	files, err := filepath.Glob("testdata/invalid/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			_, err := Load(file, options())
			var bad *Error
			if !errors.As(err, &bad) {
				t.Fatalf("Load: error %v, want an *Error", err)
			}
			got := strings.ReplaceAll(err.Error(), filepath.ToSlash(file), filepath.Base(file)) + "\n"
			golden(t, strings.TrimSuffix(file, ".yaml")+".txt", got)
			if leaked(got) {
				t.Errorf("the message repeats a secret:\n%s", got)
			}
			for _, p := range bad.Problems {
				if p.Line < 1 || p.Column < 1 || p.Mend == "" {
					t.Errorf("problem without a place or a mend: %+v", p)
				}
			}
		})
	}
}

// leaked reports whether a message repeats one of the secrets planted in the
// test files.
func leaked(s string) bool {
	return strings.Contains(s, "do-not-print") || strings.Contains(s, "c2stZG8tbm90")
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (write it with -update)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// TestPatternsHaveWords: what does not match is said in words of its own.
func TestPatternsHaveWords(t *testing.T) {
	for _, rt := range types() {
		for _, f := range fields(rt) {
			if f.pattern == nil {
				continue
			}
			ps := &problems{at: map[string]position{"": {1, 1}}}
			(&decoder{ps}).badForm(f.name, "x", f)
			if p := ps.list[0]; strings.Contains(p.Message, "does not have the form") || strings.HasSuffix(p.Mend, ": ") {
				t.Errorf("%s %s: %s", rt.Name(), f.name, p)
			}
		}
	}
}

package config

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzParse holds that any text is either refused with problems that have a
// place, or gives a configuration that survives being shown and read again.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/invalid/*.yaml", "../../examples/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds: %v", err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 4096 {
			return // the parser's time grows with the square of the length
		}
		c, err := Parse("fuzz.yaml", text, options())
		if err != nil {
			var bad *Error
			if !errors.As(err, &bad) || len(bad.Problems) == 0 {
				t.Fatalf("error %v is not a list of problems", err)
			}
			for _, p := range bad.Problems {
				if p.Line < 1 || p.Column < 1 || p.Message == "" {
					t.Errorf("problem without place or message: %+v", p)
				}
			}
			return
		}
		var b bytes.Buffer
		if err := c.Show(&b); err != nil {
			t.Fatal(err)
		}
		again, err := Parse("shown.yaml", b.Bytes(), options())
		if err != nil {
			t.Fatalf("%v in:\n%s", err, b.Bytes())
		}
		if diff := cmp.Diff(c, again, ignored()); diff != "" {
			t.Errorf("after Show (-want +got):\n%s", diff)
		}
	})
}

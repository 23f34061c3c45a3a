package config

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestShow(t *testing.T) {
	var b bytes.Buffer
	if err := load(t, "../../examples/simulator.yaml").Show(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/show.yaml", b.String())
}

// TestShowLoads holds that what Show writes is the same configuration.
func TestShowLoads(t *testing.T) {
	files, err := filepath.Glob("../../examples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			c := load(t, file)
			var b bytes.Buffer
			if err := c.Show(&b); err != nil {
				t.Fatal(err)
			}
			again, err := Parse("shown", b.Bytes(), options())
			if err != nil {
				t.Fatalf("%v in:\n%s", err, b.String())
			}
			if diff := cmp.Diff(c, again, ignored()); diff != "" {
				t.Errorf("after Show (-want +got):\n%s\n%s", diff, b.String())
			}
		})
	}
}

// TestShowHoldsNoSecret reads secrets before showing.
func TestShowHoldsNoSecret(t *testing.T) {
	c := load(t, write(t, strings.Replace(minimal, "file:./b.key", "env:KEY_B", 1)))
	c.refs.lookup = func(string) (string, bool) { return "do-not-print-me", true }
	accounts, err := c.Accounts()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range accounts {
		if _, err := a.Credential.Value(); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := c.Show(&b); err != nil {
		t.Fatal(err)
	}
	if leaked(b.String()) || !strings.Contains(b.String(), "env:KEY_B") {
		t.Errorf("shown:\n%s", b.String())
	}
}

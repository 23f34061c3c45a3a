package alerting

import (
	"strings"
	"testing"

	"crosstalk/checks"
)

// TestRunbooks: every check has one, in one form, and there is none for nothing.
func TestRunbooks(t *testing.T) {
	names := map[string]bool{"blind": true, "prober": true}
	for _, c := range checks.All() {
		names[c.Name()] = true
	}
	for name := range names {
		text, ok := Runbook(name)
		if !ok {
			t.Errorf("no runbook for %s: write runbooks/%s.md", name, name)
			continue
		}
		if !strings.HasPrefix(text, "# "+name+": ") {
			t.Errorf("%s: begins with %q", name, strings.SplitN(text, "\n", 2)[0])
		}
		at := 0
		for _, head := range []string{
			"## What was seen", "## What it means", "## How sure",
			"## The first five minutes", "## To confirm", "## To close",
		} {
			i := strings.Index(text[at:], head)
			if i < 0 {
				t.Errorf("%s: no %q in its place", name, head)
				break
			}
			at += i
		}
	}
	files, err := runbooks.ReadDir("runbooks")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name := strings.TrimSuffix(f.Name(), ".md"); !names[name] {
			t.Errorf("runbooks/%s is for no check", f.Name())
		}
	}
	for _, name := range []string{"", "nothing", "../doc", "..\\doc", "recall.md", "a/b"} {
		if _, ok := Runbook(name); ok {
			t.Errorf("Runbook(%q) exists", name)
		}
	}
}

func TestRunbookName(t *testing.T) {
	for want, i := range map[string]Incident{
		"recall":          {Kind: KindDamage("recall")},
		"foreignfragment": {Kind: KindLeak, Checks: []string{"foreignfragment", "recall"}},
		"foreignmarker":   {Kind: KindLeak},
		"contact":         {Kind: KindForeign},
		"blind":           {Kind: KindBlind, Checks: []string{"recall"}},
		"prober":          {Kind: KindProber},
	} {
		if got := i.RunbookName(); got != want {
			t.Errorf("RunbookName of %s is %s, want %s", i.Kind, got, want)
		}
	}
}

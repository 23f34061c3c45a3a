package checks_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"crosstalk/checks"
)

// TestVectors judges every recorded round under testdata and compares what the
// checks say with what the vector expects. The format is in testdata/README.md.
func TestVectors(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Fatal("no vectors under testdata")
	}
	for _, path := range paths {
		check := filepath.Base(filepath.Dir(path))
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(check+"/"+name, func(t *testing.T) {
			t.Parallel()
			runVector(t, path, check)
		})
	}
}

// TestEveryCheckHasVectors keeps a check from being added, or its vectors from
// being lost, without anybody noticing.
func TestEveryCheckHasVectors(t *testing.T) {
	t.Parallel()
	for _, c := range checks.All() {
		paths, err := filepath.Glob(filepath.Join("testdata", c.Name(), "*.txtar"))
		if err != nil {
			t.Fatal(err)
		}
		if len(paths) < 6 {
			t.Errorf("check %s has %d vectors, want at least 6: hits, lawful look-alikes, an edge", c.Name(), len(paths))
		}
	}
}

func runVector(t *testing.T, path, check string) {
	t.Helper()
	v, in := readVector(t, path)
	report := checks.Run(*in, checks.All())

	for i, x := range in.Round.Exchanges {
		e := v.exchanges[i]
		t.Run(fmt.Sprintf("exchange %d", i+1), func(t *testing.T) {
			own, others := e.expected(check)
			if diff := cmp.Diff(own, findingsOf(report, x.ID, check)); diff != "" {
				t.Errorf("findings of %s (-want +got):\n%s", check, diff)
			}
			for _, want := range others {
				of, _, _ := strings.Cut(want, "/")
				if got := findingsOf(report, x.ID, of); !slices.Contains(got, want) {
					t.Errorf("want also %q, got %q of that check", want, got)
				}
			}
			if want := e.get("verdict"); want != "" && report.Verdict(x.ID).String() != want {
				t.Errorf("verdict %s, want %s; findings:\n%s", report.Verdict(x.ID), want, told(report, x.ID))
			}
		})
	}
}

// findingsOf returns the findings of a check on an exchange in the notation of
// an expect line, sorted. "_" stands for a kind with a blank.
func findingsOf(r checks.Report, exchange uuid.UUID, check string) []string {
	got := []string{}
	for _, f := range r.Findings {
		if f.Exchange == exchange && f.Check == check {
			got = append(got, fmt.Sprintf("%s/%s %s", f.Check, strings.ReplaceAll(f.Kind, " ", "_"), f.Class))
		}
	}
	slices.Sort(got)
	return slices.Compact(got)
}

func told(r checks.Report, exchange uuid.UUID) string {
	var b strings.Builder
	for _, f := range r.Findings {
		if f.Exchange == exchange {
			fmt.Fprintf(&b, "  %s/%s %s: %s\n", f.Check, f.Kind, f.Class, f.Detail)
		}
	}
	return b.String()
}

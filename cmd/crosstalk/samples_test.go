package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"crosstalk/bench/detect"
	"crosstalk/checks"
	"crosstalk/internal/report"
)

var update = flag.Bool("update", false, "write the table of docs/samples.md anew")

// sample is a line of samples.jsonl: what a public report shows, with the answer
// that would have been right.
type sample struct {
	detect.Label
	Source string `json:"source"` // of the report
	// Exception says why no finding of the right kind can be there. A sample has
	// either this or the kinds.
	Exception string `json:"exception"`
	// Open says why no rule on open text sees it, where none does.
	Open string `json:"open"`

	line []byte
}

// dataFile is a file of cases that ships with the project.
func dataFile(name string) string { return filepath.Join("..", "..", "bench", "detect", "data", name) }

func readSamples(t *testing.T, name string) []sample {
	t.Helper()
	data, err := os.ReadFile(dataFile(name))
	if err != nil {
		t.Fatal(err)
	}
	var all []sample
	for line := range strings.Lines(string(data)) {
		s := sample{line: []byte(line)}
		if err := json.Unmarshal(s.line, &s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, s)
	}
	return all
}

// judge judges the sample, without the right answer and the prompt where open.
func (s sample) judge(t *testing.T, open bool) detect.Outcome {
	t.Helper()
	line := s.line
	if open {
		var members map[string]any
		if err := json.Unmarshal(line, &members); err != nil {
			t.Fatal(err)
		}
		delete(members, "expected")
		delete(members, "prompt")
		var err error
		if line, err = json.Marshal(members); err != nil {
			t.Fatal(err)
		}
	}
	i := &inspector{format: formatAuto, unknown: map[string]bool{}, used: map[string]bool{}}
	c, err := i.labelled(line)
	if err != nil {
		t.Fatalf("%s: %v", s.ID, err)
	}
	return detect.Judge(c)
}

// isForm reports whether damage of the sample's class shows in the text alone.
func (s sample) isForm() bool { return strings.ContainsRune("ABCHK", rune(s.Class[0])) }

// TestSamples judges what 92 public reports show, each beside its own right answer:
// every one has the right verdict and a finding of the right kind, or is an
// exception with its reason. Those of the classes A, B, C, H and K are judged without
// the answer too: three in four are damaged, and each miss has its reason. The
// table in docs/samples.md says the same; -update writes it.
func TestSamples(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("| sample | class | with the right answer | without |\n|---|---|---|---|\n")
	form, seen := 0, 0
	for _, s := range readSamples(t, "samples.jsonl") {
		o := s.judge(t, false)
		if !o.Right {
			t.Errorf("%s: %s\n%+v", s.ID, o.Why, o.Report.Findings)
		}
		if (len(s.Kinds) == 0) != (s.Exception != "") {
			t.Errorf("%s: want kinds or an exception, one of them", s.ID)
		}
		without := "-"
		if s.isForm() {
			got := s.judge(t, true).Got
			if (got == checks.Damaged) != (s.Open == "") {
				t.Errorf("%s: %s without the right answer, and the reason for a miss is %q", s.ID, got, s.Open)
			}
			form++
			if without = "damaged"; got != checks.Damaged {
				without = "missed: " + s.Open
			} else {
				seen++
			}
		}
		fmt.Fprintf(&table, "| [%s](%s) | %s | %s: %s | %s |\n", s.ID, s.Source, s.Class, o.Got, s.reason(o), without)
	}
	fmt.Fprintf(&table, "\nWithout the right answer %d of %d are damaged (%.0f %%).\n", seen, form, 100*float64(seen)/float64(form))
	if 4*seen < 3*form {
		t.Errorf("%d of %d seen without the right answer, want three in four", seen, form)
	}
	checkTable(t, filepath.Join("..", "..", "docs", "samples.md"), table.String())
}

// reason names the findings of the right kind, or why there is none.
func (s sample) reason(o detect.Outcome) string {
	if s.Exception != "" {
		return s.Exception
	}
	var kinds []string
	for _, f := range o.Report.Findings {
		if kind := f.Check + "/" + f.Kind; slices.Contains(s.Kinds, kind) && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return strings.Join(kinds, ", ")
}

// checkTable compares the table of a document with the one that was measured.
func checkTable(t *testing.T, name, table string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- samples: begin -->\n\n", "\n<!-- samples: end -->"
	before, rest, _ := strings.Cut(string(data), begin)
	was, after, ok := strings.Cut(rest, end)
	switch {
	case !ok:
		t.Fatalf("%s has no marks %q and %q", name, begin, end)
	case was == table:
	case *update:
		if err := os.WriteFile(name, []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not what was measured: go test ./cmd/crosstalk -run TestSamples -update", name)
	}
}

// TestLookalikes judges a lawful text beside each sample, that is easily mistaken
// for it: none may alarm.
func TestLookalikes(t *testing.T) {
	t.Parallel()
	samples, lawful := readSamples(t, "samples.jsonl"), readSamples(t, "lookalikes.jsonl")
	if len(samples) != len(lawful) {
		t.Fatalf("%d samples and %d look-alikes", len(samples), len(lawful))
	}
	for k, s := range lawful {
		if s.ID != samples[k].ID || slices.ContainsFunc(s.Want, func(c checks.Class) bool { return c.Worse(checks.Inconclusive) }) {
			t.Errorf("line %d: %s wants %v, beside sample %s", k+1, s.ID, s.Want, samples[k].ID)
		}
	}
	code, out, errs := benchRun(t, "", dataFile("lookalikes.jsonl"), "--misses")
	if code != report.ExitSound {
		t.Errorf("exit %d\n%s\n%s", code, out, errs)
	}
}

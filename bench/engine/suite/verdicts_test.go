//go:build e2e || long

package suite

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the rows of the verdict table that were run anew")

const verdictFile = "testdata/verdicts.txt"

// arm is a server and what is asked of crosstalk about it.
type arm struct {
	name  string
	start func(*testing.T) target
	asked []question
}

// question is one command. Because is the finding that names what is wrong with
// the server, check/kind; without it the answer is the class alone.
type question struct {
	args    string
	because string
	// detail is what the finding must say, e.g. the exact limit.
	detail string
	// shows is what the command prints beside the verdict, e.g. the header by
	// which a layer in front of the engine gives itself away.
	shows string
	// look looks closer; nil: no closer.
	look func(*testing.T, outcome)
}

// accounts of a target: one less than the engine has slots. Requests that come
// one after the other take the slots in turn; with as many accounts as slots, each
// would always follow itself.
const accounts = 3

// verdicts runs arms, one server after the other, and holds each row of the
// table that they give.
func verdicts(t *testing.T, arms []arm) {
	for _, a := range arms {
		t.Run(strings.ReplaceAll(a.name, " ", "_"), func(t *testing.T) {
			g := a.start(t)
			for _, q := range a.asked {
				o := g.ask(t, q)
				hold(t, a.name, q, o)
				if q.shows != "" {
					g.mustShow(t, q)
				}
				if q.look != nil {
					q.look(t, o)
				}
			}
			g.Stop()
		})
	}
}

// ask runs a question's command. A code that the copy model lost by itself is not
// held against the server, unless lost codes are what the row is about: a run of
// many exchanges is sound all the same, a single one is asked for again.
func (g target) ask(t *testing.T, q question) outcome {
	t.Helper()
	args := strings.Fields(q.args)
	o := g.judge(t, accounts, args...)
	for seed := 2; seed <= 4 && o.copyingError() && !strings.HasPrefix(q.because, "recall/"); seed++ {
		t.Logf("counted as the model's own error:\n%s", o.list())
		if o.Totals.Sent > 0 {
			o.Exit, o.Class = 0, "sound"
			break
		}
		o = judge(t, g.config(t, accounts), seed, args...)
	}
	return o
}

// mustShow runs the command once more for people.
func (g target) mustShow(t *testing.T, q question) {
	t.Helper()
	args := append(strings.Fields(q.args), "-c", g.config(t, accounts), "--seed", "1")
	if _, text := crosstalk(t.Context(), t, args...); !strings.Contains(string(text), q.shows) {
		t.Errorf("%s does not show %q:\n%s", q.args, q.shows, text)
	}
}

// hold compares a row with the table.
func hold(t *testing.T, name string, q question, o outcome) {
	t.Helper()
	if *update {
		t.Log(o.list())
	}
	because := "-"
	if q.because != "" {
		i := slices.IndexFunc(o.Findings, func(f finding) bool { return f.name() == q.because && strings.Contains(f.Detail, q.detail) })
		if i < 0 {
			t.Errorf("%s: no finding %s that says %q\n%s", q.args, q.because, q.detail, o.list())
		}
		because = strings.TrimSpace(q.because + " " + q.detail)
	}
	key := fmt.Sprintf("%-34s %-50s", name, q.args)
	row := fmt.Sprintf("%s %d %-12s %s", key, o.Exit, o.Class, because)
	table, err := os.ReadFile(verdictFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(table), "\n"), "\n")
	i := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, key) })
	switch {
	case i >= 0 && lines[i] == row:
	case !*update && i < 0:
		t.Errorf("the table has no row\n%s", row)
	case !*update:
		t.Errorf("got  %s\nwant %s\n%s", row, lines[i], o.list())
	default:
		if i < 0 {
			i = len(lines)
			lines = append(lines, "")
		}
		lines[i] = row
		if err := os.WriteFile(verdictFile, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// originKnown: a leak names another tenant's request and the place in its prompt,
// and says by what chance it could be an accident.
func originKnown(t *testing.T, o outcome) {
	t.Helper()
	for _, f := range o.Findings {
		if f.Class != "leak" {
			continue
		}
		switch {
		case f.Donor == "" || f.Donor == f.Tenant:
			t.Errorf("%s given to %s came from %q, want another tenant", f.name(), f.Tenant, f.Donor)
		case f.Origin == nil || f.Origin.Exchange == "" || f.Origin.Offset == 0:
			t.Errorf("%s given to %s: origin %+v, want a request and an offset", f.name(), f.Tenant, f.Origin)
		case f.PChance <= 0 || f.PChance >= 1e-12:
			t.Errorf("%s given to %s: chance %v, want below 1e-12", f.name(), f.Tenant, f.PChance)
		}
	}
}

package checks_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crosstalk/checks"
)

// TestEveryCharacterOfACode changes a right answer made of codes by one character,
// at every place of a code and in every way: each other letter and digit in its
// place, lost, doubled, exchanged with the next, a look-alike of another alphabet.
// Every such answer is damaged; where only the signs between groups are others it is
// degraded at least. Upper for lower case is the same code.
func TestEveryCharacterOfACode(t *testing.T) {
	t.Parallel()
	in := healthyRound(t, 1)
	x := in.Round.Exchanges[0]
	few := 20
	x.Response.Usage.Completion, x.Response.Usage.Total = &few, nil // or the count alone would speak
	code := x.Response.Content                                      // the task is echo: the code and nothing else
	if len(code) < 20 || strings.ContainsAny(code, " \n") || checks.Run(*in, checks.All()).Verdict(x.ID) != checks.Sound {
		t.Fatalf("the right answer %q is no code, or not sound", code)
	}
	n := 0
	for i := range len(code) {
		for _, changed := range changesAt(code, i) {
			x.Response.Content = changed
			report := checks.Run(*in, checks.All())
			regrouped := strings.ReplaceAll(changed, "-", "") == strings.ReplaceAll(code, "-", "")
			if got := report.Verdict(x.ID); got == checks.Sound || !regrouped && got != checks.Damaged {
				t.Errorf("%q for %q is %s:\n%s", changed, code, got, told(report, x.ID))
			}
			n++
		}
	}
	if n < 30*len(code) {
		t.Errorf("%d changes of %d characters", n, len(code))
	}
}

// changesAt are the codes that differ from code in one character, at i.
func changesAt(code string, i int) []string {
	with := func(s string) string { return code[:i] + s + code[i+1:] }
	changed := []string{with(""), with(code[i:i+1] + code[i:i+1])}
	if i+1 < len(code) {
		changed = append(changed, code[:i]+code[i+1:i+2]+code[i:i+1]+code[i+2:])
	}
	for _, c := range strings.Split("0123456789abcdefghijklmnopqrstuvwxyz-", "") {
		changed = append(changed, with(c))
	}
	for latin, other := range map[string]string{"a": "а", "e": "е", "c": "с", "p": "р", "x": "х", "y": "у", "k": "κ", "0": "О"} {
		if code[i:i+1] == latin {
			changed = append(changed, with(other))
		}
	}
	return slices.DeleteFunc(changed, func(c string) bool { return c == code })
}

// TestChecksReadOnlyTheirInput judges rounds of every check twice, the second time
// in the opposite order: the findings are the same, so nothing that was seen before
// had a part in them, and the rounds are as they were. That checks cannot read
// files, the network or the clock is held by internal/dag.
func TestChecksReadOnlyTheirInput(t *testing.T) {
	t.Parallel()
	var paths []string
	for _, c := range checks.All() {
		some, err := filepath.Glob("testdata/" + c.Name() + "/*.txtar")
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, some[:min(len(some), 4)]...)
	}
	first := map[string]checks.Report{}
	for _, path := range paths {
		in := vectorInput(t, path)
		first[path] = checks.Run(*in, checks.All())
		if !reflect.DeepEqual(in.Round, vectorInput(t, path).Round) {
			t.Errorf("%s: a check changed the round", path)
		}
	}
	slices.Reverse(paths)
	for _, path := range paths {
		if diff := cmp.Diff(first[path], checks.Run(*vectorInput(t, path), checks.All())); diff != "" {
			t.Errorf("%s: after other rounds (-before +after):\n%s", path, diff)
		}
	}
}

func vectorInput(t *testing.T, path string) *checks.Input {
	t.Helper()
	_, in := readVector(t, path)
	return in
}

// readVector is a vector and the input that it makes.
func readVector(t *testing.T, path string) (*vector, *checks.Input) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	v, err := parseVector(parseArchive(string(data)))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	in, err := v.build()
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v, in
}

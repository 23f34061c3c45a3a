package main

import (
	"encoding/json"
	"strings"
	"testing"

	"crosstalk/checks"
)

// demoJSON runs demo at a small window and returns its exit code and data.
func demoJSON(t *testing.T, args ...string) (int, demoResult) {
	t.Helper()
	e, stdout, stderr := testEnv("")
	code := run(t.Context(), append([]string{"demo", "--json", "--window", "32768", "--speed", "20"}, args...), e)
	var r demoResult
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		t.Fatalf("demo %v: exit %d: %v: %s", args, code, err, stderr)
	}
	return code, r
}

// TestDemo: both faulty engines are caught, each by its own face of the fault,
// and the sound ones raise nothing.
func TestDemo(t *testing.T) {
	code, r := demoJSON(t)
	if code != 0 || !r.Caught || len(r.Arms) != 4 {
		t.Fatalf("exit %d, caught %t, %d arms; %+v", code, r.Caught, len(r.Arms), wrongArms(r))
	}
	for i, want := range []checks.Class{checks.Leak, checks.Foreign, checks.Sound, checks.Damaged} {
		if got := r.Arms[i].Summary.Class; got != want {
			t.Errorf("%s was judged %s, want %s", r.Arms[i].Name, got, want)
		}
	}
	for _, f := range r.Arms[1].Summary.Findings {
		if f.Origin != nil && f.Class == checks.Leak {
			t.Errorf("a donor was named among strangers: %+v", f)
		}
	}
}

// TestDemoWithoutMechanism: with page reuse off the fault has nothing to show,
// and the demo must say that it was not caught.
func TestDemoWithoutMechanism(t *testing.T) {
	code, r := demoJSON(t, "--page-reuse", "off")
	if code != 1 || r.Caught {
		t.Errorf("exit %d, caught %t, want 1 and false: %v", code, r.Caught, wrongArms(r))
	}
	if r.Arms[0].Right || r.Arms[1].Right || !r.Arms[2].Right || !r.Arms[3].Right {
		t.Errorf("the faulty arms should be wrong and no other: %v", wrongArms(r))
	}
}

// TestDemoText says the same for a person.
func TestDemoText(t *testing.T) {
	e, stdout, stderr := testEnv("")
	if code := run(t.Context(), []string{"demo", "--window", "32768", "--speed", "20"}, e); code != 0 {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	for _, want := range []string{
		"LEAK  content of ", "prompt offset", "chance of accident ", "the donor is unknown",
		"window not as advertised", "both faulty engines were caught",
	} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("output lacks %q:\n%s", want, stdout)
		}
	}
	if strings.Contains(stdout.String(), "demo-key-of-") {
		t.Error("output holds an API key")
	}
}

func wrongArms(r demoResult) []string {
	var list []string
	for _, a := range r.Arms {
		if !a.Right {
			list = append(list, a.Name+": "+a.Wrong)
		}
	}
	return list
}

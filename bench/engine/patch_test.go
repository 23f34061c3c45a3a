package engine

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPatch(t *testing.T) {
	const source = "int a;\n  int b;\nint c;\n"
	for _, c := range []struct {
		name string
		list []insertion
		want string
		err  string
	}{
		{"nothing", nil, source, ""},
		{"after", []insertion{{anchor: "int b;", text: "int x;\n"}}, "int a;\n  int b;\nint x;\nint c;\n", ""},
		{"before", []insertion{{anchor: "int b;", before: true, text: "int x;\n"}}, "int a;\nint x;\n  int b;\nint c;\n", ""},
		{"two at one place", []insertion{{anchor: "int a;", text: "1\n"}, {anchor: "int a;", text: "2\n"}}, "int a;\n1\n2\n  int b;\nint c;\n", ""},
		{"missing", []insertion{{anchor: "int d;", text: "int x;\n"}}, "", "no line"},
		{"part of a line is no anchor", []insertion{{anchor: "int", text: "int x;\n"}}, "", "no line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := patch([]byte(source), c.list)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want one with %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := patch([]byte(source+"int a;\n"), []insertion{{anchor: "int a;"}}); err == nil || !strings.Contains(err.Error(), "lines 1 and 4") {
		t.Errorf("an anchor that stands there twice: error %v", err)
	}
}

// TestFaultEnv: a server without fault is started with no variable at all.
func TestFaultEnv(t *testing.T) {
	if env := (Fault{}).env(); len(env) > 0 {
		t.Errorf("no fault: %q", env)
	}
	got := Fault{Pool: 2700, UsageOne: true, Swap: 0.25, Stray: 1}.env()
	if diff := cmp.Diff([]string{"CT_POOL=2700", "CT_USAGE=1", "CT_SWAP=0.25", "CT_STRAY=1"}, got); diff != "" {
		t.Error(diff)
	}
}

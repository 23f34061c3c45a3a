package dag

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestModule holds the whole module against the rules.
func TestModule(t *testing.T) {
	pkgs := list(t)
	for _, v := range violations(pkgs) {
		t.Error(v)
	}
	for _, p := range pkgs {
		if !slices.Contains(pure, local(p.ImportPath)) {
			continue
		}
		for _, f := range p.GoFiles {
			reads, err := clockReads(filepath.Join(p.Dir, f), nil)
			if err != nil {
				t.Error(err)
			}
			for _, r := range reads {
				t.Error(r)
			}
		}
	}
}

// list asks the go command for the packages of this module, those behind build
// tags included.
func list(t *testing.T) []pkg {
	t.Helper()
	root := filepath.Join("..", "..")
	visit(t, root)
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json", "-tags", "e2e,long", "./...")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var pkgs []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("read the output of go list: %v", err)
		}
		pkgs = append(pkgs, p)
	}
	if len(pkgs) < 5 {
		t.Fatalf("go list found %d packages, want the whole module", len(pkgs))
	}
	return pkgs
}

// visit reads every folder of the module: the go command runs a test again when
// what it read has changed, and does not see what a subprocess reads.
func visit(t *testing.T, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestViolations plants arrows that must not be there, and some that may.
func TestViolations(t *testing.T) {
	tests := []struct {
		name string
		pkg  pkg
		want []string
	}{
		{
			name: "downwards",
			pkg:  pkg{ImportPath: "crosstalk/checks", Imports: []string{"crosstalk/probes", "crosstalk/internal/words", "strings", "net/url"}},
		},
		{
			name: "upwards",
			pkg:  pkg{ImportPath: "crosstalk/corpus", Imports: []string{"crosstalk/tenants"}},
			want: []string{"corpus imports tenants: layer 2 is not below layer 1"},
		},
		{
			name: "sideways",
			pkg:  pkg{ImportPath: "crosstalk/tenants", Imports: []string{"crosstalk/probes/provider"}},
			want: []string{"tenants imports probes/provider: layer 2 is not below layer 2"},
		},
		{
			name: "siblings",
			pkg:  pkg{ImportPath: "crosstalk/probes/provider/gemini", Imports: []string{"crosstalk/probes/provider", "crosstalk/probes/provider/openaichat"}},
			want: []string{"probes/provider/gemini imports probes/provider/openaichat: layer 3 is not below layer 3"},
		},
		{
			name: "siblings in tests",
			pkg: pkg{
				ImportPath: "crosstalk/alerting/slack", TestImports: []string{"crosstalk/alerting/notifytest"},
				XTestImports: []string{"crosstalk/alerting/pagerduty"},
			},
			want: []string{"a test of alerting/slack imports alerting/pagerduty: siblings do not know one another"},
		},
		{
			name: "simulator and prompts",
			pkg:  pkg{ImportPath: "crosstalk/internal/simulator", Imports: []string{"crosstalk/probes/provider", "crosstalk/corpus"}},
			want: []string{"internal/simulator imports corpus: it may import only internal/words, internal/secret, probes/provider"},
		},
		{
			name: "configuration and dialects",
			pkg:  pkg{ImportPath: "crosstalk/internal/config", Imports: []string{"crosstalk/probes", "crosstalk/probes/provider/openaichat"}},
			want: []string{"internal/config imports probes/provider/openaichat: it declares kind names only"},
		},
		{
			name: "I/O in pure packages",
			pkg:  pkg{ImportPath: "crosstalk/checks", Imports: []string{"os", "net/http"}},
			want: []string{"checks imports os: checks do no I/O", "checks imports net/http: checks do no I/O"},
		},
		{
			name: "series outside metrics",
			pkg:  pkg{ImportPath: "crosstalk/probes/provider", Imports: []string{"github.com/prometheus/client_golang/prometheus"}},
			want: []string{"probes/provider imports github.com/prometheus/client_golang/prometheus: series belong to internal/metrics"},
		},
		{
			name: "tests look up",
			pkg:  pkg{ImportPath: "crosstalk/probes", XTestImports: []string{"crosstalk/internal/simulator", "crosstalk/probes"}},
		},
		{
			name: "nothing imports a command",
			pkg:  pkg{ImportPath: "crosstalk/internal/config", TestImports: []string{"crosstalk/cmd/crosstalk"}},
			want: []string{"a test of internal/config imports cmd/crosstalk: nothing imports a command"},
		},
		{
			name: "unknown package",
			pkg:  pkg{ImportPath: "crosstalk/internal/util"},
			want: []string{"internal/util has no layer: add it to table in internal/dag/rules_test.go"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, violations([]pkg{tt.pkg})); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestClockReads(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"none", "package p\nimport \"time\"\nvar D = 2 * time.Second\n", ""},
		{"now", "package p\nimport \"time\"\nvar T = time.Now()\n", "p.go:3:9: time.Now in a package that must not read the clock"},
		{"renamed", "package p\nimport clk \"time\"\nvar F = clk.Since\n", "p.go:3:9: time.Since in a package that must not read the clock"},
		{"another Now", "package p\nimport time \"example.com/x\"\nvar T = time.Now()\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			reads, err := clockReads("p.go", tt.src)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			if tt.want != "" {
				want = []string{tt.want}
			}
			if diff := cmp.Diff(want, reads); diff != "" {
				t.Errorf("clock reads (-want +got):\n%s", diff)
			}
		})
	}
}

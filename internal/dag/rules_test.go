package dag

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

const module = "crosstalk"

// table gives every package its layer, lowest first. A pattern ending in /*
// stands for every package directly below that folder which has no line of its
// own: siblings, which never import one another.
var table = []struct {
	layer    int
	packages []string
}{
	{0, []string{"internal/words", "internal/secret", "internal/stats"}},
	{1, []string{"corpus"}},
	{2, []string{"tenants", "probes/provider"}},
	{3, []string{"probes", "probes/provider/providertest", "probes/provider/*", "internal/simulator"}},
	{4, []string{"checks"}},
	{5, []string{"internal/rates"}},
	{6, []string{"alerting", "internal/metrics", "internal/report", "internal/evidence"}},
	{7, []string{"internal/pipeline", "internal/preflight", "alerting/*", "internal/ledger/*"}}, // ledger/*: generated queries
	{8, []string{"internal/ledger"}},
	{9, []string{"internal/ledger/ledgertest", "internal/config", "internal/scheduler", "dashboards", "dashboards/web", "bench/engine/copymodel", "bench/detect"}},
	{10, []string{"bench/engine"}},
	{11, []string{"cmd/*", "bench", "bench/*", "bench/engine/*", "internal/dag"}},
}

// only confines a package to the packages of this module that it may import.
var only = map[string][]string{
	"internal/simulator": {"internal/words", "internal/secret", "probes/provider"},
}

// never forbids imports that the layers would allow. A pattern ending in /...
// stands for the path before it and everything below; paths without the
// module's name are of other modules or the standard library.
var never = []struct{ from, to, why string }{
	{"internal/config", "crosstalk/probes/provider/...", "it declares kind names only"},
	{"internal/config", "crosstalk/alerting/...", "it declares kind names only"},
	{"corpus", "os/...", "corpus does no I/O"},
	{"corpus", "net/...", "corpus does no I/O"},
	{"checks", "os/...", "checks do no I/O"},
	{"checks", "net/...", "checks do no I/O"},
	{"probes/...", "github.com/prometheus/...", "series belong to internal/metrics"},
	{"checks", "github.com/prometheus/...", "series belong to internal/metrics"},
	{"alerting/...", "github.com/prometheus/...", "series belong to internal/metrics"},
}

// except lists what never does not mean: net/url and net/http's header type
// hold values and open nothing.
var except = []string{"net/url", "net/mail", "net/netip", "net/textproto"}

// pkg is what the rules need of one package of `go list -json`.
type pkg struct {
	ImportPath   string
	Dir          string
	Name         string
	GoFiles      []string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

// violations returns one sentence per forbidden arrow, in the order of pkgs.
func violations(pkgs []pkg) []string {
	var out []string
	for _, p := range pkgs {
		from := local(p.ImportPath)
		layer, ok := layerOf(from)
		if !ok {
			out = append(out, fmt.Sprintf("%s has no layer: add it to table in internal/dag/rules_test.go", from))
			continue
		}
		for _, imp := range p.Imports {
			if why := forbidden(from, layer, imp); why != "" {
				out = append(out, fmt.Sprintf("%s imports %s: %s", from, local(imp), why))
			}
		}
		for _, imp := range slices.Concat(p.TestImports, p.XTestImports) {
			if why := forbiddenInTests(from, imp); why != "" {
				out = append(out, fmt.Sprintf("a test of %s imports %s: %s", from, local(imp), why))
			}
		}
	}
	return out
}

// forbidden says why package from, of that layer, must not import imp; "" if
// it may.
func forbidden(from string, layer int, imp string) string {
	for _, n := range never {
		if match(n.from, from) && match(n.to, imp) && !slices.Contains(except, imp) {
			return n.why
		}
	}
	if !ours(imp) {
		return ""
	}
	to := local(imp)
	if list, ok := only[from]; ok && !slices.Contains(list, to) {
		return "it may import only " + strings.Join(list, ", ")
	}
	other, ok := layerOf(to)
	if ok && other >= layer {
		return fmt.Sprintf("layer %d is not below layer %d", other, layer)
	}
	return ""
}

// forbiddenInTests is the laxer rule of tests: they may look up, for a fake
// server or a whole pipeline, but not at a command or a sibling.
func forbiddenInTests(from, imp string) string {
	to := local(imp)
	switch {
	case !ours(imp), from == to:
		return ""
	case strings.HasPrefix(to, "cmd/"):
		return "nothing imports a command"
	case sibling(from) && sibling(to) && path.Dir(from) == path.Dir(to):
		return "siblings do not know one another"
	}
	return ""
}

// sibling reports whether p is one of several implementations of an interface
// of its parent folder.
func sibling(p string) bool {
	d := path.Dir(p)
	shared := strings.HasSuffix(p, "test")
	return (d == "probes/provider" || d == "alerting") && !shared
}

// layerOf is the layer of a package; a line of its own goes before a pattern.
func layerOf(p string) (int, bool) {
	for _, row := range table {
		if slices.Contains(row.packages, p) {
			return row.layer, true
		}
	}
	for _, row := range table {
		if slices.Contains(row.packages, path.Dir(p)+"/*") {
			return row.layer, true
		}
	}
	return 0, false
}

func match(pattern, p string) bool {
	base, below := strings.CutSuffix(pattern, "/...")
	return p == base || below && strings.HasPrefix(p, base+"/")
}

func ours(imp string) bool { return imp == module || strings.HasPrefix(imp, module+"/") }

func local(imp string) string { return strings.TrimPrefix(imp, module+"/") }

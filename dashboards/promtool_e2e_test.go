//go:build e2e

package dashboards

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// promtool is the tool of Debian's package, fetched once into the cache. The
// package is unpacked and not installed: installing it would start a server.
func promtool(t *testing.T) string {
	t.Helper()
	if path, err := exec.LookPath("promtool"); err == nil {
		return path
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "crosstalk-ci", "prometheus")
	tool := filepath.Join(dir, "usr", "bin", "promtool")
	if _, err := os.Stat(tool); err == nil {
		return tool
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "sh", "-c", "apt-get download prometheus && dpkg -x prometheus_*.deb .")
	return tool
}

func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	t.Logf("%s", out)
}

// TestE2ERules runs the rules and their tests through promtool.
func TestE2ERules(t *testing.T) {
	tool, dir := promtool(t), t.TempDir()
	if err := Write(dir, Options{}); err != nil {
		t.Fatal(err)
	}
	run(t, dir, tool, "check", "rules", rulesFile)
	run(t, dir, tool, "test", "rules", "crosstalk-rules-test.yaml")
}

// TestE2EMetrics has promtool lint what the daemon says.
func TestE2EMetrics(t *testing.T) {
	golden, err := filepath.Abs(filepath.Join("..", "internal", "metrics", "testdata", "metrics.txt"))
	if err != nil {
		t.Fatal(err)
	}
	run(t, t.TempDir(), "sh", "-c", `exec "$0" check metrics < "$1"`, promtool(t), golden)
}

// TestE2EQueries has promtool parse every query of the dashboards, as recording
// rules.
func TestE2EQueries(t *testing.T) {
	tool, dir := promtool(t), t.TempDir()
	variables := strings.NewReplacer("$__rate_interval", "5m", "$target", "edge")
	group := ruleGroup{Name: "queries"}
	all := expressions(t)
	for i, where := range slices.Sorted(maps.Keys(all)) {
		group.Rules = append(group.Rules, rule{
			Record: fmt.Sprintf("query:%d", i), Expr: variables.Replace(all[where]),
		})
	}
	data, err := encode(ruleFile{Groups: []ruleGroup{group}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "queries.yaml"), data, 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, dir, tool, "check", "rules", "queries.yaml")
}

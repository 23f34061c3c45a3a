package dashboards

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"crosstalk/internal/metrics"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden pins every generated file.
func TestGolden(t *testing.T) {
	dir := t.TempDir()
	if err := Write(filepath.Join(dir, "new"), Options{}); err != nil {
		t.Fatal(err)
	}
	files, err := Files(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		t.Run(f.Name, func(t *testing.T) {
			written, err := os.ReadFile(filepath.Join(dir, "new", f.Name))
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", f.Name)
			if *update {
				if err := os.WriteFile(golden, written, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(written)); diff != "" {
				t.Errorf("%s differs (-want +got), -update rewrites it:\n%s", golden, diff)
			}
		})
	}
}

func TestExternalURL(t *testing.T) {
	files, err := Files(Options{ExternalURL: "https://canary.example/x/"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.Contains(string(f.Data), DefaultExternalURL) {
			t.Errorf("%s has the default URL", f.Name)
		}
		if strings.HasSuffix(f.Name, ".json") && !strings.Contains(string(f.Data), `"https://canary.example/x/"`) {
			t.Errorf("%s does not link to the pages of the daemon", f.Name)
		}
	}
}

// expressions are all that is asked of Prometheus, by where it is asked.
func expressions(t *testing.T) map[string]string {
	t.Helper()
	list := map[string]string{}
	for _, r := range recordings() {
		list["record "+r.name] = r.expr
	}
	for _, a := range alerts() {
		list["alert "+a.name] = a.expr
		for _, c := range a.cases {
			for i, s := range c.series {
				list[fmt.Sprintf("alert %s: %s: series %d", a.name, c.name, i)] = s.series
			}
		}
	}
	for _, generate := range []func(Options) ([]byte, error){overviewDashboard, targetDashboard} {
		data, err := generate(Options{})
		if err != nil {
			t.Fatal(err)
		}
		for name, expr := range queriesOf(t, data) {
			list[name] = expr
		}
	}
	return list
}

// queriesOf are the queries of a dashboard, read back from its JSON.
func queriesOf(t *testing.T, data []byte) map[string]string {
	t.Helper()
	var d struct {
		Title  string
		Panels []struct {
			Type, Title string
			Targets     []struct{ Expr, RefID string }
		}
	}
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for _, p := range d.Panels {
		if p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("%s: panel %q asks nothing", d.Title, p.Title)
		}
		for _, q := range p.Targets {
			list[fmt.Sprintf("%s: %s: %s", d.Title, p.Title, q.RefID)] = q.Expr
		}
	}
	return list
}

// selector is a series with its label matchers, as far as needed here.
var selector = regexp.MustCompile(`([a-z_]*:)?crosstalk_[a-z0-9_:]+(\{[^}]*\})?`)

// matcher is the name in a label matcher, grouping the names in a by clause.
var (
	matcher  = regexp.MustCompile(`(\w+)\s*(=~|!~|!=|=)`)
	grouping = regexp.MustCompile(`\b(by|without|on|group_left)\s*\(([^)]*)\)`)
)

// TestExpressions: every series that is asked for is in the catalogue, and has
// the labels that are asked of it.
func TestExpressions(t *testing.T) {
	labels := map[string][]string{}
	for _, s := range metrics.Catalogue() {
		labels[s.Name] = append(slices.Clone(s.Labels), "job", "instance")
		if s.Type == "histogram" {
			for _, suffix := range []string{"_bucket", "_count", "_sum"} {
				labels[s.Name+suffix] = append(slices.Clone(labels[s.Name]), "le")
			}
		}
	}
	for _, r := range recordings() {
		labels[r.name] = []string{"target"}
	}
	used := map[string]bool{}
	for where, expr := range expressions(t) {
		found := selector.FindAllStringSubmatch(expr, -1)
		if len(found) == 0 {
			t.Errorf("%s: no series in %s", where, expr)
		}
		var all []string
		for _, f := range found {
			name, _, _ := strings.Cut(f[0], "{")
			used[strings.TrimSuffix(name, "_bucket")] = true
			known, ok := labels[name]
			if !ok {
				t.Errorf("%s: there is no series %s", where, name)
			}
			all = append(all, known...)
			for _, m := range matcher.FindAllStringSubmatch(f[2], -1) {
				if !slices.Contains(known, m[1]) {
					t.Errorf("%s: %s has no label %s", where, name, m[1])
				}
			}
		}
		for _, g := range grouping.FindAllStringSubmatch(expr, -1) {
			for _, name := range strings.Split(g[2], ",") {
				if name = strings.TrimSpace(name); name != "" && !slices.Contains(all, name) {
					t.Errorf("%s: %s(%s): no series here has label %s", where, g[1], g[2], name)
				}
			}
		}
	}
	for _, s := range metrics.Catalogue() {
		if !used[s.Name] && !slices.Contains(shownElsewhere(), s.Name) {
			t.Errorf("%s is neither drawn nor alerted on", s.Name)
		}
	}
}

// shownElsewhere are the series that no panel or alert needs.
func shownElsewhere() []string {
	return []string{
		"crosstalk_cell_last_decided_timestamp_seconds", // the pages of the daemon
		"crosstalk_exchanges_unjournaled_total",         // comes with crosstalk_ledger_degraded
		"crosstalk_ledger_errors_total",                 // for whoever looks for the cause
		"crosstalk_pages_raised_total",                  // what the receiver of pages shows
		"crosstalk_heartbeats_sent_total",               // the dead-man's switch shows it
	}
}

// TestAlerts holds every alert against the rules of the house.
func TestAlerts(t *testing.T) {
	names := map[string]bool{}
	for _, a := range alerts() {
		t.Run(a.name, func(t *testing.T) {
			if names[a.name] || !regexp.MustCompile(`^Crosstalk([A-Z][a-z]+)+$`).MatchString(a.name) {
				t.Errorf("the name is not CamelCase of our own, or is used twice")
			}
			names[a.name] = true
			if !slices.Contains([]string{critical, warning, info}, a.severity) {
				t.Errorf("severity %q", a.severity)
			}
			if a.summary == "" || strings.Contains(a.summary, "{{") || a.description == "" || a.runbook == "" {
				t.Error("wants a static summary, a description and a runbook")
			}
			fires, quiet := 0, 0
			for _, c := range a.cases {
				if len(c.fires) > 0 {
					fires++
				} else {
					quiet++
				}
			}
			if fires == 0 || quiet == 0 {
				t.Errorf("%d cases fire and %d are quiet, want both", fires, quiet)
			}
			if left := expand(a.description, labelSet{"target": "t", "probe": "p", "control": "c", "notifier": "n", "instance": "i"}); strings.Contains(left, "{{") || strings.Contains(left, "  ") {
				t.Errorf("description is not expanded: %s", left)
			}
		})
	}
}

// TestRulesParse reads the YAML back.
func TestRulesParse(t *testing.T) {
	data, err := rules(Options{})
	if err != nil {
		t.Fatal(err)
	}
	var f ruleFile
	if err := yaml.UnmarshalWithOptions(data, &f, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	if n := len(f.Groups[1].Rules); n != len(alerts()) {
		t.Errorf("%d alerts in the file, want %d", n, len(alerts()))
	}
	for i, a := range alerts() {
		if got := f.Groups[1].Rules[i].Expr; got != a.expr {
			t.Errorf("%s: expression did not survive:\n%s\nwant\n%s", a.name, got, a.expr)
		}
	}
}

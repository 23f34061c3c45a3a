// Command vulndb turns the reports of the module golang.org/x/vulndb into the
// file tree that govulncheck reads with -db file://DIR, so that the scan needs a
// module proxy and nothing else:
//
//	go run ./.ci/vulndb OSV_DIR OUT_DIR
//
// The tree (https://go.dev/security/vuln/database): ID/<id>.json is a report,
// index/db.json says when the newest was modified, index/modules.json lists the
// reports of each module, index/vulns.json lists all.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: vulndb OSV_DIR OUT_DIR")
		os.Exit(2)
	}
	if err := convert(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// report is what the index needs of an OSV report.
type report struct {
	ID       string   `json:"id"`
	Modified string   `json:"modified"` // RFC 3339
	Aliases  []string `json:"aliases"`
	Affected []struct {
		Package struct{ Name string }
		Ranges  []struct {
			Events []struct{ Introduced, Fixed string }
		}
	}
}

// entry is a report in index/vulns.json.
type entry struct {
	ID       string   `json:"id"`
	Modified string   `json:"modified"`
	Aliases  []string `json:"aliases,omitempty"`
}

// module is a module in index/modules.json.
type module struct {
	Path  string       `json:"path"`
	Vulns []moduleVuln `json:"vulns"`
}

type moduleVuln struct {
	ID       string `json:"id"`
	Modified string `json:"modified"`
	Fixed    string `json:"fixed,omitempty"` // newest fixed version
}

func convert(source, out string) error {
	files, err := filepath.Glob(filepath.Join(source, "GO-*.json"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.New("no reports GO-*.json in " + source)
	}
	for _, dir := range []string{"ID", "index"} {
		if err := os.MkdirAll(filepath.Join(out, dir), 0o755); err != nil {
			return err
		}
	}
	index := newIndex()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var r report
		if err := json.Unmarshal(text, &r); err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
		index.add(r)
		if err := os.WriteFile(filepath.Join(out, "ID", r.ID+".json"), text, 0o644); err != nil {
			return err
		}
	}
	return index.write(filepath.Join(out, "index"))
}

// index collects the three index files.
type index struct {
	modified string // newest; RFC 3339 in UTC sorts as text
	vulns    []entry
	modules  map[string][]moduleVuln
}

func newIndex() *index { return &index{modules: map[string][]moduleVuln{}} }

func (x *index) add(r report) {
	x.modified = max(x.modified, r.Modified)
	x.vulns = append(x.vulns, entry{r.ID, r.Modified, r.Aliases})
	for _, a := range r.Affected {
		path, v := a.Package.Name, moduleVuln{ID: r.ID, Modified: r.Modified}
		for _, rg := range a.Ranges {
			for _, e := range rg.Events {
				if e.Fixed != "" {
					v.Fixed = e.Fixed
				}
			}
		}
		listed := func(o moduleVuln) bool { return o.ID == r.ID }
		if i := slices.IndexFunc(x.modules[path], listed); i >= 0 {
			x.modules[path][i] = v
			continue
		}
		x.modules[path] = append(x.modules[path], v)
	}
}

func (x *index) write(dir string) error {
	slices.SortFunc(x.vulns, func(a, b entry) int { return strings.Compare(a.ID, b.ID) })
	modules := make([]module, 0, len(x.modules))
	for path, vulns := range x.modules {
		modules = append(modules, module{path, vulns})
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	return errors.Join(
		writeJSON(filepath.Join(dir, "db.json"), struct {
			Modified string `json:"modified"`
		}{x.modified}),
		writeJSON(filepath.Join(dir, "vulns.json"), x.vulns),
		writeJSON(filepath.Join(dir, "modules.json"), modules),
	)
}

func writeJSON(path string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

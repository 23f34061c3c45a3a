package dashboards

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Options are what the generated files depend on.
type Options struct {
	// ExternalURL is where people reach the daemon's own pages: runbooks and
	// links lead there. "" means DefaultExternalURL.
	ExternalURL string
}

// DefaultExternalURL is a place to be replaced.
const DefaultExternalURL = "http://localhost:9755"

func (o Options) url() string {
	if o.ExternalURL == "" {
		return DefaultExternalURL
	}
	return strings.TrimSuffix(o.ExternalURL, "/")
}

// File is a generated file.
type File struct {
	Name string
	Data []byte
}

// Files generates everything: two Grafana dashboards, the Prometheus rules and
// the tests of the rules for promtool.
func Files(o Options) ([]File, error) {
	var files []File
	for _, f := range []struct {
		name     string
		generate func(Options) ([]byte, error)
	}{
		{"crosstalk-overview.json", overviewDashboard},
		{"crosstalk-target.json", targetDashboard},
		{rulesFile, rules},
		{"crosstalk-rules-test.yaml", ruleTests},
	} {
		data, err := f.generate(o)
		if err != nil {
			return nil, fmt.Errorf("generate %s: %w", f.name, err)
		}
		files = append(files, File{f.name, data})
	}
	return files, nil
}

// Write writes every file into the directory, which it makes if need be.
func Write(dir string, o Options) error {
	files, err := Files(o)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder for dashboards: %w", err)
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
			return fmt.Errorf("write dashboards: %w", err)
		}
	}
	return nil
}

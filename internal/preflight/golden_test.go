package preflight

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite golden files")

// goldenCase is an archive of testdata/cases: what it shows, how it is judged,
// the exit code it must have, and its files. A file below a folder is of the
// node of that name; one whose name begins with @ is named but not there; want
// is the report.
type goldenCase struct {
	options Options
	exit    int
	files   []File
	want    string
	archive *txtar.Archive
}

// readCase reads an archive and puts its files into the working folder. An
// unknown key is an error.
func readCase(t *testing.T, path string) *goldenCase {
	t.Helper()
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := &goldenCase{archive: a, exit: -1}
	_, header, _ := strings.Cut(string(a.Comment), "\n\n")
	for line := range strings.Lines(header) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "exit":
			c.exit, err = strconv.Atoi(value)
		case "window":
			c.options.From = "--window"
			c.options.Advertised, err = strconv.Atoi(value)
		case "accept":
			c.options.Accept = strings.Split(value, ", ")
		case "strict":
			c.options.Strict, err = strconv.ParseBool(value)
		default:
			t.Fatalf("%s: unknown line %q", path, line)
		}
		if err != nil {
			t.Fatalf("%s: %q: %v", path, line, err)
		}
	}
	t.Chdir(t.TempDir())
	for _, f := range a.Files {
		if f.Name == "want" {
			c.want = string(f.Data)
			continue
		}
		name, absent := strings.CutPrefix(f.Name, "@")
		c.files = append(c.files, File{Node: strings.Trim(filepath.Dir(name), "."), Path: name})
		if absent {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// TestCases judges saved documents: what each engine answers, and what is
// wrong, missing or hostile in it.
func TestCases(t *testing.T) {
	paths, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		abs, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			c := readCase(t, abs)
			r, err := Judge(ReadFiles(c.files), c.options)
			if err != nil {
				t.Fatal(err)
			}
			if r.ExitCode != c.exit {
				t.Errorf("exit %d, want %d", r.ExitCode, c.exit)
			}
			var b bytes.Buffer
			if err := r.Write(&b, "text"); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(b.String(), "planted-secret") {
				t.Error("the report shows a secret")
			}
			if *update {
				c.write(t, abs, b.String())
			} else if diff := cmp.Diff(c.want, b.String()); diff != "" {
				t.Errorf("report (-want +got), rewrite with -update:\n%s", diff)
			}
		})
	}
}

func (c *goldenCase) write(t *testing.T, path, report string) {
	t.Helper()
	files := c.archive.Files[:0]
	for _, f := range c.archive.Files {
		if f.Name != "want" {
			files = append(files, f)
		}
	}
	c.archive.Files = append(files, txtar.File{Name: "want", Data: []byte(report)})
	if err := os.WriteFile(path, txtar.Format(c.archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

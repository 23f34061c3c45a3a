package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConvert(t *testing.T) {
	source, out := t.TempDir(), t.TempDir()
	reports := map[string]string{
		"GO-2026-0002.json": `{"id":"GO-2026-0002","modified":"2026-02-01T00:00:00Z","aliases":["CVE-1"],"affected":[
			{"package":{"name":"example.com/b"},"ranges":[{"events":[{"introduced":"0"},{"fixed":"1.2.0"},{"introduced":"2.0.0"},{"fixed":"2.1.0"}]}]},
			{"package":{"name":"stdlib"}}]}`,
		"GO-2026-0001.json": `{"id":"GO-2026-0001","modified":"2026-03-01T00:00:00Z","affected":[{"package":{"name":"stdlib"}},{"package":{"name":"stdlib"}}]}`,
		"other.json":        `not a report`,
	}
	for name, text := range reports {
		if err := os.WriteFile(filepath.Join(source, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := convert(source, out); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"ID/GO-2026-0002.json": reports["GO-2026-0002.json"],
		"ID/GO-2026-0001.json": reports["GO-2026-0001.json"],
		"index/db.json":        `{"modified":"2026-03-01T00:00:00Z"}`,
		"index/vulns.json":     `[{"id":"GO-2026-0001","modified":"2026-03-01T00:00:00Z"},{"id":"GO-2026-0002","modified":"2026-02-01T00:00:00Z","aliases":["CVE-1"]}]`,
		"index/modules.json": `[{"path":"example.com/b","vulns":[{"id":"GO-2026-0002","modified":"2026-02-01T00:00:00Z","fixed":"2.1.0"}]},` +
			`{"path":"stdlib","vulns":[{"id":"GO-2026-0001","modified":"2026-03-01T00:00:00Z"},{"id":"GO-2026-0002","modified":"2026-02-01T00:00:00Z"}]}]`,
	}
	got := map[string]string{}
	for name := range want {
		text, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		got[name] = string(text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
}

func TestConvertNothing(t *testing.T) {
	if err := convert(t.TempDir(), t.TempDir()); err == nil {
		t.Error("convert of an empty folder: no error")
	}
}

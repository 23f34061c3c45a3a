package corpus

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files: only for a new version, published bytes never change")

// The bytes of every kind of prompt are pinned: short ones in full, long ones
// by their hash.
func TestGolden(t *testing.T) {
	const file = "testdata/sums.json"
	got := make(map[string]string)
	for name, spec := range specs() {
		t.Run(name, func(t *testing.T) {
			text := readAll(t, newPrompt(t, testKey(7), spec))
			got[name] = fmt.Sprintf("%d bytes, SHA-256 %x", len(text), sha256.Sum256([]byte(text)))
			if spec.Sentences < 100 && inFull(name) {
				checkGoldenText(t, name, spec)
			}
		})
	}
	if *update {
		writeJSON(t, file, got)
	}
	var want map[string]string
	readJSON(t, file, &want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// inFull reports whether a short prompt is kept in full: every kind of prompt of
// two families, and one of each other, by which a person can see what it is like.
func inFull(name string) bool {
	family, kind, _ := strings.Cut(name, "-")
	return kind == "words-short-seals" || kind == "words-short-facts" && family == "prose" ||
		(family == "prose" || family == "code") && !strings.HasSuffix(kind, "-facts")
}

// golden is a short prompt in full, as it is kept in testdata.
type golden struct {
	Spec     Spec     `json:"spec"`
	Prompt   []string `json:"prompt"`   // lines
	Expected []string `json:"expected"` // lines
}

// checkGoldenText compares a prompt with its file, spec and right answer
// included.
func checkGoldenText(t *testing.T, name string, spec Spec) {
	t.Helper()
	p := newPrompt(t, testKey(7), spec)
	got := golden{spec, strings.Split(readAll(t, p), "\n"), strings.Split(p.Expected(), "\n")}
	file := filepath.Join("testdata", name+".json")
	if *update {
		writeJSON(t, file, got)
	}
	var want golden
	readJSON(t, file, &want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func readJSON(t *testing.T, file string, to any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func writeJSON(t *testing.T, file string, v any) {
	t.Helper()
	text, err := json.MarshalIndent(v, "", "  ")
	if err == nil {
		err = os.WriteFile(file, append(text, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

//go:build long

package main

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"crosstalk/corpus"
)

// TestLongLawful runs 200,000 lawful texts, or as many as LAWFUL says, through
// inspect's rules without the right answer: filler of every family, and public
// texts that stand on the machine as packages, documents and sources alike. None
// may be a leak, and fewer than one in 10,000 damaged. With LAWFUL_LIST the texts
// called wrong are written to that file.
func TestLongLawful(t *testing.T) {
	total := 200_000
	if text := os.Getenv("LAWFUL"); text != "" {
		var err error
		if total, err = strconv.Atoi(text); err != nil || total < 100 {
			t.Fatalf("LAWFUL=%s: want a number of texts, 100 or more", text)
		}
	}
	i := lawfulInspector(t)
	var l lawfulTally
	families := corpus.Families()
	for _, family := range families {
		fillerTexts(t, family.Name, total/2/len(families), func(text string) { l.judge(t, i, family.Name, text) })
	}
	filler := l.texts
	publicTexts(t, total-filler, func(source, text string) { l.judge(t, i, source, text) })
	t.Logf("%d texts, %d of them filler of %d families, %d public: %d damaged, %d leaks; control: %d of %d noticed",
		l.texts, filler, len(families), l.texts-filler, l.damaged, l.leaks, l.noticed, l.control)
	if l.texts < total {
		t.Logf("the packages on this machine have no more texts than that")
	}
	if name := os.Getenv("LAWFUL_LIST"); name != "" {
		if err := os.WriteFile(name, []byte(strings.Join(l.list, "\n")+"\n"), 0o644); err != nil {
			t.Error(err)
		}
	}
	l.check(t, max((l.texts-1)/10_000, 0))
}

// publicTexts yields n texts out of the Go tree, the modules in the cache and the
// system's packages: passages of whole paragraphs, of the size of answers.
func publicTexts(t *testing.T, n int, yield func(source, text string)) {
	t.Helper()
	files := publicFiles(t)
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(files), func(a, b int) { files[a], files[b] = files[b], files[a] })
	for _, file := range files {
		const fromOne = 12 // passages of one file, so that many files are heard
		for k, text := range passages(file, random) {
			if n == 0 {
				return
			}
			if k == fromOne {
				break
			}
			yield(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), text)
			n--
		}
	}
}

// publicFiles lists the documents and sources of the packages on this machine.
func publicFiles(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	roots := append(strings.Fields(string(out)), "/usr/share/doc", "/usr/share/common-licenses", "/usr/share/perl", "/usr/lib/python3")
	kinds := []string{".md", ".rst", ".txt", ".go", ".py", ".html", ".pod", ".pm", ".proto", ".sql", ".yaml", ".yml", ".json", ""}
	var files []string
	for _, root := range roots {
		filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil // what cannot be read is no text
			}
			if name := d.Name(); d.IsDir() && (name == "testdata" || name == "test" || name == "cache" || strings.Contains(name, "corpus")) {
				return filepath.SkipDir // made to be odd
			}
			if d.Type().IsRegular() && slices.Contains(kinds, filepath.Ext(path)) && !strings.HasSuffix(path, "_test.go") {
				files = append(files, path)
			}
			return nil
		})
	}
	return files
}

// passages cuts a file into passages of whole paragraphs, 200 to 4,000 bytes,
// like answers. Files that are no text, and those that say that they were made by
// a program, have none.
func passages(file string, random *rand.Rand) []string {
	const most = 1 << 18
	text, err := os.ReadFile(file)
	if err != nil || len(text) > most || !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 ||
		bytes.Contains(text[:min(len(text), 400)], []byte("DO NOT EDIT")) {
		return nil
	}
	var list []string
	var passage strings.Builder
	goal := 200 + random.IntN(2000)
	for paragraph := range strings.SplitSeq(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n\n") {
		if len(paragraph) > 4000 {
			continue
		}
		passage.WriteString(paragraph + "\n\n")
		if passage.Len() >= goal {
			list = append(list, strings.TrimSpace(passage.String()))
			passage.Reset()
			goal = 200 + random.IntN(2000)
		}
	}
	random.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
	return list
}

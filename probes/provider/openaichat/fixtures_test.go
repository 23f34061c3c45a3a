package openaichat

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"crosstalk/probes/provider/providertest"
)

// allFixtures loads every recorded answer below testdata:
//
//	wire/<server>/*.json   an envelope of status, headers and body
//	wire/<server>/*.txt    a raw stream; beside it *.meta.json with its header
//	captures/<server>/     whole answers of servers we ran, with header
//	written/               whole answers made up for one purpose each
func allFixtures(t testing.TB) []providertest.Fixture {
	t.Helper()
	var all []providertest.Fixture
	err := filepath.WalkDir("testdata", func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, ".meta.json") {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, "testdata"+string(filepath.Separator)))
		switch filepath.Ext(path) {
		case ".json":
			all = append(all, loadEnvelope(t, name, path))
		case ".txt":
			if strings.HasPrefix(name, "wire/") {
				all = append(all, loadStream(t, name, path))
			}
		case ".http":
			all = append(all, loadHTTP(t, name, path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// fixture returns the fixture with a name.
func fixture(t testing.TB, name string) providertest.Fixture {
	t.Helper()
	for _, f := range allFixtures(t) {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no fixture %s", name)
	return providertest.Fixture{}
}

type envelope struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body"`
	Raw     *string           `json:"body_raw"`
}

func (e envelope) header() http.Header {
	h := http.Header{}
	for name, value := range e.Headers {
		h.Set(name, value)
	}
	return h
}

func readEnvelope(t testing.TB, path string) envelope {
	t.Helper()
	var e envelope
	if err := json.Unmarshal(readFile(t, path), &e); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return e
}

func loadEnvelope(t testing.TB, name, path string) providertest.Fixture {
	e := readEnvelope(t, path)
	body := []byte(e.Body)
	if e.Raw != nil {
		body = []byte(*e.Raw)
	} else {
		var compact bytes.Buffer
		if err := json.Compact(&compact, body); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		body = compact.Bytes()
	}
	return providertest.Fixture{Name: name, Status: e.Status, Header: e.header(), Body: body}
}

func loadStream(t testing.TB, name, path string) providertest.Fixture {
	f := providertest.Fixture{
		Name: name, Status: 200, Body: readFile(t, path),
		Header: http.Header{"Content-Type": {"text/event-stream"}},
	}
	meta := strings.TrimSuffix(path, ".txt") + ".meta.json"
	if _, err := os.Stat(meta); err == nil {
		e := readEnvelope(t, meta)
		f.Status, f.Header = e.Status, e.header()
	}
	return f
}

// loadHTTP reads a whole answer. Its body stands as it was after transfer
// decoding, whatever the header says of its transfer.
func loadHTTP(t testing.TB, name, path string) providertest.Fixture {
	r := textproto.NewReader(bufio.NewReader(bytes.NewReader(readFile(t, path))))
	line, err := r.ReadLine()
	if err != nil || len(line) < len("HTTP/1.1 200") {
		t.Fatalf("%s: no status line: %v", path, err)
	}
	status, err := strconv.Atoi(line[9:12])
	if err != nil {
		t.Fatalf("%s: status: %v", path, err)
	}
	header, err := r.ReadMIMEHeader()
	if err != nil && !errors.Is(err, io.EOF) {
		t.Fatalf("%s: header: %v", path, err)
	}
	body, err := io.ReadAll(r.R)
	if err != nil {
		t.Fatalf("%s: body: %v", path, err)
	}
	return providertest.Fixture{Name: name, Status: status, Header: http.Header(header), Body: body}
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

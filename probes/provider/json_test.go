package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// plainValue turns a node into what encoding/json would make of it.
func plainValue(n *Node) any {
	switch n.Kind {
	case Object:
		m := map[string]any{}
		for i := range n.Members {
			m[n.Members[i].Name] = plainValue(&n.Members[i].Value)
		}
		return m
	case Array:
		list := []any{}
		for i := range n.Items {
			list = append(list, plainValue(&n.Items[i]))
		}
		return list
	case String:
		return n.Text()
	case Number:
		return json.Number(n.Raw)
	case Bool:
		return string(n.Raw) == "true"
	}
	return nil
}

func TestParseJSON(t *testing.T) {
	for _, test := range []struct {
		text     string
		end      int
		problems string
		err      error
	}{
		{text: `{"a":[1,-2.5e+3,true,false,null,"x"]}`, end: 37},
		{text: " [] ", end: 4},
		{text: `{"a":1} {"b":2}`, end: 8},
		{text: `{"a":1}x`, end: 7},
		{text: `{"a":1,"a":2}`, end: 13, problems: "duplicate_key"},
		{text: "{\"a\":\"\xff\"}", end: 9, problems: "bad_utf8"},
		{text: `"\ud83d\ude00"`, end: 14},
		{text: `"\ud83dx"`, end: 9, problems: "bad_utf8"},
		{text: `"\ud83d\u0041"`, end: 14, problems: "bad_utf8"},
		{text: `"\ude00\ud83d"`, end: 14, problems: "bad_utf8 bad_utf8"},
		{text: "", err: io.ErrUnexpectedEOF},
		{text: `{"a"`, err: io.ErrUnexpectedEOF},
		{text: `"abc`, err: io.ErrUnexpectedEOF},
		{text: `"a\`, err: io.ErrUnexpectedEOF},
		{text: `nul`, err: io.ErrUnexpectedEOF},
		{text: strings.Repeat("[", 9), err: ErrJSONLimit},
		{text: "[" + strings.Repeat("0,", maxNodes) + "0]", err: ErrJSONLimit},
	} {
		_, end, problems, err := ParseJSON([]byte(test.text), 8)
		if !errors.Is(err, test.err) || err == nil && end != test.end {
			t.Errorf("%.40q: end %d, error %v, want %d, %v", test.text, end, err, test.end, test.err)
		}
		var kinds []string
		for _, p := range problems {
			kinds = append(kinds, p.Kind)
		}
		if got := strings.Join(kinds, " "); got != test.problems {
			t.Errorf("%.40q: problems %q, want %q", test.text, got, test.problems)
		}
	}
}

func TestParseJSONRefuses(t *testing.T) {
	for _, text := range []string{
		"NaN", "[1,]", "{,}", `{"a":1,}`, `{a:1}`, `'a'`, "01", "1.", "-", ".5", "1e", "+1", "tru3",
		`"\x"`, `"\u00g0"`, "\"\n\"", "<html>", "{\"a\" 1}", "[1 2]", "\x00", "Infinity", `{"a":undefined}`,
	} {
		_, end, _, err := ParseJSON([]byte(text), 8)
		if err == nil && end == len(text) {
			t.Errorf("%q is taken for JSON", text)
		}
		if json.Valid([]byte(text)) {
			t.Errorf("%q is JSON", text)
		}
	}
}

func TestNodeInt(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0 true", "-7": "-7 true", "9001.0": "9001 true", "1e3": "1000 true", `"400"`: "400 true",
		"1.5": "0 false", "1e400": "0 false", "1e300": "0 false", `""`: "0 false", "null": "0 false", "true": "0 false",
		`"NaN"`: "0 false", `"Inf"`: "0 false", "99999999999999999999": "0 false",
	} {
		n, _, _, err := ParseJSON([]byte(text), 8)
		if err != nil {
			t.Fatal(err)
		}
		i, ok := n.Int()
		if got := fmt.Sprint(i, " ", ok); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestLargeObjectDuplicates(t *testing.T) {
	var b strings.Builder
	b.WriteString("{")
	for i := range 100 {
		fmt.Fprintf(&b, `"k%d":%d,`, i, i)
	}
	b.WriteString(`"k3":"again","k99":0}`)
	_, _, problems, err := ParseJSON([]byte(b.String()), 8)
	if err != nil || len(problems) != 2 {
		t.Errorf("problems %v, error %v, want two duplicates", problems, err)
	}
}

// FuzzParseJSON compares with encoding/json: the same texts are JSON, with the
// same values, and no text that is cut is taken for whole.
func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.5e3,true,null,"\u00e9\n\ud83d\ude00"]}`, `"`, `[{}]`, ` 1 `, `{"a":1,"a":2}`, "\"\xff\""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		root, end, problems, err := ParseJSON(text, 1000)
		if errors.Is(err, ErrJSONLimit) {
			return
		}
		valid := json.Valid(text)
		if got := err == nil && end == len(text); got != valid {
			t.Fatalf("taken for JSON: %v (end %d, %v), encoding/json says %v", got, end, err, valid)
		}
		if !valid || len(problems) > 0 {
			return
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var want any
		if err := decoder.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if got := plainValue(root); utf8.Valid(text) && !reflect.DeepEqual(want, got) {
			t.Fatalf("differs from encoding/json: %s", cmp.Diff(want, got))
		}
		if trimmed := bytes.TrimSpace(text); root.Kind == Object || root.Kind == Array || root.Kind == String {
			if _, _, _, err := ParseJSON(trimmed[:len(trimmed)-1], 1000); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("without the last byte: %v", err)
			}
		}
	})
}

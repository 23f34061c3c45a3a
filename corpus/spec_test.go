package corpus

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSpecValidate(t *testing.T) {
	good := Spec{Version: Version, Family: "prose", Task: TaskSeals, Dress: DressWords, Sentences: 100, Seals: 5}
	tests := []struct {
		name string
		edit func(*Spec)
		want string // lines, each after "invalid prompt spec: "; "" for valid
	}{
		{"good", func(s *Spec) {}, ""},
		{"one sentence", func(s *Spec) { s.Sentences = 1 }, ""},
		{"ask last", func(s *Spec) { s.Ask = 5 }, ""},
		{"most sentences", func(s *Spec) { s.Sentences = 327_680 }, ""},
		{"echo", func(s *Spec) { s.Task, s.Seals = TaskEcho, 1 }, ""},
		{"prefix", func(s *Spec) { s.Prefix = &Prefix{Sentences: 90} }, ""},
		{"version", func(s *Spec) { s.Version = 0 }, "version 0 is unknown to this build, want 1"},
		{"family", func(s *Spec) { s.Family = "verse" }, `no filler family "verse", want one of "arabic", "chinese", "code", "german", "logs", "prose", "russian", "tables", "words"`},
		{"task", func(s *Spec) { s.Task = "sum" }, `task "sum": want "seals" or "echo"`},
		{"dress", func(s *Spec) { s.Dress = "" }, `dress "": want "words" or "code"`},
		{"no sentences", func(s *Spec) { s.Sentences = 0 }, "sentences 0: want at least 1"},
		{"too many sentences", func(s *Spec) { s.Sentences = 327_681 }, "sentences 327681: at most 327680, which are 32768 pages"},
		{"no seals", func(s *Spec) { s.Seals = 0 }, "seals 0: want 1 to 16"},
		{"too many seals", func(s *Spec) { s.Seals = 17 }, "seals 17: want 1 to 16"},
		{"facts", func(s *Spec) { s.Facts = 9 }, "facts 9: want 0 to 8"},
		{"ask", func(s *Spec) { s.Ask = 6 }, "ask 6: want 0 for all seals in order, or the number of one of the 5 seals"},
		{"negative ask", func(s *Spec) { s.Ask = -1 }, "ask -1: want 0 for all seals in order, or the number of one of the 5 seals"},
		{"echo seals", func(s *Spec) { s.Task = TaskEcho }, `seals 5: the "echo" task has exactly 1`},
		{"echo ask", func(s *Spec) { s.Task, s.Seals, s.Ask = TaskEcho, 1, 1 }, `ask 1: the "echo" task has no number to ask for, leave it 0`},
		{"empty prefix", func(s *Spec) { s.Prefix = &Prefix{} }, "prefix of 0 sentences: want whole pages, a multiple of 10"},
		{"part of a page", func(s *Spec) { s.Prefix = &Prefix{Sentences: 15} }, "prefix of 15 sentences: want whole pages, a multiple of 10"},
		{"nothing but prefix", func(s *Spec) { s.Prefix = &Prefix{Sentences: 100} }, "sentences 100: want more than the 100 of the shared prefix, which they include"},
		{"all at once", func(s *Spec) { s.Dress, s.Seals, s.Sentences = "red", 0, 0 }, `dress "red": want "words" or "code"
seals 0: want 1 to 16
sentences 0: want at least 1`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			spec := good
			test.edit(&spec)
			err := spec.Validate()
			if test.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				newPrompt(t, testKey(1), spec)
				return
			}
			want := "invalid prompt spec: " + strings.ReplaceAll(test.want, "\n", "\ninvalid prompt spec: ")
			if !errors.Is(err, ErrSpec) {
				t.Fatalf("error %v does not wrap ErrSpec", err)
			}
			if diff := cmp.Diff(want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if _, err := New(testKey(1), spec, make([]string, max(spec.Seals, 0))); !errors.Is(err, ErrSpec) {
				t.Errorf("New: error %v does not wrap ErrSpec", err)
			}
		})
	}
}

func TestNewRefusesMarkers(t *testing.T) {
	spec := Spec{Version: Version, Family: "prose", Task: TaskSeals, Dress: DressWords, Sentences: 10, Seals: 2}
	for _, markers := range [][]string{
		nil,
		{"one"},
		{"one", "two", "three"},
		{"one", ""},
		{"one", " "},
		{"one", "two\nthree"},
		{"one", `say "two"`},
		{"one", `two\three`},
		{"one", "zwei für drei"},
		{"one", "two\tthree"},
	} {
		if _, err := New(testKey(1), spec, markers); !errors.Is(err, ErrSpec) {
			t.Errorf("markers %q: error %v, want one that wraps ErrSpec", markers, err)
		}
	}
}

// The JSON of a spec is stored with every exchange.
func TestSpecJSON(t *testing.T) {
	spec := specs()["prose-words-short-prefix"]
	spec.Ask, spec.NoLocators = 2, true
	spec.Prefix.Key = Key(bytes.Repeat([]byte{10}, KeySize))
	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"version":1,"family":"prose","task":"seals","dress":"words","sentences":24,"seals":5,"ask":2,"no_locators":true,` +
		`"prefix":{"key":"` + strings.Repeat("0a", KeySize) + `","sentences":10}}`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
	var back Spec
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(spec, back); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
}

func FuzzSpecJSON(f *testing.F) {
	for _, spec := range specs() {
		if text, err := json.Marshal(spec); err == nil {
			f.Add(text)
		}
	}
	f.Add([]byte(`{"version":1,"family":"code","task":"echo","dress":"code","sentences":-5,"seals":1,"prefix":{"key":"00"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var spec Spec
		if json.Unmarshal(text, &spec) != nil {
			return
		}
		Sentences(spec, 10_000)
		EstimateBytes(spec)
		if spec.Validate() != nil || spec.Sentences > 2000 {
			return
		}
		p := newPrompt(t, testKey(1), spec)
		if got := readAll(t, p); int64(len(got)) != p.Size() {
			t.Errorf("read %d bytes of %d", len(got), p.Size())
		}
		again, err := json.Marshal(spec)
		if err != nil {
			t.Fatal(err)
		}
		var back Spec
		if err := json.Unmarshal(again, &back); err != nil || cmp.Diff(spec, back) != "" {
			t.Errorf("spec %+v became %+v, error %v", spec, back, err)
		}
	})
}

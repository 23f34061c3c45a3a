package preflight

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/rogpeppe/go-internal/txtar"
)

// seeds are the documents of all golden cases.
func seeds(f *testing.F) {
	f.Helper()
	paths, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range txtar.Parse(data).Files {
			if file.Name != "want" {
				f.Add(file.Data)
			}
		}
	}
}

// FuzzRead holds that no document panics, that what is printed of it is fit to
// be printed, and that a document which is unreadable is a problem.
func FuzzRead(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		n := &Node{Name: "n"}
		kind := n.Read("f", body)
		if (kind == "") != (len(n.Problems) > 0) && kind != string(docLaunch) {
			t.Fatalf("kind %q, problems %v", kind, n.Problems)
		}
		for _, fact := range n.Facts {
			if fact.Unit == "tokens" && (fact.Value.count < 1 || fact.Value.count > mostTokens) {
				t.Fatalf("%s", fact)
			}
			if strings.ContainsFunc(fact.String(), unicode.IsControl) {
				t.Fatalf("%q holds a control character", fact.String())
			}
		}
		r, err := Judge([]*Node{n}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		// Fine needs a pool and a window that were read, whatever the bytes.
		if _, window := n.served(); r.ExitCode == 0 && !window {
			t.Fatalf("fine without a window: %+v", r)
		}
	})
}

// FuzzShow fuzzes what Ollama says of a model, which is not recognised by its
// keys alone.
func FuzzShow(f *testing.F) {
	f.Add([]byte(`{"model_info":{"general.architecture":"llama","llama.context_length":32768},"parameters":"num_ctx 2048"}`))
	f.Fuzz(func(_ *testing.T, body []byte) {
		if o, ok := decoded(body); ok {
			_ = (&Node{}).readShow("f", "m", o)
		}
	})
}

func decoded(body []byte) (object, bool) {
	v, err := decode(body)
	o, ok := v.(object)
	return o, ok && err == nil
}

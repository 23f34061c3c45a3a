package web_test

import (
	"strings"
	"testing"

	"crosstalk/internal/preflight"
)

// TestPreflight: the target's page shows what its engines said of themselves,
// and nothing where they were not read. Hostile text stays text.
func TestPreflight(t *testing.T) {
	s := site()
	if body := get(t, handler(t, morning(), s), "/targets/edge-glm").Body.String(); strings.Contains(body, "Preflight") {
		t.Error("a preflight is shown that nobody read")
	}
	node := &preflight.Node{Name: "pre<b>fill"}
	node.Read("http://pre", []byte(`{"max_total_num_tokens":681280,"context_length":1048576,"disaggregation_mode":"prefill","version":"<script>"}`))
	node.Read("http://dec", []byte("<html>"))
	r, err := preflight.Judge([]*preflight.Node{node}, preflight.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.At = now
	s.Targets[0].Preflight = r
	body := get(t, handler(t, morning(), s), "/targets/edge-glm").Body.String()
	for _, want := range []string{"Preflight: 1 finding", "holds 681,280 tokens, the window is 1,048,576", "serve a window of at most", "unreadable", "pre&lt;b&gt;fill"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	if strings.Contains(body, "<script>") || strings.Contains(body, "pre<b>") {
		t.Error("text of an engine is markup on the page")
	}
}

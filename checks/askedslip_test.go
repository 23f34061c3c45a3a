package checks_test

import (
	"strings"
	"testing"

	"crosstalk/checks"
	"crosstalk/corpus"
)

// TestAskedSlip: above 128k tokens one seal decides. A word lost from another
// is how healthy models err there, and feeds a rate; below, it is damage.
func TestAskedSlip(t *testing.T) {
	codec, err := vectorCodec(vectorKey)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		ask  int
		want checks.Class
	}{{2, checks.Degraded}, {0, checks.Damaged}} {
		spec := corpus.Spec{Version: corpus.Version, Family: "prose", Task: corpus.TaskSeals, Dress: corpus.DressWords, Sentences: 60, Seals: 5, Ask: tt.ask}
		payload, prompt, err := mintFixed(codec, 3, 2000, spec)
		if err != nil {
			t.Fatal(err)
		}
		other := prompt.Markers()[3].Text
		_, shorter, _ := strings.Cut(other, " ")
		answer := strings.Replace(prompt.Expected(), other, shorter, 1)
		got, findings := asked{payload, spec, prompt, "", codec}.judge(answer, "")
		if got != tt.want {
			t.Errorf("ask %d: judged %s, want %s\n%s", tt.ask, got, tt.want, findings)
		}
	}
}

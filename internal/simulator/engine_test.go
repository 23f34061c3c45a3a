package simulator

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func runtimeYield() { runtime.Gosched() }

// The incident: tenant A at 0.6 of the window, then B at 0.95.
func pair(t testing.TB, s *Server, url string, window int) (a, b reply, truth Truth, pa, pb testPrompt) {
	t.Helper()
	pa = makePrompt("alpha", window*6/10, 5, 0)
	pb = makePrompt("bravo", window*9/10, 5, 0)
	a = call{key: "key-a", id: "A", text: pa.text, maxTokens: 400}.do(context.Background(), url)
	truthOf(t, s, "A")
	b = call{key: "key-b", id: "B", text: pb.text, maxTokens: 400}.do(context.Background(), url)
	return a, b, truthOf(t, s, "B"), pa, pb
}

func TestThreeEngines(t *testing.T) {
	for _, preset := range []string{PresetFaulty, PresetFixed, PresetHonest} {
		t.Run(preset, func(t *testing.T) {
			s, url := start(t, small(t, preset))
			a, b, truth, pa, pb := pair(t, s, url, 32768)
			if a.content != pa.want(0) {
				t.Errorf("A below the pool: %q, want %q", a.content, pa.want(0))
			}
			checkB(t, preset, b, truth, pa, pb)
			if over := (call{id: "over", text: makePrompt("over", 33500, 2, 0).text}).do(context.Background(), url); over.status != 400 || !strings.Contains(over.body, "longer than the model's context length (32768 tokens)") {
				t.Errorf("above the window: %d %s", over.status, over.body)
			}
		})
	}
}

func checkB(t *testing.T, preset string, b reply, truth Truth, pa, pb testPrompt) {
	t.Helper()
	switch preset {
	case PresetFaulty:
		// A's first seal is lost under the placeholder, the others are there.
		if b.status != 200 || !strings.Contains(b.content, pa.seals[2]) || strings.Contains(b.content, "bravo") {
			t.Errorf("B: %d %q, want A's seals", b.status, b.content)
		}
		if b.usage == nil || b.usage.Prompt != truth.Tokens || truth.Prefilled != 1 {
			t.Errorf("usage %+v, truth %+v", b.usage, truth)
		}
		if truth.Class != ClassForeign || !cmp.Equal(truth.Donors, []string{"A"}) || !cmp.Equal(truth.Faults, []string{FaultSeed}) || truth.Read.Own > 1 {
			t.Errorf("truth: %+v", truth)
		}
	case PresetFixed:
		if b.content != pb.want(0) || truth.Class != ClassRight || len(truth.Faults) > 0 {
			t.Errorf("B: %q, truth %+v", b.content, truth)
		}
	case PresetHonest:
		if want := fmt.Sprintf("Input length (%d tokens) exceeds the maximum allowed length (21284 tokens). Use a shorter input or enable --allow-auto-truncate.", truth.Tokens); b.status != 400 || !strings.Contains(b.body, want) {
			t.Errorf("B: %d %s, want %s", b.status, b.body, want)
		}
	}
}

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

func TestAdmit(t *testing.T) {
	o, err := small(t, PresetHonest).complete()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		tokens, maxNew int
		seed           bool
		want           string // "": admitted
		rejected       bool
	}{
		{21283, 100, false, "", false},
		{21284, 100, false, "Input length (21284 tokens) exceeds the maximum allowed length (21284 tokens).", false},
		{21284, 100, true, "", true},
		{21283, 100, true, "", false},
		{32700, 69, true, "You requested a total of 32769 tokens: 32700 tokens from the input messages and 69 tokens for the completion.", false},
		{32768, 0, true, "The input (32768 tokens) is longer than the model's context length (32768 tokens).", false},
	}
	for _, tt := range tests {
		j := &job{prompt: &draft{tokens: tt.tokens}, struck: map[string]Fault{}}
		if tt.seed {
			j.struck[FaultSeed] = Fault{}
		}
		got := ""
		if err := newReplica(0, &o).admit(j, tt.maxNew); err != nil {
			got = err.Error()
		}
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) || j.rejected != tt.rejected {
			t.Errorf("%+v: %q, rejected %v", tt, got, j.rejected)
		}
	}
}

// Of a rejected request one token is transferred, and the pages it was allotted
// keep what they held.
func TestTransferOfRejected(t *testing.T) {
	o, err := small(t, PresetFaulty).complete()
	if err != nil {
		t.Fatal(err)
	}
	e := newReplica(0, &o)
	donor, own := &origin{request: "A"}, &origin{request: "B"}
	for i := range 3 {
		e.decode.pages[i].write([]byte("stone river"), 2, donor)
	}
	e.prefill.pages[9].write([]byte("other"), 1, own)
	e.transfer([]int32{9}, []int32{0, 1, 2}, own, true)
	if got := string(e.decode.read([]int32{0, 1, 2}, 3*pageTokens).text); got != " riverstone riverstone river" {
		t.Errorf("rejected: decode reads %q", got)
	}
	e.transfer([]int32{9}, []int32{0, 1, 2}, own, false)
	if got := string(e.decode.read([]int32{0, 1, 2}, 3*pageTokens).text); got != "other\nstone riverstone river" {
		t.Errorf("admitted: decode reads %q", got)
	}
}

// An answer stays in the pages where it was decoded.
func TestAnswersStayInPages(t *testing.T) {
	s, url := start(t, small(t, PresetFixed))
	p := makePrompt("alpha", 200, 2, 0)
	call{id: "1", text: p.text}.do(context.Background(), url)
	truthOf(t, s, "1")
	all := make([]int32, len(s.replicas[0].decode.pages))
	for i := range all {
		all[i] = int32(i)
	}
	r := s.replicas[0].decode.read(all, len(all)*pageTokens)
	if n := strings.Count(string(r.text), p.seals[1]); n != 2 {
		t.Errorf("seal 2 stands %d times in the pool, want 2: in the prompt and in the answer", n)
	}
}

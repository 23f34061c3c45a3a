package simulator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// scene is two tenants' requests, one after the other or at once, on the fixed
// engine with a fault.
type scene struct {
	fault   string
	tokens  int // of both prompts
	atOnce  bool
	visible func(pa, pb testPrompt, b reply) bool // of the second
	class   Class
}

func scenes() []scene {
	donorAnswer := func(pa, _ testPrompt, b reply) bool { return b.content == pa.want(0) }
	return []scene{
		{"swap", 500, true, func(pa, pb testPrompt, b reply) bool { return b.content == pa.want(0) }, ClassForeign},
		{"stale-slot", 500, false, donorAnswer, ClassForeign},
		{"truncate-head,cap=1024", 4000, false, func(_, pb testPrompt, b reply) bool {
			return !strings.Contains(b.content, pb.seals[0]) && strings.Contains(b.content, pb.seals[4]) && b.usage.Prompt < 1100
		}, ClassDamaged},
		{"truncate-head,cap=1024,usage=full", 4000, false, func(_, pb testPrompt, b reply) bool {
			return !strings.Contains(b.content, pb.seals[0]) && b.usage.Prompt > 3500
		}, ClassDamaged},
		{"truncate-middle,cap=1024", 4000, false, func(_, pb testPrompt, b reply) bool {
			return strings.Contains(b.content, pb.seals[0]) && !strings.Contains(b.content, pb.seals[2]) && strings.Contains(b.content, pb.seals[4])
		}, ClassDamaged},
		{"truncate-tail,cap=1024", 4000, false, func(_, pb testPrompt, b reply) bool {
			return !strings.Contains(b.content, "1: "+pb.seals[0]) && b.content != ""
		}, ClassDamaged},
		{"truncate-tail,cap=1024,keep", 4000, false, func(_, pb testPrompt, b reply) bool {
			return strings.Contains(b.content, pb.seals[0]) && !strings.Contains(b.content, pb.seals[2])
		}, ClassDamaged},
		{"skip-prefill", 4000, false, func(pa, _ testPrompt, b reply) bool {
			// The question may lie on a page more than B has.
			return b.content == pa.want(0) || strings.Contains(pa.text, b.content)
		}, ClassForeign},
		{"skip-prefill,share=0.6", 4000, false, func(pa, pb testPrompt, b reply) bool {
			return strings.Contains(b.content, pa.seals[0]) && strings.Contains(b.content, pb.seals[4])
		}, ClassForeign},
		{"bang", 500, false, func(_, _ testPrompt, b reply) bool {
			return strings.Trim(b.content, "!") == "" && len(b.content) > 100 && b.finish == "length"
		}, ClassDamaged},
		{"bang,amount=tail", 500, false, func(_, pb testPrompt, b reply) bool {
			return strings.HasPrefix(b.content, "1: bravo") && strings.HasSuffix(b.content, "!!!!!!!!!!!!")
		}, ClassDamaged},
		{"loop", 500, false, func(_, pb testPrompt, b reply) bool {
			tail := b.content[max(len(b.content)-20, 0):]
			return strings.HasPrefix(b.content, "1: bravo") && strings.Count(b.content, tail) > 3 && b.finish == "length"
		}, ClassDamaged},
		{"empty", 500, false, func(_, _ testPrompt, b reply) bool {
			return strings.TrimSpace(b.content) == "" && b.usage.Completion > 0
		}, ClassDamaged},
		{"wrong-script", 500, false, func(_, pb testPrompt, b reply) bool {
			extra := len([]rune(b.content)) - len([]rune(pb.want(0)))
			return extra >= 1 && extra <= 3
		}, ClassDamaged},
		{"wrong-script,amount=many", 500, false, func(_, pb testPrompt, b reply) bool {
			return len([]rune(b.content))-len([]rune(pb.want(0))) >= 20
		}, ClassDamaged},
		{"markup", 500, false, func(_, _ testPrompt, b reply) bool {
			return slices.ContainsFunc([]string{"<", "[/INST]", "assistantfinal"}, func(s string) bool { return strings.Contains(b.content, s) })
		}, ClassDamaged},
		{"usage", 500, false, func(_, pb testPrompt, b reply) bool { return b.content == pb.want(0) && b.usage.Prompt == 2051 }, ClassRight},
		{"usage,usage=zero", 500, false, func(_, _ testPrompt, b reply) bool { return b.usage.Prompt == 0 }, ClassRight},
	}
}

// play sends the two requests and returns the second's reply. One after the
// other, only the second meets the faults.
func (c scene) play(t *testing.T, s *Server, url string, faults ...Fault) (pa, pb testPrompt, b reply) {
	t.Helper()
	pa, pb = makePrompt("alpha", c.tokens, 5, 0), makePrompt("bravo", c.tokens, 5, 0)
	first := call{key: "key-a", id: "A", text: pa.text, maxTokens: 300}
	second := call{key: "key-b", id: "B", text: pb.text, maxTokens: 300}
	if !c.atOnce {
		first.do(context.Background(), url)
		truthOf(t, s, "A")
		if err := s.SetFaults(faults...); err != nil {
			t.Fatal(err)
		}
		return pa, pb, second.do(context.Background(), url)
	}
	if err := s.SetFaults(faults...); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	wait.Go(func() { first.do(context.Background(), url) })
	b = second.do(context.Background(), url)
	wait.Wait()
	return pa, pb, b
}

func TestFaults(t *testing.T) {
	covered := map[string]bool{FaultSeed: true} // TestThreeEngines
	for _, c := range scenes() {
		t.Run(c.fault, func(t *testing.T) {
			f, err := ParseFault(c.fault)
			if err != nil {
				t.Fatal(err)
			}
			covered[f.Name] = true
			for _, on := range []bool{true, false} {
				o := small(t, PresetFixed)
				if c.atOnce {
					o.Speed = 0.002 // prefill takes a quarter of a second: both are in flight
					o.DecodeRate = 1e9
				}
				s, url := start(t, o)
				var faults []Fault
				if on {
					faults = append(faults, f)
				}
				pa, pb, b := c.play(t, s, url, faults...)
				truth := truthOf(t, s, "B")
				want := Truth{Class: ClassRight, Faults: []string{}}
				if on {
					want = Truth{Class: c.class, Faults: []string{f.Name}}
				}
				if got := (Truth{Class: truth.Class, Faults: truth.Faults}); !cmp.Equal(got, want) {
					t.Errorf("on %v: truth %s", on, cmp.Diff(want, got))
				}
				if on && !c.visible(pa, pb, b) {
					t.Errorf("fault cannot be seen in %.400q, usage %+v", b.content, b.usage)
				}
				if !on && b.content != pb.want(0) {
					t.Errorf("without the fault: %q", b.content)
				}
			}
		})
	}
	for _, f := range Faults() {
		if !covered[f.Name] {
			t.Errorf("fault %s has no scene", f.Name)
		}
	}
}

func TestSeedUsage(t *testing.T) {
	for usage, want := range map[string]func(reply, Truth) bool{
		"full":   func(b reply, truth Truth) bool { return b.usage != nil && b.usage.Prompt == truth.Tokens },
		"1":      func(b reply, _ Truth) bool { return b.usage != nil && b.usage.Prompt == 1 },
		"absent": func(b reply, _ Truth) bool { return b.usage == nil && b.done },
	} {
		o := small(t, PresetFaulty)
		o.Faults[0].Usage = usage
		s, url := start(t, o)
		_, b, truth, _, _ := pair(t, s, url, 32768)
		if !want(b, truth) || truth.Class != ClassForeign {
			t.Errorf("usage %s: %+v, truth %+v", usage, b.usage, truth)
		}
	}
}

func TestPageReuseOff(t *testing.T) {
	o := small(t, PresetFaulty)
	o.Reuse, o.Strangers = ReuseOff, 1
	s, url := start(t, o)
	_, b, truth, _, _ := pair(t, s, url, 32768)
	if truth.Class != ClassBlank || truth.Read.Donors+truth.Read.Strangers > 0 || len(b.content) > 10 {
		t.Errorf("with empty pages: %q, truth %+v", b.content, truth)
	}
}

func TestRate(t *testing.T) {
	s, url := start(t, small(t, PresetFixed))
	f, _ := ParseFault("markup,rate=0.25")
	if err := s.SetFault(f); err != nil {
		t.Fatal(err)
	}
	p := makePrompt("alpha", 200, 2, 0)
	for i := range 200 {
		call{id: fmt.Sprint(i), text: p.text}.do(context.Background(), url)
	}
	if n := s.Counts().Faults[FaultMarkup]; n < 25 || n > 75 {
		t.Errorf("%d of 200 were struck at a rate of 0.25", n)
	}
}

func TestTriggered(t *testing.T) {
	tests := []struct {
		fault string
		at    circumstances
		want  bool
	}{
		{"bang", circumstances{}, true},
		{"bang,min=100", circumstances{tokens: 99}, false},
		{"bang,min=100", circumstances{tokens: 100}, true},
		{"bang,max=100", circumstances{tokens: 101}, false},
		{"bang,conc=2", circumstances{inFlight: 1}, false},
		{"bang,conc=2", circumstances{inFlight: 2}, true},
		{"bang,prefix=warm", circumstances{}, false},
		{"bang,prefix=warm", circumstances{warm: true}, true},
		{"bang,prefix=cold", circumstances{warm: true}, false},
		{"bang,from=1s", circumstances{since: time.Second / 2}, false},
		{"bang,from=1s,until=2s", circumstances{since: time.Second}, true},
		{"bang,until=2s", circumstances{since: 2 * time.Second}, false},
	}
	for _, tt := range tests {
		f, err := ParseFault(tt.fault)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.triggered(tt.at); got != tt.want {
			t.Errorf("%s at %+v: %v, want %v", tt.fault, tt.at, got, tt.want)
		}
	}
}

func TestWarmTrigger(t *testing.T) {
	s, url := start(t, small(t, PresetFixed))
	f, _ := ParseFault("empty,prefix=warm")
	if err := s.SetFault(f); err != nil {
		t.Fatal(err)
	}
	p := makePrompt("alpha", 600, 2, 0)
	cold := call{id: "1", text: p.text}.do(context.Background(), url)
	warm := call{id: "2", text: p.text}.do(context.Background(), url)
	if cold.content != p.want(0) || strings.TrimSpace(warm.content) != "" {
		t.Errorf("cold %q, warm %q", cold.content, warm.content)
	}
}

func TestParseFault(t *testing.T) {
	got, err := ParseFault("seed, rate=0.25, usage=absent, min=7, from=1m")
	want := Fault{Name: FaultSeed, Rate: 0.25, Usage: "absent", MinTokens: 7, From: time.Minute}
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v %s", err, cmp.Diff(want, got))
	}
	for _, d := range Faults() {
		f, err := ParseFault(d.Name + ",rate=0.5,conc=2")
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseFault(f.String())
		if err != nil || !cmp.Equal(f, again) {
			t.Errorf("%s: %v %s", f, err, cmp.Diff(f, again))
		}
	}
	for _, bad := range []string{"", "sed", "seed,rate=2", "seed,usage=half", "seed,rate", "bang,prefix=hot", "loop,colour=red", "seed,from=9"} {
		if _, err := ParseFault(bad); !errors.Is(err, errFault) {
			t.Errorf("ParseFault(%q): %v", bad, err)
		}
	}
}

func FuzzParseFault(f *testing.F) {
	f.Add("seed,rate=0.25,usage=full")
	f.Add("truncate-tail,cap=9,keep,prefix=warm,until=3h")
	f.Fuzz(func(t *testing.T, text string) {
		fault, err := ParseFault(text)
		if err != nil {
			return
		}
		if again, err := ParseFault(fault.String()); err != nil || !cmp.Equal(fault, again) {
			t.Errorf("%q -> %q -> %v", text, fault.String(), err)
		}
	})
}

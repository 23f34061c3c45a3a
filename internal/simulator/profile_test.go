package simulator

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseProfile(t *testing.T) {
	got, err := ParseProfile("miss20, chatty,overload=0.02,thinkfield=reasoning,stubborn,every=1h,for=5m")
	want, _ := Profile{Miss: 0.2, Chatty: 1, Overload: 0.02, ThinkField: "reasoning", Stubborn: true, Every: time.Hour, For: 5 * time.Minute}.complete()
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v %s", err, cmp.Diff(want, got))
	}
	for _, d := range Profiles() {
		if _, err := ParseProfile(d.Name); err != nil {
			t.Errorf("%s: %v", d.Name, err)
		}
	}
	for _, bad := range []string{"mist", "miss=2", "miss=x", "colour=1", "thinkfield=thoughts", "every=soon", "hang=NaN"} {
		if _, err := ParseProfile(bad); !errors.Is(err, errProfile) {
			t.Errorf("ParseProfile(%q): %v", bad, err)
		}
	}
}

// profiled is a small fixed engine with a profile.
func profiled(t *testing.T, profile string) (*Server, string) {
	t.Helper()
	p, err := ParseProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	o := small(t, PresetFixed)
	o.Profile = p
	return start(t, o)
}

// Misses come at the stated rate, together with their neighbours, and seldom
// hit the seal asked for first.
func TestMisses(t *testing.T) {
	p, _ := ParseProfile("miss20")
	m := model{profile: p, rng: rand.New(rand.NewPCG(1, 1))}
	var list []seal
	for i := range 5 {
		list = append(list, seal{number: i + 1, at: i})
	}
	const runs = 20000
	lost, first, both, neighbour := 0, 0, 0, 0
	for range runs {
		l := m.lost(list, question{found: true, first: 3}, 1<<20)
		for _, n := range []int{1, 2, 4, 5} {
			if l[n] {
				lost++
			}
		}
		if l[3] {
			first++
		}
		if l[1] {
			neighbour++
			if l[2] {
				both++
			}
		}
	}
	if rate := float64(lost) / (4 * runs); rate < 0.18 || rate > 0.22 {
		t.Errorf("seals missed at %.3f, want 0.2", rate)
	}
	if rate := float64(first) / runs; rate > 0.01 {
		t.Errorf("first seal missed at %.4f", rate)
	}
	if rate := float64(both) / float64(neighbour); rate < 0.5 || rate > 0.7 { // 0.2 if independent
		t.Errorf("the neighbour of a lost seal is lost at %.3f, want 0.6", rate)
	}
	if m.lost(list, question{found: true}, 100_000) != nil {
		t.Error("misses below 128k")
	}
}

func TestMissesAreVisible(t *testing.T) {
	s, url := profiled(t, "miss=1,missfrom=1000,missfirst=0.0001")
	p := makePrompt("alpha", 8000, 5, 2)
	r := call{id: "1", text: p.text}.do(context.Background(), url)
	if truth := truthOf(t, s, "1"); truth.Class != ClassMissed || !strings.HasPrefix(r.content, "2: "+p.seals[1]) || r.content == p.want(2) {
		t.Errorf("%q, truth %+v", r.content, truth)
	}
}

// A chatty model gives the same seals in many forms.
func TestChatty(t *testing.T) {
	s, url := profiled(t, "chatty")
	p := makePrompt("alpha", 300, 3, 0)
	forms := map[string]bool{}
	for i := range 120 {
		r := call{id: fmt.Sprint(i), text: p.text, whole: true}.do(context.Background(), url)
		for _, seal := range p.seals {
			if !strings.Contains(r.content, seal) {
				t.Errorf("seal is lost in %q", r.content)
			}
		}
		forms[r.content] = true
	}
	if c := s.Counts(); len(forms) < 50 || c.Classes[ClassRight] != 120 {
		t.Errorf("%d forms, %+v", len(forms), c)
	}
}

func TestEcho(t *testing.T) {
	s, url := profiled(t, "perfect")
	text := "Some text.\nThe code is K7Q2-M4XZ-9087\nMore text.\n\nWhat is the code in the text above? Reply with the code only, exactly as it is written there."
	r := call{id: "1", text: text}.do(context.Background(), url)
	if truth := truthOf(t, s, "1"); r.content != "K7Q2-M4XZ-9087" || truth.Class != ClassRight {
		t.Errorf("%q %+v", r.content, truth)
	}
}

func TestRefusals(t *testing.T) {
	s, url := profiled(t, "refuse=1")
	p := makePrompt("alpha", 300, 3, 0)
	r := call{id: "1", text: p.text}.do(context.Background(), url)
	if truth := truthOf(t, s, "1"); truth.Class != ClassRefused || strings.Contains(r.content, "alpha") || r.content == "" {
		t.Errorf("%q %+v", r.content, truth)
	}
}

func TestThinking(t *testing.T) {
	s, url := profiled(t, "thinking")
	p := makePrompt("alpha", 300, 3, 0)
	for _, whole := range []bool{false, true} {
		r := call{id: fmt.Sprint(whole), text: p.text, whole: whole, maxTokens: 2000}.do(context.Background(), url)
		if r.content != p.want(0) || !strings.Contains(r.reasoning, " ") || r.usage.Reasoning < 50 || r.usage.Completion <= r.usage.Reasoning {
			t.Errorf("content %q, reasoning %q, usage %+v", r.content, r.reasoning, r.usage)
		}
	}
	cut := call{id: "cut", text: p.text, maxTokens: 20}.do(context.Background(), url)
	if truth := truthOf(t, s, "cut"); cut.content != "" || cut.reasoning == "" || cut.finish != "length" || truth.Class != ClassCut {
		t.Errorf("content %q, reasoning %q, truth %+v", cut.content, cut.reasoning, truth)
	}
}

func TestMaxTokens(t *testing.T) {
	s, url := profiled(t, "")
	p := makePrompt("alpha", 300, 3, 0)
	r := call{id: "1", text: p.text, maxTokens: 6}.do(context.Background(), url)
	if truth := truthOf(t, s, "1"); r.finish != "length" || r.usage.Completion != 6 || !strings.HasPrefix(p.want(0), r.content) || truth.Class != ClassCut {
		t.Errorf("%q %s %+v %+v", r.content, r.finish, r.usage, truth)
	}
}

func TestGatewayIlls(t *testing.T) {
	tests := []struct {
		profile, ill string
		status       int
		contains     string
	}{
		{"payment=1", illPayment, 402, "credits"},
		{"overload=1", illOverload, 503, "overloaded"},
		{"moderation=1", illModeration, 400, "content management policy"},
		{"html=1", illHTML, 200, "<html>"},
		{"maxbody=1000", illTooLarge, 413, "nginx"},
		{"tpm=100", illRateLimit, 429, "rate_limit_exceeded"},
	}
	for _, tt := range tests {
		t.Run(tt.ill, func(t *testing.T) {
			s, url := profiled(t, tt.profile)
			p := makePrompt("alpha", 9000, 3, 0)
			r := call{id: "1", text: p.text}.do(context.Background(), url)
			truth := truthOf(t, s, "1")
			if r.status != tt.status || !strings.Contains(r.body, tt.contains) || truth.Ill != tt.ill || truth.Class != ClassError {
				t.Errorf("%d %.200s, %v, truth %+v", r.status, r.body, r.err, truth)
			}
			if retry := r.header.Get("Retry-After"); tt.status == 429 && retry == "" {
				t.Error("no Retry-After")
			}
			if err := s.SetProfile(Profile{}); err != nil {
				t.Fatal(err)
			}
			if r := (call{id: "2", text: p.text}).do(context.Background(), url); r.content != p.want(0) {
				t.Errorf("healthy again: %d %q", r.status, r.content)
			}
		})
	}
}

// A client that is still sending a large body sees the refusal.
func TestLargeBodies(t *testing.T) {
	p, _ := ParseProfile("maxbody=100000")
	o := small(t, PresetFixed)
	o.Profile, o.Keys = p, map[string]string{"key-a": "alpha"}
	_, url := start(t, o)
	text := makePrompt("alpha", 1_000_000, 3, 0).text
	for key, want := range map[string]int{"key-a": 413, "key-x": 401} {
		if r := (call{key: key, text: text}).do(context.Background(), url); r.status != want {
			t.Errorf("%s: %d %v, want %d", key, r.status, r.err, want)
		}
	}
}

func TestHang(t *testing.T) {
	s, url := profiled(t, "hang=1")
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan reply)
	go func() { done <- call{id: "1", text: "hello"}.do(ctx, url) }()
	select {
	case r := <-done:
		t.Errorf("hang answered %d %v", r.status, r.err)
	case <-time.After(50 * time.Millisecond): // long enough for an answer
		cancel()
		<-done
	}
	cancel()
	if truth := truthOf(t, s, "1"); truth.Ill != illHang {
		t.Errorf("truth %+v", truth)
	}
	go func() { done <- call{id: "2", text: "hello"}.do(context.Background(), url) }()
	s.Close()
	if r := <-done; r.err == nil {
		t.Errorf("closing answered %d", r.status)
	}
}

func TestDrop(t *testing.T) {
	s, url := profiled(t, "drop=1")
	p := makePrompt("alpha", 300, 5, 0)
	for i := range 20 {
		r := call{id: fmt.Sprint(i), text: p.text, whole: i%2 == 0}.do(context.Background(), url)
		if r.err == nil || r.done {
			t.Errorf("answer %d is whole: %.100q", i, r.body)
		}
		if truth := truthOf(t, s, fmt.Sprint(i)); truth.Ill != illDrop || truth.Class != ClassCancelled {
			t.Errorf("truth %+v", truth)
		}
	}
}

func TestBadHours(t *testing.T) {
	p := Profile{Every: time.Hour, For: 10 * time.Minute}
	for since, want := range map[time.Duration]bool{0: true, 9 * time.Minute: true, 10 * time.Minute: false, 59 * time.Minute: false, 61 * time.Minute: true} {
		if got := p.ill(since); got != want {
			t.Errorf("after %v: %v", since, got)
		}
	}
	if !(Profile{}).ill(time.Hour) {
		t.Error("without hours the ills are always on")
	}
}

func TestMeter(t *testing.T) {
	var m meter
	now := time.Unix(1000, 0)
	steps := []struct {
		tenant  string
		tokens  int
		after   time.Duration
		limited bool
	}{
		{"a", 60, 0, false},
		{"a", 60, time.Second, true},
		{"b", 60, time.Second, false},
		{"a", 40, 2 * time.Second, false},
		{"a", 1, 59 * time.Second, true},
		{"a", 100, time.Minute, false},
	}
	for i, s := range steps {
		wait, limited := m.charge(s.tenant, s.tokens, 100, now.Add(s.after))
		if limited != s.limited || limited && wait != time.Minute-s.after {
			t.Errorf("step %d: limited %v, wait %v", i, limited, wait)
		}
	}
}

func FuzzParseProfile(f *testing.F) {
	f.Add("miss20,chatty,overload=0.02,every=1h")
	f.Add("thinking,stubborn,thinkfield=reasoning,tpm=9")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParseProfile(text)
		if err != nil {
			return
		}
		if again, err := p.complete(); err != nil || !cmp.Equal(p, again) {
			t.Errorf("%q: %v %s", text, err, cmp.Diff(p, again))
		}
	})
}

package simulator

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStreamShape(t *testing.T) {
	o := small(t, PresetFixed)
	o.ReportCached = true
	_, url := start(t, o)
	p := makePrompt("alpha", 300, 3, 0)
	r := call{id: "1", text: p.text}.do(context.Background(), url)
	if r.content != p.want(0) || !r.done || r.finish != "stop" || r.header.Get("X-Request-Id") != "1" {
		t.Errorf("%+v", r)
	}
	if !strings.HasPrefix(r.id, "chatcmpl-") || len(r.id) != 9+32 {
		t.Errorf("id %q", r.id)
	}
	if r.usage == nil || r.usage.Total != r.usage.Prompt+r.usage.Completion || r.usage.Details == nil {
		t.Errorf("usage %+v", r.usage)
	}
	if n := strings.Count(r.body, "data: "); n < 8 || !strings.HasSuffix(r.body, "data: [DONE]\n\n") {
		t.Errorf("%d events, end %q", n, r.body[len(r.body)-20:])
	}
	whole := call{text: p.text, whole: true}.do(context.Background(), url)
	if whole.content != r.content || whole.id == r.id || !cmp.Equal(whole.usage, r.usage) {
		t.Errorf("not streamed: %+v", whole)
	}
}

func TestKeysAndModels(t *testing.T) {
	o := small(t, PresetFixed)
	o.Keys = map[string]string{"secret-a": "alpha"}
	s, url := start(t, o)
	if r := (call{key: "secret-x", text: "hi"}).do(context.Background(), url); r.status != 401 || !strings.Contains(r.body, "Unauthorized") {
		t.Errorf("unknown key: %d %s", r.status, r.body)
	}
	if r := (call{key: "secret-a", model: "gpt", text: "hi"}).do(context.Background(), url); r.status != 404 || !strings.Contains(r.body, "model_not_found") {
		t.Errorf("unknown model: %d %s", r.status, r.body)
	}
	if r := (call{key: "secret-a", id: "1", text: "hello there"}).do(context.Background(), url); r.status != 200 {
		t.Errorf("known key: %d %s", r.status, r.body)
	}
	if truth := truthOf(t, s, "1"); truth.Tenant != "alpha" || truth.Class != ClassContinued {
		t.Errorf("truth %+v", truth)
	}
	for path, want := range map[string]string{"/health": "", "/metrics": "} 63750", "/server_info": "Unauthorized", "/v1/models": "Unauthorized"} {
		resp, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if resp.Body.Close(); err != nil || (resp.StatusCode == 200) == (want == "Unauthorized") || !strings.Contains(string(body), want) {
			t.Errorf("%s: %d %s %v", path, resp.StatusCode, body, err)
		}
	}
}

func TestBadBody(t *testing.T) {
	_, url := start(t, small(t, PresetFixed))
	req, _ := http.NewRequest("POST", url+"/v1/chat/completions", strings.NewReader(`{"messages":`))
	req.Header.Set("Authorization", "Bearer a")
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 400 {
		t.Errorf("status %d", resp.StatusCode)
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

func TestRouters(t *testing.T) {
	for router, want := range map[Router]func(seen map[int]int, byKey map[string]map[int]bool) bool{
		RouterSticky: func(seen map[int]int, byKey map[string]map[int]bool) bool {
			for _, replicas := range byKey {
				if len(replicas) != 1 {
					return false
				}
			}
			return len(seen) > 1
		},
		RouterRoundRobin: func(seen map[int]int, _ map[string]map[int]bool) bool {
			return cmp.Equal(seen, map[int]int{0: 10, 1: 10, 2: 10})
		},
	} {
		o := small(t, PresetFixed)
		o.Replicas, o.Router = 3, router
		s, url := start(t, o)
		seen, byKey := map[int]int{}, map[string]map[int]bool{}
		for i := range 30 {
			key := fmt.Sprintf("key-%d", i%5)
			call{key: key, id: fmt.Sprint(i), text: "hello"}.do(context.Background(), url)
			replica := truthOf(t, s, fmt.Sprint(i)).Replica
			if byKey[key] == nil {
				byKey[key] = map[int]bool{}
			}
			seen[replica]++
			byKey[key][replica] = true
		}
		if !want(seen, byKey) {
			t.Errorf("%s: replicas %v, by key %v", router, seen, byKey)
		}
	}
}

// On another replica nothing of A's can be read.
func TestReplicasHaveTheirOwnPools(t *testing.T) {
	o := small(t, PresetFaulty)
	o.Replicas, o.Router = 2, RouterRoundRobin
	s, url := start(t, o)
	_, _, truth, _, _ := pair(t, s, url, 32768)
	if truth.Replica != 1 || truth.Read.Donors != 0 || truth.Class != ClassBlank {
		t.Errorf("truth %+v", truth)
	}
}

func TestStrangersBetweenAAndB(t *testing.T) {
	o := small(t, PresetFaulty)
	o.Strangers = 0.9999
	s, url := start(t, o)
	for i := range 5 {
		_, b, truth, pa, pb := pair(t, s, url, 32768)
		if truth.Class != ClassForeign || !truth.Strangers || len(truth.Donors) > 0 || truth.Read.Donors > 0 {
			t.Errorf("%d: truth %+v", i, truth)
		}
		if len(strings.Fields(b.content)) < 5 && len(b.content) < 60 || strings.Contains(pa.text+pb.text, b.content) {
			t.Errorf("%d: B got %q", i, b.content)
		}
		s.Reset()
	}
	for _, p := range s.State().Pools {
		if p.Blank > 0 || p.Strangers == 0 {
			t.Errorf("pool %+v", p)
		}
	}
}

// A run of one request at a time can be repeated, byte for byte.
func TestDeterminism(t *testing.T) {
	run := func(seed uint64) (answers []string, truths []Truth) {
		o := small(t, PresetFaulty)
		o.Strangers, o.Seed, o.Profile = 0.99, seed, Profile{Chatty: 0.5, Think: 0.5, Miss: 0.5, MissFrom: 1000}
		s, url := start(t, o)
		for i, tokens := range []int{500, 9000, 25000, 30000, 500} {
			id := fmt.Sprint(i)
			r := call{id: id, text: makePrompt(id, tokens, 5, 2).text, maxTokens: 600}.do(context.Background(), url)
			answers = append(answers, r.content+"|"+r.reasoning)
			truths = append(truths, truthOf(t, s, id))
		}
		return answers, truths
	}
	a, truthA := run(3)
	b, truthB := run(3)
	c, _ := run(4)
	if !cmp.Equal(a, b) || !cmp.Equal(truthA, truthB, cmpopts.IgnoreFields(Truth{}, "Started", "TTFT", "Seconds")) {
		t.Errorf("one seed gave two runs: %s", cmp.Diff(a, b))
	}
	if cmp.Equal(a, c) {
		t.Error("another seed gave the same run")
	}
}

// Cancelled requests stop and give their pages back.
func TestCancel(t *testing.T) {
	o := small(t, PresetFixed)
	o.Speed = 0.001 // a second for a thousand prompt tokens
	s, url := start(t, o)
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	call{id: "1", text: makePrompt("alpha", 20000, 3, 0).text}.do(ctx, url)
	if truth := truthOf(t, s, "1"); truth.Class != ClassCancelled || truth.Seconds > 5 {
		t.Errorf("truth %+v", truth)
	}
	for _, p := range s.State().Pools {
		if p.Tenants+p.Strangers+p.Blank != p.Pages {
			t.Errorf("pages are missing: %+v", p)
		}
	}
}

// Time to the first token follows the tokens that were prefilled.
func TestTTFT(t *testing.T) {
	o := small(t, PresetFaulty)
	o.Speed = 0.1 // 100,000 tokens a second
	o.DecodeRate = 1e9
	s, url := start(t, o)
	_, _, truth, _, _ := pair(t, s, url, 32768)
	first := truthOf(t, s, "A")
	if want := float64(first.Tokens) / 1e5; first.TTFT < want || truth.TTFT >= first.TTFT {
		t.Errorf("A took %.3f s (want %.3f), B, not prefilled, %.3f s", first.TTFT, want, truth.TTFT)
	}
}

func TestOptionErrors(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"window":       func(o *Options) { o.Window = 5 },
		"decode pool":  func(o *Options) { o.DecodePool = 100 },
		"prefill pool": func(o *Options) { o.PrefillPool = 3 },
		"replicas":     func(o *Options) { o.Replicas = -1 },
		"strangers":    func(o *Options) { o.Strangers = 2 },
		"router":       func(o *Options) { o.Router = "dice" },
		"page reuse":   func(o *Options) { o.Reuse = "never" },
		"tokenizer":    func(o *Options) { o.Tokens = "bpe" },
		"speed":        func(o *Options) { o.Speed = -1 },
		"no fault":     func(o *Options) { o.Faults = []Fault{{Name: "x"}} },
		"miss":         func(o *Options) { o.Profile.Miss = 3 },
	} {
		o := small(t, PresetFixed)
		change(&o)
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Preset("leaky"); err == nil {
		t.Error("unknown preset")
	}
}

// Many tenants at once: nobody sees anything but their own, and every page
// comes back.
func TestConcurrency(t *testing.T) {
	o := small(t, PresetFixed)
	o.Strangers, o.Replicas = 0.9, 2
	s, url := start(t, o)
	var wait sync.WaitGroup
	for i := range 32 {
		wait.Go(func() {
			who := fmt.Sprintf("tenant%d", i)
			for round := range 3 {
				tokens := 200
				if i%8 == 0 {
					tokens = 20000
				}
				p := makePrompt(who, tokens+round, 4, 0)
				r := call{key: who, id: fmt.Sprint(who, round), text: p.text, whole: i%2 == 0}.do(context.Background(), url)
				if r.content != p.want(0) {
					t.Errorf("%s got %d %.100q %v", who, r.status, r.content, r.err)
				}
			}
		})
	}
	wait.Wait()
	truthOf(t, s, "tenant00")
	for _, e := range s.replicas {
		for e.inFlight.Load() > 0 {
			runtimeYield()
		}
	}
	for _, p := range s.State().Pools {
		if p.Tenants+p.Strangers+p.Blank != p.Pages {
			t.Errorf("pages are missing: %+v", p)
		}
	}
}

// The incident at its real size.
func TestRealSize(t *testing.T) {
	for _, preset := range []string{PresetFaulty, PresetFixed, PresetHonest} {
		o, err := Preset(preset)
		if err != nil {
			t.Fatal(err)
		}
		o.Speed = 1000
		s, url := start(t, o)
		a, b, truth, pa, pb := pair(t, s, url, 1048576)
		if a.content != pa.want(0) {
			t.Errorf("%s: A got %q", preset, a.content)
		}
		switch preset {
		case PresetFaulty:
			if truth.Class != ClassForeign || !strings.Contains(b.content, pa.seals[1]) {
				t.Errorf("B got %q, truth %+v", b.content, truth)
			}
		case PresetFixed:
			if b.content != pb.want(0) {
				t.Errorf("B got %q", b.content)
			}
		case PresetHonest:
			if !strings.Contains(b.body, "exceeds the maximum allowed length (681274 tokens)") {
				t.Errorf("B got %s", b.body)
			}
		}
	}
}

// BenchmarkLongPrompt is a prompt of a million tokens from the first byte to
// the last, without simulated waiting.
func BenchmarkLongPrompt(b *testing.B) {
	o, _ := Preset(PresetFixed)
	o.Speed, o.Strangers = 1e9, 0.9999
	s, err := New(o)
	if err != nil {
		b.Fatal(err)
	}
	body := call{text: makePrompt("alpha", 1_000_000, 5, 0).text, maxTokens: 300}.body()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		r := httptest.NewRequest("POST", "/v1/chat/completions", bytes.NewReader(body))
		r.Header.Set("Authorization", "Bearer a")
		s.ServeHTTP(httptest.NewRecorder(), r)
	}
}

// BenchmarkShortPrompt is the cost of a short request beside its waiting.
func BenchmarkShortPrompt(b *testing.B) {
	o, _ := Preset(PresetFixed)
	o.Speed, o.Strangers = 1e9, 0.9999
	s, err := New(o)
	if err != nil {
		b.Fatal(err)
	}
	body := call{text: makePrompt("alpha", 1000, 5, 0).text, maxTokens: 300}.body()
	for b.Loop() {
		r := httptest.NewRequest("POST", "/v1/chat/completions", bytes.NewReader(body))
		r.Header.Set("Authorization", "Bearer a")
		s.ServeHTTP(httptest.NewRecorder(), r)
	}
}

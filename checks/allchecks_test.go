package checks_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/internal/words"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/probes/provider/openaichat"
	"crosstalk/tenants"
)

// TestNothingIsSoundWithoutTheAnswer breaks right answers in many ways at once
// and holds every check to two promises: none panics, and no exchange is called
// sound unless the whole right answer is in its content or a refusal was due.
func TestNothingIsSoundWithoutTheAnswer(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	sound := 0
	for i := range 600 {
		in := healthyRound(t, i)
		var done []string
		for _, x := range in.Round.Exchanges {
			for range rng.IntN(4) {
				m := mutations[rng.IntN(len(mutations))]
				done = append(done, m.name)
				m.apply(rng, in, x)
			}
		}
		sound += judgeBroken(t, in, strings.Join(done, ", "))
	}
	if sound < 100 {
		t.Errorf("%d sound exchanges: the mutations leave too little to judge", sound)
	}
}

// TestBrokenBodies does the same with raw bodies, read by a client.
func TestBrokenBodies(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	client, err := openaichat.New(openaichat.Options{BaseURL: "http://127.0.0.1:1/v1"})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	sound := 0
	for i := range 400 {
		in := healthyRound(t, i)
		x := in.Round.Exchanges[0]
		body, kind := rawAnswer(x, rng.IntN(2) == 0)
		for range rng.IntN(3) {
			body = breakBytes(rng, body)
		}
		header := http.Header{"Content-Type": {kind}}
		x.Response = client.Parse(200, header, bytes.NewReader(body))
		sound += judgeBroken(t, in, fmt.Sprintf("body %q", body))
	}
	if sound < 100 {
		t.Errorf("%d sound exchanges: the bodies are too broken to judge", sound)
	}
}

// TestEmptyInputs gives every check nothing at all.
func TestEmptyInputs(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]checks.Input{
		"zero":           {},
		"empty round":    {Round: &probes.Round{}},
		"empty exchange": {Round: &probes.Round{Exchanges: []*probes.Exchange{{}}}},
		"empty response": {Round: &probes.Round{Exchanges: []*probes.Exchange{{Response: &provider.Response{}}}}},
	} {
		for _, c := range checks.All() {
			for _, f := range c.Run(&in) {
				if f.Class == checks.Sound || f.Kind == checks.KindPanic {
					t.Errorf("%s: %s says %s/%s: %s", name, c.Name(), f.Kind, f.Class, f.Detail)
				}
			}
		}
		if r := checks.Run(in, checks.All()); r.Class() != checks.Inconclusive {
			t.Errorf("%s: verdict %s, want inconclusive", name, r.Class())
		}
	}
}

// judgeBroken runs all checks and returns how many exchanges are sound.
func judgeBroken(t *testing.T, in *checks.Input, how string) (sound int) {
	t.Helper()
	report := checks.Run(*in, checks.All())
	for _, f := range report.Findings {
		if f.Kind == checks.KindPanic {
			t.Errorf("after %s: %s: %s", how, f.Check, f.Detail)
		}
		if f.Check == "" || f.Kind == "" || f.Detail == "" {
			t.Errorf("after %s: unfinished finding %+v", how, f)
		}
	}
	for _, x := range in.Round.Exchanges {
		if report.Verdict(x.ID) != checks.Sound {
			continue
		}
		sound++
		if !deservesSound(x) {
			t.Errorf("sound after %s: content %q; findings:\n%s", how, x.Response.Content, told(report, x.ID))
		}
	}
	return sound
}

// deservesSound is the promise itself, written without the checks' own code.
func deservesSound(x *probes.Exchange) bool {
	r := x.Response
	if r == nil {
		return false
	}
	if r.Failure != nil {
		return r.Failure.Kind == provider.FailureOverLength && x.Intent.Expect != probes.ExpectAnswer && x.Intent.Expect != ""
	}
	if x.Prompt == nil || x.Prompt.Expected() == "" {
		return false
	}
	content := wordsOf(r.Content)
	for line := range strings.Lines(x.Prompt.Expected()) {
		_, after, ok := strings.Cut(content, wordsOf(line))
		if !ok {
			return false
		}
		content = after
	}
	return true
}

// wordsOf is the folded words of a text, without the numbers of lines.
func wordsOf(text string) string {
	var b strings.Builder
	for _, w := range words.Scan(text) {
		if len(w.Text) > 1 || w.Text[0] > '9' {
			b.WriteString(w.Text + " ")
		}
	}
	return b.String()
}

// healthyRound is a round of two tenants with right answers. The prompts are
// the same each time, the answers new.
func healthyRound(t *testing.T, i int) *checks.Input {
	t.Helper()
	task := []string{"", "task: echo\ndress: code\n"}[i%2]
	v, err := parseVector(parseArchive(`about: a healthy round
expect: none
stream: true
sentences: 20
` + task + `1.tenant: 1
2.tenant: 2
id: chatcmpl-AbC12xYz89LmNoPqRsTuVw
wrote_ms: 5
first_content_ms: 50
-- content --
{{expected}}
-- usage.json --
{"prompt_tokens": {{tokens}}, "completion_tokens": 80, "total_tokens": {{tokens 1 80}}}
-- 2/content --
{{expected}}
`))
	if err != nil {
		t.Fatal(err)
	}
	in, err := v.build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// mutation is one way in which an exchange may be other than expected.
type mutation struct {
	name  string
	apply func(rng *rand.Rand, in *checks.Input, x *probes.Exchange)
}

// onResponse is a mutation of the response, if there is one.
func onResponse(name string, apply func(rng *rand.Rand, r *provider.Response)) mutation {
	return mutation{name, func(rng *rand.Rand, _ *checks.Input, x *probes.Exchange) {
		if x.Response != nil {
			apply(rng, x.Response)
		}
	}}
}

var mutations = []mutation{
	{"no response", func(_ *rand.Rand, _ *checks.Input, x *probes.Exchange) { x.Response, x.Skipped = nil, "budget" }},
	{"zero response", func(_ *rand.Rand, _ *checks.Input, x *probes.Exchange) { x.Response = &provider.Response{} }},
	{"no intent", func(_ *rand.Rand, _ *checks.Input, x *probes.Exchange) { x.Intent = probes.Intent{} }},
	{"no prompt", func(_ *rand.Rand, _ *checks.Input, x *probes.Exchange) { x.Prompt = nil }},
	{"empty text for a prompt", func(_ *rand.Rand, _ *checks.Input, x *probes.Exchange) { x.Prompt = corpus.Text{} }},
	{"no payload", func(_ *rand.Rand, _ *checks.Input, x *probes.Exchange) { x.Payload = tenants.Payload{} }},
	{"no codec", func(_ *rand.Rand, in *checks.Input, _ *probes.Exchange) { in.Codec = nil }},
	{"no look-back", func(_ *rand.Rand, in *checks.Input, _ *probes.Exchange) { in.Lookback = nil }},
	{"a refusal was due", func(_ *rand.Rand, _ *checks.Input, x *probes.Exchange) { x.Intent.Expect = probes.ExpectRefusal }},
	{"the other's answer", func(_ *rand.Rand, in *checks.Input, x *probes.Exchange) {
		for _, o := range in.Round.Exchanges {
			if o != x && o.Response != nil && x.Response != nil {
				x.Response.Content = o.Response.Content
			}
		}
	}},
	onResponse("content cut", func(rng *rand.Rand, r *provider.Response) { r.Content = r.Content[:rng.IntN(len(r.Content)+1)] }),
	onResponse("beginning cut", func(rng *rand.Rand, r *provider.Response) { r.Content = r.Content[rng.IntN(len(r.Content)+1):] }),
	onResponse("no content", func(_ *rand.Rand, r *provider.Response) { r.Content = "" }),
	onResponse("content moved to reasoning", func(_ *rand.Rand, r *provider.Response) { r.Reasoning, r.Content = r.Content, "" }),
	onResponse("content moved to the refusal", func(_ *rand.Rand, r *provider.Response) { r.Refusal, r.Content = r.Content, "" }),
	onResponse("content moved to another choice", func(_ *rand.Rand, r *provider.Response) {
		r.Extra, r.Content = append(r.Extra, provider.Text{Where: "choices[1]", Text: r.Content}), ""
	}),
	onResponse("content moved to a tool call", func(_ *rand.Rand, r *provider.Response) {
		r.Tools, r.Content = append(r.Tools, provider.ToolCall{Name: "say", Arguments: r.Content}), ""
	}),
	onResponse("a word lost", func(rng *rand.Rand, r *provider.Response) {
		if f := strings.Fields(r.Content); len(f) > 0 {
			i := rng.IntN(len(f))
			r.Content = strings.Replace(r.Content, f[i], "", 1)
		}
	}),
	onResponse("bytes flipped", func(rng *rand.Rand, r *provider.Response) { r.Content = string(breakBytes(rng, []byte(r.Content))) }),
	onResponse("a run", func(rng *rand.Rand, r *provider.Response) {
		r.Content += strings.Repeat(string(rune(rng.IntN(0x3000))), 40)
	}),
	onResponse("HTML", func(_ *rand.Rand, r *provider.Response) {
		r.Content, r.Body = "", []byte("<html><body>502 Bad Gateway</body></html>")
		r.Failure = &provider.Failure{Kind: provider.FailureMalformed}
	}),
	onResponse("a failure", func(rng *rand.Rand, r *provider.Response) {
		kinds := []provider.FailureKind{
			provider.FailureOverLength, provider.FailureTruncated, provider.FailureTimeout, provider.FailureServer,
			provider.FailureRateLimit, provider.FailureTooLarge, provider.FailureMalformed, "",
		}
		r.Failure = &provider.Failure{Kind: kinds[rng.IntN(len(kinds))], InStream: rng.IntN(2) == 0, Limit: rng.IntN(9)}
	}),
	onResponse("no usage", func(_ *rand.Rand, r *provider.Response) { r.Usage = nil }),
	onResponse("odd usage", func(rng *rand.Rand, r *provider.Response) {
		n := func() *int { i := rng.IntN(2000) - 500; return &i }
		r.Usage = &provider.Usage{Prompt: n(), Completion: n(), Total: n(), Cached: n(), Reasoning: n()}
	}),
	onResponse("no stream", func(_ *rand.Rand, r *provider.Response) { r.Stream = nil }),
	onResponse("no header and no body", func(_ *rand.Rand, r *provider.Response) { r.Header, r.Body = nil, nil }),
	onResponse("odd finish", func(rng *rand.Rand, r *provider.Response) {
		r.FinishReason = []string{"", "length", "tool_calls", "content_filter", "\xff"}[rng.IntN(5)]
	}),
	onResponse("odd times", func(rng *rand.Rand, r *provider.Response) {
		r.Times = provider.Times{Wrote: time.Duration(rng.Int64()) - 1<<62, FirstContent: time.Duration(rng.IntN(3))}
	}),
	onResponse("problems", func(rng *rand.Rand, r *provider.Response) {
		for range rng.IntN(5) {
			kinds := []string{"", "after_done", "several_ids", "bad_usage", "empty_choices", "new"}
			r.AddProblem(kinds[rng.IntN(len(kinds))], "", rng.IntN(100)-50)
		}
	}),
}

// breakBytes cuts, flips, doubles or replaces bytes.
func breakBytes(rng *rand.Rand, b []byte) []byte {
	if len(b) == 0 {
		return b
	}
	b = bytes.Clone(b)
	i, j := rng.IntN(len(b)), rng.IntN(len(b))
	i, j = min(i, j), max(i, j)
	switch rng.IntN(5) {
	case 0:
		return b[:i]
	case 1:
		return append(b[:i:i], b[j:]...)
	case 2:
		return append(b[:j:j], b[i:]...)
	case 3:
		b[i] = byte(rng.Uint32())
	default:
		copy(b[i:], []string{"null", "[]", "{}", "\"\"", "\n\n", "-1"}[rng.IntN(6)])
	}
	return b
}

// rawAnswer is the right answer as a body.
func rawAnswer(x *probes.Exchange, stream bool) (body []byte, contentType string) {
	content := strings.ReplaceAll(x.Prompt.Expected(), "\n", `\n`)
	if !stream {
		return fmt.Appendf(nil, `{"id":"c1","object":"chat.completion","model":"m","choices":[{"index":0,"message":`+
			`{"role":"assistant","content":"%s"},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":80,"total_tokens":%d}}`,
			content, x.Intent.Tokens, x.Intent.Tokens+80), "application/json"
	}
	var b []byte
	for _, part := range strings.SplitAfter(content, " ") {
		b = fmt.Appendf(b, "data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s\"},\"finish_reason\":null}]}\n\n", part)
	}
	b = fmt.Appendf(b, "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n")
	b = fmt.Appendf(b, "data: {\"id\":\"c1\",\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":80}}\n\n", x.Intent.Tokens)
	return append(b, "data: [DONE]\n\n"...), "text/event-stream"
}

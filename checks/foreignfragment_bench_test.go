package checks_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

// leakChecks are the two that look for content of other tenants' prompts.
func leakChecks() []checks.Check {
	var list []checks.Check
	for _, c := range checks.All() {
		if c.Name() == "foreignmarker" || c.Name() == "foreignfragment" {
			list = append(list, c)
		}
	}
	return list
}

// lookback is a look-back of n prompts of two other tenants.
func lookback(b *testing.B, codec *tenants.Codec, n int, spec corpus.Spec) []checks.PromptRef {
	refs := make([]checks.PromptRef, 0, n)
	for second := uint32(2000); len(refs) < n; second++ {
		p := tenants.Payload{Tenant: uint16(7 + second%2), Second: second}
		if _, ok := codec.Mint(p, spec.Dress); ok {
			refs = append(refs, checks.PromptRef{Exchange: vectorID(9), Payload: p, Spec: spec})
		}
	}
	return refs
}

// processorTime is what this process has used so far: beside other work, wall
// time says nothing.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail for this process
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// plainScan is the least that reading a text can cost: one look-up a byte.
func plainScan(text string, table *[256]uint8) (n int) {
	for i := range len(text) {
		n += int(table[text[i]])
	}
	return n
}

// reportScan reports the processor time of a search through text as MB/s, and as
// how often as long as a plain scan of it took, measured beside it.
func reportScan(b *testing.B, text string, search func()) {
	var table [256]uint8
	var plain, spent time.Duration
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		at := processorTime()
		search()
		spent += processorTime() - at
		at = processorTime()
		table[0] += uint8(plainScan(text, &table))
		plain += processorTime() - at
	}
	b.ReportMetric(float64(len(text))*float64(b.N)/1e6/spent.Seconds(), "cpu-MB/s")
	b.ReportMetric(spent.Seconds()/plain.Seconds(), "x-plain")
}

// BenchmarkLeakSearch searches a megabyte that holds nothing of ours for
// markers, pieces of markers, codes and locators of 10,000 earlier prompts. It
// stands in the error channel, where no comparison of passages word by word
// follows.
func BenchmarkLeakSearch(b *testing.B) {
	a := askedPrompts(b)[0]
	refs := lookback(b, a.codec, 10_000, a.spec)
	fill := func(unit string) string { return strings.Repeat(unit, 1<<20/len(unit)+1)[:1<<20] }
	for name, text := range map[string]string{
		"english":  fill("The keeper of the old store by the river wrote what had been sold that day into the book, and went home before anybody came to ask for more. "),
		"cyrillic": fill("Смотритель северного склада записал итоги дня и закрыл книгу. "),
		"han":      fill("北方仓库的管理员记下了当天的数字，然后合上了账本。"),
	} {
		for _, n := range []int{0, len(refs)} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				reportScan(b, text, func() {
					x := &probes.Exchange{
						ID: vectorID(1), Tenant: a.payload.Tenant, Payload: a.payload, Prompt: a.prompt, Intent: probes.Intent{Spec: a.spec},
						Response: &provider.Response{Status: 500, Failure: &provider.Failure{Kind: provider.FailureMalformed, Message: text}},
					}
					checks.Run(checks.Input{Round: &probes.Round{Exchanges: []*probes.Exchange{x}}, Codec: a.codec, Lookback: refs[:n]}, leakChecks())
				})
			})
		}
	}
}

// BenchmarkLeakedPage locates and proves a page of an earlier prompt that stands
// beside a right answer, by how many such prompts the look-back has and how long
// they are (60,000 sentences are a million tokens). The bar is 5 ms.
func BenchmarkLeakedPage(b *testing.B) {
	a := askedPrompts(b)[0]
	for _, size := range []struct{ prompts, sentences int }{{1000, 60}, {1000, 60_000}, {10_000, 60}, {10_000, 60_000}} {
		spec := a.spec
		spec.Family, spec.Sentences = "prose", size.sentences
		refs := lookback(b, a.codec, size.prompts, spec)
		var donor *corpus.Prompt
		var err error
		for _, ref := range refs[len(refs)/2:] { // the first whose markers are all usable
			if donor, err = a.codec.Prompt(ref.Payload, spec); err == nil {
				break
			}
		}
		page, _ := donor.Page(donor.Pages() / 2)
		content := a.prompt.Expected() + "\n" + page
		b.Run(fmt.Sprintf("%d prompts of %d sentences", size.prompts, size.sentences), func(b *testing.B) {
			before := processorTime()
			for b.Loop() {
				x := &probes.Exchange{
					ID: vectorID(1), Tenant: a.payload.Tenant, Payload: a.payload, Prompt: a.prompt, Intent: probes.Intent{Spec: a.spec},
					Response: &provider.Response{Status: 200, Content: content, FinishReason: "stop"},
				}
				r := checks.Run(checks.Input{Round: &probes.Round{Exchanges: []*probes.Exchange{x}}, Codec: a.codec, Lookback: refs}, leakChecks())
				if r.Class() != checks.Leak {
					b.Fatalf("the page is not found: %v", r.Findings)
				}
			}
			b.ReportMetric(float64((processorTime()-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
}

// BenchmarkAnswer runs every check over an answer of four kilobytes, half of it
// reasoning, with 10,000 prompts in the look-back. The bar is a median of 1 ms for an answer that is
// right; p50-ms is wall time, which other work makes longer.
func BenchmarkAnswer(b *testing.B) {
	const size = 4 << 10
	own := askedPrompts(b)[0]
	spec := own.spec
	spec.Seals = corpus.MaxSeals
	payload, prompt, err := mintFixed(own.codec, 3, 4000, spec)
	if err != nil {
		b.Fatal(err)
	}
	refs := lookback(b, own.codec, 10_000, own.spec)
	thought := strings.Repeat("The user wants every seal of the document. I go through it from the beginning and copy each line as it stands. ", 40)
	for name, content := range map[string][2]string{
		"right":    {prompt.Expected(), thought[:size-len(prompt.Expected())]},
		"stranger": {strings.Repeat("The landlord agreed to drop the deposit but insists that the pets clause stays. ", size/80), ""},
	} {
		b.Run(name, func(b *testing.B) {
			var times []time.Duration
			before := processorTime()
			for b.Loop() {
				start := time.Now()
				x := &probes.Exchange{
					ID: vectorID(1), Tenant: payload.Tenant, Payload: payload, Prompt: prompt,
					Intent:   probes.Intent{Spec: spec, Expect: probes.ExpectAnswer, MaxTokens: 4096},
					Response: &provider.Response{Status: 200, Content: content[0], Reasoning: content[1], FinishReason: "stop", Body: []byte(content[0])},
				}
				checks.Run(checks.Input{
					Round: &probes.Round{Started: vectorStart, Ended: vectorStart, Exchanges: []*probes.Exchange{x}}, Codec: own.codec, Lookback: refs,
				}, checks.All())
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			b.ReportMetric(float64((processorTime()-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
			b.ReportMetric(times[len(times)/2].Seconds()*1000, "p50-ms")
		})
	}
}

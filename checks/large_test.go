package checks_test

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"crosstalk/checks"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/probes/provider/openaichat"
)

// largeSize is the most that a client reads of a body.
const largeSize = 16 << 20

// largeTexts are answers as long as a client reads, of the kinds that cost the
// most: one word, very many words, many different ones, private data, our own
// answer over and over.
func largeTexts(b testing.TB, a asked) map[string]string {
	fill := func(unit string) string { return strings.Repeat(unit, largeSize/len(unit)+1)[:largeSize] }
	return map[string]string{
		"one letter":   fill("x"),
		"one word":     fill("a "),
		"prose":        fill(stranger(rand.New(rand.NewPCG(1, 2)), 400) + "\n"),
		"own prompt":   fill(a.document + "\n"),
		"own answer":   fill(a.prompt.Expected() + "\n"),
		"addresses":    fill("write to jane.doe@example.org or call +44 20 7946 0958, "),
		"many scripts": fill("aя日ب й語 "),
		"not utf-8":    fill("\xff\xc3 "),
		"list words":   fill(listWords(b) + " "),
		"blanks":       fill(" \n"),
	}
}

// judgeLarge runs every check over one answer.
func (a asked) judgeLarge(content string) checks.Report {
	x := &probes.Exchange{
		ID: vectorID(1), Tenant: a.payload.Tenant, Payload: a.payload, Prompt: a.prompt,
		Intent:   probes.Intent{Spec: a.spec, Expect: probes.ExpectAnswer, MaxTokens: 4096},
		Response: &provider.Response{Status: 200, Content: content, FinishReason: "stop", Body: []byte(content)},
	}
	return checks.Run(checks.Input{
		Round: &probes.Round{Started: vectorStart, Ended: vectorStart, Exchanges: []*probes.Exchange{x}}, Codec: a.codec,
	}, checks.All())
}

// BenchmarkLarge judges the longest bodies that a client reads. The bar is two
// seconds and 200 MB each.
func BenchmarkLarge(b *testing.B) {
	a := askedPrompts(b)[0]
	for name, text := range largeTexts(b, a) {
		b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				a.judgeLarge(text)
			}
		})
	}
}

// BenchmarkLargeMalformed reads and judges a body that is no answer of the API.
func BenchmarkLargeMalformed(b *testing.B) {
	a := askedPrompts(b)[0]
	client, err := openaichat.New(openaichat.Options{BaseURL: "http://127.0.0.1:1/v1"})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	for name, unit := range map[string]string{"one_letter": "x", "one_word": "a ", "control": "\x00\xff"} {
		body := strings.Repeat(unit, largeSize/len(unit))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				a.judgeResponse(client.Parse(200, http.Header{}, strings.NewReader(body)))
			}
		})
	}
}

// TestLongAnswerIsNeverSound: of an answer too long to be read as a whole,
// markers are found wherever they stand, and nothing is vouched for.
func TestLongAnswerIsNeverSound(t *testing.T) {
	all := askedPrompts(t)
	a, other := all[0], all[2]
	polite := strings.Repeat("\nHere are the seals you asked for, one on each line.", 60_000)
	right := a.prompt.Expected() + polite
	report := a.judgeLarge(right)
	if !report.Has(vectorID(1), checks.KindReadBudget) || report.Class() == checks.Sound {
		t.Errorf("the right answer and %d bytes of talk are %s", len(polite), report.Class())
	}
	if report.Class().Worse(checks.Damaged) {
		t.Errorf("talk is called %s: %v", report.Class(), report.Findings)
	}
	marker := other.prompt.Markers()[1].Text
	at := len(right) / 3 // outside every window
	report = a.judgeLarge(right[:at] + "\n" + marker + right[at:])
	if !report.Has(vectorID(1), "stalemarker") && !report.Has(vectorID(1), checks.KindStaleMarker) {
		t.Errorf("a marker between the windows is not found: %v", report.Findings)
	}
}

// TestDetails holds the sentences that people read to what happened.
func TestDetails(t *testing.T) {
	a := askedPrompts(t)[0]
	a.spec.Ask = 1
	for _, tt := range []struct{ answer, want string }{
		{a.prompt.Expected(), "every seal came back whole"},
		{strings.SplitAfter(a.prompt.Expected(), "\n")[0], "seal 1, the one asked for, came back whole"},
	} {
		_, found := a.judgeResponse(&provider.Response{Status: 200, Content: tt.answer, FinishReason: "stop", Body: []byte(tt.answer)})
		if !slices.ContainsFunc(found, func(f checks.Finding) bool { return f.Detail == tt.want }) {
			t.Errorf("nothing says %q: %v", tt.want, found)
		}
	}
	other := askedPrompts(t)[2].prompt.Markers()[0].Text
	for n, want := range map[int]string{1: "seen once in", 2: "seen 2 times in"} {
		answer := a.prompt.Expected() + strings.Repeat("\n"+other, n)
		_, found := a.judgeResponse(&provider.Response{Status: 200, Content: answer, FinishReason: "stop", Body: []byte(answer)})
		if !slices.ContainsFunc(found, func(f checks.Finding) bool { return strings.Contains(f.Detail, want) }) {
			t.Errorf("nothing says %q: %v", want, found)
		}
	}
	timeout := &provider.Response{Failure: &provider.Failure{Kind: provider.FailureTimeout, Message: "no response header within 1m52s"}}
	if _, found := a.judgeResponse(timeout); len(found) != 1 || !strings.HasSuffix(found[0].Detail, "no response header within 1m52s") {
		t.Errorf("a timeout says %v", found)
	}
	timeout.Status, timeout.Failure.Message = 504, "Dear Mrs Okafor"
	if _, found := a.judgeResponse(timeout); len(found) != 1 || strings.Contains(found[0].Detail, "Okafor") {
		t.Errorf("a gateway's timeout says %v", found)
	}
}

package checks_test

import (
	"math"
	"strings"
	"testing"

	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

// donation is a round of one right answer with a piece of a donor's prompt in
// it, the donor standing in the look-back.
func donation(t *testing.T, donorTenant uint16, piece func(asked) string) (checks.Report, asked) {
	t.Helper()
	own := askedPrompts(t)[0]
	spec := own.spec
	payload, prompt, err := mintFixed(own.codec, donorTenant, 700, spec)
	if err != nil {
		t.Fatal(err)
	}
	donor := asked{payload: payload, spec: spec, prompt: prompt, codec: own.codec}
	x := &probes.Exchange{
		ID: vectorID(1), Tenant: own.payload.Tenant, Payload: own.payload, Prompt: own.prompt,
		Intent:   probes.Intent{Spec: own.spec},
		Response: &provider.Response{Status: 200, Content: own.prompt.Expected(), Reasoning: piece(donor), FinishReason: "stop"},
	}
	return checks.Run(checks.Input{
		Round: &probes.Round{Exchanges: []*probes.Exchange{x}}, Codec: own.codec,
		Lookback: []checks.PromptRef{{Exchange: vectorID(9), Payload: payload, Spec: spec}},
	}, contentChecks()), donor
}

// TestMarkerFragments: the chance of accident falls by ten bits a word, and
// decides between suspect and leak.
func TestMarkerFragments(t *testing.T) {
	t.Parallel()
	last := 1.0
	for n := 4; n <= 11; n++ {
		report, donor := donation(t, 9, func(d asked) string {
			return "so it is " + strings.Join(strings.Fields(d.prompt.Markers()[1].Text)[:n], " ") + " and then"
		})
		f := findingOf(report, "foreignfragment")
		if n < 5 {
			if f != nil {
				t.Errorf("%d words: %+v", n, f)
			}
			continue
		}
		if f == nil {
			t.Fatalf("%d words: no finding", n)
		}
		// One donor: 5 markers of 9 places; n + 5 words of text.
		if bound := float64(n+5) * 45 * math.Exp2(-10*float64(n)); math.Abs(f.PChance/bound-1) > 1e-9 {
			t.Errorf("%d words: p %.3g, want %.3g", n, f.PChance, bound)
		}
		want := checks.Leak
		if f.PChance >= 1e-12 {
			want = checks.Damaged
		}
		if f.Class != want || f.PChance >= last {
			t.Errorf("%d words: class %s with p %.3g after %.3g", n, f.Class, f.PChance, last)
		}
		last = f.PChance
		if o := f.Origin; o.Tenant != 9 || o.Payload.Request() != donor.payload || o.Marker != 2 || o.Exchange != vectorID(9) ||
			o.PromptOffset != donor.prompt.Markers()[1].Offset {
			t.Errorf("%d words: origin %+v", n, o)
		}
	}
}

// TestRepeatedPiece: an answer that says one piece again and again, as models in
// a loop do, is no stronger evidence than one that says it once; another piece of
// the same prompt is.
func TestRepeatedPiece(t *testing.T) {
	t.Parallel()
	talk := strings.Repeat("and so on with the answer as it was asked for in the text above ", 8)
	piece := func(d asked, marker int) string {
		return strings.Join(strings.Fields(d.prompt.Markers()[marker].Text)[2:7], " ")
	}
	for name, tt := range map[string]struct {
		text func(asked) string
		want checks.Class
	}{
		"once":        {func(d asked) string { return piece(d, 1) }, checks.Damaged},
		"eight times": {func(d asked) string { return strings.Repeat(piece(d, 1)+", then ", 8) }, checks.Damaged},
		"in two runs": {func(d asked) string {
			w := strings.Fields(piece(d, 1))
			return "abundant " + piece(d, 1) + " abundant " + w[0]
		}, checks.Damaged},
		"of two places": {func(d asked) string { return piece(d, 1) + ", then " + piece(d, 2) }, checks.Leak},
	} {
		report, _ := donation(t, 9, func(d asked) string { return talk + tt.text(d) + " " + talk })
		f := findingOf(report, "foreignfragment")
		if f == nil || f.Class != tt.want || (f.PChance < 1e-12) != (tt.want == checks.Leak) {
			t.Errorf("%s: %+v, want %s", name, f, tt.want)
		}
	}
	// The same holds for a locator. With one more page of the prompt named it is
	// 9 bits less likely, not 25: all locators of a prompt carry its hash.
	chance := func(text func([]string) string) float64 {
		report, _ := donation(t, 9, func(d asked) string {
			document := readPrompt(t, d.prompt)
			var found []string
			for _, l := range corpus.FindLocators(document) {
				found = append(found, document[l.Start:l.End])
			}
			return text(found)
		})
		return findingOf(report, "foreignfragment").PChance
	}
	// The keys of two requests, and as many locators as the text has.
	if p := chance(func(l []string) string { return l[1] + "\n" + l[1] }); p != math.Exp2(2-25) {
		t.Errorf("one locator twice: p %g", p)
	}
	if p := chance(func(l []string) string { return l[1] + "\n" + l[3] }); p != math.Exp2(2-25)*math.Exp2(1-9) {
		t.Errorf("two locators: p %g", p)
	}
}

// TestPassageIsMapped: a passage of a donor's filler, with and without locator,
// is traced to its place in the donor's prompt.
func TestPassageIsMapped(t *testing.T) {
	t.Parallel()
	for name, from := range map[string]float64{"head": 0.1, "middle": 0.5, "late": 0.8} {
		for _, size := range []int{400, 1500} {
			var passage string
			report, donor := donation(t, 9, func(d asked) string {
				text := readPrompt(t, d.prompt)
				at := int(from * float64(len(text)))
				passage = text[at:min(at+size, len(text)-200)]
				return passage
			})
			f := findingOf(report, "foreignfragment")
			if f == nil || f.Class != checks.Leak || f.PChance >= 1e-12 {
				t.Errorf("%s, %d bytes: %+v", name, size, f)
				continue
			}
			text := readPrompt(t, donor.prompt)
			start := passage[f.Offset : f.Offset+12]
			if at := f.Origin.PromptOffset; at < 0 || f.Origin.Payload != donor.payload || !strings.HasPrefix(text[at:], start) {
				t.Errorf("%s, %d bytes: %q is not at %d of the donor's prompt", name, size, start, at)
			}
		}
	}
}

// TestLocatorAlone: a locator names a prompt and proves nothing by itself.
func TestLocatorAlone(t *testing.T) {
	t.Parallel()
	report, donor := donation(t, 9, func(d asked) string {
		text := readPrompt(t, d.prompt)
		l := corpus.FindLocators(text)[1]
		return text[l.Start:l.End]
	})
	f := findingOf(report, "foreignfragment")
	// One locator, and the keys of two requests: our own and the donor's.
	if f == nil || f.Kind != checks.KindSuspect || f.Class != checks.Damaged || f.PChance != math.Exp2(1-25) {
		t.Fatalf("finding %+v", f)
	}
	if f.Origin.Payload != donor.payload {
		t.Errorf("origin %+v, want %+v", f.Origin.Payload, donor.payload)
	}
}

// TestStalePassage: the same passage of the tenant's own earlier prompt is
// damage, and never a disclosure.
func TestStalePassage(t *testing.T) {
	t.Parallel()
	own := askedPrompts(t)[0].payload.Tenant
	report, _ := donation(t, own, func(d asked) string { return readPrompt(t, d.prompt)[1000:2200] })
	if f := findingOf(report, "foreignfragment"); f == nil || f.Kind != checks.KindStaleFragment {
		t.Errorf("finding %+v", f)
	}
	if report.Class() != checks.Damaged {
		t.Errorf("class %s, want damaged; %s", report.Class(), told(report, vectorID(1)))
	}
}

func findingOf(r checks.Report, check string) *checks.Finding {
	for i, f := range r.Findings {
		if f.Check == check {
			return &r.Findings[i]
		}
	}
	return nil
}

func readPrompt(t testing.TB, p *corpus.Prompt) string {
	t.Helper()
	var b strings.Builder
	buf := make([]byte, 4096)
	r := p.Reader()
	for {
		n, err := r.Read(buf)
		b.Write(buf[:n])
		if err != nil {
			return b.String()
		}
	}
}

// TestOriginOfMarker: a whole marker names its donor, request and place; one
// that no journal knows still names tenant and request.
func TestOriginOfMarker(t *testing.T) {
	t.Parallel()
	report, donor := donation(t, 9, func(d asked) string { return d.prompt.Markers()[3].Text })
	f := findingOf(report, "foreignmarker")
	want := checks.Origin{
		Tenant: 9, Payload: tenants.Payload{Tenant: 9, Second: 700, Draw: donor.payload.Draw, Index: 3},
		Exchange: vectorID(9), PromptOffset: donor.prompt.Markers()[3].Offset, Marker: 4,
	}
	if f == nil || f.Class != checks.Leak || *f.Origin != want {
		t.Errorf("finding %+v, want origin %+v", f, want)
	}
	if report.Verdict(vectorID(1)) != checks.Leak {
		t.Errorf("verdict %s", report.Verdict(vectorID(1)))
	}
}

// BenchmarkRun judges one exchange: a clean answer, and a stranger's text, which
// costs a comparison with the whole own prompt.
func BenchmarkRun(b *testing.B) {
	own := askedPrompts(b)[0]
	stranger := strings.Repeat("The landlord agreed to drop the deposit but insists that the pets clause stays. ", 20)
	for name, content := range map[string]string{"clean": own.prompt.Expected(), "stranger": stranger} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			for b.Loop() {
				own.judge(content, "")
			}
		})
	}
}

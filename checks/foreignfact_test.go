package checks_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/probes"
	"crosstalk/probes/provider"
)

// factWorld is a request beside n earlier ones of another tenant, all with two
// named facts.
func factWorld(t testing.TB, n int) live {
	t.Helper()
	w := newLive(t, corpus.DressWords, 0)
	w.own.spec.Facts = 2
	var err error
	if w.own.prompt, err = w.own.codec.Prompt(w.own.payload, w.own.spec); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		payload, prompt, err := mintFixed(w.own.codec, 9, uint32(9000+i), w.own.spec)
		if err != nil {
			t.Fatal(err)
		}
		w.donors = append(w.donors, asked{payload: payload, spec: w.own.spec, prompt: prompt, codec: w.own.codec})
		w.refs = append(w.refs, checks.PromptRef{Exchange: vectorID(i + 1), Payload: payload, Spec: w.own.spec})
	}
	return w
}

// facts runs the foreignfact check over the right answer with a text thought before
// it.
func (w live) facts(reasoning string) []checks.Finding {
	x := &probes.Exchange{
		ID: vectorID(999), Tenant: w.own.payload.Tenant, Payload: w.own.payload, Prompt: w.own.prompt, Intent: probes.Intent{Spec: w.own.spec},
		Response: &provider.Response{Status: 200, Content: w.own.prompt.Expected(), Reasoning: reasoning, FinishReason: "stop"},
	}
	only := slices.DeleteFunc(checks.All(), func(c checks.Check) bool { return c.Name() != "foreignfact" })
	return checks.Run(checks.Input{Round: &probes.Round{Exchanges: []*probes.Exchange{x}}, Codec: w.own.codec, Lookback: w.refs}, only).Findings
}

// cyrillic writes names as a Russian translation would.
var cyrillic = strings.NewReplacer(
	"b", "б", "d", "д", "f", "ф", "g", "г", "h", "х", "j", "й", "k", "к", "l", "л", "m", "м", "n", "н", "p", "п", "r", "р", "s", "с", "t", "т",
	"v", "в", "z", "з", "a", "а", "i", "и", "o", "о", "u", "у",
)

// TestTranslatedFacts: names and figures of another prompt are traced to it and to
// the place of the fact in it, in whatever language. The same sentence with other
// names, or with those of a prompt of no fleet of ours, is nobody's.
func TestTranslatedFacts(t *testing.T) {
	t.Parallel()
	w := factWorld(t, 12)
	other := corpus.FactsOf(corpus.Key{42}, 1)[0]
	for name, form := range map[string]func(f corpus.Fact) string{
		"german": func(f corpus.Fact) string {
			return fmt.Sprintf("%ss Schwester %s wohnt in %s; dort stehen %d Laternen und %d Ruder.", f.Names[0], f.Names[1], f.Names[2], f.Numbers[0], f.Numbers[1])
		},
		"russian": func(f corpus.Fact) string {
			n := f.Names
			for i := range n {
				n[i] = cyrillic.Replace(strings.ToLower(n[i]))
			}
			return fmt.Sprintf("%s %s из %s хранит %d фонарей и %d вёсел.", n[0], n[1], n[2], f.Numbers[0], f.Numbers[1])
		},
		"table": func(f corpus.Fact) string {
			return fmt.Sprintf("| keeper | place | oars |\n|---|---|---|\n| %s %s | %s | %d |", f.Names[0], f.Names[1], f.Names[2], f.Numbers[1])
		},
	} {
		for i, donor := range w.donors {
			for _, f := range donor.prompt.Facts() {
				text := "As the text has it: " + form(f)
				found := w.facts(text)
				if len(found) != 1 || found[0].Class != checks.Leak || found[0].Kind != checks.KindFact || found[0].PChance >= 1e-12 {
					t.Fatalf("%s: %q: %+v", name, text, found)
				}
				o := found[0].Origin
				if o.Tenant != 9 || o.Payload != donor.payload || o.Exchange != vectorID(i+1) || o.PromptOffset != f.Offset {
					t.Errorf("%s: origin %+v", name, o)
				}
				// Two facts of thirteen requests, three names in the text, two figures.
				want := 26 * math.Pow(3.0/(1<<20), 3) * math.Pow(2.0/512, 2)
				if p := found[0].PChance; name == "german" && math.Abs(p/want-1) > 1e-9 {
					t.Errorf("p is %g, want %g", p, want)
				}
				if first := strings.Index(text, f.Names[0][:3]); name == "german" && (found[0].Offset != first || found[0].Offset+found[0].Length > len(text)) {
					t.Errorf("%s: at %d, %d bytes", name, found[0].Offset, found[0].Length)
				}
			}
		}
		if found := w.facts(form(other)); len(found) > 0 {
			t.Errorf("%s: somebody else's fact: %+v", name, found)
		}
		if found := w.facts(form(w.own.prompt.Facts()[0])); len(found) > 0 {
			t.Errorf("%s: an own fact: %+v", name, found)
		}
	}
}

// TestSameFactsTwice: what two tenants were sent alike is no leak, whoever had it
// first. Here another tenant's request has the own prompt's key, which stands for
// one that was sent the same bytes.
func TestSameFactsTwice(t *testing.T) {
	t.Parallel()
	w := factWorld(t, 3)
	f := w.donors[0].prompt.Facts()[0]
	if found := w.facts(f.Text); len(found) != 1 {
		t.Fatalf("a fact of another tenant: %+v", found)
	}
	w.own.prompt = w.donors[0].prompt
	if found := w.facts(f.Text); len(found) > 0 {
		t.Errorf("the same fact in the own prompt: %+v", found)
	}
}

// TestFactChanceIsABound: of texts full of invented names, at most as many agree
// with one of a thousand earlier prompts as p_chance allows.
func TestFactChanceIsABound(t *testing.T) {
	t.Parallel()
	w := factWorld(t, 1)
	for i := range 1000 { // facts need no markers, so that any payload will do
		ref := w.refs[0]
		ref.Payload.Second += uint32(1 + i)
		w.refs = append(w.refs, ref)
	}
	rng := rand.New(rand.NewPCG(61, 62))
	const texts = 60
	counts := map[float64]int{1e-3: 0, 1e-4: 0, 1e-5: 0}
	for range texts {
		var b strings.Builder
		for range 40 + rng.IntN(400) {
			name := make([]byte, 6)
			for i, set := range []string{"bdfghjklmnprstvz", "aiou", "bdfghjklmnprstvz", "bdfghjklmnprstvz", "aiou", "bdfghjklmnprstvz"} {
				name[i] = set[rng.IntN(len(set))]
			}
			fmt.Fprintf(&b, "%s %d ", name, 100+rng.IntN(900))
		}
		least := math.Inf(1)
		for _, f := range w.facts(b.String()) {
			if f.Class == checks.Leak {
				t.Errorf("random names are a leak: %+v", f)
			}
			least = min(least, f.PChance)
		}
		for p := range counts {
			if least <= p {
				counts[p]++
			}
		}
	}
	for p, n := range counts {
		if mean := texts * p; float64(n) > mean+5*math.Sqrt(mean) {
			t.Errorf("%d of %d texts say p <= %g, want at most %.2f", n, texts, p, mean)
		}
	}
}

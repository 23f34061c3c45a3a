package checks_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

// live is a world of one request that is answered and some that were sent before.
type live struct {
	own    asked
	donors []asked
	refs   []checks.PromptRef
	list   []string // the words that markers are written with
}

// newLive makes n earlier requests of three tenants, the first of which asks now
// as well, in every family.
func newLive(t testing.TB, dress corpus.Dress, n int) live {
	t.Helper()
	w := live{list: markerList(t)}
	families := corpus.Families()
	codec, err := vectorCodec(vectorKey)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n + 1 {
		spec := corpus.Spec{
			Version: corpus.Version, Family: families[i%len(families)].Name, Task: corpus.TaskSeals,
			Dress: dress, Sentences: 40, Seals: 5,
		}
		payload, prompt, err := mintFixed(codec, uint16(3+i%3), uint32(5000+i), spec)
		if err != nil {
			t.Fatal(err)
		}
		a := asked{payload: payload, spec: spec, prompt: prompt, document: readPrompt(t, prompt), codec: codec}
		if i == 0 {
			w.own = a
			continue
		}
		w.donors = append(w.donors, a)
		w.refs = append(w.refs, checks.PromptRef{Exchange: vectorID(i), Payload: payload, Spec: spec})
	}
	return w
}

// judge searches an answer, and what was thought before it, for content of earlier
// requests.
func (w live) judge(content, reasoning string) checks.Report {
	x := &probes.Exchange{
		ID: vectorID(999), Tenant: w.own.payload.Tenant, Payload: w.own.payload, Prompt: w.own.prompt, Intent: probes.Intent{Spec: w.own.spec},
		Response: &provider.Response{Status: 200, Content: content, Reasoning: reasoning, FinishReason: "stop"},
	}
	return checks.Run(checks.Input{
		Round: &probes.Round{Started: vectorStart, Ended: vectorStart, Exchanges: []*probes.Exchange{x}}, Codec: w.own.codec, Lookback: w.refs,
	}, donorChecks())
}

// donorChecks are those that name a donor.
func donorChecks() []checks.Check {
	return slices.DeleteFunc(checks.All(), func(c checks.Check) bool {
		return c.Name() != "foreignmarker" && c.Name() != "foreignfragment" && c.Name() != "stalemarker"
	})
}

// splice is a part of a marker of an earlier request, standing in a text.
type splice struct {
	donor   asked
	ref     checks.PromptRef
	marker  corpus.Marker
	text    string // the part as written
	where   checks.Channel
	in      [2]string // content and reasoning
	control [2]string // the same with words of no live prompt in its place
	at      int       // byte of the channel
}

// splice cuts so many words and more of a random marker (two symbols of a code for
// a word) and puts them between two words of a random text.
func (w live) splice(rng *rand.Rand, least int) (s splice) {
	i := rng.IntN(len(w.donors))
	s.donor, s.ref = w.donors[i], w.refs[i]
	s.marker = s.donor.prompt.Markers()[rng.IntN(s.donor.spec.Seals)]
	var other string
	if s.donor.spec.Dress == corpus.DressWords {
		words := strings.Fields(s.marker.Text)
		n := least + rng.IntN(len(words)-least+1)
		from := rng.IntN(len(words) - n + 1)
		s.text = strings.Join(words[from:from+n], " ")
		other = listed(rng, w.list, n)
	} else {
		symbols := strings.ReplaceAll(s.marker.Text, "-", "")
		n := 2*least + rng.IntN(len(symbols)-2*least+1)
		from := rng.IntN(len(symbols) - n + 1)
		s.text = symbols[from : from+n]
		for !strings.ContainsAny(s.text, "0123456789") { // a run of letters is a word
			from = rng.IntN(len(symbols) - n + 1)
			s.text = symbols[from : from+n]
		}
		other = codeSymbols(rng, n)
	}
	carriers := []string{
		w.own.prompt.Expected(), stranger(rng, 60), w.own.document[:1500],
		"The document lists the seals, and I copied them as they stand there. They are these, in the order of the question.",
	}
	carrier := carriers[rng.IntN(len(carriers))]
	places := []int{0}
	for at, c := range carrier {
		if c == ' ' || c == '\n' {
			places = append(places, at+1)
		}
	}
	s.at = places[rng.IntN(len(places))]
	with := func(part string) string { return carrier[:s.at] + part + " " + carrier[s.at:] }
	s.in, s.control = [2]string{with(s.text), ""}, [2]string{with(other), ""}
	if s.where = checks.ChannelContent; rng.IntN(2) == 0 {
		right := w.own.prompt.Expected()
		s.where, s.in, s.control = checks.ChannelReasoning, [2]string{right, s.in[0]}, [2]string{right, s.control[0]}
	}
	return s
}

// listed are n different words of the marker list, in a row that is in no
// marker but with a chance of 2^-10n.
func listed(rng *rand.Rand, list []string, n int) string {
	var words []string
	for _, i := range rng.Perm(len(list))[:n] {
		words = append(words, list[i])
	}
	return strings.Join(words, " ")
}

// codeSymbols are n symbols of codes with a digit among them.
func codeSymbols(rng *rand.Rand, n int) string {
	const symbols = "0123456789abcdefghjkmnpqrstvwxyz"
	b := []byte{symbols[rng.IntN(10)]}
	for len(b) < n {
		b = append(b, symbols[rng.IntN(len(symbols))])
	}
	return string(b)
}

// TestAnySpliceIsAttributed: eight words and more of a seal of another live prompt
// (sixteen symbols of a code), wherever they stand, are noticed and attributed to
// tenant, request, place in its prompt and place in the answer: a leak when the
// tenant is another, stale when it is the same. The same text with words of no
// live prompt in their place is neither.
func TestAnySpliceIsAttributed(t *testing.T) {
	t.Parallel()
	const donors, splices, least = 18, 60, 8
	for _, dress := range []corpus.Dress{corpus.DressWords, corpus.DressCode} {
		w := newLive(t, dress, donors)
		rng := rand.New(rand.NewPCG(31, uint64(len(dress))))
		for range splices {
			s := w.splice(rng, least)
			report := w.judge(s.in[0], s.in[1])
			if !slices.ContainsFunc(report.Findings, s.explains) {
				t.Errorf("%s: %q of marker %d of tenant %d at %d of the %s is not traced:\n%s",
					dress, s.text, s.marker.Number, s.donor.payload.Tenant, s.at, s.where, told(report, vectorID(999)))
			}
			for _, f := range w.judge(s.control[0], s.control[1]).Findings {
				if f.Origin != nil || f.Class == checks.Leak {
					t.Errorf("%s: words of no live prompt are called %+v", dress, f)
				}
			}
		}
	}
}

// explains reports whether a finding says all there is to say about the splice.
func (s splice) explains(f checks.Finding) bool {
	class := checks.Leak
	if s.donor.payload.Tenant == 3 {
		class = checks.Damaged // the tenant that asks
	}
	o := f.Origin
	return o != nil && f.Class == class && f.PChance > 0 && f.PChance < 1e-12 && f.Channel == s.where &&
		o.Tenant == s.donor.payload.Tenant && o.Payload.Request() == s.donor.payload && o.Exchange == s.ref.Exchange &&
		o.Marker == s.marker.Number && o.PromptOffset == s.marker.Offset &&
		f.Offset <= s.at+len(s.text) && s.at < f.Offset+f.Length
}

// TestChanceIsABound simulates what p_chance promises. Of texts made without our
// key, however near they come, a share of at most p may have a finding that says p
// or less: none is a leak, and hardly any a suspect.
func TestChanceIsABound(t *testing.T) {
	t.Parallel()
	foreign, err := vectorCodec(strangerKey)
	if err != nil {
		t.Fatal(err)
	}
	for _, dress := range []corpus.Dress{corpus.DressWords, corpus.DressCode} {
		w := newLive(t, dress, 18)
		rng := rand.New(rand.NewPCG(41, uint64(len(dress))))
		pick := func() asked { return w.donors[rng.IntN(len(w.donors))] }
		texts := map[string]func() string{
			"prose of others": func() string { return stranger(rng, 120) },
			"word salad":      func() string { return listed(rng, w.list, 16) },
			"salad of few": func() string {
				few := strings.Fields(listed(rng, w.list, 13))
				return strings.Join(slices.Repeat(few, 9), " ")
			},
			"base32": func() string {
				var b strings.Builder
				for range 60 {
					b.WriteString(codeSymbols(rng, 26) + "\n")
				}
				return b.String()
			},
			// Nearer than any accident: markers of ours with every fifth word
			// (tenth symbol) another, or in another order.
			"spoilt markers": func() string { return w.spoilt(rng, pick().prompt.Markers()[rng.IntN(5)].Text) },
			"another order": func() string {
				text, sep := pick().prompt.Markers()[rng.IntN(5)].Text, " "
				if dress == corpus.DressCode {
					text, sep = strings.Join(strings.Split(text, ""), " "), ""
				}
				parts := strings.Fields(text)
				rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
				return strings.Join(parts, sep)
			},
			// Everything about them is ours but the key.
			"prompts of another fleet": func() string {
				_, prompt, err := mintFixed(foreign, uint16(3+rng.IntN(3)), uint32(5000+rng.IntN(18)), pick().spec)
				if err != nil {
					t.Fatal(err)
				}
				return readPrompt(t, prompt)
			},
		}
		for _, kind := range slices.Sorted(maps.Keys(texts)) { // in one order: they share the random numbers
			suspects := 0
			for range 5 {
				report := w.judge(w.own.prompt.Expected(), texts[kind]())
				for _, f := range report.Findings {
					if f.Origin != nil && (f.Class == checks.Leak || f.PChance < 1e-12) {
						t.Errorf("%s, %s: %+v", dress, kind, f)
					}
				}
				if slices.ContainsFunc(report.Findings, func(f checks.Finding) bool { return f.Origin != nil }) {
					suspects++
				}
			}
			if suspects > 1 {
				t.Errorf("%s, %s: %d of 5 texts are suspects at p < 1e-3", dress, kind, suspects)
			}
		}
	}
}

// spoilt is a marker with every fifth word another, or every tenth symbol.
func (w live) spoilt(rng *rand.Rand, marker string) string {
	if words := strings.Fields(marker); len(words) > 1 {
		for i := 4; i < len(words); i += 5 {
			words[i] = listed(rng, w.list, 1)
		}
		return strings.Join(words, " ")
	}
	code := []byte(strings.ReplaceAll(marker, "-", ""))
	for i := 9; i < len(code); i += 10 {
		code[i] = "0123456789"[(int(code[i])+1)%10]
	}
	return string(code)
}

// TestAgreementsAreAsRareAsCounted: the chance of a fragment counts 10 bits a word
// and 5 a symbol. Short agreements are frequent enough to be counted: between
// markers and random words of their own list, and between codes and random
// symbols, they are as many as that says, no more.
func TestAgreementsAreAsRareAsCounted(t *testing.T) {
	t.Parallel()
	codec, err := vectorCodec(vectorKey)
	if err != nil {
		t.Fatal(err)
	}
	const markers, size = 400, 20_000
	rng := rand.New(rand.NewPCG(51, 52))
	list := markerList(t)
	for _, tt := range []struct {
		dress  corpus.Dress
		bits   int
		length int // of an agreement
		split  func(string) []string
		draw   func() string
	}{
		{corpus.DressWords, 10, 2, strings.Fields, func() string { return list[rng.IntN(len(list))] }},
		{corpus.DressCode, 5, 3, func(s string) []string { return strings.Split(strings.ReplaceAll(s, "-", ""), "") }, func() string { return codeSymbols(rng, 2)[1:] }},
	} {
		grams, places := map[string]int{}, 0
		for second := uint32(0); places < markers*5; second++ {
			text, ok := codec.Mint(tenants.Payload{Tenant: 7, Second: second}, tt.dress)
			if !ok {
				continue
			}
			for parts := tt.split(text); len(parts) >= tt.length; parts = parts[1:] {
				grams[strings.Join(parts[:tt.length], " ")]++
				places++
			}
		}
		var row []string
		agree := 0
		for range size {
			if row = append(row, tt.draw()); len(row) >= tt.length {
				agree += grams[strings.Join(row[len(row)-tt.length:], " ")]
			}
		}
		mean := float64(size) * float64(places) * math.Exp2(float64(-tt.bits*tt.length))
		if off := math.Abs(float64(agree) - mean); off > 5*math.Sqrt(mean) {
			t.Errorf("%s: %d agreements of %d in %d places, want about %.0f", tt.dress, agree, tt.length, places, mean)
		}
		t.Logf("%s: %d agreements, %.0f expected", tt.dress, agree, mean)
	}
}

package corpus

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// target makes token counts as a tokenizer would: so many bytes a token, a chat
// template, and noise that grows with the root of the count.
type target struct {
	bytesPerToken, overhead, noise float64
	random                         *rand.Rand
}

func newTarget(bytesPerToken, overhead, noise float64) target {
	return target{bytesPerToken, overhead, noise, rand.New(rand.NewPCG(5, 6))}
}

func (g target) tokens(bytes int64) int {
	mean := float64(bytes) / g.bytesPerToken
	return int(math.Round(g.overhead + mean + g.noise*math.Sqrt(mean)*g.random.NormFloat64()))
}

// The prior knows nothing and says so: from one byte a token to six.
func TestPrior(t *testing.T) {
	for _, bytes := range []int64{100, 10_000, 5_000_000} {
		low, mid, high := Prior().Tokens(bytes)
		if low > int(bytes/6) || high < int(bytes)+20 || mid < int(bytes/5) || mid > int(bytes/4)+20 {
			t.Errorf("%d bytes: %d, %d, %d tokens", bytes, low, mid, high)
		}
	}
	if got := Prior().Bytes(1016); got != 4000 {
		t.Errorf("1,016 tokens are %d bytes, want 4,000", got)
	}
}

// A handful of observations gives the length of a long prompt to half a per
// cent, and the interval says so and holds.
func TestObserveLearns(t *testing.T) {
	for _, g := range []target{
		newTarget(4.9, 12, 0.3), newTarget(1, 25, 0), newTarget(3.1, 7, 0.4), newTarget(6, 120, 0.3),
	} {
		c := Prior()
		for _, bytes := range []int64{200_000, 400_000, 700_000, 1_500_000, 3_000_000, 4_000_000} {
			c = c.Observe(bytes, g.tokens(bytes))
		}
		const long = 5_000_000
		low, mid, high := c.Tokens(long)
		truth := g.overhead + long/g.bytesPerToken
		if c.N != 6 || c.Spread > 0.005 || float64(low) > truth || float64(high) < truth {
			t.Errorf("%.1f bytes a token: %+v predicts %d, %d, %d, truth %.0f", g.bytesPerToken, c, low, mid, high, truth)
		}
		if off := float64(c.Bytes(mid)-long) / long; math.Abs(off) > 1e-5 {
			t.Errorf("Bytes(Tokens(%d)) is off by %v", long, off)
		}
	}
}

// The interval holds for prompts of every length, after any number of
// observations of any lengths.
func TestIntervalHolds(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	const rounds = 4000
	missed := 0
	for range rounds {
		g := newTarget(1+5*random.Float64(), 40*random.Float64(), 0.4*random.Float64())
		g.random = random
		size := func() int64 { return int64(500 * math.Pow(10_000, random.Float64())) }
		c := Prior()
		for range random.IntN(12) {
			b := size()
			c = c.Observe(b, g.tokens(b))
		}
		b := size()
		if low, _, high := c.Tokens(b); g.tokens(b) < low || g.tokens(b) > high {
			missed++
		}
	}
	if missed > rounds/50 {
		t.Errorf("%d of %d counts are outside of an interval of 99 %%", missed, rounds)
	}
}

// One observation, prompts of one size, and many short prompts are no trouble:
// the interval stays as wide as what is not known.
func TestObserveOfLittle(t *testing.T) {
	g := newTarget(4.5, 30, 0.3)
	truth := 30 + 5_000_000/4.5
	c := Prior().Observe(1000, g.tokens(1000))
	if c.Spread < 0.1 || c.Spread > 3 {
		t.Errorf("one short prompt: %+v", c)
	}
	if c := Prior().Observe(1_000_000, g.tokens(1_000_000)); c.Spread != 0.1 {
		t.Errorf("one long prompt: %+v, want a spread of 0.1", c)
	}
	for range 200 {
		c = c.Observe(1000, g.tokens(1000))
	}
	low, mid, high := c.Tokens(5_000_000)
	if float64(low) > truth || float64(high) < truth || c.Spread < 0.05 || math.IsNaN(c.PerByte) {
		t.Errorf("short prompts of one size: %+v predicts %d, %d, %d, truth %.0f", c, low, mid, high, truth)
	}
	if low, _, high := c.Tokens(1000); low > g.tokens(1000) || high < g.tokens(1000) || high > 280 {
		t.Errorf("a prompt of that size: %d to %d tokens", low, high)
	}
	bare := Calibration{N: c.N, Overhead: c.Overhead, PerByte: c.PerByte, Spread: c.Spread}
	if low, mid, high := bare.Tokens(1000); low < 1 || low > mid || high < mid {
		t.Errorf("without its sums: %d, %d, %d tokens", low, mid, high)
	}
	for range 3 {
		c = c.Observe(1_000_000, g.tokens(1_000_000))
	}
	if _, mid, _ := c.Tokens(5_000_000); math.Abs(float64(mid)/truth-1) > 0.005 || c.Spread > 0.01 {
		t.Errorf("with three long ones: %+v predicts %d, truth %.0f", c, mid, truth)
	}
}

// Counts that cannot be true are not learnt from.
func TestObserveIgnoresNonsense(t *testing.T) {
	g := newTarget(4, 20, 0)
	young := Prior().Observe(100_000, g.tokens(100_000))
	known := young
	for _, bytes := range []int64{150_000, 200_000, 400_000, 800_000} {
		known = known.Observe(bytes, g.tokens(bytes))
	}
	tests := []struct {
		name   string
		from   Calibration
		bytes  int64
		tokens int
		learnt bool
	}{
		{"placeholder", young, 1_000_000, 1, false},
		{"nothing", young, 1_000_000, 0, false},
		{"negative", young, 1_000_000, -5, false},
		{"no bytes", young, 0, 20, false},
		{"more than bytes", young, 1_000_000, 2_100_000, false},
		{"hardly any", young, 1_000_000, 31_000, false},
		{"template only", young, 100, 5000, true},
		{"another ratio, early", young, 1_000_000, 700_000, true},
		{"another ratio", known, 1_000_000, 700_000, false},
		{"cut at a limit", known, 1_000_000, 131_072, false},
		{"a little off", known, 1_000_000, 260_000, true},
		{"right", known, 1_000_000, 250_020, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := test.from.Observe(test.bytes, test.tokens)
			if learnt := got.N == test.from.N+1; learnt != test.learnt {
				t.Errorf("learnt: %v, want %v", learnt, test.learnt)
			}
			if diff := cmp.Diff(test.from, got); !test.learnt && diff != "" {
				t.Errorf("calibration changed:\n%s", diff)
			}
		})
	}
	// What does not fit makes the interval wider.
	off := known.Observe(1_000_000, 260_000)
	if off.Spread < 2*known.Spread {
		t.Errorf("spread %v after a count 4 %% off, %v before", off.Spread, known.Spread)
	}
}

func TestCalibrationJSON(t *testing.T) {
	c := Prior().Observe(1000, 300).Observe(100_000, 25_000)
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var back Calibration
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c.Observe(200_000, 50_000), back.Observe(200_000, 50_000)); diff != "" {
		t.Errorf("a calibration that was stored goes on differently:\n%s", diff)
	}
}

// Prompts made by Sentences are hardly ever larger than asked for and never
// much smaller; EstimateBytes is their mean. Lines and question are the same in
// prompts of every size, so that the short ones prove them for each kind of
// spec; longer ones prove what grows, the filler with locators and without.
func TestSentences(t *testing.T) {
	for name, spec := range specs() {
		if spec.Prefix != nil || strings.Contains(name, "-long-") {
			continue // long and short differ in nothing but Sentences
		}
		checkSizes(t, name, spec, 2000)
		if strings.HasSuffix(name, "-words-short-seals") || strings.HasSuffix(name, "-words-short-nolocators") {
			checkSizes(t, name, spec, 20_000)
			checkSizes(t, name, spec, 1_000_000)
		}
	}
}

// checkSizes makes prompts of spec with so many bytes under many keys.
func checkSizes(t *testing.T, name string, spec Spec, size int64) {
	t.Helper()
	spec.Sentences = Sentences(spec, size)
	prompts := min(400, int(20_000_000/size))
	larger, sum := 0, int64(0)
	for n := range prompts {
		p := newPrompt(t, numbered(testKey(1), n), spec)
		sum += p.Size()
		if p.Size() > size {
			larger++
		}
	}
	mean := float64(sum) / float64(prompts)
	if larger > 3 {
		t.Errorf("%s: %d of %d prompts are larger than %d bytes", name, larger, prompts, size)
	}
	if floor := float64(size) - 250 - 60*math.Sqrt(float64(spec.Sentences)); mean < floor {
		t.Errorf("%s: %d bytes asked for, mean %.0f, want at least %.0f", name, size, mean, floor)
	}
	// Up to 17 bytes a seal are the chance of this one set of markers.
	if off := mean - float64(EstimateBytes(spec)); math.Abs(off) > 17*float64(spec.Seals)+0.001*mean {
		t.Errorf("%s: mean %.0f bytes, estimate %d", name, mean, EstimateBytes(spec))
	}
}

func TestSentencesAtTheEdges(t *testing.T) {
	spec := specs()["prose-words-short-seals"]
	warm := specs()["prose-words-long-prefix"]
	unknown := spec
	unknown.Family = "verse"
	tests := []struct {
		name  string
		spec  Spec
		bytes int64
		want  int
	}{
		{"nothing", spec, 0, 1},
		{"negative", spec, -100, 1},
		{"smaller than the question", spec, 100, 1},
		{"more than can be", spec, 1 << 40, MaxPages * 10},
		{"prefix alone is more", warm, 5000, warm.Prefix.Sentences + 1},
		{"unknown family", unknown, 5000, 1},
	}
	for _, test := range tests {
		if got := Sentences(test.spec, test.bytes); got != test.want {
			t.Errorf("%s: %d sentences, want %d", test.name, got, test.want)
		}
	}
	if got := EstimateBytes(unknown); got != 0 {
		t.Errorf("unknown family: estimate %d bytes, want 0", got)
	}
}

// MeanBytes is the mean of many prompts.
func TestMeanBytes(t *testing.T) {
	for _, family := range Families() {
		p := newPrompt(t, testKey(1), longSpec(family.Name))
		filler := p.Size() - int64(len(p.question))
		for _, l := range p.lines {
			filler -= int64(len(l.text))
		}
		mean := float64(filler) / float64(p.Spec().Sentences)
		if math.Abs(mean/family.MeanBytes-1) > 0.002 {
			t.Errorf("%s: %.2f bytes a sentence, MeanBytes is %.2f", family.Name, mean, family.MeanBytes)
		}
	}
}

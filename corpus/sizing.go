package corpus

import "math"

// Calibration says how many tokens a target makes of our bytes. It is learnt
// from usage.prompt_tokens (or a tokenizer endpoint) and is one per target and
// family: tokens = Overhead + bytes * PerByte, with the relative half-width of
// the interval of the prediction.
type Calibration struct {
	// N counts the observations; 0 means the prior.
	N int `json:"n"`
	// Overhead is what the chat template adds, in tokens, less what seals and
	// question take fewer than filler of their size would.
	Overhead float64 `json:"overhead"`
	// PerByte is tokens per byte of prompt.
	PerByte float64 `json:"per_byte"`
	// Spread is the relative half-width of the interval of the token count
	// predicted for a long prompt, e.g. 0.005 for half a per cent. The interval
	// for a short one differs, see Tokens.
	Spread float64 `json:"spread"`
	// Sums and Squares are the weighted sums of the observations that the fit
	// is made from: of 1, bytes, bytes², tokens, bytes*tokens; and tokens².
	Sums    [5]float64 `json:"sums"`
	Squares float64    `json:"squares"`
}

const (
	// priorPerByte and priorSpread make the interval of the prior reach from
	// one byte a token to 16.
	priorPerByte, priorSpread = 0.25, 3
	// priorOverhead is a guess at what a chat template adds, tokens, and
	// overheadError how wrong it may be (standard deviation). It may come out
	// negative: seals and question, the same in every prompt, take up to a
	// third fewer tokens a byte than filler that looks like code does.
	priorOverhead, overheadError = 16, 128

	// Prompts of one size differ in their token counts: by tokenNoise times
	// the root of the count (words differ in how many tokens they make), and
	// never less than modelNoise of it (standard deviations).
	tokenNoise, modelNoise = 0.4, 0.001

	// spreadFloor is the least Spread, and firstSpread the least after one
	// observation: it may have been an odd one.
	spreadFloor, firstSpread = 0.001, 0.1

	// wellKnown is the number of observations from which on a count must
	// agree with the fit, and disagreement by how much it must not differ,
	// relative: see Observe.
	wellKnown, disagreement = 5, 0.25

	// quantile99 is how many standard deviations an interval of 99 % reaches.
	quantile99 = 2.576
)

// Prior is the calibration of a target that has not answered yet: four bytes a
// token, give or take a factor that covers one byte a token.
func Prior() Calibration {
	return Calibration{Overhead: priorOverhead, PerByte: priorPerByte, Spread: priorSpread}
}

// Observe returns c with one more observation: a prompt of so many bytes was
// counted as so many tokens. It fits by least squares on relative error; the
// overhead starts from a guess, so that one observation is enough and prompts
// of one size are no trouble.
//
// Usage can lie. These counts are left out, and c is returned as it is:
//
//   - at most 1 token;
//   - more than two tokens a byte, or less than one for 32 bytes, beside an
//     overhead of up to 8,192: no tokenizer does that to our text;
//   - once c has seen 5 observations, a count further from its prediction than
//     a quarter, and than three times its interval.
//
// So a target whose tokenizer has changed for good must start from Prior again.
func (c Calibration) Observe(bytes int64, tokens int) Calibration {
	if !c.credible(bytes, tokens) {
		return c
	}
	b, t := float64(bytes), float64(tokens)
	weight := 1 / (t * t * noise(t))
	for i, x := range [...]float64{1, b, b * b, t, b * t} {
		c.Sums[i] += weight * x
	}
	c.Squares += weight * t * t
	c.N++
	c.fit()
	return c
}

// credible reports whether a count is one to learn from.
func (c Calibration) credible(bytes int64, tokens int) bool {
	const overheadMax = 8192
	if bytes <= 0 || tokens <= 1 || int64(tokens) > 2*bytes+overheadMax || int64(tokens) < bytes/32 {
		return false
	}
	if c.N < wellKnown {
		return true
	}
	mid := c.predict(bytes)
	off := math.Abs(float64(tokens)-mid) / mid
	return off <= math.Max(disagreement, 3*c.halfWidth(bytes))
}

// noise is the relative variance of the token counts of prompts of one size.
func noise(tokens float64) float64 {
	return modelNoise*modelNoise + tokenNoise*tokenNoise/tokens
}

// fit solves the normal equations of
//
//	sum of weight * (overhead + perByte*bytes - tokens)²
//	+ ((overhead - priorOverhead) / overheadError)²  ->  least
//
// and derives the spread from the variance of perByte and from how well the
// observations agree with the fit, widened for being few as Student's t is. Two
// observations' worth of agreement are taken on trust.
func (c *Calibration) fit() {
	one, b, bb, t, bt := c.Sums[0], c.Sums[1], c.Sums[2], c.Sums[3], c.Sums[4]
	c.Overhead = (bb*(t+trust*priorOverhead) - b*bt) / c.determinant()
	c.PerByte = (bt - c.Overhead*b) / bb
	o, p := c.Overhead, c.PerByte

	residual := c.Squares + o*o*one + p*p*bb + 2*(o*p*b-o*t-p*bt)
	const trusted = 2
	freedom := c.N - 1 + trusted
	scale := (math.Max(residual, 0) + trusted) / float64(freedom)
	c.Spread = student99(freedom) * math.Sqrt(scale*c.longVariance())
	c.Spread = math.Min(math.Max(c.Spread, c.leastSpread()), priorSpread)
}

// trust is the weight of priorOverhead in the fit.
const trust = 1 / float64(overheadError*overheadError)

// determinant is that of the normal equations.
func (c Calibration) determinant() float64 {
	return (c.Sums[0]+trust)*c.Sums[2] - c.Sums[1]*c.Sums[1]
}

// variance is the relative variance of the prediction for so many bytes, up to
// the factor that says how well the observations agree: small near the sizes
// observed.
func (c Calibration) variance(bytes float64) float64 {
	fit := c.Sums[2] - 2*bytes*c.Sums[1] + bytes*bytes*(c.Sums[0]+trust)
	tokens := math.Max(c.Overhead+bytes*c.PerByte, 1)
	return modelNoise*modelNoise + math.Max(fit/c.determinant(), 0)/(tokens*tokens)
}

// longVariance is variance for a prompt without end.
func (c Calibration) longVariance() float64 {
	return modelNoise*modelNoise + (c.Sums[0]+trust)/c.determinant()/(c.PerByte*c.PerByte)
}

func (c Calibration) leastSpread() float64 {
	if c.N == 1 {
		return firstSpread
	}
	return spreadFloor
}

// student99 is the two-sided 99 % quantile of Student's t: the first terms of
// its expansion in 1/freedom about the normal quantile (Fisher and Cornish,
// 1960), which fall short of it by 2 % at 4 degrees of freedom and 9 % at 3.
func student99(freedom int) float64 {
	const z = quantile99
	v := float64(freedom)
	return z + (z*z*z+z)/(4*v) + (5*z*z*z*z*z+16*z*z*z+3*z)/(96*v*v)
}

func (c Calibration) predict(bytes int64) float64 {
	return math.Max(c.Overhead+float64(bytes)*c.PerByte, 1)
}

// halfWidth is the relative half-width of the interval around the prediction for
// so many bytes.
func (c Calibration) halfWidth(bytes int64) float64 {
	if c.N == 0 {
		return c.Spread
	}
	width := c.Spread
	if c.Sums[2] > 0 { // not a calibration that was given without its sums
		width *= math.Sqrt(c.variance(float64(bytes)) / c.longVariance())
	}
	return math.Max(width, c.leastSpread()) + quantile99*tokenNoise/math.Sqrt(c.predict(bytes))
}

// Tokens predicts the token count of a prompt of so many bytes: the lowest,
// the likeliest and the highest. The interval is symmetrical in ratio: with a
// half-width of w it reaches from mid/(1+w) to mid*(1+w). For long prompts w is
// the Spread. It is smaller near the sizes observed, if those were all short, and
// larger for short prompts by what differs from one to the next: 6 % at 300
// tokens, 1 % at 10,000.
func (c Calibration) Tokens(bytes int64) (low, mid, high int) {
	t := c.predict(max(bytes, 0))
	w := 1 + c.halfWidth(max(bytes, 0))
	return int(math.Floor(t / w)), int(math.Round(t)), int(math.Ceil(t * w))
}

// Bytes is the size of a prompt that is predicted to have so many tokens; 0 if
// the overhead alone is more.
func (c Calibration) Bytes(tokens int) int64 {
	if c.PerByte <= 0 {
		return 0
	}
	return int64(math.Max((float64(tokens)-c.Overhead)/c.PerByte, 0))
}

// sizeMargin is by how many standard deviations of a prompt's size Sentences
// stays below the size asked for.
const sizeMargin = 3

// Sentences is the number of filler sentences of the family that makes a
// prompt of spec's task, seals and dress about so many bytes long. It is at
// least 1 (above a shared prefix) and at most what a prompt can have, and so
// chosen that of a thousand prompts at most about one is larger than asked for:
// short ones are a few per cent smaller, long ones a few tenths of a per mille.
// The number in spec.Sentences does not matter. It is 1 for an unknown family.
func Sentences(spec Spec, bytes int64) int {
	f, err := familyOf(spec)
	if err != nil {
		return 1
	}
	// Solve n*mean + sizeMargin*deviation*√n = room for √n.
	room := math.Max(float64(bytes)-overheadBytes(spec), 0)
	mean, deviation := f.meanSentence(spec), math.Sqrt(f.variance)
	half := sizeMargin * deviation / (2 * mean)
	root := math.Sqrt(half*half+room/mean) - half
	n := int(root * root)
	return min(max(n, spec.shared()+1), MaxPages*f.pageSentences)
}

// EstimateBytes is the mean size of a prompt of spec over all keys; 0 for an
// unknown family.
func EstimateBytes(spec Spec) int64 {
	f, err := familyOf(spec)
	if err != nil {
		return 0
	}
	return int64(math.Round(overheadBytes(spec) + float64(spec.Sentences)*f.meanSentence(spec)))
}

// meanSentence is the mean size of a sentence, locators included if spec has
// them.
func (f *family) meanSentence(spec Spec) float64 {
	if spec.NoLocators {
		return f.mean
	}
	return f.describe().MeanBytes
}

// overheadBytes is the mean size of a prompt of spec without its filler.
func overheadBytes(spec Spec) float64 {
	// Mean sizes of the markers that package tenants mints.
	marker := 95 // 13 words of 6.4 letters and 12 spaces
	if spec.Dress == DressCode {
		marker = 30 // 26 symbols and 4 hyphens
	}
	size := len("\n") + len(question(spec))
	for number := range spec.Seals {
		size += len(markerLine(spec, number+1, "")) + marker
	}
	const fact = 57 // three names, two numbers of three digits, wording, line end
	return float64(size + fact*spec.Facts)
}

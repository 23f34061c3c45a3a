package corpus

// Calibration says how many tokens a target makes of our bytes. It is learnt
// from usage.prompt_tokens (or a tokenizer endpoint) and is one per target and
// family: tokens = Overhead + bytes * PerByte, with the relative half-width of
// the interval of the prediction.
type Calibration struct {
	// N counts the observations; 0 means the prior.
	N int `json:"n"`
	// Overhead is what the chat template adds, in tokens.
	Overhead float64 `json:"overhead"`
	// PerByte is tokens per byte of prompt.
	PerByte float64 `json:"per_byte"`
	// Spread is the relative half-width of the interval of a predicted
	// token count, e.g. 0.005 for half a per cent.
	Spread float64 `json:"spread"`
	// sums of the observations; see Observe.
	Sums [5]float64 `json:"sums"`
}

// Prior is the calibration of a target that has not answered yet: four bytes a
// token, give or take a factor that covers one byte a token.
func Prior() Calibration { panic("corpus") }

// Observe returns c with one more observation: a prompt of so many bytes was
// counted as so many tokens. It fits by least squares on relative error.
func (c Calibration) Observe(bytes int64, tokens int) Calibration { panic("corpus") }

// Tokens predicts the token count of a prompt of so many bytes: the lowest,
// the likeliest and the highest.
func (c Calibration) Tokens(bytes int64) (low, mid, high int) { panic("corpus") }

// Bytes is the size of a prompt that is predicted to have so many tokens.
func (c Calibration) Bytes(tokens int) int64 { panic("corpus") }

// Sentences is the number of filler sentences of the family that makes a
// prompt of spec's task, seals and dress about so many bytes long. It is at
// least 1.
func Sentences(spec Spec, bytes int64) int { panic("corpus") }

// EstimateBytes is the mean size of a prompt of spec over all keys.
func EstimateBytes(spec Spec) int64 { panic("corpus") }

// Package copymodel writes a language model whose weights are set by hand, so
// that a real inference engine can be tested without anyone's trained weights.
//
// The model copies: its answer is the most code-like word of its prompt (the
// word with most digits, the most recent of several), and then the end of the
// turn. It does so by attention alone, so the answer comes out of the engine's
// KV cache. If the engine loses, mixes or garbles that cache, the answer is lost
// or another's: which is what crosstalk looks for, in a real engine rather than
// in a simulator of one.
//
// It is a Llama of three layers, six heads of 128 and a residual of 256, over a
// vocabulary of the 256 bytes and six turn marks (a token is a byte), in F32;
// its feed-forward weights are zero.
//
//	layer 0  four heads look 1, 2, 3 and 4 places back, by RoPE phase, and copy
//	         what stands there: each position knows its last four bytes.
//	layer 1  four heads find the beginning of the current word and copy its
//	         first four bytes.
//	layer 2  on the first four positions of the answer, four heads fetch those
//	         bytes from the position with most digits around it; from then on an
//	         induction head continues by matching the last four bytes. Where the
//	         word ended in the prompt, it predicts the end of the turn.
//
// A second model (WriteSeals, seals.go) lists several phrases of many words in the
// order of their numbers. It takes two and a half times as long.
//
// What the first cannot do: follow instructions, list several codes, copy a phrase with
// spaces. Without a code in the prompt it babbles pieces of the prompt. Filler
// with more digits than the code wins over the code. Its hand-set weights are
// more sensitive to rounding of the cache than trained ones are.
package copymodel

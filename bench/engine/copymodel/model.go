package copymodel

import (
	"fmt"
	"io"
	"math"
)

// Context is the context length, in tokens, that the file says the model was
// made for.
const Context = 32768

// turn marks, behind the 256 bytes
const (
	tokBOS = 256 + iota
	tokEnd
	tokUser
	tokSystem
	tokAssistant
	tokTool
	vocabulary
)

func turnMarks() []string {
	return []string{"<|bos|>", "<|end|>", "<|user|>", "<|system|>", "<|assistant|>", "<|tool|>"}
}

const chatTemplate = `{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>
{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}`

// Write writes the model as a GGUF file of about 10 MB, the same bytes every
// time.
func Write(w io.Writer) error { return write(w, build(), heads, headWidth) }

// WriteSeals writes the model that answers the task seals, about 27 MB.
func WriteSeals(w io.Writer) error { return write(w, buildSeals(), sealHeads, sealHeadWidth) }

func write(w io.Writer, m model, heads, headWidth int) error {
	var h header
	architecture(&h, heads, headWidth)
	tokenizer(&h)
	ones := make([]float32, width)
	for i := range ones {
		ones[i] = 1
	}
	tensors := []tensor{
		{"token_embd.weight", []int{width, vocabulary}, m.embed.w},
		{"output_norm.weight", []int{width}, ones},
		{"output.weight", []int{width, vocabulary}, m.output.w},
	}
	for i, l := range m.layers {
		add := func(name string, data []float32, dims ...int) {
			tensors = append(tensors, tensor{fmt.Sprintf("blk.%d.%s.weight", i, name), dims, data})
		}
		add("attn_norm", ones, width)
		add("attn_q", l.q.w, width, heads*headWidth)
		add("attn_k", l.k.w, width, heads*headWidth)
		add("attn_v", l.v.w, width, heads*headWidth)
		add("attn_output", l.o.w, heads*headWidth, width)
		add("ffn_norm", ones, width)
		add("ffn_gate", make([]float32, width*forwardWidth), width, forwardWidth)
		add("ffn_up", make([]float32, width*forwardWidth), width, forwardWidth)
		add("ffn_down", make([]float32, width*forwardWidth), forwardWidth, width)
	}
	return writeGGUF(w, &h, tensors)
}

func architecture(h *header, heads, headWidth int) {
	h.setText("general.architecture", "llama")
	h.setText("general.name", "copycode-bytes")
	h.setUint32("general.file_type", 0) // all F32
	h.setUint32("llama.context_length", Context)
	h.setUint32("llama.embedding_length", width)
	h.setUint32("llama.block_count", depth)
	h.setUint32("llama.feed_forward_length", forwardWidth)
	h.setUint32("llama.attention.head_count", uint32(heads))
	h.setUint32("llama.attention.head_count_kv", uint32(heads))
	h.setUint32("llama.attention.key_length", uint32(headWidth))
	h.setUint32("llama.attention.value_length", uint32(headWidth))
	h.setFloat32("llama.attention.layer_norm_rms_epsilon", math.Float32bits(1e-6))
	h.setUint32("llama.rope.dimension_count", uint32(headWidth))
	h.setFloat32("llama.rope.freq_base", math.Float32bits(ropeBase))
	h.setUint32("llama.vocab_size", vocabulary)
}

func tokenizer(h *header) {
	const normal, control = 1, 3
	var tokens []string
	var kinds []int32
	for b := range 256 {
		tokens, kinds = append(tokens, byteToken(byte(b))), append(kinds, normal)
	}
	for _, t := range turnMarks() {
		tokens, kinds = append(tokens, t), append(kinds, control)
	}
	h.setText("tokenizer.ggml.model", "gpt2")
	h.setText("tokenizer.ggml.pre", "gpt-2")
	h.setTexts("tokenizer.ggml.tokens", tokens)
	h.setInt32s("tokenizer.ggml.token_type", kinds)
	// One merge, of two bytes that no text holds: a list is required.
	h.setTexts("tokenizer.ggml.merges", []string{byteToken(0) + " " + byteToken(1)})
	h.setUint32("tokenizer.ggml.bos_token_id", tokBOS)
	h.setUint32("tokenizer.ggml.eos_token_id", tokEnd)
	h.setTrue("tokenizer.ggml.add_bos_token")
	h.setText("tokenizer.chat_template", chatTemplate)
}

// byteToken is the printable name that GPT-2's vocabulary gives a byte: itself
// if it is printable in Latin-1, else a letter from U+0100 on, in order.
func byteToken(b byte) string {
	printable := func(c int) bool { return c >= '!' && c <= '~' || c >= 0xA1 && c != 0xAD }
	if printable(int(b)) {
		return string(rune(b))
	}
	n := 0
	for c := range int(b) {
		if !printable(c) {
			n++
		}
	}
	return string(rune(256 + n))
}

package preflight

import (
	"strings"
	"testing"
)

// BenchmarkRead reads texts that are hard on parsers: the time must grow with
// their length and no faster.
func BenchmarkRead(b *testing.B) {
	for name, text := range map[string]string{
		"block scalars": strings.Repeat("a: |\n", 1<<15),
		"colons":        strings.Repeat("a: ", 1<<15),
		"brackets":      strings.Repeat("[", 1<<17),
		"one word":      strings.Repeat("x", 1<<17),
		"flags":         "vllm " + strings.Repeat("--max-model-len 5 ", 1<<13),
		"metrics":       strings.Repeat("vllm:a{x=\"y\"} 1\n", 1<<13),
		"slots":         "[" + strings.Repeat(`{"n_ctx":5},`, 1<<14) + "{}]",
	} {
		b.Run(name, func(b *testing.B) {
			body := []byte(text)
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				(&Node{}).Read("f", body)
			}
		})
	}
}

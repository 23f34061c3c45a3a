package probes

import "testing"

func TestLengthBand(t *testing.T) {
	const m = 1 << 20
	tests := []struct {
		tokens, window int
		want           string
	}{
		{0, m, "<=4k"},
		{4096, m, "<=4k"},
		{4097, m, "<=32k"},
		{32768, m, "<=32k"},
		{32769, m, "<=128k"},
		{131072, m, "<=128k"},
		{131073, m, "<=256k"},
		{262144, m, "<=256k"},
		{262145, m, "<=512k"},
		{524288, m, "<=512k"},
		{524289, m, ">512k"},
		{917504, m, ">512k"},
		{917505, m, "window"},
		{m, m, "window"},
		{m + 1, m, "over"},
		{1792, 2048, "<=4k"},
		{1793, 2048, "window"},
		{2049, 2048, "over"},
		{100_000, 0, "<=128k"},
		{10_000_000, 0, ">512k"},
	}
	for _, tt := range tests {
		if got := LengthBand(tt.tokens, tt.window); got != tt.want {
			t.Errorf("LengthBand(%d, %d) = %q, want %q", tt.tokens, tt.window, got, tt.want)
		}
	}
}

func TestConcurrencyBand(t *testing.T) {
	tests := map[int]string{1: "1", 2: "2-8", 8: "2-8", 9: "9-32", 32: "9-32", 33: "33+", 64: "33+"}
	for n, want := range tests {
		if got := ConcurrencyBand(n); got != want {
			t.Errorf("ConcurrencyBand(%d) = %q, want %q", n, got, want)
		}
	}
}

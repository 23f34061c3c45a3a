package config

import "testing"

func TestNearest(t *testing.T) {
	words := []string{"base_url", "model", "window", "max_output"}
	tests := map[string]string{
		"base_ur": "base_url", "baseurl": "base_url", "modle": "model", "windwo": "window",
		"max_tokens": "", "": "", "x": "", "max-output": "max_output",
	}
	for in, want := range tests {
		if got := nearest(in, words); got != want {
			t.Errorf("nearest(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestEdits(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"abc", "abc", 0}, {"ab", "ba", 2}}
	for _, tt := range tests {
		if got := edits(tt.a, tt.b); got != tt.want {
			t.Errorf("edits(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

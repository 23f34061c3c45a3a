package words

import (
	"testing"
	"unicode"
)

// TestFastPathsAgree compares the short cuts with the full algorithm for every
// rune that takes them.
func TestFastPathsAgree(t *testing.T) {
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if !foldsAlone(r) {
			continue
		}
		if !unicode.IsLetter(r) {
			t.Errorf("%U folds alone but is no letter", r)
		}
		if got, want := string(lower(r)), foldFully([]byte(string(r))); got != want {
			t.Errorf("%U folds alone to %q, fully to %q", r, got, want)
		}
	}
	for _, r := range []rune{'あ', 'ア', '字', '鿿', '가', '힣', 'é'} {
		var want script
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			want = scriptIdeographic
		case unicode.Is(unicode.Hangul, r):
			want = scriptHangul
		}
		if got := scriptOf(r); got != want {
			t.Errorf("script of %q is %d, want %d", r, got, want)
		}
	}
}

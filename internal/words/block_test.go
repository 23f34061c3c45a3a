package words

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestBlockAt compares a block with what its bytes are one by one.
func TestBlockAt(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		text := make([]byte, 3+BlockSize)
		for i := range text {
			text[i] = byte(rng.Uint32())
		}
		b := BlockAt(string(text), 3)
		for i := range BlockSize {
			class := classes[text[3+i]]
			for name, bit := range map[string]bool{
				"letters": class&(classLower|classUpper) != 0 == (b.Letters>>i&1 != 0),
				"digits":  class&classDigit != 0 == (b.Digits>>i&1 != 0),
				"high":    class&classHigh != 0 == (b.High>>i&1 != 0),
			} {
				if !bit {
					t.Fatalf("byte %#x at %d: %s are wrong", text[3+i], i, name)
				}
			}
		}
	}
}

// TestDisguises compares the disguise of each rune with what folding does to it:
// one that is said to hide nothing must keep a word from being read as ASCII.
func TestDisguises(t *testing.T) {
	none := 0
	for r := rune(utf8.RuneSelf); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		d := disguiseOf(r)
		if d == disguiseNone {
			none++
		}
		kind, worst := kindOf(r), d
		if l := leads[string(r)[0]]; l.size > 0 {
			worst = min(worst, l.disguise)
			if int(l.size) != utf8.RuneLen(r) {
				t.Errorf("%U has not the length that its first byte says", r)
			}
		}
		switch {
		case isHyphen(r) && worst != disguiseAlways:
			t.Errorf("%U is a hyphen, disguise %d", r, worst)
		case (kind == kindMark || kind == kindFormat) && worst == disguiseNone:
			t.Errorf("%U is dropped from words, disguise %d", r, worst)
		case kind == kindWord && worst != disguiseAlways && foldsToASCII(r):
			t.Errorf("%U folds to ASCII, disguise %d", r, worst)
		}
	}
	if none < 30_000 {
		t.Errorf("%d runes hide nothing: hardly any", none)
	}
}

// foldsToASCII reports whether folding makes ASCII of a letter, or drops it behind
// one of ASCII.
func foldsToASCII(r rune) bool {
	ascii := func(r rune) bool { return r < utf8.RuneSelf }
	return strings.ContainsFunc(foldFully([]byte(string(r))), ascii) || len(foldFully([]byte("j"+string(r)))) == 1
}

func TestDisguised(t *testing.T) {
	pad := strings.Repeat(".", BlockSize)
	for _, test := range []struct {
		text string
		want int // byte of the text, -1 for none
	}{
		{"Смотритель склада, 1980 год", -1},
		{"он купил2 jazz", 13},
		{"使用API接口，2026年", -1},
		{"“It’s…” — naïve café, 30 °C", -1},
		{"a\u0332", 1},
		{"\u200b a", -1},
		{"ja\u200bzz", 2},
		{"ｊａｚｚ", 0},
		{"graß", 3},
		{"har\u00ad\nbour", 3},
		{"a\xff1 \xe5jazz", -1},
		{"aạ1", 1},
		{"a〆1", 1},
		{"a字1", -1},
		{"\xe5\xf0\x9d\x90\xa3", 1},
	} {
		want := test.want
		if want < 0 {
			want = BlockSize
		}
		if got := BlockAt(test.text+pad, 0).Disguised(test.text+pad, 0); got != want {
			t.Errorf("%q: %d, want %d", test.text, got, want)
		}
	}
}

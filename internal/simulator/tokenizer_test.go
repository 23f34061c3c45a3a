package simulator

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTokenise(t *testing.T) {
	tests := []struct{ text, want string }{
		{"The river is wide.", "The| river| is| wide|."},
		{"Extraordinarily incomprehensible words", "Extra|ordin|arily| inco|mprehe|nsible| words"},
		{"code K7Q2-M4XZ-90871", "code| K|7|Q|2|-|M|4|XZ|-|908|71"},
		{"a  b\n\n\nc\td", "a| | b|\n\n\n|c|\t|d"},
		{"    return x", "   | re|turn| x"},
		{"---- ====!!", "----| ====|!!"},
		{"café Größe", "café| Grö|ße"},
		{"东京 is 大", "东|京| is| |大"},
		{"seal 3: amber", "seal| |3|:| amber"},
		{"ok 😊!", "ok| |😊|!"},
		{"HTTP getUserName", "HT|TP| get|User|Name"},
		{"", ""},
	}
	for _, tt := range tests {
		if got := strings.Join(tokenise(tt.text, TokenizerWords), "|"); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
	if got := len(tokenise("日本", TokenizerBytes)); got != 6 {
		t.Errorf("bytes: %d tokens", got)
	}
}

// english is a sample of ordinary English.
func english(t testing.TB) string {
	t.Helper()
	data, err := strangerData.ReadFile("data/life.txt")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestBytesPerToken(t *testing.T) {
	text := strings.Repeat("The committee will meet again on Thursday to discuss the remaining questions about the new library building, which has been delayed for several months because of the weather and because nobody could agree on the colour of the roof.\n", 20)
	if ratio := float64(len(text)) / float64(CountTokens(text, TokenizerWords)); ratio < 4.3 || ratio > 5.2 {
		t.Errorf("%.2f bytes a token", ratio)
	}
	words, pieces := CountTokens(text, TokenizerWords), CountTokens(text, TokenizerPieces)
	if more := float64(pieces) / float64(words); more < 1.15 || more > 1.5 {
		t.Errorf("the smaller vocabulary counts %.2f times as many tokens", more)
	}
}

// However a text is cut into writes, its tokens and pages are the same.
func FuzzDraft(f *testing.F) {
	f.Add("The river is wide, 东京 and 12345 extraordinary words\n\n  x", uint8(3))
	f.Add(strings.Repeat("seal 1: amber basket \xff\xfe é", 40), uint8(7))
	f.Fuzz(func(t *testing.T, text string, step uint8) {
		whole := newDraft(TokenizerWords, 1<<16, 0)
		whole.write(text)
		whole.flush()
		cut := newDraft(TokenizerWords, 1<<16, 0)
		for rest := text; rest != ""; {
			n := min(int(step)+1, len(rest))
			cut.write(rest[:n])
			rest = rest[n:]
		}
		cut.flush()
		if !cmp.Equal(whole.ends, cut.ends) || whole.tokens != cut.tokens || string(whole.text) != string(cut.text) {
			t.Fatalf("%q in steps of %d: %d tokens %v, want %d %v", text, step+1, cut.tokens, cut.ends, whole.tokens, whole.ends)
		}
		var pages strings.Builder
		count := 0
		for i := range whole.pages() {
			part, tokens := whole.page(i)
			pages.Write(part)
			count += tokens
		}
		if pages.String() != text || count != whole.tokens {
			t.Fatalf("pages hold %q (%d tokens), want %q (%d)", pages.String(), count, text, whole.tokens)
		}
		if joined := strings.Join(tokenise(text, TokenizerWords), ""); joined != text {
			t.Fatalf("tokens join to %q, want %q", joined, text)
		}
	})
}

// Beyond the limit tokens are counted and forgotten.
func TestDraftLimit(t *testing.T) {
	text := strings.Repeat("river stone morning ", 1000)
	d := newDraft(TokenizerWords, 640, 0)
	for _, part := range strings.SplitAfter(text, "stone") {
		d.write(part)
	}
	d.flush()
	if d.tokens != CountTokens(text, TokenizerWords) || d.pages() != 10 || len(d.text) > 5000 {
		t.Errorf("%d tokens, %d pages, %d bytes", d.tokens, d.pages(), len(d.text))
	}
}

func BenchmarkTokenizer(b *testing.B) {
	text := english(b)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		CountTokens(text, TokenizerWords)
	}
}

package words_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crosstalk/internal/words"
)

func texts(ws []words.Word) string {
	var out []string
	for _, w := range ws {
		out = append(out, w.Text)
	}
	return strings.Join(out, " ")
}

func TestScanFolds(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", ""},
		{"separators only", " \n\t--- ***", ""},
		{"case", "Jazz LUXURY tRuth", "jazz luxury truth"},
		{"punctuation", "jazz,luxury;truth.", "jazz luxury truth"},
		{"apostrophe", "isn't isn’t", "isn t isn t"},
		{"markdown", "- **jazz** _luxury_ `truth`\n* ~~pony~~ # grape", "jazz luxury truth pony grape"},
		{"numbering", "1. jazz\n2) luxury", "1 jazz 2 luxury"},
		{"json", `["jazz","luxury"]`, "jazz luxury"},
		{"digits stay with letters", "7k2m9-abc12", "7k2m9 abc12"},
		{"zero width", "ja\u200bzz lux\u200dury\u2060 \ufefftruth", "jazz luxury truth"},
		{"soft hyphen", "lux\u00adury", "luxury"},
		{"combining underline", "j\u0332a\u0332z\u0332z\u0332", "jazz"},
		{"combining strike", "ja\u0336zz", "jazz"},
		{"accent composes", "cafe\u0301 café CAFÉ", "café café café"},
		{"full width", "ｊａｚｚ ＬＵＸ", "jazz lux"},
		{"mathematical bold", "𝐣𝐚𝐳𝐳", "jazz"},
		{"ligatures", "ﬁsh aﬀair", "fish affair"},
		{"sharp s", "Straße STRASSE", "strasse strasse"},
		{"sigma", "ΟΔΟΣ οδος", "οδοσ οδοσ"},
		{"dotted capital i", "İstanbul", "istanbul"},
		{"cyrillic", "Привет, МИР", "привет мир"},
		{"devanagari is one word each", "नमस्ते दुनिया", "नमसत दनय"},
		{"han", "答案是:印章", "答案是 印章"},
		{"han next to latin", "答案是jazz luxury的", "答案是 jazz luxury 的"},
		{"hangul particle", "jazz는 luxury입니다", "jazz 는 luxury 입니다"},
		{"kana", "コード", "コード"},
		{"thai", "รหัสjazz", "รหส jazz"},
		{"fraction", "½ cup", "12 cup"},
		{"broken utf-8", "ja\xffzz \xc3", "ja zz"},
		{"lone mark", "\u0301 x", "x"},
		{"curly quotes", "“jazz”—luxury…", "jazz luxury"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, texts(words.Scan(tt.text))); diff != "" {
				t.Errorf("Scan(%q) (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestScanHyphenation(t *testing.T) {
	tests := []struct{ name, text, want, parts string }{
		{"joins", "the har-\nbour master", "the harbour master", "har bour"},
		{"carriage return", "har-\r\nbour", "harbour", "har bour"},
		{"trailing space and indent", "har- \n    bour", "harbour", "har bour"},
		{"quoted mail", "> har-\n> bour", "harbour", "har bour"},
		{"unicode hyphen", "har‐\nbour", "harbour", "har bour"},
		{"soft hyphen", "har\u00ad\nbour", "harbour", "har bour"},
		{"capital before", "Har-\nbour", "harbour", "har bour"},
		{"twice", "a-\nb-\nc", "abc", "a b c"},
		{"accented", "é-\nà", "éà", "é à"},
		{"capital after", "Jean-\nPaul", "jean paul", ""},
		{"digit before", "4-\nfold", "4 fold", ""},
		{"within a line", "well-known", "well known", ""},
		{"dash", "word--\nnext", "word next", ""},
		{"bullet", "word\n- next", "word next", ""},
		{"empty line between", "har-\n\nbour", "har bour", ""},
		{"end of text", "har-\n", "har", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := words.Scan(tt.text)
			if diff := cmp.Diff(tt.want, texts(got)); diff != "" {
				t.Errorf("Scan(%q) (-want +got):\n%s", tt.text, diff)
			}
			parts := ""
			for _, w := range got {
				for _, p := range words.Parts(tt.text, w) {
					parts += " " + strings.ToLower(tt.text[p.Start:p.End])
				}
			}
			if diff := cmp.Diff(tt.parts, strings.TrimSpace(parts)); diff != "" {
				t.Errorf("Parts of %q (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestScanOffsets(t *testing.T) {
	text := "· Ja\u200bzz, har-\nbour ｊ!\u0332"
	var got []string
	for _, w := range words.Scan(text) {
		got = append(got, w.Text+"="+text[w.Start:w.End])
	}
	want := []string{"jazz=Ja\u200bzz", "harbour=har-\nbour", "j=ｊ"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("words and what they were read from (-want +got):\n%s", diff)
	}
}

func TestAppendKeepsWhatIsThere(t *testing.T) {
	dst := words.Append(nil, "one")
	dst = words.Append(dst, "two")
	if got, want := texts(dst), "one two"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFoldAgreesWithScan(t *testing.T) {
	text := "  The *Har-\nbour* of ΟΔΟΣ. "
	if got, want := words.Fold(text), "the harbour of οδοσ"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCapitalsAcrossChunks(t *testing.T) {
	text := strings.Repeat("Jazz LUXURY truth ", 2000)
	want := strings.Fields(strings.ToLower(text))
	for i, w := range words.Scan(text) {
		if w.Text != want[i] {
			t.Fatalf("word %d is %q, want %q", i, w.Text, want[i])
		}
	}
}

func TestNewScannerAt(t *testing.T) {
	text := "one two three"
	s := words.NewScannerAt(text, 4)
	w, _ := s.Next()
	if diff := cmp.Diff(words.Word{Text: "two", Start: 4, End: 7}, w); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMixed(t *testing.T) {
	s := words.NewScanner("jazz 7k2 Luxury 42 4T été ｊ１ ½ ４ é4")
	var got []bool
	for {
		if _, ok := s.Next(); !ok {
			break
		}
		got = append(got, s.Mixed())
	}
	if diff := cmp.Diff([]bool{false, true, false, false, true, false, true, false, false, false}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCount(t *testing.T) {
	tests := []struct {
		text string
		want int
	}{
		{"", 0},
		{"one two, three.", 3},
		{"答案", 1},
		{"答案是印章", 3},
		{"答案是 jazz luxury", 4},
		{"ひらがなカタカナ", 4},
		{"안녕하세요 세계", 2},
		{"нет да", 2},
		{"กขคงจฉชซ", 2},
	}
	for _, tt := range tests {
		if got := words.Count(tt.text); got != tt.want {
			t.Errorf("Count(%q) = %d, want %d", tt.text, got, tt.want)
		}
	}
}

// FuzzScan checks what must hold for any text: words are in order, do not
// overlap, are not empty, and are read the same when they stand alone.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{"Jazz luxury", "har-\nbour", "ｊａ\u200bzz", "答案是jazz", "½", "ja\xffzz", "a\u0301b", "ß-\nß"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, w := range words.Scan(text) {
			if w.Start < end || w.End <= w.Start || w.End > len(text) || w.Text == "" {
				t.Fatalf("word %+v in %q after offset %d", w, text, end)
			}
			end = w.End
			alone := words.Scan(text[w.Start:w.End])
			if len(alone) != 1 || alone[0].Text != w.Text {
				t.Fatalf("%q was read as %q, alone as %q", text[w.Start:w.End], w.Text, texts(alone))
			}
		}
	})
}

// randomProse is text whose word lengths a processor cannot learn.
func randomProse(n int) string {
	lexicon := strings.Fields("the of and a to in is that it was for on are as with his they at be this have from or had by keeper northern store figures station record window answer between country important children")
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		word := lexicon[rng.IntN(len(lexicon))]
		if i%15 == 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		b.WriteString(word)
		b.WriteString([]string{" ", " ", " ", " ", ", ", ".\n"}[rng.IntN(6)])
	}
	return b.String()
}

func BenchmarkScan(b *testing.B) {
	prose := randomProse(1 << 20)
	for _, bm := range []struct{ name, text string }{
		{"prose", prose},
		{"capitals", strings.ToUpper(prose)},
		{"cyrillic", strings.Repeat("Смотритель северного склада записал итоги дня и закрыл книгу. ", 4000)},
		{"han", strings.Repeat("北方仓库的管理员记下了当天的数字，然后合上了账本。", 4000)},
		{"markup", strings.Repeat("* **The** _keeper_ of\u200b the `store`\n", 8000)},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(bm.text)))
			var dst []words.Word
			for b.Loop() {
				dst = words.Append(dst[:0], bm.text)
			}
		})
	}
}

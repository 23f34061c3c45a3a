package checks

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// formRules are the rules that look at a text alone.
func formRules() map[string]func(formText) []flaw {
	return map[string]func(formText) []flaw{
		"repetition": repetitionFlaws,
		"script":     scriptFlaws,
		"encoding":   encodingFlaws,
		"markup":     markupFlaws,
	}
}

// hostileTexts are half a megabyte each and made to send a careless rule back over
// what it has seen.
func hostileTexts() map[string]string {
	const size = 1 << 19
	fill := func(unit string) string { return strings.Repeat(unit, size/len(unit)+1)[:size] }
	return map[string]string{
		"one character": fill("a"),
		"one blank":     fill(" "),
		"brackets":      fill("<"),
		"names":         fill("the <pad> token "),
		"back-ticks":    fill("`<pad>"),
		"fences":        fill("```<unk>"),
		"one line":      strings.Repeat("x", size-12) + "<|im_end|>  ",
		"thue morse":    thueMorse(size),
		"near squares":  fill(strings.Repeat("a", 40) + "b" + strings.Repeat("a", 41) + "c"),
		"two letters":   fill("ab"),
		"scripts":       fill("aя日ب "),
		"misread":       fill("Ã©â€™"),
		"not utf-8":     fill("\xff\xc3"),
		"labels":        fill("Human: a\nAssistant: b\n"),
	}
}

// thueMorse is a text without three copies of anything in a row.
func thueMorse(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = 'a'
		for k := i; k > 0; k &= k - 1 {
			b[i] ^= 'a' ^ 'b'
		}
	}
	return string(b)
}

// TestFormRulesAreLinear runs every rule over texts that take a quadratic rule
// hours.
func TestFormRulesAreLinear(t *testing.T) {
	t.Parallel()
	for name, text := range hostileTexts() {
		for rule, flaws := range formRules() {
			for _, strict := range []bool{false, true} {
				checkFlaws(t, name+" "+rule, text, flaws(formText{text: text, channel: ChannelContent, strict: strict}))
			}
			long := strings.Repeat(text, 4)
			checkFlaws(t, "long "+name+" "+rule, long, formText{text: long, channel: ChannelContent}.flaws(flaws))
		}
		restartIn(text)
		longestBlank(text, maxBlankRun, maxLineFeeds)
	}
}

func checkFlaws(t *testing.T, name, text string, flaws []flaw) {
	t.Helper()
	for _, f := range flaws {
		if f.kind == "" || f.detail == "" || f.start < 0 || f.end > len(text) || f.start > f.end {
			t.Errorf("%s: flaw %+v of a text of %d bytes", name, f, len(text))
		}
	}
}

func FuzzFormRules(f *testing.F) {
	for _, s := range []string{
		"", "plain words", strings.Repeat("!", 40), strings.Repeat("over and out ", 9),
		"then สวัสดี check", "cafÃ©", "\ufffda", "a<|im_end|>", "assistantfinal", "a\xff\xfe", "<＜[<",
		"Sure!ĠHereĠisĠit", "x" + strings.Repeat(" \n\t", 50),
	} {
		f.Add(s, "1: lake stone", true)
		f.Add(s, "", false)
	}
	// As long as a client reads: the rules look at windows of it.
	f.Add(strings.Repeat("over and out ", 2*maxRead/13), "", true)
	f.Fuzz(func(t *testing.T, text, given string, strict bool) {
		for name, rule := range formRules() {
			for _, c := range formChannels() {
				flaws := formText{text: text, channel: c, strict: strict, given: given}.flaws(rule)
				checkFlaws(t, name, text, flaws)
				for _, f := range flaws {
					if quotesText(f.detail, text[f.start:f.end]) {
						t.Errorf("%s: detail %q quotes the text", name, f.detail)
					}
				}
			}
		}
		for _, l := range findLoops(text) {
			if l.end-l.start < minLoop || text[l.start+l.period:l.end] != text[l.start:l.end-l.period] {
				t.Errorf("no loop: %+v", l)
			}
		}
		if k := restartIn(text); k > 0 && text[k:2*k] != text[:k] {
			t.Errorf("no restart at %d", k)
		}
		start, end := longestBlank(text, 8, 2)
		if strings.TrimSpace(text[start:end]) != "" {
			t.Errorf("not blank: %q", text[start:end])
		}
	})
}

// quotesText reports whether a detail holds what it speaks of. Passages short
// enough to be there by chance are left out.
func quotesText(detail, passage string) bool {
	return utf8.RuneCountInString(passage) >= 12 && strings.Contains(detail, passage)
}

func BenchmarkFormRules(b *testing.B) {
	text := cleanText()
	for name, rule := range formRules() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				rule(formText{text: text, channel: ChannelContent})
			}
		})
	}
}

func BenchmarkFormRulesHostile(b *testing.B) {
	for name, text := range hostileTexts() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for _, rule := range formRules() {
					rule(formText{text: text, channel: ChannelContent, strict: true})
				}
			}
		})
	}
}

// cleanText is 256 KiB of running text in a small vocabulary.
func cleanText() string {
	vocabulary := strings.Fields(`the harbour was quiet that evening and nobody on the pier
		expected a boat so late in the year because ice had closed most of the northern
		bay while farmers from inland villages brought their last apples to market`)
	var b strings.Builder
	for seed := uint32(1); b.Len() < 256<<10; {
		seed = seed*1664525 + 1013904223
		b.WriteString(vocabulary[int(seed>>16)%len(vocabulary)])
		if seed>>28 == 0 {
			b.WriteByte('.')
		}
		b.WriteByte(' ')
	}
	return b.String()
}

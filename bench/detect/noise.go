package detect

import (
	"fmt"
	"slices"
	"strings"
)

// constantRows are class A: one token for ever.
func constantRows() []transform {
	const class = "A constant token"
	return []transform{
		{class: class, name: "a sign from the start", want: damaged, kinds: []string{"repetition/run", "repetition/cycle"}, bar: known, change: content(func(s *sound, _ string) string {
			return strings.Repeat(pick(s.r, "!", "@", "<", "?", "/", "G", "0", "的"), 31+s.r.IntN(2000))
		})},
		{class: class, name: "a sign behind a good head", want: damaged, kinds: []string{"repetition/run", "repetition/cycle"}, bar: known, change: content(func(s *sound, text string) string {
			return s.head(text) + strings.Repeat(pick(s.r, "!", "@", "<", "?", "/", "G"), 31+s.r.IntN(2000))
		})},
		{class: class, name: "a word", want: damaged, kinds: []string{"repetition/cycle", "repetition/run"}, bar: known, change: content(func(s *sound, text string) string {
			return pick(s.r, "", s.head(text)) + strings.Repeat(pick(s.r, " the", " of", " который", " end", "\nthe"), 30+s.r.IntN(300))
		})},
		{class: class, name: "a special token", want: damaged, kinds: []string{"markup/vocabulary", "markup/template", "repetition/cycle"}, bar: known, change: content(func(s *sound, text string) string {
			return pick(s.r, "", s.head(text)) + strings.Repeat(pick(s.r, "<unused49>", "<pad>", "<mask>", "<|endoftext|>"), 12+s.r.IntN(100))
		})},
		{class: class, name: "in the reasoning", want: damaged, bar: known, kinds: []string{"repetition/run", "repetition/cycle"}, change: func(s *sound) {
			s.reply.Reasoning = "The user wants the seals. " + strings.Repeat("!", 31+s.r.IntN(2000))
			s.reply.Content, s.reply.FinishReason = "", "stop"
		}},
	}
}

// loopRows are class B: cycles and near-loops.
func loopRows() []transform {
	const class = "B repetition loop"
	kinds := []string{"repetition/cycle", "repetition/near_loop", "repetition/vocabulary"}
	return []transform{
		{class: class, name: "own words after a head", want: damaged, kinds: kinds, bar: known, change: content(func(s *sound, text string) string {
			head := s.head(text)
			words := strings.Fields(head)
			words = words[max(0, len(words)-3-s.r.IntN(20)):]
			return head + strings.Repeat(" "+strings.Join(words, " "), 4+s.r.IntN(60))
		})},
		{class: class, name: "a phrase", want: damaged, kinds: kinds, bar: known, change: content(func(s *sound, text string) string {
			return s.head(text) + strings.Repeat(pick(s.r, " and so on", " the end of the", " of the configuration", "\nI am sorry, I", "-REF"), 12+s.r.IntN(300))
		})},
		{class: class, name: "a block of 20 to 50 lines", want: damaged, kinds: kinds, bar: known, change: content(func(s *sound, text string) string {
			block := s.prose(20 + s.r.IntN(30))
			return s.head(text) + "\n" + strings.Repeat(block, 3+s.r.IntN(8))
		})},
		{class: class, name: "near loop", want: spoilt, bar: known, change: content(func(s *sound, text string) string {
			var b strings.Builder
			b.WriteString(s.head(text) + "\n")
			for range 80 + s.r.IntN(200) {
				b.WriteString(pick(s.r, "Over. ", "HALT. ", "Close. ", "I close now. ", "Stop. ", "Over and out. ", "Quit. ", "I quit. ", "Finish. "))
			}
			return b.String()
		})},
		{class: class, name: "the whole answer again and again", want: damaged, bar: known, change: content(func(s *sound, text string) string {
			return strings.TrimSpace(strings.Repeat(text+"\n", 4+s.r.IntN(10)))
		})},
	}
}

// prose is so many lines of the own prompt's filler, without seals.
func (s *sound) prose(n int) string {
	lines := slices.DeleteFunc(strings.Split(s.own.text, "\n"), func(l string) bool {
		return strings.HasPrefix(l, "seal ") || strings.TrimSpace(l) == ""
	})
	var b strings.Builder
	at := s.r.IntN(len(lines))
	for i := range n {
		fmt.Fprintln(&b, lines[(at+i)%len(lines)])
	}
	return b.String()
}

// alphabets are letters that a sampler with a fault strews into answers.
func alphabets() []string {
	return []string{"山川田中大小上下日月", "あいうえおかきくけこ", "абвгдежзиклмн", "ابتثجحخدذر", "กขคงจฉชซฌญ", "가나다라마바사아자차", "अआइईउऊएऐओक", "აბგდევზთიკ"}
}

// scriptRows are class C: letters and words from the whole vocabulary.
func scriptRows() []transform {
	const class = "C token soup, wrong script"
	return []transform{
		{class: class, name: "one foreign letter", want: damaged, bar: known, change: content(func(s *sound, text string) string {
			letters := []rune(pick(s.r, alphabets()...))
			at := s.r.IntN(len(text))
			return text[:at] + string(pick(s.r, letters...)) + text[at:]
		})},
		{class: class, name: "foreign letters strewn in", want: damaged, bar: known, change: content(func(s *sound, text string) string {
			letters := []rune(pick(s.r, alphabets()...))
			for range 10 + s.r.IntN(21) {
				at := s.r.IntN(len(text))
				for at > 0 && text[at]&0xC0 == 0x80 {
					at--
				}
				var token strings.Builder
				for range 1 + s.r.IntN(4) {
					token.WriteRune(pick(s.r, letters...))
				}
				text = text[:at] + token.String() + text[at:]
			}
			return text
		})},
		{class: class, name: "salad of scripts", want: spoilt, bar: known, change: content(func(s *sound, text string) string {
			var words []string
			for range 30 + s.r.IntN(100) {
				words = append(words, pick(s.r, "der", "apples", "the", "value", "ouvrir", "7", "quant", string([]rune(pick(s.r, alphabets()...))[:1+s.r.IntN(4)])))
			}
			return pick(s.r, "", s.head(text)+" ") + strings.Join(words, " ")
		})},
		{class: class, name: "function words", want: spoilt, bar: known, change: content(func(s *sound, _ string) string {
			var words []string
			for range 60 + s.r.IntN(200) {
				words = append(words, pick(s.r, "the", "of", "and", "to", "in", "a", ",", ".", "of the"))
			}
			return strings.Join(words, " ")
		})},
		{class: class, name: "digits and signs behind a head", want: damaged, bar: known, change: content(func(s *sound, text string) string {
			var b strings.Builder
			for range 80 + s.r.IntN(300) {
				b.WriteString(pick(s.r, "0", "1", "2", "4", "7", ",", ".", "\n", "k"))
			}
			return s.head(text) + b.String()
		})},
		{class: class, name: "two words of a seal changed for others", want: damaged, bar: known, change: content(func(s *sound, text string) string {
			return s.replaceWords(text, 2)
		})},
	}
}

// replaceWords changes words of the answer for words of nobody's.
func (s *sound) replaceWords(text string, n int) string {
	fields := strings.SplitAfter(text, " ")
	for range n {
		i := 1 + s.r.IntN(len(fields)-1)
		fields[i] = pick(s.r, "lantern", "plinth", "quarter", "wobble", "zxor") + strings.TrimLeft(fields[i], "abcdefghijklmnopqrstuvwxyz0123456789-")
	}
	return strings.Join(fields, "")
}

// blankRows are class K: blanks without end, under a grammar or not.
func blankRows() []transform {
	const class = "K whitespace loop"
	kinds := []string{"empty/blank", "empty/thin", "empty/empty"}
	blanks := func(s *sound) string {
		return strings.Repeat(pick(s.r, " ", "\n", "\t\n", " \n\t"), 200+s.r.IntN(8000))
	}
	return []transform{
		{class: class, name: "behind a cut object", want: spoilt, kinds: kinds, bar: known, change: func(s *sound) {
			s.reply.Content = `{"seals": [{"n": 1, "text": "` + s.seal(s.own) + `"}` + blanks(s)
			s.reply.FinishReason = "length"
		}},
		{class: class, name: "behind the right answer", want: damaged, kinds: kinds, bar: known, change: content(func(s *sound, text string) string {
			return text + blanks(s)
		})},
		{class: class, name: "inside the answer", want: damaged, kinds: kinds, bar: known, change: content(func(s *sound, text string) string {
			head := s.head(text)
			return head + blanks(s) + text[len(head):]
		})},
		{class: class, name: "and numbers", want: spoilt, kinds: kinds, bar: known, change: content(func(s *sound, _ string) string {
			var b strings.Builder
			for i := range 20 + s.r.IntN(40) {
				fmt.Fprintf(&b, " %d.%s", i+1, strings.Repeat("\n", 30+s.r.IntN(30)))
			}
			return b.String()
		})},
	}
}

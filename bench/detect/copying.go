package detect

import (
	"strings"
)

// copyRows are class D: one wrong token in an answer that is right but for it.
func copyRows() []transform {
	const class = "D isolated token or copy error"
	word := func(f func(s *sound, words []string, i int) []string) func(*sound) {
		return content(func(s *sound, text string) string {
			lines := strings.Split(text, "\n")
			l := s.r.IntN(len(lines))
			n, body, _ := strings.Cut(lines[l], ": ")
			sep := " "
			if strings.Contains(body, "-") {
				sep = "-"
			}
			words := strings.Split(body, sep)
			lines[l] = n + ": " + strings.Join(f(s, words, s.r.IntN(len(words))), sep)
			return strings.Join(lines, "\n")
		})
	}
	letter := func(f func(s *sound, w string, at int) string) func(*sound) {
		return word(func(s *sound, words []string, i int) []string {
			words[i] = f(s, words[i], s.r.IntN(len(words[i])))
			return words
		})
	}
	row := func(name string, change func(*sound)) transform {
		return transform{class: class, name: name, want: damaged, bar: known, change: change}
	}
	return []transform{
		row("a letter changed", letter(func(_ *sound, w string, at int) string {
			c := byte('x')
			if w[at] == c {
				c = 'w'
			}
			return w[:at] + string(c) + w[at+1:]
		})),
		row("a letter lost", letter(func(_ *sound, w string, at int) string { return w[:at] + w[at+1:] })),
		row("a letter doubled", letter(func(_ *sound, w string, at int) string { return w[:at+1] + w[at:] })),
		row("a syllable doubled", letter(func(_ *sound, w string, _ int) string {
			return w + w[max(0, len(w)-3):]
		})),
		row("a look-alike of another alphabet", letter(func(s *sound, w string, _ int) string {
			for _, p := range [][2]string{{"a", "а"}, {"e", "е"}, {"o", "о"}, {"c", "с"}, {"p", "р"}, {"x", "х"}, {"i", "і"}, {"y", "у"}} {
				if strings.Contains(w, p[0]) {
					return strings.Replace(w, p[0], p[1], 1)
				}
			}
			return w + "а"
		})),
		row("a word doubled", word(func(_ *sound, w []string, i int) []string {
			return append(append(append([]string{}, w[:i+1]...), w[i]), w[i+1:]...)
		})),
		row("a word lost", word(func(_ *sound, w []string, i int) []string {
			return append(append([]string{}, w[:i]...), w[i+1:]...)
		})),
		row("two words exchanged", word(func(_ *sound, w []string, i int) []string {
			j := (i + 1) % len(w)
			if w[i] == w[j] {
				return append(w, w[i])
			}
			w[i], w[j] = w[j], w[i]
			return w
		})),
		row("the last word doubled", content(func(_ *sound, text string) string {
			return text + text[strings.LastIndexAny(text, " -"):]
		})),
		row("the last word lost", content(func(_ *sound, text string) string {
			return text[:strings.LastIndexAny(text, " -")]
		})),
		row("the first token doubled", content(func(_ *sound, text string) string {
			first, _, _ := strings.Cut(text, " ")
			return first + " " + text
		})),
		row("a token of nobody's before the answer", content(func(s *sound, text string) string {
			return pick(s.r, "!", "zxor\n", "assistant\n", "final", "7 ", "Њ", ")") + text
		})),
		row("the first number lost", content(func(_ *sound, text string) string {
			_, rest, _ := strings.Cut(text, ": ")
			return rest
		})),
		row("the first token lost", content(func(s *sound, text string) string {
			_, rest, _ := strings.Cut(text, ": ")
			return rest[1+s.r.IntN(3):]
		})),
	}
}

package detect

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// reflow breaks a phrase into short lines.
func (s *sound) reflow(seal string) string {
	words := strings.SplitAfter(seal, sepOf(seal))
	var b strings.Builder
	for i, w := range words {
		b.WriteString(w)
		if i%3 == s.r.IntN(3) && i+1 < len(words) {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// hyphenate breaks a word of a phrase at a line end.
func (s *sound) hyphenate(seal string) string {
	words := strings.Split(seal, " ")
	if len(words) == 1 {
		return strings.Replace(seal, "-", "-\n", 1)
	}
	i := s.r.IntN(len(words))
	at := len(words[i]) / 2
	words[i] = words[i][:at] + "-\n" + words[i][at:]
	return strings.Join(words, " ")
}

func sepOf(seal string) string {
	if strings.Contains(seal, " ") {
		return " "
	}
	return "-"
}

// oneEdit substitutes, drops or adds one word; of a code, one character.
func (s *sound) oneEdit(seal string) string {
	if sepOf(seal) == "-" {
		at := s.r.IntN(len(seal))
		for seal[at] == '-' {
			at = s.r.IntN(len(seal))
		}
		c := pick(s.r, "2", "7", "q", "w")
		if string(seal[at]) == c {
			c = "4"
		}
		return seal[:at] + c + seal[at+1:]
	}
	words := strings.Split(seal, " ")
	i := 1 + s.r.IntN(len(words)-2)
	switch s.r.IntN(3) {
	case 0:
		words[i] = pick(s.r, "lantern", "plinth")
	case 1:
		words = append(words[:i], words[i+1:]...)
	default:
		words[i] += " " + pick(s.r, "lantern", "plinth")
	}
	return strings.Join(words, " ")
}

// eightWords puts eight words of another tenant's seal beside the answer; of a
// code, its first four groups of five.
func eightWords(s *sound) {
	seal := s.seal(s.other)
	if sep := sepOf(seal); sep == " " {
		words := strings.Split(seal, sep)
		at := s.r.IntN(len(words) - 7)
		s.reply.Content += "\n" + strings.Join(words[at:at+8], " ")
	} else {
		s.reply.Content += "\n" + strings.Join(strings.Split(seal, sep)[:4], sep)
	}
}

// passage is a whole page of the other tenant's prompt, with its locator.
func (s *sound) passage(page int) string {
	text, _ := s.other.prompt.Page(page % s.other.prompt.Pages())
	return strings.TrimSpace(text)
}

// untagged is a run of words of another prompt, wherever it falls.
func (s *sound) untagged(n int) string {
	text, _ := s.other.prompt.Page(0)
	words := strings.Fields(text)
	at := s.r.IntN(max(1, len(words)-n))
	return strings.Join(words[at:min(len(words), at+n)], " ")
}

func interleaved(a, b string) string {
	x, y := strings.Split(a, sepOf(a)), strings.Split(b, sepOf(b))
	var out []string
	for i := range min(len(x), len(y)) {
		out = append(out, x[i], y[i])
	}
	return strings.Join(out, sepOf(a))
}

func encode64(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// escaped writes a text as JSON does with everything escaped.
func escaped(text string) string {
	var b strings.Builder
	for _, c := range text {
		fmt.Fprintf(&b, `\u%04x`, c)
	}
	return b.String()
}

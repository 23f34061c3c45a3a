package checks

import (
	_ "embed"
	"strings"
	"sync"

	"crosstalk/internal/words"
)

//go:embed data/register.txt
var registerText string

// register is the vocabulary of chatter.
type register struct {
	words   map[string]bool
	core    map[string]bool // those that say what a sentence is about
	phrases []string        // of scripts without spaces, longest first where it matters
}

// chatter is the register, read once.
var chatter = sync.OnceValue(func() register { return parseRegister(registerText) })

// parseRegister reads the form of data/register.txt: words by section, except
// that the lines of section cjk are phrases.
func parseRegister(text string) register {
	r := register{words: map[string]bool{}, core: map[string]bool{}}
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			section = strings.Trim(line, "[]")
		case section == "cjk":
			r.phrases = append(r.phrases, line)
		default:
			for _, w := range words.Scan(line) {
				r.words[w.Text] = true
				if section == "core" {
					r.core[w.Text] = true
				}
			}
		}
	}
	return r
}

// has reports whether a folded word is of the register, as it is or without an
// English inflection.
func (r register) has(word string) bool {
	if r.words[word] {
		return true
	}
	for _, suffix := range []string{"s", "es", "d", "ed", "ing", "ly", "er"} {
		stem, ok := strings.CutSuffix(word, suffix)
		if !ok || len(stem) < 3 {
			continue
		}
		if r.words[stem] || suffix == "ing" && r.words[stem+"e"] {
			return true
		}
		if n := len(stem); n > 3 && stem[n-1] == stem[n-2] && r.words[stem[:n-1]] {
			return true // "skipped", "dropping"
		}
	}
	return false
}

// unexplainedRunes counts the letters of a word in a script without spaces that
// no phrase of the register covers.
func (r register) unexplainedRunes(word string) int {
	for _, p := range r.phrases {
		word = strings.ReplaceAll(word, p, "")
	}
	return len([]rune(word))
}

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
	words   map[string]wordKind
	phrases []string // of scripts without spaces, longest first where it matters
}

// chatter is the register, read once.
var chatter = sync.OnceValue(func() register { return parseRegister(registerText) })

// parseRegister reads the form of data/register.txt: words by section, except
// that the lines of section cjk are phrases.
func parseRegister(text string) register {
	r := register{words: map[string]wordKind{}}
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
				r.words[w.Text] = max(r.words[w.Text], kindOfSection(section))
			}
		}
	}
	return r
}

// kindOfSection is the kind of the words of a section. A word of two sections
// is of the more telling kind.
func kindOfSection(section string) wordKind {
	switch section {
	case "core":
		return coreWord
	case "polite":
		return politeWord
	case "thinking":
		return thinkingWord
	case "function words", "other languages":
		return functionWord
	default:
		return registerWord
	}
}

// kind is the kind of a folded word, as it is or without an English inflection;
// unexplained if it is not of the register.
func (r register) kind(word string) wordKind {
	if k := r.words[word]; k != unexplained {
		return k
	}
	for _, suffix := range []string{"s", "es", "d", "ed", "ing", "ly"} {
		stem, ok := strings.CutSuffix(word, suffix)
		if !ok || len(stem) < 3 {
			continue
		}
		if k := r.words[stem]; k != unexplained {
			return k
		}
		if k := r.words[stem+"e"]; k != unexplained && suffix == "ing" {
			return k
		}
		if n := len(stem); n > 3 && stem[n-1] == stem[n-2] && r.words[stem[:n-1]] != unexplained {
			return r.words[stem[:n-1]] // "skipped", "dropping"
		}
	}
	return unexplained
}

// unexplainedRunes counts the letters of a word in a script without spaces that
// no phrase of the register covers.
func (r register) unexplainedRunes(word string) int {
	for _, p := range r.phrases {
		word = strings.ReplaceAll(word, p, "")
	}
	return len([]rune(word))
}

package corpus

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"crosstalk/internal/words"
)

// MayHold reports whether filler of the family of spec can have so many words of
// text in a row. It knows the family's vocabulary and no key, so it answers for
// every prompt of that family at once: where it says no, Match finds no passage of
// so many words in any of them, and none needs to be made.
func MayHold(spec Spec, text []words.Word, least int) bool {
	f, err := familyOf(spec)
	return err != nil || f.mayHold(text, least)
}

// AnyMayHold is MayHold for any family of any version.
func AnyMayHold(text []words.Word, least int) bool {
	for _, families := range library() {
		for _, f := range families {
			if f.mayHold(text, least) {
				return true
			}
		}
	}
	return false
}

func (f *family) mayHold(text []words.Word, least int) bool {
	known, run := f.familiar(), 0
	for _, w := range text {
		if run++; !known.has(w.Text) {
			run = 0
		}
		if run >= least {
			return true
		}
	}
	return false
}

// familiar is what the words of a family's filler can be: those of its templates
// and lists, or, where these cling together to longer ones, any of their letters.
type familiar struct {
	words   map[string]bool
	letters map[rune]bool // nil unless words cling together
}

func (k familiar) has(word string) bool {
	if k.letters == nil {
		return k.words[word]
	}
	return !strings.ContainsFunc(word, func(r rune) bool { return !k.letters[r] })
}

// readFamiliar collects them from all sentences of the family.
func (f *family) readFamiliar() familiar {
	k := familiar{words: map[string]bool{}}
	letters, cling := map[rune]bool{}, false
	add := func(text string) {
		for _, word := range letterRuns(strings.ToLower(text)) {
			k.words[word] = true
			for _, r := range word {
				letters[r] = true
			}
		}
	}
	for _, s := range append([]sentence{f.locator.sentence}, f.sentences...) {
		before := s.head.String()
		add(before)
		for i := range s.slots {
			slot := &s.slots[i]
			for j := range slot.words.chunks {
				add(slot.words.chunks[j].String())
			}
			after := slot.tail.String()
			add(after)
			last, _ := utf8.DecodeLastRuneInString(before)
			first, _ := utf8.DecodeRuneInString(after)
			cling = cling || i > 0 && before == "" || unicode.IsLetter(last) || unicode.IsLetter(first)
			before = after
		}
	}
	if cling {
		k.letters = letters
	}
	return k
}

package corpus

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"crosstalk/internal/words"
)

// sentence is one template: fixed wording with slots, "{list}", that are filled
// from word lists.
type sentence struct {
	head  chunk
	slots []slot
	fixed int // bytes of the fixed wording, line end included
}

// slot is a choice of one word and the fixed wording behind it.
type slot struct {
	words *wordList
	tail  chunk
}

// parseSentence compiles a template. Every sentence is a line: its last tail
// ends with the line end.
func parseSentence(template string, lex lexicon) (sentence, error) {
	head, rest, _ := strings.Cut(template+"\n", "{")
	s := sentence{fixed: len(head)}
	var err error
	if s.head, err = fixedChunk(head); err != nil {
		return s, err
	}
	for rest != "" {
		name, tail, ok := strings.Cut(rest, "}")
		if !ok || lex[name] == nil {
			return s, fmt.Errorf("slot {%s: no such list in the lexicon", name)
		}
		tail, rest, _ = strings.Cut(tail, "{")
		chunk, err := fixedChunk(tail)
		if err != nil {
			return s, err
		}
		s.slots = append(s.slots, slot{lex[name], chunk})
		s.fixed += len(tail)
	}
	if len(s.slots) == 0 {
		return s, fmt.Errorf("template %q: want at least one {slot}", template)
	}
	return s, nil
}

// fixedChunk checks fixed wording. Whatever JSON would escape, digits, and what
// a reader of folded words might take for part of a word, is kept out, so that
// filler is the same bytes everywhere and nothing in it looks like a code.
func fixedChunk(text string) (chunk, error) {
	const unwanted = "\"'\\`<>&{}_-0123456789\t"
	if len(text) > chunkMax {
		return chunk{}, fmt.Errorf("wording %q: %d bytes without a slot, want at most %d", text, len(text), chunkMax)
	}
	if strings.ContainsAny(text, unwanted) || strings.ContainsFunc(text, unprintable) || !foldsPlainly(text) {
		return chunk{}, fmt.Errorf("wording %q: want letters and plain marks without any of %q", text, unwanted)
	}
	return newChunk(text), nil
}

// wideMarks are the marks beyond ASCII that filler may have.
const wideMarks = "，。、；：？！،؛؟«»„“”"

// unprintable reports whether filler may not have r: all but printable ASCII,
// line ends, letters and wideMarks.
func unprintable(r rune) bool {
	if r < utf8.RuneSelf {
		return r != '\n' && (r < ' ' || r > '~')
	}
	return !unicode.IsLetter(r) && !strings.ContainsRune(wideMarks, r)
}

// foldsPlainly reports whether the folded words of text are its runs of letters
// in lower case: Match reads filler so, without the whole folding.
func foldsPlainly(text string) bool {
	folded := words.Scan(text)
	plain := letterRuns(text)
	return slices.EqualFunc(folded, plain, func(w words.Word, run string) bool {
		return w.Text == strings.ToLower(run)
	})
}

// letterRuns are the runs of letters of text.
func letterRuns(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
}

// stats are the mean, the variance and the most of the sentence's size in
// bytes, over random words.
func (s *sentence) stats() (mean, variance float64, longest int) {
	mean, longest = float64(s.fixed), s.fixed
	for _, slot := range s.slots {
		var sum, squares float64
		var most uint8
		for _, size := range slot.words.sizes {
			sum += float64(size)
			squares += float64(size) * float64(size)
			most = max(most, size)
		}
		n := float64(len(slot.words.sizes))
		mean += sum / n
		variance += squares/n - sum/n*sum/n
		longest += int(most)
	}
	return mean, variance, longest
}

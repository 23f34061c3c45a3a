package corpus

import (
	"fmt"
	"strings"
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
	if strings.ContainsAny(text, unwanted) || strings.Trim(text, printable) != "" {
		return chunk{}, fmt.Errorf("wording %q: want printable ASCII without any of %q", text, unwanted)
	}
	return newChunk(text), nil
}

// printable is what a wording may consist of, with the line end.
var printable = func() string {
	text := []byte{'\n'}
	for c := byte(' '); c < 0x7f; c++ {
		text = append(text, c)
	}
	return string(text)
}()

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

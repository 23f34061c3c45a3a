package corpus

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// chunkMax is the longest word, and the longest fixed wording between two
// slots, in bytes.
const chunkMax = 15

// chunk is up to chunkMax bytes of text, and their number in the last byte. It
// is copied whole, which is one instruction where copying its text is a call;
// what follows overwrites the surplus.
type chunk [chunkMax + 1]byte

func newChunk(text string) (c chunk) {
	copy(c[:chunkMax], text)
	c[chunkMax] = byte(len(text))
	return c
}

func (c *chunk) size() int { return int(c[chunkMax]) }

func (c *chunk) String() string { return string(c[:c.size()]) }

// wordList is one list of a lexicon, ready to be written.
type wordList struct {
	chunks []chunk
	sizes  []uint8 // of the chunks: measuring reads these alone
}

func (l *wordList) add(word string) {
	l.chunks = append(l.chunks, newChunk(word))
	l.sizes = append(l.sizes, uint8(len(word)))
}

// spread returns n words of the list, evenly spread over it.
func (l *wordList) spread(n int) *wordList {
	part := new(wordList)
	for i := range n {
		part.add(l.chunks[i*len(l.chunks)/n].String())
	}
	return part
}

// lexicon is the word lists of a language by name. A list stands in it twice:
// under its name as it is, and under the name in title case with its words in
// title case.
type lexicon map[string]*wordList

// parseLexicon reads a lexicon file: "[name]" begins a list, its words follow,
// separated by white space; a line that begins with ; is a comment.
func parseLexicon(text string) (lexicon, error) {
	lex := make(lexicon)
	var lower, title *wordList
	for number, line := range numberedLines(text) {
		if name, ok := sectionName(line); ok {
			if name == "" || lex[name] != nil {
				return nil, fmt.Errorf("line %d: list %q: want a new name", number, name)
			}
			lower, title = new(wordList), new(wordList)
			lex[name], lex[titleCase(name)] = lower, title
			continue
		}
		for word := range strings.FieldsSeq(line) {
			if lower == nil || len(word) > chunkMax || !isLowerWord(word) {
				return nil, fmt.Errorf("line %d: word %q: want up to %d lower-case letters, in a list", number, word, chunkMax)
			}
			lower.add(word)
			title.add(titleCase(word))
		}
	}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(lex))) {
		list := lex[name]
		if len(list.chunks) == 0 || len(list.chunks) > 1<<16 {
			return nil, fmt.Errorf("list %q: %d words: want 1 to %d", name, len(list.chunks), 1<<16)
		}
	}
	return lex, nil
}

// isLowerWord reports whether word is letters alone, of any script, in lower
// case where the script has cases, that fold to themselves.
func isLowerWord(word string) bool {
	runs := letterRuns(word)
	return len(runs) == 1 && runs[0] == word && strings.ToLower(word) == word && foldsPlainly(word)
}

func titleCase(word string) string {
	first, size := utf8.DecodeRuneInString(word)
	if size == 0 {
		return ""
	}
	return string(unicode.ToTitle(first)) + word[size:]
}

// numberedLines yields the lines of a data file with their numbers from 1,
// without comments and blank lines.
func numberedLines(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		number := 0
		for line := range strings.SplitSeq(text, "\n") {
			number++
			if line == "" || line[0] == ';' {
				continue
			}
			if !yield(number, line) {
				return
			}
		}
	}
}

// sectionName reads a "[name]" line.
func sectionName(line string) (name string, ok bool) {
	name, opened := strings.CutPrefix(line, "[")
	name, closed := strings.CutSuffix(name, "]")
	return name, opened && closed && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") == ""
}

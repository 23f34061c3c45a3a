package tenants

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed words-1024.txt
var wordsFile string

const (
	listSize = 1 << wordBits
	wordBits = 10
	// shortest and longest word of the list.
	shortWord, longWord = 4, 8
)

// markerWords is the marker alphabet. Its order defines the code and is frozen.
var markerWords = newWordlist(wordsFile)

// wordlist is a list of lower-case words of which the first four letters are
// unique.
type wordlist struct {
	words [listSize]string
	// slots is a hash table with linear probing from the first four letters
	// to the index, a quarter full.
	slots [4 * listSize]slot
	// filter has a bit for each hash of a prefix: one look at it tells most
	// words that are not of the list.
	filter [filterSize / 64]uint64
}

// filterSize is small enough for the fastest cache, and large enough that one
// other word in 32 passes.
const filterSize = 32 * listSize

type slot struct {
	prefix uint32 // four letters; 0: empty
	index  int16
}

// newWordlist reads a list, one word a line. It panics if the list is not one:
// it is part of the program.
func newWordlist(file string) *wordlist {
	lines := strings.Fields(file)
	if len(lines) != listSize {
		panic(fmt.Sprintf("tenants: %d words, want %d", len(lines), listSize))
	}
	l := new(wordlist)
	for i, word := range lines {
		if len(word) < shortWord || len(word) > longWord || l.near(word) >= 0 {
			panic(fmt.Sprintf("tenants: word %q", word))
		}
		l.words[i] = word
		prefix := prefixOf(word)
		bit := filterBit(prefix)
		l.filter[bit/64] |= 1 << (bit % 64)
		at := slotOf(prefix)
		for l.slots[at].prefix != 0 {
			at = (at + 1) % uint32(len(l.slots))
		}
		l.slots[at] = slot{prefix, int16(i)}
	}
	return l
}

// prefixOf packs the first four letters of a word.
func prefixOf(word string) uint32 {
	_ = word[shortWord-1]
	return uint32(word[0]) | uint32(word[1])<<8 | uint32(word[2])<<16 | uint32(word[3])<<24
}

// slotOf is where the search for a prefix begins.
func slotOf(prefix uint32) uint32 { return prefix * 0x9E3779B1 >> (32 - 2 - wordBits) }

func filterBit(prefix uint32) uint32 { return prefix * 0x9E3779B1 >> (32 - 5 - wordBits) }

// mayBegin reports whether a word of the list may begin at text[at], in either
// case of ASCII. It is often right, and never wrong when it says no. It does not
// look how long the word is: the processor would have to guess.
func (l *wordlist) mayBegin(text string, at int) bool {
	if at+shortWord > len(text) {
		return false
	}
	bit := filterBit(prefixOf(text[at:]) | 0x20202020)
	return l.filter[bit/64]>>(bit%64)&1 != 0
}

// begins reports whether a word of the list begins at text[at], in either case of
// ASCII, and no letter or digit of ASCII follows it. text reaches longWord bytes
// further.
func (l *wordlist) begins(text string, at int) bool {
	prefix := prefixOf(text[at:]) | 0x20202020
	for i := slotOf(prefix); ; i = (i + 1) % uint32(len(l.slots)) {
		switch s := &l.slots[i]; s.prefix {
		case prefix:
			word := l.words[s.index]
			for j := shortWord; j < len(word); j++ {
				if text[at+j]|0x20 != word[j] {
					return false
				}
			}
			next := text[at+len(word)]
			return !('a' <= next|0x20 && next|0x20 <= 'z' || '0' <= next && next <= '9')
		case 0:
			return false
		}
	}
}

// near is the index of the word that has the same first four letters, -1 if
// there is none: "cinnamons" and "cinnamo" are near "cinnamon".
func (l *wordlist) near(word string) int16 {
	if len(word) < shortWord {
		return -1
	}
	prefix := prefixOf(word)
	for at := slotOf(prefix); ; at = (at + 1) % uint32(len(l.slots)) {
		switch s := &l.slots[at]; s.prefix {
		case prefix:
			return s.index
		case 0:
			return -1
		}
	}
}

// index is the index of a word of the list, -1 for any other.
func (l *wordlist) index(word string) int16 {
	if len(word) > longWord {
		return -1
	}
	if i := l.near(word); i >= 0 && l.words[i] == word {
		return i
	}
	return -1
}

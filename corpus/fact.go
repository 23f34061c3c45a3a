package corpus

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"crosstalk/internal/words"
)

// MaxFacts is the largest number of named facts in a prompt.
const MaxFacts = 8

const (
	factNames   = 3
	factNumbers = 2
	// NameBits and NumberBits are what one name and one number of a fact are
	// worth as evidence: a text made without the key has a given one by
	// accident with probability 2^-bits in each place.
	NameBits   = 20
	NumberBits = 9
	// firstNumber is the least number of a fact: all have three digits, so
	// that no language puts a separator into them.
	firstNumber = 100
)

// Fact is a named fact: one line of a prompt that states something about
// invented people and places. Its names and numbers are keyed and occur nowhere
// else, so they tell where a text comes from that was translated or put into
// other words: the one thing that a paraphrase keeps is names and figures.
type Fact struct {
	Number  int    // from 1
	Text    string // the line, without its end
	Names   [factNames]string
	Numbers [factNumbers]int
	Offset  int64 // of Text in the prompt, bytes; 0 if the fact has no prompt
}

// FactsOf returns the first n facts of prompts with that key, without places.
// It costs some microseconds a fact, so that the facts of thousands of prompts
// can be had without making one of them.
func FactsOf(key Key, n int) []Fact {
	sub := key.derive("facts")
	facts := make([]Fact, 0, max(n, 0))
	for i := range n {
		f := Fact{Number: i + 1}
		for j := range f.Names {
			f.Names[j] = factName(sub, i*factNames+j)
		}
		sum := numbered(sub, -1-i)
		for j := range f.Numbers {
			f.Numbers[j] = firstNumber + int(binary.BigEndian.Uint16(sum[2*j:])>>(16-NumberBits))
		}
		f.Text = fmt.Sprintf("%s %s of %s keeps %d lanterns and %d oars.",
			f.Names[0], f.Names[1], f.Names[2], f.Numbers[0], f.Numbers[1])
		facts = append(facts, f)
	}
	return facts
}

// The letters of names: consonants of 4 bits, vowels of 2. No letter among them
// is written in two ways in the common transliterations.
const (
	nameConsonants = "bdfghjklmnprstvz"
	nameVowels     = "aiou"
	namePattern    = "CVCCVC"
)

// factName is name n of a key: six letters, consonant, vowel, consonant, twice.
// A word of the filler is no name; the next number of the hash is taken then.
func factName(sub [32]byte, n int) string {
	sum := numbered(sub, n)
	for i := 0; i+4 <= len(sum); i += 4 {
		if name := spellName(binary.BigEndian.Uint32(sum[i:])); !fillerWords()[strings.ToLower(name)] {
			return name
		}
	}
	return spellName(binary.BigEndian.Uint32(sum[:])) // never: eight words in a row
}

// spellName writes the lowest 20 bits as a name.
func spellName(bits uint32) string {
	var name [len(namePattern)]byte
	for i := range namePattern {
		if namePattern[i] == 'C' {
			name[i] = nameConsonants[bits&15]
			bits >>= 4
		} else {
			name[i] = nameVowels[bits&3]
			bits >>= 2
		}
	}
	return titleCase(string(name[:]))
}

// fillerWords are the words of ASCII letters that filler of this version has.
var fillerWords = sync.OnceValue(func() map[string]bool {
	all := make(map[string]bool)
	for _, f := range library()[Version] {
		for i := range f.sentences {
			for _, slot := range f.sentences[i].slots {
				for j := range slot.words.chunks {
					all[strings.ToLower(slot.words.chunks[j].String())] = true
				}
			}
		}
	}
	return all
})

// Name is a word of a text that may be a name of a fact.
type Name struct {
	Name       string // as a fact has it, whatever script the text has
	Start, End int    // byte offsets into the text
}

// FindNames returns the words of text that have the form of a name, in order.
// Cyrillic and Greek letters are read as the Latin ones they transliterate, and
// an ending of up to three letters (an inflection) is passed over. Scripts that
// write no vowels or no single letters (Arabic, Han) do not keep names: facts do
// not survive a translation into these. Few words of ordinary text are names:
// about 1 in 1,000 of English, and each of them would still have to be the right
// one of a million.
func FindNames(text string) []Name {
	var found []Name
	s := words.NewScanner(text)
	for {
		w, ok := s.Next()
		if !ok {
			return found
		}
		if len(w.Text) < len(namePattern) || len(w.Text) > 4*len(namePattern) {
			continue
		}
		if name, ok := readName(w.Text); ok {
			found = append(found, Name{name, w.Start, w.End})
		}
	}
}

// readName reads a folded word as a name with an ending.
func readName(word string) (string, bool) {
	const ending = 3
	var name [len(namePattern)]byte
	n := 0
	for _, r := range word {
		if n < len(name) {
			c := latin(r)
			letters := nameConsonants
			if namePattern[n] == 'V' {
				letters = nameVowels
			}
			if c == 0 || strings.IndexByte(letters, c) < 0 {
				return "", false
			}
			name[n] = c
		}
		if n++; n > len(name)+ending {
			return "", false
		}
	}
	return titleCase(string(name[:])), n >= len(name)
}

// latin is the Latin letter that a letter transliterates, 0 for none that names
// have.
func latin(r rune) byte {
	if r < utf8.RuneSelf {
		return byte(r)
	}
	const (
		from = "абдфгхйклмнпрствзиоуαβδφγικλμνοπρστζηυς"
		to   = "abdfghjklmnprstvziouabdfgiklmnoprstzius"
	)
	if !unicode.In(r, unicode.Cyrillic, unicode.Greek) {
		return 0
	}
	i := 0
	for _, c := range from {
		if c == r {
			return to[i]
		}
		i++
	}
	return 0
}

// FactMatch says what of a fact stands in a text.
type FactMatch struct {
	Names, Numbers int
	Start, End     int // of the stretch of the text that holds them
	// Figures counts the numbers of three digits among which the fact's own
	// were looked for.
	Figures int
}

// factReach is how far from a name of it, in bytes, a number of a fact counts: a
// sentence, in a language that takes many bytes.
const factReach = 400

// Match finds the fact in text, whose names are those of FindNames. Numbers count
// only near a name: alone they are too common.
func (f Fact) Match(text string, names []Name) FactMatch {
	m := FactMatch{Start: len(text)}
	for _, want := range f.Names {
		i := slices.IndexFunc(names, func(n Name) bool { return n.Name == want })
		if i < 0 {
			continue
		}
		m.Names++
		m.Start, m.End = min(m.Start, names[i].Start), max(m.End, names[i].End)
	}
	if m.Names == 0 {
		return FactMatch{}
	}
	var found [factNumbers]bool
	from := max(m.Start-factReach, 0)
	for at, number := range figures(text, from, min(m.End+factReach, len(text))) {
		m.Figures++
		for i, want := range f.Numbers {
			if number == want && !found[i] {
				found[i] = true
				m.Numbers++
				m.Start, m.End = min(m.Start, at), max(m.End, at+figureDigits)
				break
			}
		}
	}
	return m
}

const figureDigits = 3

// figures yields the places and values of the numbers of three digits that stand
// by themselves in text[from:to].
func figures(text string, from, to int) iter.Seq2[int, int] {
	isDigit := func(i int) bool { return i >= 0 && i < len(text) && '0' <= text[i] && text[i] <= '9' }
	return func(yield func(int, int) bool) {
		for at := from; at < to; at++ {
			if !isDigit(at) || isDigit(at-1) {
				continue
			}
			end := at
			for isDigit(end) {
				end++
			}
			if number, err := strconv.Atoi(text[at:end]); end-at == figureDigits && err == nil && !yield(at, number) {
				return
			}
			at = end
		}
	}
}

// Chance bounds the probability that a text made without our keys agrees so far
// with any of so many facts, when it has so many different words that may be
// names. Keys are independent of the text, so that a given name of a given fact
// is among them with probability names/2^20 at most, and a number among those
// nearby with figures/2^9. By the union bound over facts and over which of its
// parts agree:
//
//	candidates * C(3,n) * (names/2^20)^n * C(2,k) * (figures/2^9)^k
//
// for n names and k numbers. A whole fact among 20,000, beside ten names and four
// figures, has 1e-15: proof by itself. Two of its names and no number have 6e-6:
// a suspicion.
func (m FactMatch) Chance(candidates, names int) float64 {
	if m.Names == 0 {
		return 1
	}
	choices := [...]float64{1, 3, 3, 1}[min(m.Names, factNames)] * [...]float64{1, 2, 1}[min(m.Numbers, factNumbers)]
	name := float64(max(names, 1)) / (1 << NameBits)
	number := float64(max(m.Figures, 1)) / (1 << NumberBits)
	chance := float64(max(candidates, 1)) * choices *
		math.Pow(name, float64(m.Names)) * math.Pow(number, float64(m.Numbers))
	return min(1, chance)
}

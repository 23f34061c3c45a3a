package corpus

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"crosstalk/internal/words"
)

// Locator is a locator sentence found in a text. It names candidates and
// proves nothing.
type Locator struct {
	Request    uint16 // request hash: Key.Hash of the prompt it came from
	Page       int    // page number in that prompt
	Check      uint16 // 9 keyed check bits
	Start, End int    // byte offsets into the text
}

const (
	locatorSlots = 5
	// locatorList is the number of words a locator slot chooses from: it
	// carries 8 bits.
	locatorList = 256
)

// locatorWords are the numbers of the words in the slots of a locator.
type locatorWords [locatorSlots]uint8

// locatorCode is what the locator of a page says, in words.
func locatorCode(key *pageKey, page int) locatorWords {
	return encodeLocator(key.hash, page, checkBits(key.check, page))
}

func encodeLocator(request uint16, page int, check uint16) locatorWords {
	bits := scramble(uint64(request)<<24 | uint64(page)<<9 | uint64(check))
	var code locatorWords
	for i := range code {
		code[i] = uint8(bits >> (8 * i))
	}
	return code
}

func (code locatorWords) decode() Locator {
	var bits uint64
	for i, word := range code {
		bits |= uint64(word) << (8 * i)
	}
	bits = unscramble(bits)
	return Locator{
		Request: uint16(bits >> 24),
		Page:    int(bits >> 9 & (MaxPages - 1)),
		Check:   uint16(bits & 0x1ff),
	}
}

// The 40 bits of a locator are scrambled, so that the locators of one prompt,
// which have the request hash in common, have no word in common: else a passage
// of any page would look like every other. It hides nothing, the constants are
// public: a Feistel network of four rounds on halves of 20 bits.
const (
	scrambleRounds = 4
	halfBits       = 20
	halfMask       = 1<<halfBits - 1
)

func scramble(bits uint64) uint64 {
	left, right := bits>>halfBits, bits&halfMask
	for round := range scrambleRounds {
		left, right = right, left^scrambleRound(right, round)
	}
	return left<<halfBits | right
}

func unscramble(bits uint64) uint64 {
	left, right := bits>>halfBits, bits&halfMask
	for round := scrambleRounds - 1; round >= 0; round-- {
		left, right = right^scrambleRound(left, round), left
	}
	return left<<halfBits | right
}

// scrambleRound mixes half a locator: a multiplication by an odd constant (the
// golden ratio in 64 bits) spreads every bit upwards, the top 20 bits are taken.
func scrambleRound(half uint64, round int) uint64 {
	mixed := (half + uint64(round+1)<<halfBits) * 0x9e3779b97f4a7c15
	mixed ^= mixed >> 29
	mixed *= 0x9e3779b97f4a7c15
	return mixed >> (64 - halfBits)
}

// wording is the fixed wording of a family's locators: five slots and one
// fixed word, the anchor, by which they are found.
type wording struct {
	sentence sentence
	anchor   string
	before   int // slots before the anchor
	index    [locatorSlots]map[string]uint8
}

// parseWording compiles a [locator] template. Each of its slots has 256 words,
// taken evenly from a list, and no word in two.
func parseWording(template string, lex lexicon) (*wording, error) {
	s, err := parseSentence(template, lex)
	if err != nil {
		return nil, err
	}
	if len(s.slots) != locatorSlots {
		return nil, fmt.Errorf("locator with %d slots: want %d", len(s.slots), locatorSlots)
	}
	w := &wording{sentence: s}
	seen := make(map[string]bool)
	for i := range s.slots {
		if len(s.slots[i].words.chunks) < locatorList {
			return nil, fmt.Errorf("slot %d of the locator has fewer than %d words", i+1, locatorList)
		}
		s.slots[i].words = s.slots[i].words.spread(locatorList)
		w.index[i] = make(map[string]uint8, locatorList)
		for j := range locatorList {
			word := strings.ToLower(s.slots[i].words.chunks[j].String())
			if seen[word] {
				return nil, fmt.Errorf("word %q is twice in the locator's slots: one slot of it must have other words", word)
			}
			seen[word] = true
			w.index[i][word] = uint8(j)
		}
		if fixed := words.Scan(s.slots[i].tail.String()); len(fixed) == 1 && w.anchor == "" {
			w.anchor, w.before = fixed[0].Text, i+1
		} else if len(fixed) > 0 {
			return nil, fmt.Errorf("fixed word %q in the locator: want one fixed word in all", fixed[0].Text)
		}
	}
	if w.anchor == "" || w.before == locatorSlots || seen[w.anchor] || len(words.Scan(s.head.String())) > 0 {
		return nil, fmt.Errorf("locator %q: want one fixed word, between two slots, that is in no slot", template)
	}
	return w, nil
}

// write writes the locator of that code at start and returns its end.
func (w *wording) write(text []byte, start int, code locatorWords) int {
	end := put(text, &w.sentence.head, start)
	for i := range w.sentence.slots {
		slot := &w.sentence.slots[i]
		end = put(text, &slot.words.chunks[code[i]], end)
		end = put(text, &slot.tail, end)
	}
	return end
}

// size is the size of the locator of that code, in bytes.
func (w *wording) size(code locatorWords) int {
	size := w.sentence.fixed
	for i, word := range code {
		size += int(w.sentence.slots[i].words.sizes[word])
	}
	return size
}

// wordings are the distinct locator wordings of all families and versions.
var wordings = sync.OnceValue(func() []*wording {
	var distinct []*wording
	for _, families := range library() {
		for _, f := range families {
			if !slices.ContainsFunc(distinct, f.locator.same) {
				distinct = append(distinct, f.locator)
			}
		}
	}
	return distinct
})

// same reports whether two wordings are the same words, as in families of one
// language, which differ in punctuation only.
func (w *wording) same(other *wording) bool {
	return w.anchor == other.anchor && w.before == other.before &&
		slices.EqualFunc(w.index[:], other.index[:], maps.Equal)
}

// FindLocators finds the locator sentences of every family in text. The text
// may be re-wrapped, re-cased or marked up. It looks for the anchor first, so
// that text without locators costs little more than a search for one letter.
func FindLocators(text string) []Locator {
	var found []Locator
	for _, w := range wordings() {
		found = w.find(found, text)
	}
	slices.SortFunc(found, func(a, b Locator) int { return cmp.Compare(a.Start, b.Start) })
	return found
}

// locatorReach is how far from its anchor, in bytes, a locator is looked for.
// The words themselves take up to 100 bytes; the rest is room for line breaks,
// markup, and zero-width characters between letters.
const locatorReach = 512

// find appends the locators of wording w in text to found. Stretches around
// neighbouring anchors are joined, so that no byte is searched twice.
func (w *wording) find(found []Locator, text string) []Locator {
	from, to := 0, 0
	for at := range w.anchors(text) {
		if at-locatorReach > to {
			found = w.findIn(found, text, from, to)
			from = at - locatorReach
		}
		to = at + locatorReach
	}
	return w.findIn(found, text, from, to)
}

// findIn appends the locators that begin in text[from:to].
func (w *wording) findIn(found []Locator, text string, from, to int) []Locator {
	for from > 0 && from < to && !utf8.RuneStart(text[from]) {
		from++
	}
	const length = locatorSlots + 1
	var last [length]words.Word // the words read last
	scanner := words.NewScannerAt(text, from)
	for {
		word, ok := scanner.Next()
		if !ok || word.Start >= to {
			return found
		}
		copy(last[:], last[1:])
		last[length-1] = word
		if last[w.before].Text != w.anchor {
			continue
		}
		if code, ok := w.read(&last); ok {
			l := code.decode()
			l.Start, l.End = last[0].Start, word.End
			found = append(found, l)
		}
	}
}

// read looks up the words of a locator around its anchor.
func (w *wording) read(sentence *[locatorSlots + 1]words.Word) (code locatorWords, ok bool) {
	for i := range code {
		at := i
		if i >= w.before {
			at++
		}
		if code[i], ok = w.index[i][sentence[at].Text]; !ok {
			return code, false
		}
	}
	return code, true
}

// anchors yields where the anchor may begin in text: at each place where its
// letters follow one another, whatever their case and whatever stands between.
func (w *wording) anchors(text string) iter.Seq[int] {
	if w.anchor[0] >= utf8.RuneSelf {
		return w.wideAnchors(text)
	}
	lower := w.anchor[0]
	upper := lower - 'a' + 'A'
	return func(yield func(int) bool) {
		nextLower, nextUpper := -1, -1
		for at := 0; ; at++ {
			nextLower = indexFrom(text, lower, nextLower, at)
			nextUpper = indexFrom(text, upper, nextUpper, at)
			at = min(nextLower, nextUpper)
			if at == len(text) {
				return
			}
			if (at == 0 || letters[text[at-1]] == 0) && spells(text[at:], w.anchor) && !yield(at) {
				return
			}
		}
	}
}

// wideAnchors is anchors for an anchor beyond ASCII: each place where its first
// letter stands at the beginning of a word, in lower or upper case.
func (w *wording) wideAnchors(text string) iter.Seq[int] {
	first, _ := utf8.DecodeRuneInString(w.anchor)
	lower, upper := string(first), string(unicode.ToUpper(first))
	return func(yield func(int) bool) {
		nextLower, nextUpper := -1, -1
		if upper == lower { // a script without cases
			nextUpper = len(text)
		}
		for at := 0; ; at++ {
			nextLower = stringFrom(text, lower, nextLower, at)
			nextUpper = stringFrom(text, upper, nextUpper, at)
			at = min(nextLower, nextUpper)
			if at == len(text) {
				return
			}
			if w.wideAnchorAt(text, at) && !yield(at) {
				return
			}
		}
	}
}

// wideAnchorAt reports whether the word that begins at a letter of text is the
// anchor. A letter behind another of its kind begins no word.
func (w *wording) wideAnchorAt(text string, at int) bool {
	const reach = 128 // bytes: the anchor with marks between its letters
	if !w.goesOn(text[at:]) {
		return false
	}
	if r, _ := utf8.DecodeLastRuneInString(text[:at]); r >= utf8.RuneSelf && unicode.IsLetter(r) {
		return false
	}
	s := words.NewScanner(text[at:min(at+reach, len(text))])
	word, ok := s.Next()
	return ok && word.Start == 0 && word.Text == w.anchor
}

// goesOn reports whether the second letter of text may be that of the anchor: a
// quick look that turns away nearly every word that has only the first in common.
func (w *wording) goesOn(text string) bool {
	_, n := utf8.DecodeRuneInString(text)
	second, size := utf8.DecodeRuneInString(text[n:])
	third, _ := utf8.DecodeRuneInString(text[n+size:])
	folded, plain := words.FoldsTo(second)
	if _, letter := words.FoldsTo(third); !plain || !letter && third >= utf8.RuneSelf {
		return true // a mark may change it, or may be all that stands between
	}
	_, first := utf8.DecodeRuneInString(w.anchor)
	want, _ := utf8.DecodeRuneInString(w.anchor[first:])
	return folded == want
}

// stringFrom is indexFrom for a letter of several bytes.
func stringFrom(text, letter string, known, from int) int {
	if known >= from {
		return known
	}
	if i := strings.Index(text[from:], letter); i >= 0 {
		return from + i
	}
	return len(text)
}

// indexFrom is the first place of c in text at or behind from, len(text) if
// there is none. known is a place found earlier, which may still be it.
func indexFrom(text string, c byte, known, from int) int {
	if known >= from {
		return known
	}
	if i := strings.IndexByte(text[from:], c); i >= 0 {
		return from + i
	}
	return len(text)
}

// spells reports whether the letters of text begin with word, in any case,
// with no more than so many other bytes between them as a line break with its
// indentation or zero-width characters need.
func spells(text, word string) bool {
	others := 8 * len(word)
	for i := 0; i < len(text) && word != ""; i++ {
		switch letters[text[i]] {
		case word[0]:
			word = word[1:]
		case 0:
			if others--; others == 0 {
				return false
			}
		default:
			return false
		}
	}
	return word == ""
}

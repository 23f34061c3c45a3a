package corpus

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"crosstalk/internal/words"
)

// Span is a passage of a text that is also in a prompt.
type Span struct {
	Start, End int   // byte offsets into the text
	Offset     int64 // byte offset of the passage in the prompt
	Words      int   // length in words
}

// Match returns the maximal passages of text, of at least so many folded words,
// that stand in the prompt outside its question and its marker lines, in order
// of Start. Passages may overlap; none is part of another. A passage that
// stands in several places of the prompt is returned once, with one of them.
// It reads at most budget pages (0: all) and reports how many it read; it stops
// early when every word of text is matched.
func (p *Prompt) Match(text string, least, budget int) (spans []Span, pages int) {
	to := p.pages()
	if budget > 0 {
		to = min(to, budget)
	}
	return p.match(text, least, 0, to)
}

// MatchPages is Match confined to pages [from, to): used when a locator has
// named the page. Pages that the prompt does not have are left out.
func (p *Prompt) MatchPages(text string, least, from, to int) []Span {
	from, to = max(from, 0), min(to, p.pages())
	if from >= to {
		return nil
	}
	spans, _ := p.match(text, least, from, to)
	return spans
}

func (p *Prompt) match(text string, least, from, to int) (spans []Span, pages int) {
	m := newMatcher(words.Scan(text), least)
	if m.hopeless() {
		return nil, 0
	}
	w := p.walk(from)
	page := -1 // the page being read
	check := 1 // pages to read before it is worth to look for an early end
	for w.sentence < p.spec.Sentences {
		if next := w.sentence / p.family.pageSentences; next != page {
			if next == to {
				break
			}
			if pages == check {
				if m.complete() {
					break
				}
				check *= 2
			}
			page = next
			pages++
		}
		piece, kind, offset := w.next()
		switch {
		case kind == pieceFiller && p.family.ascii:
			m.readASCII(piece, offset)
		case kind == pieceFiller:
			m.readWide(piece, offset)
		default:
			m.cut()
		}
	}
	return m.spans(), pages
}

// matcher finds the passages of a short text in a long one that is read word by
// word. It costs constant time a word of the long text and memory in proportion
// to the short one, whatever the two have in common.
//
// The words of the short text are numbered, and only words equal to one of them
// have a number: everything further is exact. After each word of the long text
// the automaton holds the longest passage of the short text that ends there.
type matcher struct {
	least      int // words of a passage
	text       []words.Word
	vocabulary vocabulary
	auto       *automaton
	state      int32 // of the automaton
	length     int   // of the passage that ends here, words
	// offsets holds where the last words of the long text began, as many as a
	// passage can have; word n is at n%len.
	offsets []int64
	read    int // words of the long text read
	// best is, by state, the longest passage of that state that was found.
	best  []passage
	lower []byte // buffer of readASCII
}

// passage is a passage found: its length in words and its place in the long
// text.
type passage struct {
	words  int
	offset int64
}

func newMatcher(text []words.Word, least int) *matcher {
	m := &matcher{least: max(least, 1), text: text}
	if m.hopeless() {
		return m
	}
	m.vocabulary = newVocabulary(len(text))
	m.auto = newAutomaton(len(text))
	for _, w := range text {
		m.auto.extend(m.vocabulary.number(w.Text))
	}
	m.best = make([]passage, len(m.auto.states))
	m.offsets = make([]int64, len(text)+1)
	return m
}

// hopeless reports that the text is too short to hold a passage.
func (m *matcher) hopeless() bool { return len(m.text) < m.least }

// letters is the lower case of every ASCII letter and 0 for every other byte.
var letters = func() (table [256]byte) {
	for c := byte('a'); c <= 'z'; c++ {
		table[c], table[c-'a'+'A'] = c, c
	}
	return table
}()

// readASCII reads a piece of filler, which begins and ends between words. It
// has no digits and no marks, so that its folded words are its runs of letters.
func (m *matcher) readASCII(text []byte, offset int64) {
	for i := 0; i < len(text); i++ {
		start, hash, capitals := i, uint64(hashSeed), byte(0)
		for i < len(text) && letters[text[i]] != 0 {
			c := letters[text[i]]
			hash = hashByte(hash, c)
			capitals |= c ^ text[i]
			i++
		}
		if i == start {
			continue
		}
		word := text[start:i]
		if capitals != 0 {
			m.lower = append(m.lower[:0], word...)
			for j, c := range word {
				m.lower[j] = letters[c]
			}
			word = m.lower
		}
		m.step(find(&m.vocabulary, hash, word), offset+int64(start))
	}
}

// readWide is readASCII for filler in any script: its folded words are its runs
// of letters in lower case.
func (m *matcher) readWide(text []byte, offset int64) {
	for i := 0; i < len(text); {
		start, hash := i, uint64(hashSeed)
		m.lower = m.lower[:0]
		for i < len(text) {
			r, size := rune(text[i]), 1
			if r >= utf8.RuneSelf {
				r, size = utf8.DecodeRune(text[i:])
			}
			if r < utf8.RuneSelf && letters[r] == 0 || r >= utf8.RuneSelf && !unicode.IsLetter(r) {
				break
			}
			m.lower = utf8.AppendRune(m.lower, unicode.ToLower(r))
			i += size
		}
		if i == start {
			_, size := utf8.DecodeRune(text[i:])
			i += size
			continue
		}
		for _, c := range m.lower {
			hash = hashByte(hash, c)
		}
		m.step(find(&m.vocabulary, hash, m.lower), offset+int64(start))
	}
}

// step reads one word of the long text: its number, 0 for a word that the short
// text has not, and its offset.
func (m *matcher) step(number int32, offset int64) {
	if number == 0 {
		m.cut()
		return
	}
	m.offsets[m.read%len(m.offsets)] = offset
	m.read++
	m.state, m.length = m.auto.step(m.state, m.length, number)
	// The passage is found, and with it its ends as far as they stand in
	// places of their own. Those of a state that is done are done as well.
	for s, n := m.state, m.length; n >= m.least && m.best[s].words < n; {
		m.best[s] = passage{n, m.offsets[(m.read-n)%len(m.offsets)]}
		s = m.auto.states[s].link
		n = m.auto.states[s].length
	}
}

// cut ends the passage: none reaches over this place of the long text.
func (m *matcher) cut() { m.state, m.length = 0, 0 }

// spans returns the passages found so far.
func (m *matcher) spans() []Span {
	if m.hopeless() {
		return nil
	}
	var spans []Span
	start := len(m.text) // the least start of a passage that ends further on
	best := m.inherited()
	for end := len(m.text); end > 0; end-- {
		p := best[m.auto.prefixes[end-1]]
		if p.words < m.least || end-p.words >= start {
			continue
		}
		start = end - p.words
		spans = append(spans, Span{m.text[start].Start, m.text[end-1].End, p.offset, p.words})
	}
	slices.Reverse(spans)
	return spans
}

// inherited is best, and where a state's own passages were not found, what was
// found of their ends.
func (m *matcher) inherited() []passage {
	best := slices.Clone(m.best)
	for _, s := range m.auto.byLength() {
		if inherited := best[m.auto.states[s].link]; inherited.words > best[s].words {
			best[s] = inherited
		}
	}
	return best
}

// complete reports that every word of the text is in a passage and that the one
// being read cannot become longer.
func (m *matcher) complete() bool {
	if m.length >= m.least && m.length < len(m.text) {
		return false
	}
	end := 0
	for _, s := range m.spans() {
		if from, _ := slices.BinarySearchFunc(m.text, s.Start, startsAt); from > end {
			return false
		} else {
			end = from + s.Words
		}
	}
	return end == len(m.text)
}

func startsAt(w words.Word, at int) int { return w.Start - at }

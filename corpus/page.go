package corpus

import "math/rand/v2"

// The choices of a page come from ChaCha8, whose output is specified and never
// changes. Whole Uint64 values are taken from it, and each gives four choices of
// 16 bits: the first value of a page chooses the place of its locator, and every
// sentence begins with a fresh value, the first choice being its template.
const (
	choiceBits      = 16
	choicesPerValue = 64 / choiceBits
)

// choice turns the lowest bits of a value into a number below n, which is at
// most 1<<16. Its bias of at most n in 65,536 does not matter here.
func choice(bits uint64, n int) int {
	return int(bits & (1<<choiceBits - 1) * uint64(n) >> choiceBits)
}

// pageMaker makes pages of one family, one at a time, in any order.
type pageMaker struct {
	family   *family
	locators bool
	random   rand.ChaCha8
	// The page made last: sentence i stands in text[ends[i]:ends[i+1]]. The
	// text is not there when the page was only measured.
	text []byte
	ends []int32
}

func newPageMaker(f *family, locators bool) *pageMaker {
	return &pageMaker{family: f, locators: locators, ends: make([]int32, 1, f.pageSentences+1)}
}

// begin seeds a page and returns the place of its locator.
func (m *pageMaker) begin(key *pageKey, index int) (locator int) {
	m.random.Seed(numbered(key.seed, index))
	m.ends = m.ends[:1]
	return choice(m.random.Uint64(), m.family.pageSentences)
}

// make makes page index of key, or its first so many sentences. An ordinary
// sentence is made in the place of the locator all the same, so that the rest of
// the page does not depend on locators.
func (m *pageMaker) make(key *pageKey, index, sentences int) {
	if m.text == nil {
		m.text = make([]byte, m.family.longest+len(chunk{}))
	}
	locator := m.begin(key, index)
	end := 0
	for i := range sentences {
		start := end
		end = m.write(start)
		if i == locator && m.locators {
			end = m.family.locator.write(m.text, start, locatorCode(key, index))
		}
		m.ends = append(m.ends, int32(end))
	}
}

// write writes a sentence at start and returns its end.
func (m *pageMaker) write(start int) int {
	text, bits := m.text, m.random.Uint64()
	s := &m.family.sentences[choice(bits, len(m.family.sentences))]
	end := put(text, &s.head, start)
	for i := range s.slots {
		if bits >>= choiceBits; i%choicesPerValue == choicesPerValue-1 {
			bits = m.random.Uint64()
		}
		slot := &s.slots[i]
		words := slot.words.chunks
		end = put(text, &words[choice(bits, len(words))], end)
		end = put(text, &slot.tail, end)
	}
	return end
}

// put writes c at a place of text that has room for a whole chunk, and returns
// the end of what it says.
func put(text []byte, c *chunk, at int) int {
	*(*chunk)(text[at:]) = *c
	return at + int(c[chunkMax])
}

// measure is make without writing: it makes the same choices and sets only ends.
func (m *pageMaker) measure(key *pageKey, index, sentences int) {
	locator := m.begin(key, index)
	end := 0
	for i := range sentences {
		size := m.measureSentence()
		if i == locator && m.locators {
			size = m.family.locator.size(locatorCode(key, index))
		}
		end += size
		m.ends = append(m.ends, int32(end))
	}
}

// measureSentence is write without writing.
func (m *pageMaker) measureSentence() int {
	bits := m.random.Uint64()
	s := &m.family.sentences[choice(bits, len(m.family.sentences))]
	size := s.fixed
	for i := range s.slots {
		if bits >>= choiceBits; i%choicesPerValue == choicesPerValue-1 {
			bits = m.random.Uint64()
		}
		sizes := s.slots[i].words.sizes
		size += int(sizes[choice(bits, len(sizes))])
	}
	return size
}

// size is the size of the page made or measured last.
func (m *pageMaker) size() int { return int(m.ends[len(m.ends)-1]) }

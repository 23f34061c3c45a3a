package checks

import "math/bits"

// loop is a passage in which a shorter one is repeated without a gap:
// text[i] == text[i+period] throughout. Offsets and period are bytes.
type loop struct{ start, end, period int }

func (l loop) copies() float64 { return float64(l.end-l.start) / float64(l.period) }

const (
	// loopGram is how many bytes must agree before a period is tried.
	loopGram = 16
	// maxPeriod is the longest period looked for: 1,024 tokens of long
	// words.
	maxPeriod = 8 << 10
	// minLoop is the shortest loop reported, bytes.
	minLoop = 24
)

// findLoops finds the loops of text of at least minLoop bytes and two copies,
// in order, in one pass: time is linear in the text, whatever it is.
//
// It remembers where each sequence of loopGram bytes was seen last. When one
// comes again, the distance is taken for the period for as long as the text
// agrees with itself at that distance; then the next distance is tried. Inside
// a loop the last sighting is one period back, so the first try is right,
// unless the sequence stands twice in the repeated passage: then the loop is
// found a few bytes late.
func findLoops(text string) []loop {
	if len(text) < minLoop {
		return nil
	}
	var found []loop
	seen := newSightings(len(text))
	period, start := 0, 0
	for i := range len(text) {
		if period > 0 && text[i] != text[i-period] {
			found = appendLoop(found, loop{start, i, period})
			period = 0
		}
		last, ok := seen.put(text, i)
		if period > 0 || !ok || i-last > maxPeriod {
			continue
		}
		if text[last-loopGram+1:last+1] == text[i-loopGram+1:i+1] {
			period, start = i-last, last-loopGram+1
		}
	}
	if period > 0 {
		found = appendLoop(found, loop{start, len(text), period})
	}
	return found
}

func appendLoop(found []loop, l loop) []loop {
	if l.end-l.start < minLoop || l.end-l.start < 2*l.period {
		return found
	}
	return append(found, l)
}

// sightings is a hash table of where each sequence of loopGram bytes ended
// last. A later sequence may push out another: a loop is then found later, or,
// if it is long and its text is unlucky, not; nothing is found that is not
// there.
type sightings struct {
	ends  []int32
	shift int
	hash  uint64 // polynomial in hashBase over the last loopGram bytes
	out   uint64 // hashBase^loopGram, the factor of the byte that leaves
}

const hashBase uint64 = 0x9E3779B97F4A7C15 // odd, its bits well mixed

func newSightings(n int) *sightings {
	size := bits.Len(uint(min(n, 1<<17)))
	s := &sightings{ends: make([]int32, 1<<size), shift: 64 - size, out: 1}
	for range loopGram {
		s.out *= hashBase
	}
	return s
}

// put adds the sequence that ends at i and returns where the same was seen
// before, if it was.
func (s *sightings) put(text string, i int) (last int, ok bool) {
	s.hash = s.hash*hashBase + uint64(text[i]) + 1
	if i >= loopGram {
		s.hash -= (uint64(text[i-loopGram]) + 1) * s.out
	}
	if i < loopGram-1 {
		return 0, false
	}
	slot := &s.ends[(s.hash^s.hash>>29)*hashBase>>s.shift]
	last = int(*slot)
	*slot = int32(i)
	return last, last >= loopGram-1
}

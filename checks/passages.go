package checks

import (
	"iter"
	"math"
	"slices"

	"crosstalk/corpus"
)

const (
	// pageBudget is how many pages of earlier prompts a round's unexplained
	// texts are compared with: some twenty prompts of a million tokens.
	pageBudget = 200_000
	// pageWords bounds the words of a page from above.
	pageWords = 250
	// bitsPerPassageWord is what a word in common outside the register counts.
	bitsPerPassageWord = 3
	// locatorBits are the keyed bits of a locator without its page number, and
	// locatorCheckBits those that are not common to all of a prompt.
	locatorBits, locatorCheckBits = 25, 9
	// neighbourhood is how far from a locator the pages around it are looked
	// for, bytes: several pages.
	neighbourhood = 16 << 10
	// maxLocators bounds the locators of one text that are followed.
	maxLocators = 1024
	// minSearched is how many telling words, close together, are worth a search.
	minSearched = 8
	// minSearchedRun is the shortest passage a search looks for, in words.
	minSearchedRun = 8
)

// pager is a prompt of which single pages can be compared.
type pager interface {
	MatchPages(text string, min, from, to int) []corpus.Span
}

// locatedPieces follows the locators in a channel to the prompts they name and
// compares their neighbourhood. It reports whether all of them were followed.
func (s *subject) locatedPieces(c Channel) ([]piece, bool) {
	locators := slices.DeleteFunc(slices.Clone(s.locators(c)), s.ownsLocator)
	if len(locators) == 0 {
		return nil, true
	}
	d := s.facts.donorList()
	each := math.Log2(float64(len(locators)))
	keys := math.Log2(float64(max(1, d.keys())))
	seen := map[*donor]bool{}
	var pieces []piece
	for _, l := range locators[:min(len(locators), maxLocators)] {
		for _, n := range d.named(l) {
			if s.own[n.payload] {
				continue
			}
			log2 := each + keys - locatorBits
			if seen[n] {
				log2 = min(0, each-locatorCheckBits)
			}
			seen[n] = true
			pieces = s.addNeighbourhood(pieces, c, l, n)
			pieces = addLocator(pieces, l, n, log2)
		}
	}
	return s.preferOwn(pieces), len(locators) <= maxLocators
}

// addNeighbourhood adds what the text has in common with the pages around a
// locator in the donor's prompt.
func (s *subject) addNeighbourhood(pieces []piece, c Channel, l corpus.Locator, n *donor) []piece {
	prompt, ok := s.facts.donorList().rebuild(n).(pager)
	if !ok {
		return pieces
	}
	r := s.read(c)
	compared := math.Log2(float64(max(1, len(r.words)))) + math.Log2(3*pageWords)
	from, to := max(0, l.Start-neighbourhood), min(len(r.text), l.End+neighbourhood)
	for _, sp := range prompt.MatchPages(r.text[from:to], minPassage-1, max(0, l.Page-1), l.Page+2) {
		sp.Start, sp.End = sp.Start+from, sp.End+from
		p := piece{donor: n, start: sp.Start, end: sp.End, offset: sp.Offset, source: sourceOf(sp)}
		known := slices.ContainsFunc(pieces, func(o piece) bool { return o.donor == n && o.start == p.start })
		told := r.tellingIn(sp.Start, sp.End, l.Start, l.End)
		p.log2 = min(0, compared-bitsPerPassageWord*float64(told))
		if holds := sp.Start <= l.Start && l.End <= sp.End; !known && (holds || p.log2 < 0) {
			pieces = append(pieces, p)
		}
	}
	return pieces
}

// sourceOf is what of the donor's prompt a passage is, about: as written there it
// may have a few bytes more or less.
func sourceOf(sp corpus.Span) span { return span{sp.Offset, sp.Offset + int64(sp.End-sp.Start)} }

// addLocator adds the weight of a locator to the passage it stands in, or as a
// piece of its own.
func addLocator(pieces []piece, l corpus.Locator, n *donor, log2 float64) []piece {
	for i, p := range pieces {
		if p.donor == n && p.start <= l.Start && l.End <= p.end {
			pieces[i].log2 += log2
			return pieces
		}
	}
	page := -1 - int64(l.Page) // before the prompt, where no passage is
	return append(pieces, piece{donor: n, start: l.Start, end: l.End, offset: -1, source: span{page, page + 1}, log2: log2})
}

// telling reports whether a word can tell one prompt from another: it is not of
// the register, and no passage or answer of our own explains it.
func (r *reading) telling(word int) bool {
	return r.kinds[word] == unexplained || r.kinds[word] == promptWord
}

// worthSearching reports whether some twenty words in a row hold at least
// minSearched telling ones.
func (r *reading) worthSearching() bool {
	n := 0
	for i := range r.words {
		if r.telling(i) {
			n++
		}
		if i >= 20 && r.telling(i-20) {
			n--
		}
		if n >= minSearched {
			return true
		}
	}
	return false
}

// tellingIn counts the telling words of a range of bytes, outside a second one.
func (r *reading) tellingIn(start, end, exceptStart, exceptEnd int) int {
	n := 0
	for i := r.wordAt(start); i < len(r.words) && r.words[i].End <= end; i++ {
		w := r.words[i]
		excepted := w.Start >= exceptStart && w.End <= exceptEnd
		if !excepted && r.telling(i) {
			n++
		}
	}
	return n
}

// searchedPieces compares unexplained text without locators with the prompts of
// the round and the look-back, those of the same tenant first. Prompts of a family
// that has not so many words of the text in a row are passed over: most text of
// others is compared with none. done is false when the budget ended the search.
func (s *subject) searchedPieces(c Channel, budget *int) (pieces []piece, done bool) {
	r := s.read(c)
	if !r.worthSearching() || !corpus.AnyMayHold(r.words, minSearchedRun) {
		return nil, true
	}
	d := s.facts.donorList()
	read := 0
	mayHold := map[string]bool{} // by family
	for n := range s.nearestFirst(d.list) {
		possible, known := mayHold[n.spec.Family]
		if !known {
			possible = corpus.MayHold(n.spec, r.words, minSearchedRun)
			mayHold[n.spec.Family] = possible
		}
		if s.own[n.payload] || !possible {
			continue
		}
		if *budget <= 0 {
			return s.priced(r, pieces, read), false
		}
		prompt := d.rebuild(n)
		if prompt == nil {
			continue
		}
		spans, pages := matchWindows(prompt, s.text(c), minSearchedRun, *budget)
		read += pages
		*budget -= pages
		for _, sp := range spans {
			pieces = append(pieces, piece{donor: n, start: sp.Start, end: sp.End, offset: sp.Offset, source: sourceOf(sp)})
		}
	}
	return s.preferOwn(s.priced(r, pieces, read)), true
}

// nearestFirst are donors, those of the same tenant first.
func (s *subject) nearestFirst(all []*donor) iter.Seq[*donor] {
	return func(yield func(*donor) bool) {
		for distance := range 2 {
			for _, n := range all {
				if s.distance(n) == distance && !yield(n) {
					return
				}
			}
		}
	}
}

// distance is 0 for donors of the same tenant, 1 for others.
func (s *subject) distance(n *donor) int {
	if n.payload.Tenant == s.tenant {
		return 0
	}
	return 1
}

// priced gives the pieces of a search over so many pages their chance, and
// drops those that say nothing.
func (s *subject) priced(r *reading, pieces []piece, pages int) []piece {
	compared := math.Log2(float64(max(1, len(r.words)))) + math.Log2(float64(max(1, pages))*pageWords)
	for i, p := range pieces {
		pieces[i].log2 = compared - bitsPerPassageWord*float64(r.tellingIn(p.start, p.end, 0, 0))
	}
	return slices.DeleteFunc(pieces, func(p piece) bool { return p.log2 >= 0 })
}

// preferOwn drops pieces of other tenants that the same tenant sent too, as a
// shared prefix: no donor of another tenant is needed to explain them.
func (s *subject) preferOwn(pieces []piece) []piece {
	return slices.DeleteFunc(pieces, func(p piece) bool {
		if s.distance(p.donor) == 0 {
			return false
		}
		return slices.ContainsFunc(pieces, func(o piece) bool {
			return s.distance(o.donor) == 0 && o.start < p.end && p.start < o.end && o.end-o.start >= (p.end-p.start)/2
		})
	})
}

package checks

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Kinds of the foreignfragment check. Each says what was found; the class says
// whether its chance of accident is small enough to be proof.
const (
	KindFragment      = "fragment"       // leak: words of another tenant's marker
	KindPassage       = "passage"        // leak: filler of another tenant's prompt
	KindSuspect       = "suspect"        // damaged: either, short of proof
	KindStaleFragment = "stale_fragment" // damaged: either, of the tenant's other request
	KindPageBudget    = "page_budget"    // inconclusive: the text or the look-back was too long to search
)

// maxLeakChance is the probability of accident below which a fragment is proof.
const maxLeakChance = 1e-12

// maxSuspectChance is the probability above which a resemblance is not worth a
// finding.
const maxSuspectChance = 1e-3

// maxPageMap bounds the findings about one donor: each names one passage, and
// together they map the answer onto the donor's prompt.
const maxPageMap = 16

// foreignFragment looks for pieces of other requests: five or more words of a
// marker, and passages of filler. A piece proves nothing by its form; what
// counts is the chance p that text made without the donor's prompt agrees with
// it so far. All of these are upper bounds:
//
//   - A run of r words of a marker: p = W C 2^-10r, for W words of text and C
//     places (marker and position) it was compared with. A word is 10 bits, and
//     the words of markers are a cipher's output.
//   - A run of k symbols of a marker that is a code: p = W C 2^-5k, for W
//     characters of text.
//   - A locator: 2^-25 for every locator and key it was compared with, from 16
//     bits of request hash and 9 check bits, both keyed. Its page number counts
//     for nothing. A further locator of the same donor: 2^-9 for every locator,
//     since all those of a prompt have one request hash, whoever made it.
//   - A passage: W N 2^-3n, for N words of prompt it was compared with and n
//     words in common that are not in the register. The prompt's words are drawn
//     evenly from lists of dozens to hundreds, independent of any text made
//     without its key, so a word drawn is worth 6 bits and more; counting 3
//     leaves room for words that come with the sentence pattern.
//
// Independent pieces of one donor multiply: those of different parts of it. An
// answer that repeats one piece has said no more than once. The search for passages without a
// locator has a budget of pages, and runs only on text that neither the own
// prompt nor chatter explains.
type foreignFragment struct{}

func (foreignFragment) Name() string { return "foreignfragment" }

func (c foreignFragment) Run(in *Input) []Finding {
	return in.each(c.Name(), func(s *subject) []Finding {
		var found []Finding
		for _, channel := range Channels() {
			pieces, searched := s.pieces(channel)
			found = append(found, s.weigh(channel, pieces)...)
			if !searched {
				found = append(found, Finding{
					Kind: KindPageBudget, Class: Inconclusive, Channel: channel,
					Detail: fmt.Sprintf("there is more unexplained text, or there are more earlier prompts, than the budget of %d pages compares", pageBudget),
				})
			}
		}
		return found
	})
}

// piece is a part of a text that agrees with a part of a donor's prompt.
type piece struct {
	donor      *donor
	start, end int     // bytes of the text
	offset     int64   // in the donor's prompt; -1 when not known
	marker     int     // number of the marker, 0 for filler
	source     span    // what of the donor it is: words or symbols of the marker, bytes of filler
	log2       float64 // upper bound on log2 of the chance of accident
}

// span is a range of a donor's marker or filler.
type span struct{ from, to int64 }

func (a span) overlaps(b span) bool { return a.from < b.to && b.from < a.to }

// foundPieces is the result of a search of one channel.
type foundPieces struct {
	pieces   []piece
	searched bool // the budget sufficed
}

// pieces are the parts of a channel that agree with other requests. searched is
// false when the budget ended the search.
func (s *subject) pieces(c Channel) (all []piece, searched bool) {
	if got, ok := s.parts[c]; ok {
		return got.pieces, got.searched
	}
	got := foundPieces{searched: true}
	if s.codec() != nil && s.text(c) != "" {
		got.pieces, got.searched = s.markerPieces(c)
		for _, find := range []func(Channel) ([]piece, bool){s.codePieces, s.locatedPieces} {
			more, complete := find(c)
			got.pieces, got.searched = append(got.pieces, more...), got.searched && complete
		}
		if got.searched && len(got.pieces) == 0 && c.isAnswer() {
			got.pieces, got.searched = s.searchedPieces(c, &s.facts.pages)
		}
	}
	s.parts[c] = got
	return got.pieces, got.searched
}

// strange is the reading of a channel in which what the same tenant sent before
// is explained too: it is stale, not a stranger's.
func (s *subject) strange(c Channel) *reading {
	r := s.read(c)
	pieces, _ := s.pieces(c)
	for _, p := range pieces {
		if s.distance(p.donor) == 0 && math.Exp2(p.log2) < maxSuspectChance {
			if r == s.readings[c] {
				r = r.clone()
			}
			r.markBytes(p.start, p.end, passageWord)
		}
	}
	return r
}

// weigh joins the pieces of each donor and turns them into findings.
func (s *subject) weigh(c Channel, pieces []piece) []Finding {
	var order []*donor
	of := map[*donor][]piece{}
	for _, p := range pieces {
		if of[p.donor] == nil {
			order = append(order, p.donor)
		}
		of[p.donor] = append(of[p.donor], p)
	}
	var found []Finding
	for _, d := range order {
		chance := math.Exp2(joined(of[d]))
		if chance > maxSuspectChance {
			continue
		}
		for _, p := range of[d][:min(len(of[d]), maxPageMap)] {
			found = append(found, s.pieceFinding(c, p, chance))
		}
	}
	return found
}

// certain is a log2 of a chance below which no more pieces are counted: it is 0
// as a number.
const certain = -1100

// joined bounds log2 of the chance that all pieces of one donor are there by
// accident: the sum over the strongest ones that have no part of it in common.
func joined(pieces []piece) (log2 float64) {
	var counted []piece
	for _, p := range slices.SortedStableFunc(slices.Values(pieces), func(a, b piece) int { return cmp.Compare(a.log2, b.log2) }) {
		if p.log2 >= 0 || log2 < certain {
			break
		}
		if slices.ContainsFunc(counted, func(c piece) bool { return c.marker == p.marker && c.source.overlaps(p.source) }) {
			continue
		}
		counted = append(counted, p)
		log2 += p.log2
	}
	return log2
}

func (s *subject) pieceFinding(c Channel, p piece, chance float64) Finding {
	f := Finding{
		Channel: c, Offset: p.start, Length: p.end - p.start, PChance: chance,
		Origin: &Origin{
			Tenant: p.donor.payload.Tenant, Payload: p.donor.payload, Exchange: p.donor.exchange,
			PromptOffset: p.offset, Marker: p.marker,
		},
	}
	what := "a passage of the prompt"
	f.Kind, f.Class = KindPassage, Leak
	if p.marker > 0 {
		what = fmt.Sprintf("a part of marker %d", p.marker)
		f.Kind = KindFragment
		f.Origin.Payload.Index = uint8(p.marker - 1)
	}
	whose := "another tenant's request"
	switch {
	case p.donor.payload.Tenant == s.tenant:
		f.Kind, f.Class, whose = KindStaleFragment, Damaged, "another request of the same tenant"
	case chance >= maxLeakChance:
		f.Kind, f.Class = KindSuspect, Damaged
	}
	f.Detail = fmt.Sprintf("%s of %s; by accident with p < %.1e", what, whose, chance)
	return f
}

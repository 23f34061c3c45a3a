package tenants

import (
	"cmp"
	"math"
	"slices"

	"crosstalk/corpus"
)

// Edit is how a marker found in a text differs from the marker minted.
type Edit string

const (
	EditNone        Edit = "exact"
	EditSubstituted Edit = "substituted" // one word (or character of a code) is another
	EditLost        Edit = "lost"        // one is missing
	EditAdded       Edit = "added"       // one too many
)

// Hit is a verified marker in a text.
type Hit struct {
	Payload Payload
	Dress   corpus.Dress
	Edit    Edit
	// Key is the number of the fleet key that verified it: 0 is the newest.
	Key int
	// Start and End are byte offsets into the text.
	Start, End int
	// PChance bounds the probability that a text made without the key holds
	// a verified marker: readings tried in the whole text x 2^-72.
	PChance float64
}

// maxReadings bounds the readings with an edit that Find tries in one text: a
// hostile text may be nothing but almost-markers, and each takes thousands.
// Readings without an edit are not bounded; they are at most one a word.
const maxReadings = 1 << 20

// Find finds every marker in text, whichever its dress, exact or with one
// edit, in order of Start.
//
// An edit is looked for where at most one of 12, 13 or 14 words in a row is not
// of the list, or in a code of the right shape. Words of which only the ending
// is wrong ("cinnamons") are read by their first four letters, up to three in a
// marker, as one substitution. The work on a text is bounded; see FindBounded.
func (c *Codec) Find(text string) []Hit {
	hits, _ := c.FindBounded(text)
	return hits
}

// FindBounded is Find and tells whether it was complete. It is not when the
// text holds more almost-markers than the bound on work allows; markers without
// an edit are found in any case.
func (c *Codec) FindBounded(text string) (hits []Hit, complete bool) {
	d := decoder{codec: c, text: text, budget: maxReadings}
	sift(text, d.sifter())
	d.readEdits()
	return d.result(), !d.exhausted
}

// FindWithRuns is FindBounded and Runs in one reading of the text.
func (c *Codec) FindWithRuns(text string, min int) (hits []Hit, runs []Run, complete bool) {
	d := decoder{codec: c, text: text, budget: maxReadings}
	r := runner{least: max(min, 1)}
	sift(text, d.sifter(), r.sifter(text))
	d.readEdits()
	return d.result(), r.runs, !d.exhausted
}

// sifter finds the places that may hold a marker.
func (d *decoder) sifter() *sifter {
	return &sifter{
		text: d.text, need: minListed, gap: phraseWords - minListed,
		stretch: d.readStretch, zone: d.readZone,
	}
}

// decoder verifies the markers of one text.
type decoder struct {
	codec *Codec
	text  string
	prfs  []*prf // made when first needed, one a key
	hits  []Hit
	// damaged and damagedCodes are the places that may hold a marker with an
	// edit: they are read last, the likeliest first.
	damaged      []segment
	damagedCodes []codeWindow
	rest         segment     // of one stretch
	row          []codeToken // of one zone
	// failed are the windows in which every edit was tried in vain.
	failed map[windowWords]struct{}
	// tried counts the readings that were or might have been tried: the hits
	// so far do not make it smaller.
	tried     int
	budget    int // readings with an edit that are left
	exhausted bool
}

// result is the hits in order of Start, each once: pieces of a long text
// overlap.
func (d *decoder) result() []Hit {
	slices.SortFunc(d.hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	hits := slices.Compact(d.hits)
	for i := range hits {
		hits[i].PChance = math.Ldexp(float64(d.tried), -8*tagSize)
	}
	return hits
}

// open verifies a phrase under every key.
func (d *decoder) open(p *phrase) (payload Payload, key int, ok bool) {
	if p.version() != version {
		return Payload{}, 0, false
	}
	if d.prfs == nil {
		for _, k := range d.codec.keys {
			d.prfs = append(d.prfs, newPRF(k))
		}
	}
	for key, f := range d.prfs {
		if payload, ok := f.open(p); ok {
			return payload, key, true
		}
	}
	return Payload{}, 0, false
}

// verify adds a hit if p is a marker, and reports whether it is.
func (d *decoder) verify(p *phrase, hit Hit) bool {
	payload, key, ok := d.open(p)
	if ok {
		hit.Payload, hit.Key = payload, key
		d.hits = append(d.hits, hit)
	}
	return ok
}

// count adds n readings to those tried.
func (d *decoder) count(n int) { d.tried += n * len(d.codec.keys) }

// spend takes n readings from the budget and counts them; ok is false when
// they are more than is left.
func (d *decoder) spend(n int) (ok bool) {
	if n > d.budget {
		d.exhausted = true
		return false
	}
	d.budget -= n
	d.count(n)
	return true
}

// readEdits looks for markers with an edit where none was found without:
// first those that stand where markers are likely to, then codes, then the
// rest.
func (d *decoder) readEdits() {
	var rest []segment
	for _, s := range d.damaged {
		rest = append(rest, d.editPhrases(s, true)...)
	}
	for _, w := range d.damagedCodes {
		d.editCode(w)
	}
	for _, s := range rest {
		d.editPhrases(s, false)
	}
}

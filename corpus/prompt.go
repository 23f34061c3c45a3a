package corpus

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Prompt is one prompt, held as its key and spec and made anew on each read.
// It is never changed and may be used by several goroutines.
type Prompt struct {
	spec    Spec
	family  *family
	own     pageKey
	prefix  pageKey // the zero value without a prefix
	lines   []line  // in order of their places
	markers []Marker
	facts   []Fact
	// question is what asks, with the line that sets it apart.
	question string
	expected string
	size     int64
	// checkpoints[i] is the size of the filler before page i*checkpointPages.
	checkpoints []uint32
}

// line is a line between the sentences of the filler: a marker or a fact.
type line struct {
	text      string // ends with a line end
	sentences int    // of filler before it
	kind      pieceKind
	// offset, of the prompt's marker or fact, is to be set to the place of the
	// line's last bytes, as many as last and the line end.
	offset *int64
	last   int
}

// Marker is a marker in its place.
type Marker struct {
	Number int    // from 1
	Text   string // as written in the prompt
	Offset int64  // of Text in the prompt, bytes
	// Depth is the share of the prompt's filler sentences that stand before
	// it: 0 at the beginning, 1 behind the last.
	Depth float64
}

// checkpointPages is how many pages there are from one checkpoint to the next.
// To find a page's offset, up to that many less one are measured.
const checkpointPages = 16

// New returns the prompt of key and spec with the given markers, one per seal
// in order of their number. It makes a pass over the filler to learn its size.
// Its errors wrap ErrSpec.
func New(key Key, spec Spec, markers []string) (*Prompt, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	if err := validateMarkers(spec, markers); err != nil {
		return nil, err
	}
	f, err := familyOf(spec)
	if err != nil {
		return nil, err
	}
	p := &Prompt{
		spec:     spec,
		family:   f,
		own:      key.pageKey(spec.Family, spec.Version),
		question: "\n" + question(spec),
		expected: expected(spec, markers),
	}
	if spec.Prefix != nil {
		shared := *spec.Prefix // the caller's may change
		p.spec.Prefix = &shared
		p.prefix = shared.Key.pageKey(spec.Family, spec.Version)
	}
	p.place(key, markers)
	p.measure()
	return p, nil
}

// validateMarkers checks that markers fit the spec, and that a line with one is
// the same bytes in JSON.
func validateMarkers(spec Spec, markers []string) error {
	if len(markers) != spec.Seals {
		return fmt.Errorf("%w: %d markers for %d seals", ErrSpec, len(markers), spec.Seals)
	}
	for i, marker := range markers {
		if strings.TrimSpace(marker) == "" || strings.ContainsAny(marker, "\"\\") || strings.ContainsFunc(marker, notASCII) {
			return fmt.Errorf("%w: marker %d: want printable ASCII on one line, without quotes and backslashes", ErrSpec, i+1)
		}
	}
	return nil
}

// notASCII reports whether r is anything but printable ASCII.
func notASCII(r rune) bool { return r < ' ' || r > '~' }

// place sets the seals in their places, all but their offsets.
func (p *Prompt) place(key Key, markers []string) {
	p.markers = make([]Marker, len(markers))
	for i, place := range sealPlaces(key, p.spec) {
		m := &p.markers[i]
		*m = Marker{Number: i + 1, Text: markers[i], Depth: float64(place) / float64(p.spec.Sentences)}
		p.lines = append(p.lines, line{markerLine(p.spec, i+1, m.Text), place, pieceSeal, &m.Offset, len(m.Text)})
	}
	if p.spec.Facts == 0 {
		return
	}
	p.facts = FactsOf(key, p.spec.Facts)
	for i, place := range factPlaces(p.spec) {
		f := &p.facts[i]
		p.lines = append(p.lines, line{f.Text + "\n", place, pieceFact, &f.Offset, len(f.Text)})
	}
	slices.SortStableFunc(p.lines, func(a, b line) int { return a.sentences - b.sentences })
}

// measure finds the size of the prompt, its checkpoints, and the offsets of its
// markers.
func (p *Prompt) measure() {
	maker := p.pageMaker()
	var filler, lines int64
	next := 0
	for page := range p.pages() {
		if page%checkpointPages == 0 {
			p.checkpoints = append(p.checkpoints, uint32(filler))
		}
		first := page * p.family.pageSentences
		p.measurePage(maker, page)
		for ; next < len(p.lines) && p.lines[next].sentences < first+len(maker.ends); next++ {
			l := &p.lines[next]
			before := filler + int64(maker.ends[l.sentences-first]) + lines
			*l.offset = before + int64(len(l.text)-len("\n")-l.last)
			lines += int64(len(l.text))
		}
		filler += int64(maker.size())
	}
	p.size = filler + lines + int64(len(p.question))
}

// pages is the number of pages of filler, the last of which may be partial.
func (p *Prompt) pages() int {
	return (p.spec.Sentences + p.family.pageSentences - 1) / p.family.pageSentences
}

// sentencesOf is the number of sentences of a page.
func (p *Prompt) sentencesOf(page int) int {
	return min(p.family.pageSentences, p.spec.Sentences-page*p.family.pageSentences)
}

// keyOf is the key of a page: the first pages may be those of a shared prefix.
func (p *Prompt) keyOf(page int) *pageKey {
	if page*p.family.pageSentences < p.spec.shared() {
		return &p.prefix
	}
	return &p.own
}

func (p *Prompt) pageMaker() *pageMaker {
	return newPageMaker(p.family, !p.spec.NoLocators)
}

func (p *Prompt) makePage(m *pageMaker, page int) {
	m.make(p.keyOf(page), page, p.sentencesOf(page))
}

func (p *Prompt) measurePage(m *pageMaker, page int) {
	m.measure(p.keyOf(page), page, p.sentencesOf(page))
}

// Spec returns the spec of the prompt.
func (p *Prompt) Spec() Spec {
	spec := p.spec
	if spec.Prefix != nil {
		shared := *spec.Prefix
		spec.Prefix = &shared
	}
	return spec
}

// Size is the exact size of the prompt in bytes of UTF-8.
func (p *Prompt) Size() int64 { return p.size }

// Pages is the number of pages of the prompt, the shared prefix included.
func (p *Prompt) Pages() int { return p.pages() }

// Reader returns a new reader of the whole prompt. Readers are independent of
// each other and hold at most one page. They are also io.WriterTo.
func (p *Prompt) Reader() io.Reader { return &reader{walker: p.walk(0)} }

// Task is what the prompt asks for.
func (p *Prompt) Task() Task { return p.spec.Task }

// Question is the last part of the prompt, the part that asks.
func (p *Prompt) Question() string { return strings.TrimPrefix(p.question, "\n") }

// Expected is the one right answer.
func (p *Prompt) Expected() string { return p.expected }

// Markers returns the markers in order of their number.
func (p *Prompt) Markers() []Marker { return append([]Marker(nil), p.markers...) }

// Facts returns the named facts in order of their number.
func (p *Prompt) Facts() []Fact { return append([]Fact(nil), p.facts...) }

// Page returns page i as it stands in the prompt, without the lines of markers and facts that
// may stand in it, and the prompt offset of its first sentence. It takes
// microseconds wherever the page is. i is from 0 to Pages()-1; beyond, the page
// is empty and its offset the size of the prompt.
func (p *Prompt) Page(i int) (text string, offset int64) {
	if i < 0 || i >= p.pages() {
		return "", p.size
	}
	m := p.pageMaker()
	offset = p.pageOffset(m, i)
	p.makePage(m, i)
	return string(m.text[:m.size()]), offset
}

// pageOffset is the prompt offset of the first sentence of a page: behind the
// marker lines that stand before it.
func (p *Prompt) pageOffset(m *pageMaker, page int) int64 {
	offset := int64(p.checkpoints[page/checkpointPages])
	for i := page - page%checkpointPages; i < page; i++ {
		p.measurePage(m, i)
		offset += int64(m.size())
	}
	for _, l := range p.lines[:p.linesBefore(page)] {
		offset += int64(len(l.text))
	}
	return offset
}

// linesBefore is the number of markers and facts that stand before the first
// sentence of a page.
func (p *Prompt) linesBefore(page int) int {
	n := 0
	for n < len(p.lines) && p.lines[n].sentences <= page*p.family.pageSentences {
		n++
	}
	return n
}

// markerLine is the line of the document that holds a marker.
func markerLine(spec Spec, number int, marker string) string {
	if spec.Task == TaskEcho {
		return "The code is " + marker + "\n"
	}
	return "seal " + strconv.Itoa(number) + ": " + marker + "\n"
}

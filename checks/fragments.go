package checks

import (
	"math"
	"slices"
	"strings"

	"crosstalk/internal/words"
	"crosstalk/tenants"
)

const (
	minFragment   = 5  // words of a marker in a row that are worth a search
	markerWords   = 13 // in a marker
	bitsPerWord   = 10
	markerPlaces  = markerWords - minFragment + 1 // where a fragment can begin
	fragmentGlue  = " "
	maxFragmentAt = 1 << 20 // markers compared with
	maxRunBytes   = 1 << 20 // of runs of one channel that are compared
)

// markerPieces finds runs of marker words that belong to markers of other
// requests, but are no whole markers. It reports whether all runs were searched.
func (s *subject) markerPieces(c Channel) ([]piece, bool) {
	runs, complete := s.strangeRuns(c)
	if len(runs) == 0 {
		return nil, complete
	}
	type place struct{ run, word int }
	grams := map[string][]place{}
	for i, run := range runs {
		for j := range len(run) - minFragment + 1 {
			g := gram(run[j:])
			grams[g] = append(grams[g], place{i, j})
		}
	}
	d := s.facts.donorList()
	compared := 0
	var pieces []piece
	for _, n := range d.list {
		if s.own[n.payload] || compared > maxFragmentAt {
			continue
		}
		for number, text := range d.markers(n) {
			marker := foldedWords(text)
			compared++
			for at := 0; at+minFragment <= len(marker); at++ {
				longest := 0
				for _, p := range grams[gramOf(marker[at:])] {
					run := runs[p.run][p.word:]
					r := commonRun(marker[at:], run)
					pieces = append(pieces, piece{
						donor: n, marker: number + 1, offset: -1,
						source: span{int64(at), int64(at + r)},
						start:  run[0].Start, end: run[r-1].End, log2: -bitsPerWord * float64(r),
					})
					longest = max(longest, r)
				}
				at += max(0, longest-1)
			}
		}
	}
	tried := math.Log2(float64(wordsIn(s.text(c)))) + math.Log2(float64(compared*markerPlaces))
	for i := range pieces {
		pieces[i].log2 += tried
		pieces[i].offset = s.facts.markerOffset(pieces[i])
	}
	return pieces, complete
}

// wordsIn counts the words of a text; of a long one it is a bound from above.
func wordsIn(text string) int {
	if len(text) > maxRead {
		return len(text) / 2
	}
	return len(words.Scan(text))
}

// strangeRuns are the runs of marker words in a channel that neither a verified
// marker nor the own seals explain. complete is false when there are more than
// maxRunBytes.
func (s *subject) strangeRuns(c Channel) (runs [][]words.Word, complete bool) {
	text, own, left := s.text(c), s.sealIndex(), maxRunBytes
	for _, run := range s.listRuns(c) {
		if s.inMarker(c, run.Start, run.End) {
			continue
		}
		if left -= run.End - run.Start; left < 0 {
			return runs, false
		}
		all := words.Scan(text[run.Start:run.End])
		for i := range all {
			all[i].Start += run.Start
			all[i].End += run.Start
		}
		known := make([]bool, len(all))
		for _, o := range own.in(all) {
			for i := o.from; i < o.from+o.n; i++ {
				known[i] = true
			}
		}
		for i, w := range all {
			known[i] = known[i] || s.inMarker(c, w.Start, w.End)
		}
		for from := 0; from < len(all); from++ {
			to := from
			for to < len(all) && !known[to] {
				to++
			}
			if to-from >= minFragment {
				runs = append(runs, all[from:to])
			}
			from = to
		}
	}
	return runs, true
}

// listRuns are the runs of marker words in a channel, whosoever's they are. They
// are found with the markers, in one reading, where there is a fleet key.
func (s *subject) listRuns(c Channel) []tenants.Run {
	s.markers(c)
	runs, ok := s.runs[c]
	if !ok {
		runs = tenants.Runs(s.text(c), minFragment)
		s.runs[c] = runs
	}
	return runs
}

// inMarker reports whether a range of bytes lies within a verified marker.
func (s *subject) inMarker(c Channel, start, end int) bool {
	hits := s.markers(c) // in order of their beginning
	i, _ := slices.BinarySearchFunc(hits, start+1, func(h tenants.Hit, at int) int { return h.Start - at })
	return i > 0 && end <= hits[i-1].End
}

// gram is the first words of a run as a map key.
func gram(run []words.Word) string {
	var b strings.Builder
	for _, w := range run[:minFragment] {
		b.WriteString(w.Text)
		b.WriteString(fragmentGlue)
	}
	return b.String()
}

func gramOf(marker []string) string {
	return strings.Join(marker[:minFragment], fragmentGlue) + fragmentGlue
}

// markerOffset is where in the donor's prompt the marker of a piece stands.
func (f *facts) markerOffset(p piece) int64 {
	if prompt := f.donorList().rebuild(p.donor); prompt != nil {
		for _, m := range prompt.Markers() {
			if m.Number == p.marker {
				return m.Offset
			}
		}
	}
	return -1
}

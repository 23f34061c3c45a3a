package checks

import (
	"math"
	"strings"

	"crosstalk/corpus"
)

const (
	minCode     = 10 // symbols of a code marker in a row that are worth a search
	bitsPerCode = 5
	codeSymbols = 26                        // in a marker
	codePlaces  = codeSymbols - minCode + 1 // where a fragment can begin
	maxCodes    = 4096                      // runs of symbols of one channel that are compared
)

// codeRun is a run of symbols of code markers in a text, hyphens dropped.
type codeRun struct {
	symbols string
	at      []int // byte of each symbol in the text
}

// codePieces finds pieces of markers in the dress of codes that belong to other
// requests: minCode symbols and more in a row. A symbol is 5 bits of a cipher's
// output. It reports whether all runs were compared.
func (s *subject) codePieces(c Channel) ([]piece, bool) {
	runs, complete := s.strangeCodes(c)
	if len(runs) == 0 {
		return nil, complete
	}
	type place struct{ run, at int }
	grams := map[string][]place{}
	for i, r := range runs {
		for at := range len(r.symbols) - minCode + 1 {
			g := r.symbols[at : at+minCode]
			grams[g] = append(grams[g], place{i, at})
		}
	}
	d := s.facts.donorList()
	compared := 0
	var pieces []piece
	for _, n := range d.list {
		if s.own[n.payload] || n.spec.Dress != corpus.DressCode || compared > maxFragmentAt {
			continue
		}
		for number, text := range d.markers(n) {
			compared++
			marker := strings.ReplaceAll(text, "-", "")
			for at := 0; at+minCode <= len(marker); at++ {
				longest := 0
				for _, p := range grams[marker[at:at+minCode]] {
					run := runs[p.run]
					k := commonPrefix(marker[at:], run.symbols[p.at:])
					pieces = append(pieces, piece{
						donor: n, marker: number + 1, offset: -1,
						source: span{int64(at), int64(at + k)},
						start:  run.at[p.at], end: run.at[p.at+k-1] + 1, log2: -bitsPerCode * float64(k),
					})
					longest = max(longest, k)
				}
				at += max(0, longest-1)
			}
		}
	}
	tried := math.Log2(float64(len(s.text(c)))) + math.Log2(float64(compared*codePlaces))
	for i := range pieces {
		pieces[i].log2 += tried
		pieces[i].offset = s.facts.markerOffset(pieces[i])
	}
	return pieces, complete
}

// strangeCodes are the runs of code symbols in a channel that neither a verified
// marker nor the own seals explain.
func (s *subject) strangeCodes(c Channel) (runs []codeRun, complete bool) {
	text := s.text(c)
	var own strings.Builder
	for _, e := range s.seals {
		own.WriteString(strings.Join(e.words, "") + " ")
	}
	for at := 0; at < len(text); {
		r, next := codeRunAt(text, at)
		if len(r.symbols) >= minCode && strings.ContainsAny(r.symbols, "0123456789") &&
			!s.inMarker(c, r.at[0], r.at[len(r.at)-1]+1) && !strings.Contains(own.String(), r.symbols) {
			if len(runs) == maxCodes {
				return runs, false
			}
			runs = append(runs, r)
		}
		at = next
	}
	return runs, true
}

// codeRunAt reads the run of symbols at or behind a byte; next is where to go on.
// It looks at every minCode-th byte only until one can be inside a run.
func codeRunAt(text string, at int) (r codeRun, next int) {
	probe := at + minCode - 1
	for probe < len(text) {
		from := probe
		for from >= at && isCodeByte(text[from]) {
			from--
		}
		if from < at || probe-from >= minCode {
			return readCode(text, from+1)
		}
		at, probe = from+1, from+minCode
	}
	return codeRun{}, len(text)
}

func readCode(text string, at int) (r codeRun, next int) {
	var b strings.Builder
	for ; at < len(text) && isCodeByte(text[at]); at++ {
		if text[at] != '-' {
			c := text[at]
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			b.WriteByte(c)
			r.at = append(r.at, at)
		}
	}
	r.symbols = b.String()
	return r, at + 1
}

func isCodeByte(c byte) bool {
	return c == '-' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

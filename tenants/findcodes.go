package tenants

import (
	"slices"
	"strings"

	"crosstalk/corpus"
	"crosstalk/internal/words"
)

const (
	// maxCode is the longest row of symbols that is read as a code: one too
	// many.
	maxCode = codeSymbols + 1
	// maxGlue is the most bytes between two groups of a code.
	maxGlue = 8
)

// codeToken is one word of a text as part of a code.
type codeToken struct {
	text       string // folded
	bad        int    // bytes of it that are no symbols
	digits     int    // counting what is read as a digit
	glue       glue
	start, end int
}

// glue is what stands before a token.
type glue uint8

const (
	glueNone   glue = iota // too much to be within a code
	glueLoose              // space, a line end, other punctuation
	glueHyphen             // a hyphen or dash, as minted
)

// codeWindow is a row of tokens that may be a code.
type codeWindow []codeToken

// readZone reads a part of the text that has digits for codes: whole ones at
// once, those that may have an edit later.
func (d *decoder) readZone(from, to int) {
	d.row = d.appendCodeTokens(d.row[:0], from, to)
	row := d.row
	for i := 0; i < len(row); {
		i += max(1, d.readCode(row[i:]))
	}
}

// readCode looks for a code that begins with the first token of row and returns
// how many tokens it has, 0 for none. A window that has the shape of a code
// with an edit is kept. Any other grouping is accepted only without an edit.
func (d *decoder) readCode(row []codeToken) (size int) {
	var shaped codeWindow
	symbols, digits, bad := 0, 0, 0
	for i, t := range row {
		symbols, digits, bad = symbols+len(t.text), digits+t.digits, bad+t.bad
		if symbols > maxCode || bad > 1 || i > 0 && t.glue == glueNone {
			break
		}
		w := codeWindow(row[:i+1])
		if symbols == codeSymbols && bad == 0 && digits >= minDigits {
			d.count(1)
			if w.version() == version {
				p := phraseOf(w.symbols())
				if d.verify(&p, w.hit(EditNone)) {
					return len(w)
				}
			}
		}
		if symbols >= codeSymbols-1 && digits >= minDigits-1 && w.shaped(symbols) {
			shaped = w
		}
	}
	if shaped != nil {
		d.damagedCodes = append(d.damagedCodes, slices.Clone(shaped))
	}
	return 0
}

// shaped reports whether w, which has so many symbols, is one word, or groups
// of the minted lengths joined by hyphens but for one edit.
func (w codeWindow) shaped(symbols int) bool {
	if len(w) == 1 {
		return true
	}
	if len(w) != len(codeGroups) {
		return false
	}
	off := symbols - codeSymbols // what one group may have more than minted
	for i, t := range w {
		if i > 0 && t.glue != glueHyphen {
			return false
		}
		switch more := len(t.text) - codeGroups[i]; {
		case more == 0:
		case more == off:
			off = 0
		default:
			return false
		}
	}
	return off == 0
}

// editCode looks for a code with one edit that fills the window.
func (d *decoder) editCode(w codeWindow) bool {
	symbols := w.symbols()
	from, to := 0, max(len(symbols), codeSymbols)
	for i, s := range symbols {
		if s == noSymbol {
			from, to = i, i+1
		}
	}
	bad := to-from == 1
	switch len(symbols) {
	case codeSymbols + 1:
		return d.spend(to-from) && d.withoutSymbol(w, symbols, from, to)
	case codeSymbols:
		return d.spend((to-from)<<symbolBits) && d.otherSymbol(w, symbols, from, to, EditSubstituted)
	}
	// A character is lost: a strange one besides would be two edits.
	return !bad && d.spend((to-from)<<symbolBits) && d.otherSymbol(w, symbols, from, to, EditLost)
}

// withoutSymbol leaves out one symbol.
func (d *decoder) withoutSymbol(w codeWindow, symbols []byte, from, to int) bool {
	var buf [codeSymbols]byte
	for at := from; at < to; at++ {
		copy(buf[copy(buf[:], symbols[:at]):], symbols[at+1:])
		p := phraseOf(buf[:])
		if d.verify(&p, w.hit(EditAdded)) {
			return true
		}
	}
	return false
}

// otherSymbol puts every symbol in each place, or between two if one is lost.
func (d *decoder) otherSymbol(w codeWindow, symbols []byte, from, to int, edit Edit) bool {
	var buf [codeSymbols]byte
	for at := from; at < to; at++ {
		after := symbols[at:]
		if edit == EditSubstituted {
			after = symbols[at+1:]
		}
		copy(buf[copy(buf[:], symbols[:at])+1:], after)
		for s := range byte(1 << symbolBits) {
			buf[at] = s
			p := phraseOf(buf[:])
			if d.verify(&p, w.hit(edit)) {
				return true
			}
		}
	}
	return false
}

// version is that of the phrase which the window begins with.
func (w codeWindow) version() uint8 { return symbolOf[w[0].text[0]] >> (symbolBits - versionBits) }

// symbols joins the symbols of the window.
func (w codeWindow) symbols() []byte {
	out := make([]byte, 0, maxCode)
	for _, t := range w {
		for _, c := range []byte(t.text) {
			out = append(out, symbolOf[c])
		}
	}
	return out
}

func (w codeWindow) hit(edit Edit) Hit {
	return Hit{Dress: corpus.DressCode, Edit: edit, Start: w[0].start, End: w[len(w)-1].end}
}

// appendCodeTokens reads text[from:to] for codes. Hyphens at line ends separate.
func (d *decoder) appendCodeTokens(row []codeToken, from, to int) []codeToken {
	last := from
	s := words.NewScannerAt(d.text[:to], from)
	for {
		w, ok := s.Next()
		if !ok {
			return row
		}
		parts := words.Parts(d.text, w)
		if parts == nil {
			row = append(row, codeTokenOf(w, d.text[last:w.Start]))
			last = w.End
		}
		for _, part := range parts {
			row = append(row, codeTokenOf(part, d.text[last:part.Start]))
			last = part.End
		}
	}
}

// codeTokenOf reads a word that stands behind the given separators.
func codeTokenOf(w words.Word, between string) codeToken {
	t := codeToken{text: w.Text, start: w.Start, end: w.End, glue: glueOf(between)}
	if len(w.Text) > maxCode {
		return t // too long to matter
	}
	for _, c := range []byte(w.Text) {
		switch s := symbolOf[c]; {
		case s == noSymbol:
			t.bad++
		case s < 10:
			t.digits++
		}
	}
	return t
}

func glueOf(between string) glue {
	switch {
	case between == " ":
		return glueLoose // the usual case, fast
	case len(between) > maxGlue:
		return glueNone
	case strings.ContainsAny(between, "-\u2010\u2011\u2012\u2013\u2014\u2212"):
		return glueHyphen
	}
	return glueLoose
}

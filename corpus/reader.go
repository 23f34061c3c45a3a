package corpus

import "io"

// pieceKind says what a piece of a prompt is.
type pieceKind uint8

const (
	pieceFiller pieceKind = iota
	pieceSeal
	pieceFact
	pieceQuestion
)

// walker goes over a prompt piece by piece: whole sentences of one page, the
// line of a marker or a fact, the question.
type walker struct {
	p        *Prompt
	maker    *pageMaker
	page     int // the page in maker; -1: none yet
	sentence int // the next
	line     int // the next
	offset   int64
	asked    bool
}

// walk returns a walker over the whole prompt, or from the first sentence of a
// later page on.
func (p *Prompt) walk(page int) *walker {
	w := &walker{p: p, maker: p.pageMaker(), page: -1}
	if page > 0 {
		w.offset = p.pageOffset(w.maker, page)
		w.line = p.linesBefore(page)
		w.sentence = page * p.family.pageSentences
	}
	return w
}

// next returns the next piece, its kind, and its offset in the prompt. The
// piece may be read until the next call; it is empty at the end.
func (w *walker) next() (text []byte, kind pieceKind, offset int64) {
	offset = w.offset
	switch {
	case w.line < len(w.p.lines) && w.p.lines[w.line].sentences == w.sentence:
		l := &w.p.lines[w.line]
		text, kind = []byte(l.text), l.kind
		w.line++
	case w.sentence < w.p.spec.Sentences:
		text, kind = w.filler(), pieceFiller
	case !w.asked:
		text, kind = []byte(w.p.question), pieceQuestion
		w.asked = true
	}
	w.offset += int64(len(text))
	return text, kind, offset
}

// filler returns the sentences up to the end of the page or the next line between
// them.
func (w *walker) filler() []byte {
	if page := w.sentence / w.p.family.pageSentences; page != w.page {
		w.p.makePage(w.maker, page)
		w.page = page
	}
	first := w.page * w.p.family.pageSentences
	end := first + len(w.maker.ends) - 1
	if w.line < len(w.p.lines) {
		end = min(end, w.p.lines[w.line].sentences)
	}
	text := w.maker.text[w.maker.ends[w.sentence-first]:w.maker.ends[end-first]]
	w.sentence = end
	return text
}

// reader reads a prompt.
type reader struct {
	walker *walker
	rest   []byte // of the piece
}

func (r *reader) Read(b []byte) (n int, err error) {
	for n < len(b) {
		if len(r.rest) == 0 {
			if r.rest, _, _ = r.walker.next(); len(r.rest) == 0 {
				break
			}
		}
		copied := copy(b[n:], r.rest)
		r.rest = r.rest[copied:]
		n += copied
	}
	if n == 0 && len(b) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// WriteTo writes what is left of the prompt to dst, a page or less at a time.
func (r *reader) WriteTo(dst io.Writer) (written int64, err error) {
	for {
		n, err := dst.Write(r.rest)
		written += int64(n)
		if err != nil {
			return written, err
		}
		if r.rest, _, _ = r.walker.next(); len(r.rest) == 0 {
			return written, nil
		}
	}
}

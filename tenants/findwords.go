package tenants

import (
	"slices"

	"crosstalk/corpus"
)

// minListed is the least number of listed words in a stretch that is read for
// markers: 10 of the 13 words of a phrase. Ordinary text has no such stretch.
const minListed = 10

// segment is a row of tokens that are in no marker found so far.
type segment []token

// readStretch reads a stretch of text that is dense with listed words: whole
// markers at once, the rest later. It holds no more than what stands between two
// markers, since a long answer may be one stretch.
func (d *decoder) readStretch(from, to int) {
	rest := d.rest[:0]
	for t := range tokens(d.text, from, to) {
		rest = append(rest, t)
		i := len(rest) - phraseWords
		if i < 0 {
			continue
		}
		p, ok := rest[i:].phrase(token.exactly)
		if !ok {
			continue
		}
		d.count(1)
		if d.verify(&p, d.wordHit(rest[i:], EditNone)) {
			d.keep(rest[:i])
			rest = rest[:0]
		}
	}
	d.keep(rest)
	d.rest = rest
}

// keep sets aside a segment that may hold a marker with an edit.
func (d *decoder) keep(s segment) {
	listed := 0
	for _, t := range s {
		if t.index >= 0 {
			listed++
		}
	}
	if listed >= minListed {
		d.damaged = append(d.damaged, slices.Clone(s))
	}
}

// editPhrases looks for markers with one edit in a segment and returns what it
// leaves of it. With likely it tries only the windows that begin and end where
// a marker may be expected to.
func (d *decoder) editPhrases(s segment, likely bool) (rest []segment) {
	for i := 0; i+phraseWords-1 <= len(s) && !d.exhausted; {
		size := d.editPhrasesFrom(s, i, likely)
		if size == 0 {
			i++
			continue
		}
		rest = append(rest, s[:i])
		s, i = s[i+size:], 0
	}
	return append(rest, s)
}

// editPhrasesFrom looks for a marker with one edit that begins at token i of s,
// and returns how many tokens it has, 0 for none. The cheap windows come first:
// one word too many is 14 readings, one too few is 13,000.
func (d *decoder) editPhrasesFrom(s segment, i int, likely bool) (size int) {
	for _, size := range [...]int{phraseWords + 1, phraseWords, phraseWords - 1} {
		if i+size > len(s) || likely && !s.likely(i, i+size) {
			continue
		}
		if d.editPhrase(s[i : i+size]) {
			return size
		}
	}
	return 0
}

// likely reports whether s[i:j] begins and ends where a marker may be expected
// to. A strange word that is set apart from the others at one end, as in
// "seal 3: jazz luxury", is likelier to be no part of it.
func (s segment) likely(i, j int) bool {
	begins := i == 0 || s[i].apart
	ends := j == len(s) || s[j].apart
	strange := s[i].index < 0 && s[i+1].apart || s[j-1].index < 0 && s[j-1].apart
	return begins && ends && !strange
}

// editPhrase looks for a marker with one edit that fills the window.
func (d *decoder) editPhrase(w segment) bool {
	unlisted, at := 0, 0
	for i, t := range w {
		if t.index < 0 {
			unlisted, at = unlisted+1, i
		}
	}
	switch {
	case len(w) == phraseWords && unlisted > 0 && d.nearPhrase(w, unlisted):
		return true
	case unlisted > 1 || len(w) < phraseWords && unlisted > 0:
		return false
	case unlisted == 1:
		return d.editPhraseAt(w, at, at+1)
	}
	return d.editPhraseAt(w, 0, max(len(w), phraseWords))
}

// nearPhrase reads words that are not of the list by their first four letters.
func (d *decoder) nearPhrase(w segment, unlisted int) bool {
	if unlisted > phraseWords-minListed {
		return false
	}
	p, ok := w.phrase(token.nearly)
	if !ok {
		return false
	}
	d.count(1)
	return d.verify(&p, d.wordHit(w, EditSubstituted))
}

// editPhraseAt tries every edit of the window at the positions [from, to): it
// leaves out the word there if there is one too many, puts one in before it if
// there is one too few, and else puts another in its place.
func (d *decoder) editPhraseAt(w segment, from, to int) bool {
	if len(w) > phraseWords {
		return d.spend(to-from) && d.withoutOne(w, from, to)
	}
	read := w.read()
	if _, before := d.failed[read]; before {
		return false
	}
	if !d.spend((to - from) * listSize) {
		return false
	}
	edit := EditSubstituted
	if len(w) < phraseWords {
		edit = EditLost
	}
	for at := from; at < to; at++ {
		p := w.without(at, edit)
		for word := range uint16(listSize) {
			p[at] = word
			if d.verify(&p, d.wordHit(w, edit)) {
				return true
			}
		}
	}
	if d.failed == nil {
		d.failed = map[windowWords]struct{}{}
	}
	d.failed[read] = struct{}{}
	return false
}

// windowWords are the list indexes of a window's words, -1 for a word that is
// not of the list; a window of 12 words ends with -2.
type windowWords [phraseWords]int16

// read is what the window's words are, wherever it stands. An answer caught in
// a loop holds the same few windows a thousand times: one that was no marker at
// one place is none at another.
func (w segment) read() (r windowWords) {
	for i := range r {
		r[i] = -2
		if i < len(w) {
			r[i] = w[i].index
		}
	}
	return r
}

// without is the phrase of the window with position at left open.
func (w segment) without(at int, edit Edit) (p phrase) {
	for i, t := range w {
		switch {
		case i < at:
			p[i] = uint16(t.index)
		case edit == EditLost:
			p[i+1] = uint16(t.index)
		case i > at:
			p[i] = uint16(t.index)
		}
	}
	return p
}

// withoutOne leaves out one word of the window.
func (d *decoder) withoutOne(w segment, from, to int) bool {
	for at := from; at < to; at++ {
		p, ok := slices.Concat(w[:at], w[at+1:]).phrase(token.exactly)
		if ok && d.verify(&p, d.wordHit(w, EditAdded)) {
			return true
		}
	}
	return false
}

func (d *decoder) wordHit(w segment, edit Edit) Hit {
	return Hit{Dress: corpus.DressWords, Edit: edit, Start: int(w[0].start), End: int(w[len(w)-1].end)}
}

// exactly and nearly are the two ways to read a token as a word of the list.
func (t token) exactly() int16 { return t.index }
func (t token) nearly() int16  { return t.near }

// phrase reads 13 tokens; ok is false if one of them cannot be read.
func (w segment) phrase(read func(token) int16) (p phrase, ok bool) {
	for i, t := range w {
		index := read(t)
		if index < 0 {
			return p, false
		}
		p[i] = uint16(index)
	}
	return p, true
}

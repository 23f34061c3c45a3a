package tenants

import (
	"iter"

	"crosstalk/internal/words"
)

// token is one word of a text as the decoder reads it.
type token struct {
	index int16 // in the list, -1 if it is not listed
	near  int16 // as index, by the first four letters
	// apart says that the token begins a line or follows a filler or a
	// colon: a likely place for a marker to begin.
	apart      bool
	start, end int32 // byte offsets into the text
}

// appendReadings appends a word of text as the decoder reads it: as it is; as
// the words it is made of, where a hyphen at a line end joined two of a marker
// written with hyphens; or without the letter of an escaped line break in JSON,
// as in `\ntruth`. The reading with a listed word wins, the word as it is if no
// other has one.
func appendReadings(dst []token, text string, w words.Word) []token {
	plain := tokenOf(w.Text, w.Start, w.End)
	if plain.index >= 0 {
		return append(dst, plain)
	}
	if w.Start > 0 && text[w.Start-1] == '\\' {
		if n := escapeLength(w.Text); n > 0 {
			if t := tokenOf(w.Text[n:], w.Start+n, w.End); t.near >= 0 {
				return append(dst, t)
			}
		}
	}
	found := false
	apart := dst
	for _, part := range words.Parts(text, w) {
		t := tokenOf(part.Text, part.Start, part.End)
		found = found || t.index >= 0
		apart = append(apart, t)
	}
	if found {
		return apart
	}
	return append(dst, plain)
}

func tokenOf(word string, start, end int) token {
	t := token{index: -1, near: markerWords.near(word), start: int32(start), end: int32(end)}
	if t.near >= 0 && markerWords.words[t.near] == word {
		t.index = t.near
	}
	return t
}

// escapeLength is the length of what a backslash before word escapes: n, r or
// t, or u with four hexadecimal digits.
func escapeLength(word string) int {
	switch word[0] {
	case 'n', 'r', 't':
		return 1
	case 'u':
		if len(word) > 5 {
			return 5
		}
	}
	return 0
}

// tokens reads text[from:to] for the decoder. Fillers are left out.
func tokens(text string, from, to int) iter.Seq[token] {
	return func(yield func(token) bool) {
		var row []token
		apart := true
		last := from
		s := words.NewScannerAt(text[:to], from)
		for {
			w, ok := s.Next()
			if !ok {
				return
			}
			apart = apart || divides(text[last:w.Start])
			last = w.End
			if isFiller(w.Text) {
				apart = true
				continue
			}
			row = appendReadings(row[:0], text, w)
			row[0].apart, apart = apart, false
			for _, t := range row {
				if !yield(t) {
					return
				}
			}
		}
	}
}

// divides reports whether what stands between two words is likely to stand
// between two markers.
func divides(between string) bool {
	for _, b := range []byte(between) {
		if b == '\n' || b == ':' {
			return true
		}
	}
	return false
}

// isFiller reports whether word may stand between the words of a marker
// without being one: the number or letter of a list item, the name of a tag. No
// listed word is that short.
func isFiller(word string) bool {
	return len(word) <= 2 || len(word) <= 4 && countDigits(word) == len(word)
}

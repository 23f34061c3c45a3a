// Package words splits text into the folded words by which markers, locators
// and passages are compared.
//
// A model that copies a passage seldom copies its bytes: it changes case, adds
// bullets and emphasis, wraps lines, hyphenates, or slips in zero-width
// characters. What survives is the sequence of words. Every comparison in
// crosstalk therefore works on folded words and keeps, for each, where it stood
// in the text it came from, so that evidence can point at bytes.
//
// # What a word is
//
// A word is a maximal run of letters, digits and combining marks that begins
// with a letter or digit. Everything else separates: space, punctuation,
// apostrophes, underscores, markdown. "isn't" is two words, "**bold**" is one.
// Three rules add to that:
//
//   - Format characters inside a word are as if they were not there: soft
//     hyphen, zero-width space and joiner, byte order mark, direction marks.
//   - A hyphen at a line end between a letter and a lower-case letter joins:
//     "har-\nbour" is "harbour". A phrase written with hyphens between whole
//     words may be wrapped there too, so [Parts] gives the other reading.
//   - Scripts that put no space between words (Han, kana, Thai and their like)
//     and Hangul end where another script begins: in "答案是jazz" the second
//     word is "jazz". A run of such letters is one word, however long; [Count]
//     weighs its length.
//
// # Folding
//
// Folded text is in Unicode's compatibility form NFKC, case-folded: full-width
// letters and mathematical alphabets become ASCII, ligatures come apart, ß is
// ss. Combining marks that do not compose with their letter (an underline, a
// strike-through) are dropped. Accented letters stay what they are. Folding
// loses a little in scripts that write vowels as marks; both sides of every
// comparison lose the same.
package words

// Word is one folded word of a text.
type Word struct {
	// Text is the folded form: lower case, without zero-width characters,
	// soft hyphens and combining emphasis. It is never empty.
	Text string
	// Start and End are byte offsets into the text the word was read from;
	// text[Start:End] is the word as it was written.
	Start, End int
}

// Scan returns the words of text in order.
func Scan(text string) []Word {
	return Append(make([]Word, 0, len(text)/6+1), text)
}

// Append appends the words of text to dst and returns the extended slice.
func Append(dst []Word, text string) []Word {
	s := NewScanner(text)
	for {
		w, ok := s.Next()
		if !ok {
			return dst
		}
		dst = append(dst, w)
	}
}

// Fold returns the folded words of text joined by single spaces: the form in
// which two short texts are compared as a whole.
func Fold(text string) string {
	out := make([]byte, 0, len(text))
	s := NewScanner(text)
	for {
		w, ok := s.Next()
		if !ok {
			return string(out)
		}
		if len(out) > 0 {
			out = append(out, ' ')
		}
		out = append(out, w.Text...)
	}
}

// Parts returns the words that w, a word of text, is made of when hyphens at
// line ends separate instead of joining. It returns nil when w has no such
// hyphen. Offsets are into text, as those of w.
func Parts(text string, w Word) []Word {
	if len(w.Text) == w.End-w.Start {
		return nil // nothing was left out of it, so no hyphen either
	}
	s := Scanner{text: text[:w.End], pos: w.Start, apart: true}
	var parts []Word
	for {
		part, ok := s.Next()
		if !ok {
			break
		}
		parts = append(parts, part)
	}
	if len(parts) < 2 {
		return nil
	}
	return parts
}

// Count is how many words a reader would say text has. Scripts without spaces
// count by their letters: two Han or kana letters, or four Thai, Lao, Khmer or
// Burmese ones, make a word. Fractions are rounded up.
func Count(text string) int {
	quarters := 0
	s := NewScanner(text)
	for {
		w, ok := s.Next()
		if !ok {
			return (quarters + 3) / 4
		}
		quarters += weight(w.Text)
	}
}

// weight is the length of a folded word in quarters of a word.
func weight(word string) int {
	if word[0] < 0x80 {
		return 4 // scripts do not mix within a word
	}
	quarters := 0
	for _, r := range word {
		switch scriptOf(r) {
		case scriptIdeographic:
			quarters += 2
		case scriptUnspaced:
			quarters++
		default:
			return 4
		}
	}
	return quarters
}

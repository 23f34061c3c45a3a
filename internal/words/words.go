// Package words splits text into the folded words by which markers, locators
// and passages are compared.
//
// A model that copies a passage seldom copies its bytes: it changes case, adds
// bullets and emphasis, wraps lines, hyphenates, or slips in zero-width
// characters. What survives is the sequence of words. Every comparison in
// crosstalk therefore works on folded words and keeps, for each, where it stood
// in the text it came from, so that evidence can point at bytes.
package words

// Word is one folded word of a text.
type Word struct {
	// Text is the folded form: lower case, without zero-width characters,
	// soft hyphens and combining emphasis.
	Text string
	// Start and End are byte offsets into the text the word was read from;
	// text[Start:End] is the word as it was written.
	Start, End int
}

package simulator

// Tokenizer names how text becomes tokens.
type Tokenizer string

const (
	// TokenizerWords cuts text the way byte-pair vocabularies do: a common
	// short word with the space before it is one token, longer and rarer
	// words are two or three, codes and digits come in pieces of three, and
	// every ideograph is one. English comes to 4.5 to 5 bytes a token.
	TokenizerWords Tokenizer = "words"
	// TokenizerPieces is TokenizerWords with a smaller vocabulary: no token has
	// more than six bytes. It counts a quarter to a half more, as a target does
	// whose tokenizer was replaced.
	TokenizerPieces Tokenizer = "pieces"
	// TokenizerBytes makes every byte a token.
	TokenizerBytes Tokenizer = "bytes"
)

// cut returns the length of the next word, number or sign of b, which is not
// empty, and how many tokens it is to this tokenizer.
func (t Tokenizer) cut(b []byte) (n, parts int) {
	const piece = 6
	switch t {
	case TokenizerBytes:
		return 1, 1
	case TokenizerPieces:
		n, parts = lex(b)
		return n, max(parts, (n+piece-1)/piece)
	default:
		return lex(b)
	}
}

// lookahead is how many bytes lex may look at. With that many at hand its
// result does not depend on what follows.
const lookahead = 40

// longest is the most bytes one word has; a longer run is cut there.
const longest = 32

// class is what a byte is to the tokenizer.
type class uint8

const (
	punct class = iota
	lower
	upper
	digit
	space
	line  // line breaks, tabs
	wide2 // first byte of a two-byte rune: Latin with accents, Cyrillic, Greek
	wide3 // first byte of a longer rune: ideographs, kana, emoji
	inner // a later byte of a rune
)

// classOf is a switch and not a table so that the package has no variables.
func classOf(c byte) class {
	switch {
	case c >= 'a' && c <= 'z':
		return lower
	case c == ' ':
		return space
	case c >= 'A' && c <= 'Z':
		return upper
	case c >= '0' && c <= '9':
		return digit
	case c < ' ':
		return line
	case c < 0x80:
		return punct
	case c < 0xC0:
		return inner
	case c < 0xE0:
		return wide2
	}
	return wide3
}

// lex returns the length of the next word, number or sign of b, which is not
// empty, and how many tokens it is.
func lex(b []byte) (n, parts int) {
	c := classOf(b[0])
	if c == space {
		if len(b) == 1 {
			return 1, 1
		}
		switch next := classOf(b[1]); next {
		case lower, upper, wide2:
			n, parts = word(b[1:])
			return n + 1, parts
		case punct:
			return 1 + run(b[1:], 8), 1
		case space:
			// The last blank of an indentation belongs to the word after it.
			return max(run(b, 16)-1, 1), 1
		default:
			return 1, 1
		}
	}
	switch c {
	case lower, upper, wide2:
		return word(b)
	case digit:
		n = 1
		for n < min(3, len(b)) && classOf(b[n]) == digit {
			n++
		}
		return n, 1
	case line:
		return run(b, 4), 1
	case wide3:
		return wide(b)
	}
	return run(b, 8), 1
}

// run is how often the first byte of b repeats, at most most times.
func run(b []byte, most int) int {
	n := 1
	for n < min(most, len(b)) && b[n] == b[0] {
		n++
	}
	return n
}

// wide is one rune of three bytes (a token) or four (two tokens).
func wide(b []byte) (n, parts int) {
	n, parts = 3, 1
	if b[0] >= 0xF0 {
		n, parts = 4, 2
	}
	for i := 1; i < n; i++ {
		if i == len(b) || classOf(b[i]) != inner {
			return i, 1
		}
	}
	return n, parts
}

// word is a run of letters at the front of b, and the number of its tokens.
func word(b []byte) (n, parts int) {
	uppers, accents, hash := 0, 0, uint32(0)
	limit := min(len(b), longest)
	for n < limit {
		c := b[n]
		switch classOf(c) {
		case lower:
		case upper:
			uppers++
		case wide2:
			if n+1 == limit && limit < len(b) { // keep the rune whole
				return n, pieces(n, uppers, accents, hash)
			}
			accents++
		case inner:
			if n == 0 || b[n-1] < 0x80 { // stray: not a letter
				return n, pieces(n, uppers, accents, hash)
			}
		default:
			return n, pieces(n, uppers, accents, hash)
		}
		hash = hash*31 + uint32(c|0x20)
		n++
	}
	return n, pieces(n, uppers, accents, hash)
}

// pieces is how many tokens a word of n bytes is.
func pieces(n, uppers, accents int, hash uint32) int {
	rare := hash%8 == 0
	switch {
	case accents > 0:
		return (n + 4) / 5
	case uppers > 1 && uppers == n:
		return (n + 2) / 3
	case uppers > 1:
		return (n + 4) / 5
	case n <= 4, n <= 8 && !rare:
		return 1
	case n <= 8, n <= 13 && !rare:
		return 2
	case n <= 13:
		return 3
	}
	return (n + 5) / 6
}

// tokenise cuts a short text, an answer, into the texts of its tokens. A rune
// of two tokens stays in one piece.
func tokenise(text string, tokenizer Tokenizer) []string {
	var tokens []string
	b := []byte(text)
	for at := 0; at < len(b); {
		n, parts := tokenizer.cut(b[at:])
		from := at
		for i := 1; i < parts; i++ {
			cut := at + n*i/parts
			for cut < at+n && b[cut]&0xC0 == 0x80 {
				cut++
			}
			if cut > from {
				tokens = append(tokens, text[from:cut])
				from = cut
			}
		}
		if at += n; from < at {
			tokens = append(tokens, text[from:at])
		}
	}
	return tokens
}

// CountTokens is the number of tokens of a text, without any chat template.
func CountTokens(text string, tokenizer Tokenizer) int {
	d := newDraft(tokenizer, len(text)+pageTokens, int64(len(text)))
	d.write(text)
	d.flush()
	return d.tokens
}

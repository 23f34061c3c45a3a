package checks

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// encodingCheck sees right tokens written wrongly: a character cut in two on its way
// from tokens to text (U+FFFD), the tokenizer's own spelling of blanks (Ġ Ċ ▁),
// UTF-8 read as Latin-1, blanks lost or doubled. Our client decodes UTF-8 over
// chunk edges, so the fault is the target's.
type encodingCheck struct{}

func (encodingCheck) Name() string { return "encoding" }

func (c encodingCheck) Run(in *Input) []Finding {
	return in.each(c.Name(), func(s *subject) []Finding { return judgeForm(s, encodingFlaws) })
}

func encodingFlaws(t formText) []flaw {
	var found []flaw
	if !isASCII(t.text) {
		found = append(found, replacements(t)...)
		found = append(found, tokenGlyphs(t)...)
		found = append(found, mojibake(t)...)
	}
	if t.channel == ChannelContent {
		found = append(found, missingSpaces(t)...)
		found = append(found, doubleSpaced(t)...)
	}
	return found
}

// places collects the places of one kind of fault.
type places struct{ n, start, end int }

func (p *places) add(start, end int) {
	if p.n == 0 {
		p.start = start
	}
	p.n, p.end = p.n+1, end
}

func (p *places) flaw(kind, format string, a ...any) []flaw {
	return []flaw{{kind: kind, start: p.start, end: p.end, detail: fmt.Sprintf(format, a...)}}
}

// replacements finds U+FFFD. In open text one that stands apart may be the
// subject of the text; one that touches a letter never is.
func replacements(t formText) []flaw {
	var all, touching places
	for i, r := range t.text {
		if r != utf8.RuneError {
			continue
		}
		end := i + 3
		if !strings.HasPrefix(t.text[i:], "\ufffd") {
			end = i + 1 // a byte that is not UTF-8
		}
		all.add(i, end)
		before, _ := utf8.DecodeLastRuneInString(t.text[:i])
		after, _ := utf8.DecodeRuneInString(t.text[end:])
		if before != utf8.RuneError && unicode.IsLetter(before) || after != utf8.RuneError && unicode.IsLetter(after) {
			touching.add(i, end)
		}
	}
	if all.n == 0 || strings.ContainsRune(t.given, utf8.RuneError) || !t.strict && touching.n == 0 && all.n < 3 {
		return nil
	}
	return all.flaw("replacement", "%s U+FFFD: characters cut apart", plural(all.n, "replacement character"))
}

// tokenGlyphs finds the letters by which byte-level tokenizers write blanks.
// Maltese has Ġ and ġ, but a capital only where a word begins; U+2581 is also
// the lowest bar of a row of bars.
func tokenGlyphs(t formText) []flaw {
	var p places
	before := ' '
	for i, r := range t.text {
		switch r {
		case 'Ġ', 'Ċ', 'ĉ':
			if unicode.IsLower(before) || unicode.IsDigit(before) || unicode.IsPunct(before) || before == r {
				p.add(i, i+utf8.RuneLen(r))
			}
		case '▁':
			after, _ := utf8.DecodeRuneInString(t.text[i+len("▁"):])
			if !isBar(before) && !isBar(after) {
				p.add(i, i+len("▁"))
			}
		}
		before = r
	}
	if p.n == 0 || !t.strict && p.n < 3 || strings.ContainsAny(t.given, "ĠĊĉ▁") {
		return nil
	}
	return p.flaw("glyphs", "%s of the tokenizer in the place of blanks", plural(p.n, "letter"))
}

func isBar(r rune) bool { return r >= '▁' && r <= '█' }

// mojibake finds UTF-8 that was read as Latin-1 or Windows-1252 and written
// again: characters whose bytes in those sets make a character of UTF-8. In
// open text, only where they touch a word: texts on encodings show them apart.
func mojibake(t formText) []flaw {
	var p places
	text := t.text
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		n := misread(text[i:])
		if n == 0 {
			i += size
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+n:])
		if t.strict || unicode.IsLower(before) || unicode.IsLower(after) || isHighLatin(r) && isHighLatin(after) {
			p.add(i, i+n)
		}
		i += n
	}
	if p.n == 0 || !t.strict && p.n < 2 || len(mojibakeIn(t.given)) > 0 {
		return nil
	}
	return p.flaw("mojibake", "%s written as the bytes of UTF-8 read in an older set", plural(p.n, "character"))
}

func mojibakeIn(given string) []flaw {
	if given == "" || isASCII(given) {
		return nil
	}
	return mojibake(formText{text: given, strict: true})
}

func isHighLatin(r rune) bool { return r >= 0xc0 && r <= 0xff }

// misread returns the length in bytes of a misread character at the beginning
// of text, 0 if there is none.
func misread(text string) int {
	var raw [4]byte
	n := 0
	for i, r := range text {
		b, ok := oldByte(r)
		if !ok || n == len(raw) || n > 0 && b&0xc0 != 0x80 {
			return 0
		}
		raw[n] = b
		n++
		if n == 1 && (b < 0xc2 || b > 0xf4) {
			return 0
		}
		if n >= 2 && utf8.FullRune(raw[:n]) {
			if got, size := utf8.DecodeRune(raw[:n]); got != utf8.RuneError && size == n {
				return i + utf8.RuneLen(r)
			}
			return 0
		}
	}
	return 0
}

// oldByte is the byte of r in Windows-1252, which has Latin-1 within it; only
// bytes above 127.
func oldByte(r rune) (byte, bool) {
	if r >= 0x80 && r <= 0xff {
		return byte(r), true
	}
	const high = "€\x00‚ƒ„…†‡ˆ‰Š‹Œ\x00Ž\x00\x00‘’“”•–—˜™š›œ\x00žŸ"
	b := byte(0x80)
	for _, h := range high {
		if h == r && r != 0 {
			return b, true
		}
		b++
	}
	return 0, false
}

// missingSpaces finds running text without blanks. On a closed task the right
// answer says how many there should be.
func missingSpaces(t formText) []flaw {
	letters, blanks, vowels, lower := 0, 0, 0, 0
	for _, r := range t.text {
		switch {
		case unicode.IsSpace(r) || strings.ContainsRune("ĠĊ▁", r):
			blanks++
		case r < utf8.RuneSelf && unicode.IsLetter(r):
			letters++
			if strings.ContainsRune("aeiouyAEIOUY", r) {
				vowels++
			}
			if unicode.IsLower(r) {
				lower++
			}
		}
	}
	n := utf8.RuneCountInString(t.text)
	few := blanks*50 < n // less than 2 %
	// Names written in one word have a capital for each; sentences have few.
	words := letters*100 >= n*85 && vowels*100 >= letters*25 && vowels*100 <= letters*55 && lower*100 >= letters*93
	if t.strict {
		spaced := strings.Count(t.right, " ")*10 >= len(t.right)
		if !few || !spaced || letters < 40 {
			return nil
		}
	} else if !few || !words || letters < 80 || strings.Contains(t.text, "://") {
		return nil
	}
	return []flaw{{
		kind: "unspaced", start: 0, end: len(t.text),
		detail: fmt.Sprintf("%d letters and %s", letters, plural(blanks, "blank")),
	}}
}

// doubleSpaced finds text whose words stand two blanks apart, not only after
// full stops. A word has two letters at least: tables set figures and single
// letters so, and columns of words once a line.
func doubleSpaced(t formText) []flaw {
	var double places
	gaps, lines := 0, 0 // lines that have a wide gap
	for i := 2; i < len(t.text)-1; i++ {
		if t.text[i] != ' ' || !isLetterByte(t.text[i-1]) || !isLetterByte(t.text[i-2]) {
			continue
		}
		end := i
		for end < len(t.text) && t.text[end] == ' ' {
			end++
		}
		if end < len(t.text) && isLetterByte(t.text[end]) {
			gaps++
			if end-i == 2 {
				if double.n == 0 || strings.Contains(t.text[double.end:i], "\n") {
					lines++
				}
				double.add(i, end)
			}
		}
		i = end
	}
	if double.n < 10 || double.n*2 < gaps || double.n < 2*lines || strings.Contains(t.given, "  ") {
		return nil
	}
	return double.flaw("double_spaced", "%d of %d gaps between words are two blanks wide", double.n, gaps)
}

func isLetterByte(b byte) bool {
	return b >= utf8.RuneSelf || 'a' <= b|0x20 && b|0x20 <= 'z'
}

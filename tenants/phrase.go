package tenants

import (
	"encoding/binary"
	"strings"
)

const (
	// phraseWords is the number of words of a marker. No wallet has phrases
	// of 13 words.
	phraseWords = 13
	// codeSymbols is the number of base32 characters of a marker.
	codeSymbols = 26
	symbolBits  = 5
	// minDigits is the least number of digits in a usable code.
	minDigits = 6

	versionBits = 2
	// version is the format that is minted: the list, the key derivation
	// and the layout of the bits.
	version = 1

	tagSize     = 9 // bytes of T
	payloadSize = 7 // bytes of C
)

// phrase is the 130 bits of a marker as 13 numbers of ten bits: the indices of
// its words, or pairs of its base32 symbols.
type phrase [phraseWords]uint16

// sealed is what a phrase holds.
type sealed struct {
	version uint8
	body    uint64 // C, 56 bits
	tag     [tagSize]byte
}

// pack lays out version, body and tag. The first six numbers hold the version,
// the body and two bits of the tag, the other seven the rest of the tag.
func (s sealed) pack() (p phrase) {
	head := uint64(s.version)<<58 | s.body<<2 | uint64(s.tag[0]>>6)
	for i := range 6 {
		p[i] = uint16(head >> (50 - 10*i) & (1<<wordBits - 1))
	}
	tail := binary.BigEndian.Uint64(s.tag[1:])
	p[6] = uint16(s.tag[0]&0x3F)<<4 | uint16(tail>>60)
	for i := range 6 {
		p[7+i] = uint16(tail >> (50 - 10*i) & (1<<wordBits - 1))
	}
	return p
}

// unpack reads what pack laid out.
func (p *phrase) unpack() (s sealed) {
	var head, tail uint64
	for i := range 6 {
		head = head<<wordBits | uint64(p[i])
		tail = tail<<wordBits | uint64(p[7+i])
	}
	s.version = uint8(head >> 58)
	s.body = head >> 2 & (1<<56 - 1)
	s.tag[0] = byte(head&3)<<6 | byte(p[6]>>4)
	binary.BigEndian.PutUint64(s.tag[1:], uint64(p[6])<<60|tail)
	return s
}

// version is that of unpack, without the rest.
func (p *phrase) version() uint8 { return uint8(p[0] >> (wordBits - versionBits)) }

// words writes p in the words dress; ok is false if a word comes twice.
func (p *phrase) words() (text string, ok bool) {
	var b strings.Builder
	b.Grow(phraseWords * (longWord + 1))
	for i, word := range p {
		for _, earlier := range p[:i] {
			if word == earlier {
				return "", false
			}
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(markerWords.words[word])
	}
	return b.String(), true
}

// crockford is the alphabet of Crockford's base32, which leaves out i, l, o, u.
const crockford = "0123456789abcdefghjkmnpqrstvwxyz"

// codeGroups are the lengths of the groups of a code.
var codeGroups = [...]int{5, 5, 5, 5, 6}

// code writes p in the code dress; ok is false if it has too few digits, or no
// group with both digits and letters.
func (p *phrase) code() (text string, ok bool) {
	symbols := p.symbols()
	digits, mixed := 0, false
	out := make([]byte, 0, codeSymbols+len(codeGroups)-1)
	next := 0
	for g, size := range codeGroups {
		if g > 0 {
			out = append(out, '-')
		}
		before := digits
		for _, s := range symbols[next : next+size] {
			if s < 10 {
				digits++
			}
			out = append(out, crockford[s])
		}
		mixed = mixed || digits > before && digits < before+size
		next += size
	}
	return string(out), digits >= minDigits && mixed
}

// symbols splits the numbers of p into base32 symbols.
func (p *phrase) symbols() (s [codeSymbols]byte) {
	for i, pair := range p {
		s[2*i], s[2*i+1] = byte(pair>>symbolBits), byte(pair&(1<<symbolBits-1))
	}
	return s
}

// phraseOf joins 26 base32 symbols.
func phraseOf(symbols []byte) (p phrase) {
	for i := range p {
		p[i] = uint16(symbols[2*i])<<symbolBits | uint16(symbols[2*i+1])
	}
	return p
}

// noSymbol marks a character that is not in the alphabet.
const noSymbol = 0xFF

// symbolOf is the base32 symbol of every folded byte. Crockford's aliases read
// o as 0 and i, l as 1.
var symbolOf = func() (table [256]byte) {
	for b := range table {
		table[b] = noSymbol
	}
	for s, c := range []byte(crockford) {
		table[c] = byte(s)
	}
	table['o'], table['i'], table['l'] = 0, 1, 1
	return table
}()

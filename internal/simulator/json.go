package simulator

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonReader reads JSON as it arrives. It holds one buffer.
type jsonReader struct {
	r      io.Reader
	buf    []byte
	i, n   int // unread bytes are buf[i:n]
	depth  int
	ending error // what the reader returned at its end
}

// fill reads more; it fails with io.ErrUnexpectedEOF at the end.
func (p *jsonReader) fill() error {
	for tries := 0; p.ending == nil; tries++ {
		n, err := p.r.Read(p.buf)
		p.i, p.n, p.ending = 0, n, err
		if n > 0 {
			return nil
		}
		if tries == 100 {
			return io.ErrNoProgress
		}
	}
	if errors.Is(p.ending, io.EOF) {
		return fmt.Errorf("%w: %w", errBody, io.ErrUnexpectedEOF)
	}
	return p.ending
}

func (p *jsonReader) next() (byte, error) {
	if p.i == p.n {
		if err := p.fill(); err != nil {
			return 0, err
		}
	}
	p.i++
	return p.buf[p.i-1], nil
}

// token returns the next byte that is not white space.
func (p *jsonReader) token() (byte, error) {
	for {
		c, err := p.next()
		if err != nil || c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c, err
		}
	}
}

// object reads the fields of an object whose brace has been read; value must
// read the value of each.
func (p *jsonReader) object(value func(key string) error) error {
	if p.depth++; p.depth > maxDepth {
		return bodyError("nested deeper than %d", maxDepth)
	}
	defer func() { p.depth-- }()
	for first := true; ; first = false {
		c, err := p.token()
		if err != nil {
			return err
		}
		if c == '}' && first {
			return nil
		}
		if c != '"' {
			return bodyError("want a field name, found %q", c)
		}
		key, err := p.rest()
		if err != nil {
			return err
		}
		if c, err = p.token(); err != nil || c != ':' {
			return errors.Join(err, bodyError("no colon after %.40q", key))
		}
		if err = value(key); err != nil {
			return err
		}
		if c, err = p.token(); err != nil || c == '}' {
			return err
		}
		if c != ',' {
			return bodyError("want a comma after %.40q, found %q", key, c)
		}
	}
}

// elements reads the elements of an array whose bracket has been read.
func (p *jsonReader) elements(value func() error) error {
	if p.depth++; p.depth > maxDepth {
		return bodyError("nested deeper than %d", maxDepth)
	}
	defer func() { p.depth-- }()
	c, err := p.token()
	if err != nil || c == ']' {
		return err
	}
	p.i-- // the byte was read from this buffer
	for {
		if err := value(); err != nil {
			return err
		}
		c, err := p.token()
		if err != nil || c == ']' {
			return err
		}
		if c != ',' {
			return bodyError("want a comma in an array, found %q", c)
		}
	}
}

// array reads an array; null counts as empty.
func (p *jsonReader) array(value func() error) error {
	c, err := p.token()
	if err != nil {
		return err
	}
	if c != '[' {
		return bodyError("want an array, found %q", c)
	}
	return p.elements(value)
}

// objectValue reads an object, or skips any other value.
func (p *jsonReader) objectValue(value func(key string) error) error {
	c, err := p.token()
	if err != nil {
		return err
	}
	if c != '{' {
		return p.skipAfter(c)
	}
	return p.object(value)
}

func (p *jsonReader) stringValue() (string, error) {
	c, err := p.token()
	if err != nil {
		return "", err
	}
	if c != '"' {
		return "", p.skipAfter(c)
	}
	return p.rest()
}

func (p *jsonReader) boolValue() (bool, error) {
	word, err := p.bare()
	return word == "true", err
}

func (p *jsonReader) intValue() (int, error) {
	word, err := p.bare()
	if err != nil || word == "null" {
		return 0, err
	}
	n, err := strconv.Atoi(word)
	if err != nil {
		return 0, bodyError("want a whole number, found %.40q", word)
	}
	return n, nil
}

// skip reads over one value.
func (p *jsonReader) skip() error {
	c, err := p.token()
	if err != nil {
		return err
	}
	return p.skipAfter(c)
}

// skipAfter reads over the value that begins with c, which has been read.
func (p *jsonReader) skipAfter(c byte) error {
	switch c {
	case '{':
		return p.object(func(string) error { return p.skip() })
	case '[':
		return p.elements(p.skip)
	case '"':
		var scratch []byte
		for {
			text, done, err := p.piece(scratch[:0])
			if done || err != nil {
				return err
			}
			scratch = text
		}
	}
	p.i--
	_, err := p.bare()
	return err
}

// bare reads a number or a bare word.
func (p *jsonReader) bare() (string, error) {
	c, err := p.token()
	if err != nil {
		return "", err
	}
	var word []byte
	for c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E' {
		if word = append(word, c); len(word) > 64 {
			return "", bodyError("endless number or word")
		}
		if c, err = p.next(); err != nil {
			return "", err
		}
	}
	p.i--
	switch w := string(word); {
	case w == "true", w == "false", w == "null":
		return w, nil
	case w == "" || w[0] >= 'a':
		return "", bodyError("want a value, found %q", w+string(rune(c)))
	default:
		return w, nil
	}
}

// rest reads a short string whose first quote has been read.
func (p *jsonReader) rest() (string, error) {
	var text []byte
	for {
		var done bool
		var err error
		if text, done, err = p.piece(text); done || err != nil {
			return string(text), err
		}
		if len(text) > maxString {
			return "", bodyError("a string outside messages is longer than %d bytes", maxString)
		}
	}
}

// text reads a string whose first quote has been read into a draft.
func (p *jsonReader) text(d *draft) error {
	for {
		var done bool
		var err error
		d.text, done, err = p.piece(d.text)
		d.scan(false)
		if done || err != nil {
			d.flush()
			return err
		}
	}
}

// piece appends the decoded text of the current string to dst, up to the end
// of the buffer or of the string (done).
func (p *jsonReader) piece(dst []byte) (text []byte, done bool, err error) {
	if p.i == p.n {
		if err := p.fill(); err != nil {
			return dst, false, err
		}
	}
	for p.i < p.n {
		from := p.i
		for p.i < p.n && p.buf[p.i] != '"' && p.buf[p.i] != '\\' {
			p.i++
		}
		dst = append(dst, p.buf[from:p.i]...)
		if p.i == p.n {
			break
		}
		p.i++
		if p.buf[p.i-1] == '"' {
			return dst, true, nil
		}
		if dst, err = p.escape(dst); err != nil {
			return dst, false, err
		}
	}
	return dst, false, nil
}

// escape appends the rune of an escape sequence whose backslash has been read.
func (p *jsonReader) escape(dst []byte) ([]byte, error) {
	c, err := p.next()
	if err != nil {
		return dst, err
	}
	switch c {
	case '"', '\\', '/':
		return append(dst, c), nil
	case 'n':
		return append(dst, '\n'), nil
	case 't':
		return append(dst, '\t'), nil
	case 'r':
		return append(dst, '\r'), nil
	case 'b', 'f':
		return append(dst, ' '), nil
	case 'u':
		return p.unicode(dst)
	}
	return dst, bodyError("unknown escape \\%c", c)
}

// unicode appends the rune of a \u escape, joining surrogates.
func (p *jsonReader) unicode(dst []byte) ([]byte, error) {
	high, err := p.hex()
	if err != nil {
		return dst, err
	}
	if !utf16.IsSurrogate(high) {
		return utf8.AppendRune(dst, high), nil
	}
	for _, want := range []byte{'\\', 'u'} {
		c, err := p.next()
		if err != nil {
			return dst, err
		}
		if c != want {
			return dst, bodyError("half a surrogate pair")
		}
	}
	low, err := p.hex()
	return utf8.AppendRune(dst, utf16.DecodeRune(high, low)), err
}

func (p *jsonReader) hex() (rune, error) {
	var digits [4]byte
	for i := range digits {
		c, err := p.next()
		if err != nil {
			return 0, err
		}
		digits[i] = c
	}
	n, err := strconv.ParseUint(string(digits[:]), 16, 16)
	if err != nil {
		return 0, bodyError("bad \\u escape %q", digits)
	}
	return rune(n), nil
}

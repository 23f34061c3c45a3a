package provider

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"unicode/utf8"
)

// escapeBuffer is how much of a prompt is in memory at a time. Short prompts
// need no more than firstBuffer.
const (
	escapeBuffer = 32 << 10
	firstBuffer  = 4 << 10
)

// ErrPrompt is wrapped by every error about a prompt that cannot be sent.
var ErrPrompt = errors.New("prompt cannot be sent")

const hexDigits = "0123456789abcdef"

// escapeOf returns the escape of a byte in a JSON string, "" if it stands for
// itself. Only what JSON demands is escaped: the prompt arrives as the same
// bytes, and costs no more of them than needed.
func escapeOf(b byte) string {
	switch b {
	case '"':
		return `\"`
	case '\\':
		return `\\`
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	case '\b':
		return `\b`
	case '\f':
		return `\f`
	}
	if b < 0x20 {
		return `\u00` + string(hexDigits[b>>4]) + string(hexDigits[b&15])
	}
	return ""
}

// plainPrefix returns how many bytes at the beginning of p stand for
// themselves. It looks at eight bytes at a time: subtracting from each lane
// sets its high bit if the lane was smaller, and a lane that equals a byte is
// zero after the exclusive or. A borrow can mark lanes above the first hit
// only, so the lowest mark is right.
func plainPrefix(p []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(p); i += 8 {
		x := binary.LittleEndian.Uint64(p[i:])
		quote, slash := x^ones*'"', x^ones*'\\'
		hit := ((x - ones*0x20) & ^x) | ((quote - ones) & ^quote) | ((slash - ones) & ^slash)
		if hit &= highs; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for ; i < len(p); i++ {
		if p[i] < 0x20 || p[i] == '"' || p[i] == '\\' {
			return i
		}
	}
	return i
}

// EscapedSize reads r to its end and returns how many bytes its text takes
// inside a JSON string. It fails if the text is not UTF-8 (JSON cannot carry
// it unchanged) or if its length is not size.
func EscapedSize(r io.Reader, size int64) (int64, error) {
	var (
		buf   = make([]byte, min(max(size, 0)+utf8.UTFMax, escapeBuffer))
		carry int // bytes of a character cut off by the last read
		read  int64
		total int64
	)
	for {
		n, err := r.Read(buf[carry:])
		read += int64(n)
		total += int64(n)
		for rest := buf[carry : carry+n]; ; {
			k := plainPrefix(rest)
			if k == len(rest) {
				break
			}
			total += int64(len(escapeOf(rest[k])) - 1)
			rest = rest[k+1:]
		}
		text := buf[:carry+n]
		whole := len(text) - partialRune(text)
		if !utf8.Valid(text[:whole]) {
			return 0, fmt.Errorf("%w: not UTF-8 before byte %d", ErrPrompt, read)
		}
		carry = copy(buf, text[whole:])
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, fmt.Errorf("%w: read it: %w", ErrPrompt, err)
		}
	}
	if carry > 0 {
		return 0, fmt.Errorf("%w: ends within a UTF-8 character", ErrPrompt)
	}
	if read != size {
		return 0, fmt.Errorf("%w: it has %d bytes but said %d", ErrPrompt, read, size)
	}
	return total, nil
}

// partialRune returns how many bytes at the end of p are the beginning of a
// character that goes on.
func partialRune(p []byte) int {
	for i := 1; i <= len(p) && i < utf8.UTFMax; i++ {
		b := p[len(p)-i]
		if utf8.RuneStart(b) {
			if !utf8.FullRune(p[len(p)-i:]) {
				return i
			}
			return 0
		}
	}
	return 0
}

// EscapeReader returns a reader of r's text as it stands inside a JSON string,
// without the quotes around it. It holds escapeBuffer bytes, whatever the
// length of the text.
func EscapeReader(r io.Reader) io.Reader { return &escaper{src: r} }

type escaper struct {
	src  io.Reader
	buf  []byte
	in   []byte // read, not yet escaped: a part of buf
	rest string // of an escape that did not fit
	err  error
}

// Read implements io.Reader.
func (e *escaper) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		switch {
		case e.rest != "":
			k := copy(p[n:], e.rest)
			e.rest = e.rest[k:]
			n += k
		case len(e.in) > 0:
			n += e.step(p[n:])
		case e.err != nil:
			if n > 0 {
				return n, nil
			}
			return 0, e.err
		case n > 0:
			return n, nil // hand on what is there before reading more
		default:
			e.fill()
		}
	}
	return n, nil
}

// fill reads more text.
func (e *escaper) fill() {
	switch len(e.buf) {
	case 0:
		e.buf = make([]byte, firstBuffer)
	case firstBuffer:
		e.buf = make([]byte, escapeBuffer)
	}
	k, err := e.src.Read(e.buf)
	e.in, e.err = e.buf[:k], err
}

// step copies bytes that stand for themselves up to the next that does not,
// or takes that one's escape.
func (e *escaper) step(p []byte) int {
	limit := min(len(p), len(e.in))
	k := plainPrefix(e.in[:limit])
	copy(p, e.in[:k])
	e.in = e.in[k:]
	if k < limit {
		e.rest = escapeOf(e.in[0])
		e.in = e.in[1:]
	}
	return k
}

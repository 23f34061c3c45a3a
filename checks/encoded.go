package checks

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"crosstalk/tenants"
)

// A gateway or a tool may hand text on as base64 or with every character
// escaped. A marker in there is as much a leak as one in plain sight, so markers
// are searched for in what such passages decode to as well.

const (
	minEncoded = 40        // base64 characters in a row: fewer hold no fragment of a marker
	minEscaped = 8         // escaped characters in a row
	maxEncoded = 256 << 10 // bytes of one channel that are decoded
)

// encoded is a passage of a text that stands for another text.
type encoded struct {
	start, end int // bytes
	text       string
}

// encodedMarkers are the markers in the encoded passages of a text. They stand
// where their passage stands.
func encodedMarkers(c *tenants.Codec, text string) []tenants.Hit {
	var found []tenants.Hit
	left := maxEncoded
	for _, e := range slices.Concat(base64Passages(text), escapedPassages(text)) {
		if left -= len(e.text); left < 0 {
			break
		}
		hits, _ := c.FindBounded(e.text)
		for _, h := range hits {
			h.Start, h.End = e.start, e.end
			found = append(found, h)
		}
	}
	return found
}

// base64Passages are the passages of a text that decode from base64 to text.
func base64Passages(text string) []encoded {
	var found []encoded
	for at := 0; at+minEncoded <= len(text); {
		// A run that covers a byte is found from there: where that byte is
		// none of base64, the next minEncoded-1 need not be looked at.
		probe := at + minEncoded - 1
		from := probe
		for from >= at && isBase64(text[from]) {
			from--
		}
		if from >= at {
			at = from + 1
			continue
		}
		end := probe + 1
		for end < len(text) && isBase64(text[end]) {
			end++
		}
		if plain, ok := fromBase64(text[at:end]); ok {
			found = append(found, encoded{at, end, plain})
		}
		at = end + 1
	}
	return found
}

func isBase64(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_'
}

// fromBase64 decodes base64 of either alphabet if the result is text.
func fromBase64(run string) (string, bool) {
	run = run[:len(run)-len(run)%4+[...]int{0, 0, 2, 3}[len(run)%4]]
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if plain, err := enc.DecodeString(run); err == nil && isPlain(plain) {
			return string(plain), true
		}
	}
	return "", false
}

// isPlain holds for UTF-8 without control characters.
func isPlain(b []byte) bool {
	return utf8.Valid(b) && !slices.ContainsFunc(b, func(c byte) bool { return c < ' ' && c != '\n' && c != '\t' && c != '\r' })
}

// escapedPassages are the runs of \uXXXX in a text.
func escapedPassages(text string) []encoded {
	const size = len(`\u0000`)
	var found []encoded
	for at := 0; ; {
		i := strings.Index(text[at:], `\u`)
		if i < 0 {
			return found
		}
		at += i
		var b strings.Builder
		end, n := at, 0
		for end+size <= len(text) && text[end] == '\\' && text[end+1] == 'u' {
			code, err := strconv.ParseUint(text[end+2:end+size], 16, 16)
			if err != nil {
				break
			}
			b.WriteRune(rune(code))
			end, n = end+size, n+1
		}
		if n >= minEscaped {
			found = append(found, encoded{at, end, b.String()})
		}
		at = max(end, at+2)
	}
}

package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

func TestEscapeReader(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"plain", "plain"},
		{"\"\\\n\r\t\b\f", `\"\\\n\r\t\b\f`},
		{"\x00\x1f\x7f", `\u0000\u001f` + "\x7f"},
		{"<&>é漢👩\u2028", "<&>é漢👩\u2028"},
	} {
		got, err := io.ReadAll(EscapeReader(strings.NewReader(test.text)))
		if err != nil || string(got) != test.want {
			t.Errorf("escape %q: %q (%v), want %q", test.text, got, err, test.want)
		}
		size, err := EscapedSize(strings.NewReader(test.text), int64(len(test.text)))
		if err != nil || size != int64(len(test.want)) {
			t.Errorf("size of %q: %d (%v), want %d", test.text, size, err, len(test.want))
		}
	}
}

func TestEscapedSizeErrors(t *testing.T) {
	broken := errors.New("disk on fire")
	for name, test := range map[string]struct {
		r    io.Reader
		size int64
		is   error
	}{
		"too short":     {strings.NewReader("abc"), 4, ErrPrompt},
		"too long":      {strings.NewReader("abc"), 2, ErrPrompt},
		"not UTF-8":     {strings.NewReader("a\xffc"), 3, ErrPrompt},
		"ends early":    {strings.NewReader("ab\xe6\xbc"), 4, ErrPrompt},
		"broken reader": {io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(broken)), 4, broken},
	} {
		if _, err := EscapedSize(test.r, test.size); !errors.Is(err, test.is) {
			t.Errorf("%s: error %v, want %v", name, err, test.is)
		}
	}
}

// FuzzEscape wants that encoding/json reads back what was escaped, however the
// text comes and is taken in pieces.
func FuzzEscape(f *testing.F) {
	f.Add("plain", 1)
	f.Add("\"\\\n\x00é漢👩\u2028\ufffd", 3)
	f.Add(strings.Repeat("\x01é", 300), 7)
	f.Fuzz(func(t *testing.T, text string, piece int) {
		size, err := EscapedSize(iotest.OneByteReader(strings.NewReader(text)), int64(len(text)))
		if (err == nil) != utf8.ValidString(text) {
			t.Fatalf("error %v for %q", err, text)
		}
		if err != nil {
			return
		}
		var out bytes.Buffer
		r := EscapeReader(iotest.HalfReader(strings.NewReader(text)))
		buf := make([]byte, 1+max(piece, -piece)%64)
		if _, err := io.CopyBuffer(struct{ io.Writer }{&out}, struct{ io.Reader }{r}, buf); err != nil {
			t.Fatal(err)
		}
		if int64(out.Len()) != size {
			t.Fatalf("%d bytes, counted %d", out.Len(), size)
		}
		var back string
		if err := json.Unmarshal([]byte(`"`+out.String()+`"`), &back); err != nil || back != text {
			t.Fatalf("%q came back as %q (%v)", text, back, err)
		}
	})
}

func BenchmarkEscape(b *testing.B) {
	text := strings.Repeat("The tide \"rose\" over the pier of Hollow Bay, and nobody saw it fall.\n", 1<<14)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := io.Copy(io.Discard, EscapeReader(strings.NewReader(text))); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEscapedSize(b *testing.B) {
	text := strings.Repeat("The tide \"rose\" over the pier of Hollow Bay, and nobody saw it fall.\n", 1<<14)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := EscapedSize(strings.NewReader(text), int64(len(text))); err != nil {
			b.Fatal(err)
		}
	}
}

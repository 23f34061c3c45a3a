// Package secret holds values that must never be printed.
//
// A credential passes through configuration, clients and error paths, and each
// of them may end in a log line. A [Value] therefore prints as "<secret>" on
// every way out: fmt with any verb, slog, JSON, text and YAML encoders, panics.
// Behind a pointer, it stays hidden even where fmt does not call methods, as in
// unexported fields. The one way to the secret is Reveal.
//
// A secret can also come back from outside: a server that quotes the key it
// refused, a URL in the error of an HTTP client. [Redact] cleans such texts.
package secret

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"log/slog"
)

// Placeholder is what a secret prints as.
const Placeholder = "<secret>"

// Value is a secret string. Every way of printing it gives "<secret>"; only
// Reveal gives the value. The zero Value holds "".
//
// It has no decoder on purpose: secrets are referred to in files, not written
// there.
type Value struct{ p *string }

// New returns a Value that holds s.
func New(s string) Value { return Value{&s} }

// Reveal returns the secret itself. Call it where the secret leaves the
// process, nowhere else.
func (v Value) Reveal() string {
	if v.p == nil {
		return ""
	}
	return *v.p
}

// IsEmpty reports whether the secret is "".
func (v Value) IsEmpty() bool { return v.Reveal() == "" }

// Equal reports whether two Values hold the same secret, in a time that tells
// nothing about where or in what length they differ.
func (v Value) Equal(w Value) bool {
	a, b := sha256.Sum256([]byte(v.Reveal())), sha256.Sum256([]byte(w.Reveal()))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// Format implements [fmt.Formatter] for every verb and flag.
func (Value) Format(f fmt.State, _ rune) { fmt.Fprint(f, Placeholder) }

// String returns Placeholder. It is what a panic prints.
func (Value) String() string { return Placeholder }

// LogValue implements [slog.LogValuer].
func (Value) LogValue() slog.Value { return slog.StringValue(Placeholder) }

// MarshalText implements [encoding.TextMarshaler]; JSON, XML and most other
// encoders use it.
func (Value) MarshalText() ([]byte, error) { return []byte(Placeholder), nil }

// MarshalJSON implements [json.Marshaler]. It leaves the angle brackets as they
// are where the encoder does not escape HTML.
func (Value) MarshalJSON() ([]byte, error) { return []byte(`"` + Placeholder + `"`), nil }

// MarshalYAML implements the interface of the YAML encoders.
func (Value) MarshalYAML() (any, error) { return Placeholder, nil }

// AppendText implements [encoding.TextAppender].
func (Value) AppendText(b []byte) ([]byte, error) { return append(b, Placeholder...), nil }

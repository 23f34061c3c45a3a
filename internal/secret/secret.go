// Package secret holds values that must never be printed.
package secret

// Value is a secret string. Every way of printing it gives "<secret>"; only
// Reveal gives the value.
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

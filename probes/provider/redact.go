package provider

import (
	"strings"

	"crosstalk/internal/secret"
)

// redacted stands where a credential stood.
const redacted = "<secret>"

// Redact takes a credential out of everything in r that is made to be printed:
// the texts of the failure and of the problems. The raw body and header, and
// the texts read from them, stay as they came: they are evidence, and whoever
// prints them must treat them as such.
func (r *Response) Redact(credential secret.Value) {
	key := credential.Reveal()
	if key == "" {
		return
	}
	clean := func(s *string) { *s = withoutKey(*s, key) }
	if f := r.Failure; f != nil {
		clean(&f.Code)
		clean(&f.Type)
		clean(&f.Param)
		clean(&f.Message)
	}
	for i := range r.Problems {
		clean(&r.Problems[i].Detail)
	}
}

// withoutKey replaces key in s, also where s was clipped within it.
func withoutKey(s, key string) string {
	s = strings.ReplaceAll(s, key, redacted)
	body, clipped := strings.CutSuffix(s, "…")
	if !clipped {
		return s
	}
	for k := len(key) - 1; k >= 4; k-- {
		if cut, found := strings.CutSuffix(body, key[:k]); found {
			return cut + redacted
		}
	}
	return s
}

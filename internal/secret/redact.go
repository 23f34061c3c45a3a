package secret

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// Redact replaces the secrets in s, as they are and in the encodings in which
// they travel: escaped for a URL or JSON, base64 and hexadecimal. Empty
// secrets are passed over.
func Redact(s string, secrets ...Value) string {
	var forms []string
	for _, v := range secrets {
		if !v.IsEmpty() {
			forms = append(forms, encodings(v.Reveal())...)
		}
	}
	// The longest first: an encoding may begin with the plain secret, and
	// one secret may be part of another.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range forms {
		pairs = append(pairs, form, Placeholder)
	}
	return strings.NewReplacer(pairs...).Replace(s)
}

// encodings returns the ways in which a secret may be written.
func encodings(plain string) []string {
	forms := []string{
		plain,
		url.QueryEscape(plain),
		url.PathEscape(plain),
		url.UserPassword("", plain).String()[1:],
		hex.EncodeToString([]byte(plain)),
		strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(plain)), "="),
		strings.TrimRight(base64.URLEncoding.EncodeToString([]byte(plain)), "="),
	}
	if quoted, err := json.Marshal(plain); err == nil {
		forms = append(forms, string(quoted[1:len(quoted)-1]))
	}
	return forms
}

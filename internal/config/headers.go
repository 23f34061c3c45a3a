package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// managed reports whether the client writes this header itself.
func managed(name string) bool {
	return slices.Contains([]string{
		"accept", "accept-encoding", "connection", "content-encoding", "content-length",
		"content-type", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
		"x-request-id",
	}, name)
}

// authenticates reports whether a header or query parameter of this name
// usually holds a secret. It goes by whole words: x-api-key does, and
// x-portkey-provider and x-author-id do not.
func authenticates(name string) bool {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(secretWords(), w) })
}

// secretWords are the words, in lower case, that names of secrets are made of,
// and those that are commonly written as one.
func secretWords() []string {
	return []string{
		"auth", "authentication", "authorization", "bearer", "cookie", "credential", "credentials", "jwt", "key",
		"passphrase", "passwd", "password", "pwd", "secret", "sig", "signature", "token",
		"accesskey", "accesstoken", "apikey", "apitoken", "authkey", "authtoken", "clientsecret", "idtoken",
		"privatekey", "secretkey", "sessiontoken", "subscriptionkey",
	}
}

// checkHeaders holds the rules of further headers. No problem repeats a value.
func checkHeaders(ps *problems, path string, headers map[string]string) {
	for name, value := range headers {
		at, lower := join(path, name), strings.ToLower(name)
		switch {
		case !headerName(name):
			ps.add(at, "is not a header name", "use letters, digits and dashes")
		case lower == "authorization":
			ps.add(at, "would override the credentials of tenants", "remove it: it is made from each tenant's credential")
		case managed(lower):
			ps.add(at, fmt.Sprintf("%s is written by the client itself", lower), "remove it")
		case looksLikeRef(value):
			if !Ref(value).valid() {
				ps.add(at, "is not a reference to a secret (its value is not repeated here)", "write env:NAME or file:PATH")
			}
		case authenticates(lower):
			ps.add(at, "seems to hold a secret (its value is not repeated here)",
				"put the secret in an environment variable or a file and write env:NAME or file:PATH")
		case strings.ContainsAny(value, "\r\n\x00"):
			ps.add(at, "holds a line break", "write the value on one line")
		}
	}
}

// headerName reports whether name is a token of RFC 9110, section 5.6.2.
func headerName(name string) bool {
	for _, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", r) {
			return false
		}
	}
	return name != ""
}

package tenants

import (
	"fmt"
	"strings"
	"sync"

	"crosstalk/internal/secret"
)

// Credential is a secret by reference: env:NAME or file:PATH. It is read when
// first needed and again after Invalidate. It is safe for concurrent use.
type Credential struct {
	ref reference

	mu    sync.Mutex
	value secret.Value
	known bool
}

// NewCredential checks the form of ref ("env:NAME", "file:PATH") without
// reading it. lookup is os.LookupEnv or a stand-in; relative paths are
// relative to dir.
func NewCredential(ref, dir string, lookup func(string) (string, bool)) (*Credential, error) {
	r, err := parseReference(ref, dir, lookup)
	if err != nil {
		return nil, fmt.Errorf("credential: %w", err)
	}
	return &Credential{ref: r}, nil
}

// Ref is the reference, safe to print.
func (c *Credential) Ref() string { return c.ref.String() }

// Value is the secret. One newline at its end does not belong to it.
// An error is not remembered: the next call reads again.
func (c *Credential) Value() (secret.Value, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known {
		return c.value, nil
	}
	text, err := c.ref.read(nil)
	if err != nil {
		return secret.Value{}, fmt.Errorf("credential: %w", err)
	}
	text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	switch {
	case strings.TrimSpace(text) == "":
		return secret.Value{}, fmt.Errorf("credential: %s holds only white space", c.ref)
	case strings.ContainsAny(text, "\r\n\x00"):
		return secret.Value{}, fmt.Errorf("credential: %s has several lines: put the key there, alone", c.ref)
	}
	c.value, c.known = secret.New(text), true
	return c.value, nil
}

// Invalidate makes the next Value read the reference again: called after the
// target answered 401.
func (c *Credential) Invalidate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.value, c.known = secret.Value{}, false
}

// String is the reference.
func (c *Credential) String() string { return c.Ref() }

package main

import (
	"os"
	"path/filepath"
	"testing"

	"filippo.io/age"

	"crosstalk/internal/evidence"
)

// testSealer is a sealer and the identities that open what it seals.
func testSealer(t *testing.T) (*evidence.Sealer, []age.Identity) {
	t.Helper()
	text, recipient, err := evidence.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "identity")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	identities, err := evidence.ReadIdentities(path)
	if err != nil {
		t.Fatal(err)
	}
	sealer, err := evidence.NewSealer(recipient)
	if err != nil {
		t.Fatal(err)
	}
	return sealer, identities
}

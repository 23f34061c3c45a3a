package evidence

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"filippo.io/age"
)

// maxIdentities bounds an identity file, in bytes.
const maxIdentities = 1 << 20

// NewIdentity makes an identity. The text is an identity file as age-keygen
// writes it; recipient is the public key in it.
func NewIdentity() (text []byte, recipient string, err error) {
	id, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, "", fmt.Errorf("make an identity: %w", err)
	}
	recipient = id.Recipient().String()
	return fmt.Appendf(nil, "# public key: %s\n%s\n", recipient, id), recipient, nil
}

// ReadIdentities reads an identity file as age-keygen writes it. A regular file
// must be closed to other users; a pipe, from a tool that decrypts one, is read
// as it is.
func ReadIdentities(path string) ([]age.Identity, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("identity: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("identity: file %s has mode %04o, which lets others read it: chmod 600 %s", path, info.Mode().Perm(), path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxIdentities))
	if err != nil {
		return nil, fmt.Errorf("identity: %w", err)
	}
	if bytes.HasPrefix(text, []byte("age-encryption.org/")) || bytes.HasPrefix(text, []byte("-----BEGIN AGE")) {
		return nil, fmt.Errorf("identity: file %s is encrypted: give what it decrypts to, in a shell --identity <(age -d %s)", path, path)
	}
	list, err := age.ParseIdentities(bytes.NewReader(text))
	if err != nil {
		// The error of the parser may repeat the text.
		return nil, fmt.Errorf("identity: file %s has no identity in it: give a file that age-keygen or 'crosstalk evidence keygen' wrote", path)
	}
	return list, nil
}

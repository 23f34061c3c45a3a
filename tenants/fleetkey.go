package tenants

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime"
	"strings"

	"crosstalk/internal/secret"
)

// FleetKeySize is the size of a fleet key in bytes.
const FleetKeySize = 32

// FleetKey is the root secret of a fleet: with it any instance verifies any
// marker and rebuilds any prompt. It cannot be printed. The zero FleetKey is
// all zeros, known to everybody: it serves only where nothing is to be proved.
type FleetKey struct {
	key secret.Value // FleetKeySize bytes, or none for the zero key
}

// NewFleetKey makes a random key.
func NewFleetKey() (FleetKey, error) {
	key := make([]byte, FleetKeySize)
	if _, err := rand.Read(key); err != nil {
		return FleetKey{}, fmt.Errorf("fleet key: %w", err)
	}
	return FleetKey{secret.New(string(key))}, nil
}

// ParseFleetKey reads the base64 text of a key: 32 bytes in either alphabet,
// padded or not, white space around it ignored.
func ParseFleetKey(text string) (FleetKey, error) {
	text = strings.TrimRight(strings.TrimSpace(text), "=")
	text = strings.NewReplacer("-", "+", "_", "/").Replace(text)
	key, err := base64.RawStdEncoding.Strict().DecodeString(text)
	if err != nil {
		// The error of the decoder would tell a byte of the text.
		return FleetKey{}, errors.New("fleet key: not base64: write 32 random bytes as one line of base64")
	}
	if len(key) != FleetKeySize {
		return FleetKey{}, fmt.Errorf("fleet key: %d bytes, want %d", len(key), FleetKeySize)
	}
	k := FleetKey{secret.New(string(key))}
	if k.IsZero() {
		return FleetKey{}, errors.New("fleet key: all zeros: anybody could write markers with it")
	}
	return k, nil
}

// LoadFleetKey reads a key from "file:PATH" (mode 0600 or stricter) or
// "env:NAME". lookup is os.LookupEnv or a stand-in; relative paths are relative
// to dir.
func LoadFleetKey(ref, dir string, lookup func(string) (string, bool)) (FleetKey, error) {
	r, err := parseReference(ref, dir, lookup)
	if err != nil {
		return FleetKey{}, fmt.Errorf("fleet key: %w", err)
	}
	text, err := r.read(vetKeyFile)
	if err != nil {
		return FleetKey{}, fmt.Errorf("fleet key: %w", err)
	}
	key, err := ParseFleetKey(text)
	if err != nil {
		return FleetKey{}, fmt.Errorf("%s: %w", r, err)
	}
	return key, nil
}

// vetKeyFile refuses a key file that other users can read.
func vetKeyFile(path string, info fs.FileInfo) error {
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return fmt.Errorf("file %s has mode %04o, which lets others read it: chmod 600 %s", path, mode, path)
	}
	return nil
}

// Encode is the base64 text that ParseFleetKey reads: for writing a new key
// file.
func (k FleetKey) Encode() string { return base64.StdEncoding.EncodeToString(k.bytes()) }

// IsZero reports whether every byte of the key is 0.
func (k FleetKey) IsZero() bool {
	var zero [FleetKeySize]byte
	return subtle.ConstantTimeCompare(k.bytes(), zero[:]) == 1
}

// Equal reports whether two keys are the same, in constant time.
func (k FleetKey) Equal(l FleetKey) bool {
	return subtle.ConstantTimeCompare(k.bytes(), l.bytes()) == 1
}

// ID is a short name of the key, safe to print: eight hexadecimal digits that
// tell whether two instances have the same key.
func (k FleetKey) ID() string { return hex.EncodeToString([]byte(k.derive("id").Reveal()[:4])) }

func (k FleetKey) bytes() []byte {
	key := make([]byte, FleetKeySize)
	copy(key, k.key.Reveal())
	return key
}

// derive makes the 32-byte key for one purpose by HKDF-SHA256 (RFC 5869), no
// salt.
func (k FleetKey) derive(purpose string) secret.Value {
	key, err := hkdf.Key(sha256.New, k.bytes(), nil, "crosstalk marker v1 "+purpose, sha256.Size)
	if err != nil {
		panic(err) // only for keys longer than 255 hashes
	}
	return secret.New(string(key))
}

// Format implements [fmt.Formatter]: no verb prints the key.
func (FleetKey) Format(f fmt.State, _ rune) { fmt.Fprint(f, secret.Placeholder) }

// String returns a placeholder.
func (FleetKey) String() string { return secret.Placeholder }

// LogValue implements [slog.LogValuer].
func (FleetKey) LogValue() slog.Value { return slog.StringValue(secret.Placeholder) }

// MarshalText implements [encoding.TextMarshaler]; encoders use it.
func (FleetKey) MarshalText() ([]byte, error) { return []byte(secret.Placeholder), nil }

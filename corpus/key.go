package corpus

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
)

// KeySize is the size of a prompt key in bytes.
const KeySize = 32

// Key is a prompt key. With a Spec it determines every byte of a prompt, so it
// is worth as much as the prompt: it is written out in full only in JSON.
type Key [KeySize]byte

// String names the key without giving it away: a short hash of it.
func (k Key) String() string {
	sum := k.derive("name")
	return "key:" + hex.EncodeToString(sum[:4])
}

// Format writes String whatever the verb, so that no format prints the key.
func (k Key) Format(s fmt.State, verb rune) { io.WriteString(s, k.String()) }

// LogValue keeps the key out of logs.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// MarshalText writes the whole key in hexadecimal.
func (k Key) MarshalText() ([]byte, error) {
	return hex.AppendEncode(nil, k[:]), nil
}

// UnmarshalText reads what MarshalText wrote.
func (k *Key) UnmarshalText(text []byte) error {
	if len(text) != 2*KeySize {
		return fmt.Errorf("prompt key: %d characters, want %d hexadecimal digits", len(text), 2*KeySize)
	}
	if _, err := hex.Decode(k[:], text); err != nil {
		return fmt.Errorf("prompt key: %w", err)
	}
	return nil
}

// Hash is the request hash that the locators of prompts with this key carry.
func (k Key) Hash() uint16 {
	sum := k.derive("request")
	return binary.BigEndian.Uint16(sum[:])
}

// Verify reports whether l is a locator of this key: whether its request hash
// and its check bits are right. Of the locators that carry the key's Hash by
// accident, one in 512 passes.
func (k Key) Verify(l Locator) bool {
	if l.Page < 0 || l.Page >= MaxPages || l.Request != k.Hash() {
		return false
	}
	return l.Check == checkBits(k.derive("locator"), l.Page)
}

// derive is the subkey of k for one purpose: HMAC-SHA256(k, "crosstalk corpus "
// and the purpose), written out for a key of half a block because each call has
// another key and crypto/hmac would allocate for it. A search of the look-back
// derives one for every prompt in it.
func (k Key) derive(purpose string) (sub [32]byte) {
	var room [2 * sha256.BlockSize]byte
	message := append(k.padded(room[:0], innerPad), "crosstalk corpus "...)
	sum := sha256.Sum256(append(message, purpose...))
	return sha256.Sum256(append(k.padded(room[:0], outerPad), sum[:]...))
}

// innerPad and outerPad are the blocks of RFC 2104.
var (
	innerPad = strings.Repeat("\x36", sha256.BlockSize)
	outerPad = strings.Repeat("\x5c", sha256.BlockSize)
)

// padded appends a block: the key and zeros, xor pad.
func (k Key) padded(dst []byte, pad string) []byte {
	at := len(dst)
	dst = append(dst, pad...)
	subtle.XORBytes(dst[at:at+len(k)], dst[at:at+len(k)], k[:])
	return dst
}

// checkBits are the 9 check bits of the locator of a page.
func checkBits(sub [32]byte, page int) uint16 {
	sum := numbered(sub, page)
	return binary.BigEndian.Uint16(sum[:]) >> 7
}

// numbered is a keyed hash of n. All its messages have one length and fit one
// block, so plain SHA-256 serves, at a quarter of the price of HMAC: it is paid
// for every page.
func numbered(sub [32]byte, n int) [32]byte {
	var message [36]byte
	copy(message[:], sub[:])
	binary.BigEndian.PutUint32(message[32:], uint32(n))
	return sha256.Sum256(message[:])
}

// pageKey is all that the pages of one key, family and version are made from.
type pageKey struct {
	seed  [32]byte // for numbered: seeds pages
	check [32]byte // for checkBits
	hash  uint16
}

func (k Key) pageKey(family string, version int) pageKey {
	return pageKey{
		seed:  k.derive("pages " + strconv.Itoa(version) + " " + family),
		check: k.derive("locator"),
		hash:  k.Hash(),
	}
}

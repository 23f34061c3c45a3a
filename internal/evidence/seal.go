package evidence

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"
)

// MaxPlain bounds a record after decompression, in bytes: what a Sealer seals
// and what Open reads.
const MaxPlain = 64 << 20

// ErrTooLarge is wrapped by the error for a record over MaxPlain.
var ErrTooLarge = errors.New("too large to be kept")

var (
	// ErrRecipient is wrapped by the error for a recipient that is none.
	ErrRecipient = errors.New("not an age recipient")
	// ErrIdentity is wrapped besides, when a secret key was given in its place.
	ErrIdentity = errors.New("an identity, a secret key, stands in place of a recipient")
	// ErrMixed is wrapped by the error for recipients that age does not mix,
	// such as ones that are safe from quantum computers with ones that are not.
	ErrMixed = errors.New("these recipients cannot be used together")
)

// Sealer seals records. It has public keys only: what it has sealed it cannot
// open.
type Sealer struct{ recipients []age.Recipient }

// NewSealer returns a Sealer for recipients as age-keygen prints them,
// "age1...". At least one is needed. An error does not repeat what was given: it
// might be a secret key.
func NewSealer(recipients ...string) (*Sealer, error) {
	if len(recipients) == 0 {
		return nil, fmt.Errorf("%w: none was given", ErrRecipient)
	}
	s := &Sealer{}
	for i, text := range recipients {
		r, err := parseRecipient(text)
		if err != nil {
			return nil, fmt.Errorf("recipient %d: %w", i+1, err)
		}
		s.recipients = append(s.recipients, r)
	}
	// Recipients that age refuses to mix are refused now, not at the first
	// finding.
	if _, err := age.Encrypt(io.Discard, s.recipients...); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMixed, err)
	}
	return s, nil
}

func parseRecipient(text string) (age.Recipient, error) {
	if strings.HasPrefix(strings.ToUpper(text), "AGE-SECRET-KEY-") {
		return nil, fmt.Errorf("%w: %w", ErrRecipient, ErrIdentity)
	}
	list, err := age.ParseRecipients(strings.NewReader(text))
	if err != nil || len(list) != 1 {
		return nil, ErrRecipient
	}
	return list[0], nil
}

// Recipients counts the recipients.
func (s *Sealer) Recipients() int { return len(s.recipients) }

// Seal makes the envelope of a record.
func (s *Sealer) Seal(r *Record) ([]byte, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("record of round %s: %w", r.Label.ID, err)
	}
	if len(text) > MaxPlain {
		return nil, fmt.Errorf("record of round %s has %d bytes: %w", r.Label.ID, len(text), ErrTooLarge)
	}
	sealed, err := s.compressed(text)
	if err != nil {
		return nil, fmt.Errorf("seal the record of round %s: %w", r.Label.ID, err)
	}
	return envelope(r.Label, sealed)
}

// Armor seals a text as an age file in ASCII armor, which 'age -d' opens.
func (s *Sealer) Armor(text []byte) ([]byte, error) {
	var sealed bytes.Buffer
	armored := armor.NewWriter(&sealed)
	a, err := age.Encrypt(armored, s.recipients...)
	if err != nil {
		return nil, err
	}
	_, err = a.Write(text)
	if err := errors.Join(err, a.Close(), armored.Close()); err != nil {
		return nil, err
	}
	return sealed.Bytes(), nil
}

// compressed seals a text: an age file of a gzip file.
func (s *Sealer) compressed(text []byte) ([]byte, error) {
	var sealed bytes.Buffer
	a, err := age.Encrypt(&sealed, s.recipients...)
	if err != nil {
		return nil, err
	}
	z := gzip.NewWriter(a)
	_, err = z.Write(text)
	if err := errors.Join(err, z.Close(), a.Close()); err != nil {
		return nil, err
	}
	return sealed.Bytes(), nil
}

// Open opens an envelope. The error wraps ErrEnvelope, ErrDamaged or ErrSealed.
// Nothing is returned of an envelope that is not whole.
func Open(data []byte, identities ...age.Identity) (*Record, error) {
	label, sealed, err := ParseEnvelope(data)
	if err != nil {
		return nil, err
	}
	text, err := unseal(sealed, identities)
	if err != nil {
		return nil, fmt.Errorf("evidence %s: %w", label.ID, err)
	}
	r := &Record{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("evidence %s: %w: %w", label.ID, ErrDamaged, err)
	}
	if !r.Label.equal(label) {
		return nil, fmt.Errorf("evidence %s: %w: its label is not the one that was sealed with it", label.ID, ErrDamaged)
	}
	return r, nil
}

func unseal(sealed []byte, identities []age.Identity) ([]byte, error) {
	plain, err := age.Decrypt(bytes.NewReader(sealed), identities...)
	if none := (*age.NoIdentityMatchError)(nil); errors.As(err, &none) {
		return nil, fmt.Errorf("%w: none of the %d identities given opens it", ErrSealed, len(identities))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	z, err := gzip.NewReader(plain)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	text, err := io.ReadAll(io.LimitReader(z, MaxPlain+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if len(text) > MaxPlain {
		return nil, fmt.Errorf("%w: over %d MiB", ErrDamaged, MaxPlain>>20)
	}
	// age authenticates the end of the file when it is read to it.
	if n, err := io.Copy(io.Discard, plain); err != nil || n > 0 {
		return nil, fmt.Errorf("%w: %d bytes after its end: %w", ErrDamaged, n, err)
	}
	return text, nil
}

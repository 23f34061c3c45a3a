package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"crosstalk/checks"
)

var (
	// ErrEnvelope is wrapped by the error for a file that is no envelope, or
	// whose label cannot be read.
	ErrEnvelope = errors.New("not evidence of crosstalk")
	// ErrDamaged is wrapped by the error for an envelope that is cut short or
	// altered.
	ErrDamaged = errors.New("the evidence is damaged")
	// ErrSealed is wrapped by the error for an envelope that is sealed to none
	// of the identities.
	ErrSealed = errors.New("sealed to somebody else")
)

// Label is what an envelope says in the clear. Nothing in it came from a
// target.
type Label struct {
	Format int          `json:"format"`
	ID     uuid.UUID    `json:"id"` // of the round
	Target string       `json:"target"`
	Probe  string       `json:"probe"`
	Class  checks.Class `json:"class"` // the worst of the round, as it was called
	At     time.Time    `json:"at"`    // when the round had ended, UTC
}

// magic begins every envelope.
const magic = "crosstalk-evidence "

// maxLabel bounds the first line of an envelope, in bytes.
const maxLabel = 4096

// envelope puts a label before a sealed record.
func envelope(l Label, sealed []byte) ([]byte, error) {
	text, err := json.Marshal(l)
	if err != nil {
		return nil, fmt.Errorf("label of round %s: %w", l.ID, err)
	}
	if len(magic)+len(text)+1 > maxLabel {
		return nil, fmt.Errorf("label of round %s: %d bytes, at most %d", l.ID, len(text), maxLabel)
	}
	return bytes.Join([][]byte{[]byte(magic), text, []byte("\n"), sealed}, nil), nil
}

// ParseEnvelope splits an envelope into its label and the sealed record. The
// label is not proved by this: only opening the record shows that it belongs to
// it. The sealed part is not copied.
func ParseEnvelope(data []byte) (Label, []byte, error) {
	line, _, ok := bytes.Cut(data[:min(len(data), maxLabel)], []byte("\n"))
	if !bytes.HasPrefix(data, []byte(magic)) || !ok && len(data) >= maxLabel {
		return Label{}, nil, ErrEnvelope
	}
	if !ok {
		return Label{}, nil, fmt.Errorf("%w: it ends within its label", ErrDamaged)
	}
	l, err := parseLabel(line[len(magic):])
	if err != nil {
		return Label{}, nil, err
	}
	return l, data[len(line)+1:], nil
}

// parseLabel reads a label strictly: what it does not know it refuses.
func parseLabel(text []byte) (Label, error) {
	var l Label
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return Label{}, fmt.Errorf("%w: its label: %w", ErrDamaged, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Label{}, fmt.Errorf("%w: its label goes on after its end", ErrDamaged)
	}
	switch {
	case l.Format > Format:
		return Label{}, fmt.Errorf("%w: format %d is of a newer crosstalk, this one reads %d", ErrEnvelope, l.Format, Format)
	case l.Format < 1, l.ID == uuid.Nil, l.At.IsZero():
		return Label{}, fmt.Errorf("%w: its label lacks format, id or time", ErrDamaged)
	}
	return l, nil
}

// equal reports whether two labels say the same.
func (l Label) equal(m Label) bool {
	at := l.At.Equal(m.At)
	l.At, m.At = time.Time{}, time.Time{}
	return at && l == m
}

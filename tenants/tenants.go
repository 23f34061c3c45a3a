package tenants

import (
	"time"

	"crosstalk/corpus"
	"crosstalk/internal/secret"
)

// Tenant is a synthetic account. Its index is unique per fleet key and is
// never used again for another account: it is what a marker names.
type Tenant struct {
	Name       string
	Index      uint16 // 1 to MaxIndex
	Credential *Credential
	// Domain is the isolation domain (organization or workspace) the account
	// is in; tenants of one domain may lawfully share some caches.
	Domain  string
	Targets []string // names of the targets it has access to; empty: all
}

// MaxIndex is the largest tenant index: a marker has 12 bits for it.
const MaxIndex = 1<<12 - 1

// Credential is a secret by reference: env:NAME or file:PATH. It is read when
// first needed and again after Invalidate.
type Credential struct { /* unexported */
}

// NewCredential checks the form of ref ("env:NAME", "file:PATH") without
// reading it. lookup is os.LookupEnv or a stand-in; relative paths are
// relative to dir.
func NewCredential(ref, dir string, lookup func(string) (string, bool)) (*Credential, error) {
	panic("tenants")
}

// Ref is the reference, safe to print.
func (c *Credential) Ref() string { panic("tenants") }

// Value is the secret.
func (c *Credential) Value() (secret.Value, error) { panic("tenants") }

// Invalidate makes the next Value read the reference again: called after the
// target answered 401.
func (c *Credential) Invalidate() { panic("tenants") }

// FleetKey is the root secret of a fleet: with it any instance verifies any
// marker and rebuilds any prompt.
type FleetKey struct { /* unexported 32 bytes, never printed */
}

// NewFleetKey makes a random key.
func NewFleetKey() (FleetKey, error) { panic("tenants") }

// ParseFleetKey reads the base64 text of a key.
func ParseFleetKey(text string) (FleetKey, error) { panic("tenants") }

// LoadFleetKey reads a key from "file:PATH" (mode 0600 or stricter) or
// "env:NAME".
func LoadFleetKey(ref, dir string, lookup func(string) (string, bool)) (FleetKey, error) {
	panic("tenants")
}

// Encode is the base64 text that ParseFleetKey reads: for writing a new key
// file.
func (k FleetKey) Encode() string { panic("tenants") }

// Payload is what a marker says.
type Payload struct {
	Tenant uint16 // tenant index, 12 bits
	Second uint32 // seconds since Epoch, 28 bits
	Draw   uint16 // random, 12 bits: tells requests of one second apart
	Index  uint8  // number of the marker in its prompt less one, 4 bits
}

// Epoch is second 0 of a payload.
var Epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Request is the payload with Index 0: it names the request, whatever the
// marker. It is comparable and used as a map key.
func (p Payload) Request() Payload { p.Index = 0; return p }

// Time is when the marker was minted, to the second.
func (p Payload) Time() time.Time { return Epoch.Add(time.Duration(p.Second) * time.Second) }

// Codec mints and finds markers under a fleet key.
type Codec struct { /* unexported */
}

// NewCodec derives the three keys of a fleet key.
func NewCodec(key FleetKey) *Codec { panic("tenants") }

// Mint writes the marker of p. ok is false when this payload gives no usable
// marker (a word twice, or too few digits in a code): draw again.
func (c *Codec) Mint(p Payload, d corpus.Dress) (text string, ok bool) { panic("tenants") }

// Edit is how a marker found in a text differs from the marker minted.
type Edit string

const (
	EditNone        Edit = "exact"
	EditSubstituted Edit = "substituted" // one word (or character of a code) is another
	EditLost        Edit = "lost"        // one is missing
	EditAdded       Edit = "added"       // one too many
)

// Hit is a verified marker in a text.
type Hit struct {
	Payload Payload
	Dress   corpus.Dress
	Edit    Edit
	// Start and End are byte offsets into the text.
	Start, End int
	// PChance bounds the probability that a text made without the key holds
	// a verified marker: windows tried x hypotheses x 2^-72.
	PChance float64
}

// Find finds every marker in text, whichever its dress, exact or with one
// edit, in order of Start.
func (c *Codec) Find(text string) []Hit { panic("tenants") }

// Run is a run of consecutive words of the marker list, each different.
type Run struct {
	Words      []string
	Start, End int // byte offsets into the text
}

// Runs finds the maximal runs of at least min different list words in text:
// the gate of every fragment search.
func Runs(text string, min int) []Run { panic("tenants") }

// PromptKey is the key of the prompt that the marker's request was sent with.
func (c *Codec) PromptKey(p Payload) corpus.Key { panic("tenants") }

// Prompt rebuilds the prompt of a request from its payload and spec. It fails
// if the payload gives no usable markers for the spec.
func (c *Codec) Prompt(p Payload, spec corpus.Spec) (*corpus.Prompt, error) { panic("tenants") }

// Minter mints the prompts of new requests: it draws until every marker of the
// request is usable and the request is new to it. It is safe for concurrent
// use.
type Minter struct { /* unexported */
}

// NewMinter returns a Minter. now is time.Now or a stand-in; seen reports
// whether a request is already known to the journal (nil: none is).
func NewMinter(c *Codec, now func() time.Time, seen func(Payload) bool) *Minter { panic("tenants") }

// Mint makes the payload and prompt of a new request of the tenant.
func (m *Minter) Mint(tenant uint16, spec corpus.Spec) (Payload, *corpus.Prompt, error) {
	panic("tenants")
}

package tenants

import "time"

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
const MaxIndex = 1<<tenantBits - 1

// Fields of a payload, from the most significant bit.
const (
	tenantBits = 12
	secondBits = 28
	drawBits   = 12
	indexBits  = 4
)

// Payload is what a marker says.
type Payload struct {
	Tenant uint16 // tenant index, 12 bits
	Second uint32 // seconds since Epoch, 28 bits
	Draw   uint16 // random, 12 bits: tells requests of one second apart
	Index  uint8  // number of the marker in its prompt less one, 4 bits
}

// Epoch is second 0 of a payload. The last second is in July 2034.
var Epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Request is the payload with Index 0: it names the request, whatever the
// marker. It is comparable and used as a map key.
func (p Payload) Request() Payload { p.Index = 0; return p }

// Time is when the marker was minted, to the second.
func (p Payload) Time() time.Time { return Epoch.Add(time.Duration(p.Second) * time.Second) }

// fits reports whether every field is within its bits.
func (p Payload) fits() bool {
	return p.Tenant < 1<<tenantBits && p.Second < 1<<secondBits && p.Draw < 1<<drawBits && p.Index < 1<<indexBits
}

// bits packs the payload into the low 56 bits.
func (p Payload) bits() uint64 {
	b := uint64(p.Tenant)
	b = b<<secondBits | uint64(p.Second)
	b = b<<drawBits | uint64(p.Draw)
	return b<<indexBits | uint64(p.Index)
}

// payloadOf unpacks what bits packed.
func payloadOf(b uint64) Payload {
	return Payload{
		Tenant: uint16(b >> (secondBits + drawBits + indexBits) & (1<<tenantBits - 1)),
		Second: uint32(b >> (drawBits + indexBits) & (1<<secondBits - 1)),
		Draw:   uint16(b >> indexBits & (1<<drawBits - 1)),
		Index:  uint8(b & (1<<indexBits - 1)),
	}
}

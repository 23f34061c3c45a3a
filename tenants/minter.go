package tenants

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"crosstalk/corpus"
)

// maxDraws bounds the draws for one request. Two of three give usable markers
// for five phrases, one of eleven for sixteen codes.
const maxDraws = 1 << 10

// Minter mints the prompts of new requests: it draws until every marker of the
// request is usable and the request is new to it. It is safe for concurrent
// use.
type Minter struct {
	codec *Codec
	now   func() time.Time
	seen  func(Payload) bool

	mu sync.Mutex
	// taken are the requests of the last seconds before newest. Earlier ones
	// are the journal's to remember.
	taken  map[Payload]bool
	newest uint32
}

// remembered is how many seconds a Minter remembers by itself: enough for
// calls that overlap and for small corrections of the clock.
const remembered = 60

// NewMinter returns a Minter. now is time.Now or a stand-in; seen reports
// whether a request is already known to the journal (nil: none is).
func NewMinter(c *Codec, now func() time.Time, seen func(Payload) bool) *Minter {
	if seen == nil {
		seen = func(Payload) bool { return false }
	}
	return &Minter{codec: c, now: now, seen: seen, taken: make(map[Payload]bool)}
}

// Mint makes the payload and prompt of a new request of the tenant.
func (m *Minter) Mint(tenant uint16, spec corpus.Spec) (Payload, *corpus.Prompt, error) {
	if tenant < 1 || tenant > MaxIndex {
		return Payload{}, nil, fmt.Errorf("mint: tenant index %d, want 1 to %d", tenant, MaxIndex)
	}
	second, err := secondOf(m.now())
	if err != nil {
		return Payload{}, nil, fmt.Errorf("mint: %w", err)
	}
	for range maxDraws {
		p := Payload{Tenant: tenant, Second: second, Draw: draw()}
		if !m.take(p) || m.seen(p) {
			continue
		}
		prompt, err := m.codec.Prompt(p, spec)
		if unusable := (errUnusable{}); errors.As(err, &unusable) {
			continue
		}
		if err != nil {
			return Payload{}, nil, fmt.Errorf("mint: %w", err)
		}
		return p, prompt, nil
	}
	return Payload{}, nil, fmt.Errorf("mint: no new request in %d draws for tenant %d in second %d: slow down, or spread the load over tenants",
		maxDraws, tenant, second)
}

// take reports whether the request is new to this Minter, and takes it. A
// request without usable markers stays taken, which spares a later draw.
func (m *Minter) take(p Payload) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p.Second > m.newest {
		m.newest = p.Second
		maps.DeleteFunc(m.taken, func(old Payload, _ bool) bool { return old.Second+remembered < m.newest })
	}
	if m.taken[p] {
		return false
	}
	m.taken[p] = true
	return true
}

// draw is a random draw field.
func draw() uint16 {
	var b [2]byte
	rand.Read(b[:]) // never fails: it ends the program instead
	return binary.BigEndian.Uint16(b[:]) & (1<<drawBits - 1)
}

// secondOf is the time in seconds since Epoch.
func secondOf(t time.Time) (uint32, error) {
	s := t.Unix() - Epoch.Unix()
	if s < 0 || s >= 1<<secondBits {
		return 0, fmt.Errorf("the time %s is outside of what a marker can say (%s to %s): set the clock",
			t.UTC().Format(time.RFC3339), Epoch.Format(time.RFC3339), Epoch.Add((1<<secondBits-1)*time.Second).Format(time.RFC3339))
	}
	return uint32(s), nil
}

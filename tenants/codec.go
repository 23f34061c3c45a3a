package tenants

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"hash"
	"slices"
	"sync"

	"crosstalk/corpus"
	"crosstalk/internal/secret"
)

// Codec mints and finds markers under a fleet key, and finds those of older
// keys while a fleet changes to a new one. It is safe for concurrent use.
type Codec struct {
	keys []keys // newest first
}

// keys are the three keys of a fleet key, and the name of it.
type keys struct {
	id               string
	mac, enc, prompt secret.Value
	hashes           *requestHashes
}

// NewCodec derives the three keys of a fleet key. Markers are minted under
// newest and found under any of the keys.
func NewCodec(newest FleetKey, older ...FleetKey) *Codec {
	c := new(Codec)
	for _, k := range append([]FleetKey{newest}, older...) {
		n := keys{id: k.ID(), mac: k.derive("mac"), enc: k.derive("enc"), prompt: k.derive("prompt")}
		n.hashes = &requestHashes{derive: promptKeys(n.prompt), of: map[Payload]uint16{}}
		c.keys = append(c.keys, n)
	}
	return c
}

// Under is the codec of one key alone, numbered as in Hit.Key: it rebuilds the
// prompts of that key.
func (c *Codec) Under(key int) *Codec { return &Codec{keys: c.keys[key : key+1]} }

// KeyID names the key that markers are minted under, as [FleetKey.ID] does. It
// is kept beside each request: after a rotation it says which key rebuilds the
// prompt.
func (c *Codec) KeyID() string { return c.keys[0].id }

// KeyIDs names every key of the codec, newest first.
func (c *Codec) KeyIDs() []string {
	var ids []string
	for _, k := range c.keys {
		ids = append(ids, k.id)
	}
	return ids
}

// As is the codec as it was when the key of that id was the newest: it mints and
// rebuilds under that key, and finds under all of them. "" stands for the
// newest. ok is false when the key is not among those of the codec, because it
// has been retired.
func (c *Codec) As(id string) (_ *Codec, ok bool) {
	if id == "" {
		return c, true
	}
	for i, k := range c.keys {
		if k.id == id {
			others := slices.Delete(slices.Clone(c.keys), i, i+1)
			return &Codec{keys: append([]keys{k}, others...)}, true
		}
	}
	return nil, false
}

// Mint writes the marker of p. ok is false when this payload gives no usable
// marker (a word twice, or too few digits in a code): draw again. It is also
// false for a payload that does not fit its bits and for an unknown dress.
func (c *Codec) Mint(p Payload, d corpus.Dress) (text string, ok bool) {
	if !p.fits() {
		return "", false
	}
	marker := newPRF(c.keys[0]).seal(p)
	switch d {
	case corpus.DressWords:
		return marker.words()
	case corpus.DressCode:
		return marker.code()
	}
	return "", false
}

// PromptKey is the key of the prompt that the marker's request was sent with:
// HMAC-SHA256(K_prompt, payload with index 0, seven bytes).
func (c *Codec) PromptKey(p Payload) corpus.Key { return c.PromptKeys()(p) }

// PromptKeys is PromptKey for many requests: the function returned derives their
// keys at a third of the price. It is not safe for concurrent use.
func (c *Codec) PromptKeys() func(Payload) corpus.Key { return promptKeys(c.keys[0].prompt) }

// RequestHash is the hash of the [Codec.PromptKey], which the locators of the
// prompt carry.
func (c *Codec) RequestHash(p Payload) uint16 { return c.keys[0].hashes.hash(p.Request()) }

func promptKeys(key secret.Value) func(Payload) corpus.Key {
	h := newHMAC(key)
	return func(p Payload) (key corpus.Key) {
		var msg [8]byte
		binary.BigEndian.PutUint64(msg[:], p.Request().bits())
		h.Reset()
		h.Write(msg[1:])
		h.Sum(key[:0])
		return key
	}
}

// maxHashes bounds what a codec remembers: three look-backs of 10,000 requests,
// about a megabyte.
const maxHashes = 1 << 15

// requestHashes remembers the hash of each request it was asked for. A look-back
// hardly changes from one round to the next, and deriving its hashes is most of
// the price of tracing a locator.
type requestHashes struct {
	mu     sync.Mutex
	derive func(Payload) corpus.Key
	of     map[Payload]uint16
}

func (r *requestHashes) hash(p Payload) uint16 {
	r.mu.Lock()
	defer r.mu.Unlock()
	h, ok := r.of[p]
	if !ok {
		if len(r.of) >= maxHashes {
			clear(r.of)
		}
		h = r.derive(p).Hash()
		r.of[p] = h
	}
	return h
}

// Prompt rebuilds the prompt of a request from its payload and spec. It fails
// if the payload gives no usable markers for the spec.
func (c *Codec) Prompt(p Payload, spec corpus.Spec) (*corpus.Prompt, error) {
	markers, err := c.markers(p, spec)
	if err != nil {
		return nil, err
	}
	return corpus.New(c.PromptKey(p), spec, markers)
}

// errUnusable says that a draw gives no usable markers.
type errUnusable struct{ index int }

func (e errUnusable) Error() string {
	return fmt.Sprintf("the payload gives no usable marker %d: draw again", e.index+1)
}

// markers mints the markers of a request.
func (c *Codec) markers(p Payload, spec corpus.Spec) ([]string, error) {
	if spec.Seals < 1 || spec.Seals > corpus.MaxSeals {
		return nil, fmt.Errorf("%w: %d markers, want 1 to %d", corpus.ErrSpec, spec.Seals, corpus.MaxSeals)
	}
	if spec.Dress != corpus.DressWords && spec.Dress != corpus.DressCode {
		return nil, fmt.Errorf("%w: unknown marker dress %q", corpus.ErrSpec, spec.Dress)
	}
	if !p.fits() {
		return nil, fmt.Errorf("payload %+v is out of range", p)
	}
	out := make([]string, spec.Seals)
	for i := range out {
		p.Index = uint8(i)
		text, ok := c.Mint(p, spec.Dress)
		if !ok {
			return nil, errUnusable{i}
		}
		out[i] = text
	}
	return out, nil
}

// prf is the keyed part of sealing and opening. It keeps the state of its
// hashes between uses and is not safe for concurrent use.
type prf struct {
	mac, enc hash.Hash
	sum      [sha256.Size]byte
	// lastTag and lastPad are of the last call of pad: readings of a window
	// that differ in the body only share the tag.
	lastTag [tagSize]byte
	lastPad uint64
	primed  bool
}

func newPRF(k keys) *prf {
	return &prf{mac: newHMAC(k.mac), enc: newHMAC(k.enc)}
}

func newHMAC(key secret.Value) hash.Hash { return hmac.New(sha256.New, []byte(key.Reveal())) }

// seal encrypts and authenticates a payload.
func (f *prf) seal(p Payload) phrase {
	s := sealed{version: version}
	copy(s.tag[:], f.tag(version, p.bits()))
	s.body = p.bits() ^ f.pad(s.tag)
	return s.pack()
}

// open is the payload of a phrase; ok is false if it does not verify.
func (f *prf) open(p *phrase) (_ Payload, ok bool) {
	if p.version() != version {
		return Payload{}, false
	}
	s := p.unpack()
	payload := s.body ^ f.pad(s.tag)
	if subtle.ConstantTimeCompare(f.tag(s.version, payload), s.tag[:]) != 1 {
		return Payload{}, false
	}
	return payloadOf(payload), true
}

// tag is T of a payload. It is valid until the next call.
func (f *prf) tag(version uint8, payload uint64) []byte {
	var msg [8]byte
	binary.BigEndian.PutUint64(msg[:], uint64(version)<<56|payload)
	f.mac.Reset()
	f.mac.Write(msg[:])
	return f.mac.Sum(f.sum[:0])[:tagSize]
}

// pad is what the payload is encrypted with under a tag, 56 bits.
func (f *prf) pad(tag [tagSize]byte) uint64 {
	if f.primed && tag == f.lastTag {
		return f.lastPad
	}
	f.enc.Reset()
	f.enc.Write(tag[:])
	pad := binary.BigEndian.Uint64(f.enc.Sum(f.sum[:0])) >> 8
	f.lastTag, f.lastPad, f.primed = tag, pad, true
	return pad
}

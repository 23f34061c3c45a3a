package checks

import (
	"slices"

	"github.com/google/uuid"

	"crosstalk/corpus"
	"crosstalk/probes"
	"crosstalk/tenants"
)

// donor is a request whose content may turn up elsewhere: one of the round or
// of the look-back.
type donor struct {
	exchange uuid.UUID
	payload  tenants.Payload
	spec     corpus.Spec
	key      string        // id of its fleet key; "" is the newest
	prompt   probes.Prompt // nil until rebuilt, and if it cannot be
	tried    bool
}

// donors are the requests of the round and of the look-back, those of the round
// first, then the newest, each once.
type donors struct {
	codec   *tenants.Codec
	under   map[string]*tenants.Codec // by id of the key; nil: the key was retired
	list    []*donor
	request map[tenants.Payload]*donor
	// hashes begin the chain of the donors whose locators carry a request hash; nil
	// until first asked for.
	hashes map[uint16]*link
	// facts are the named facts of all donors; nil until first asked for.
	facts  []donorFact
	derive map[*tenants.Codec]func(tenants.Payload) corpus.Key
}

// donorList collects the donors when first asked for.
func (f *facts) donorList() *donors {
	if f.donors != nil {
		return f.donors
	}
	all := make([]donor, 0, len(f.in.Round.Exchanges)+len(f.in.Lookback)) // at once: they may be 10,000
	d := &donors{codec: f.in.Codec, under: map[string]*tenants.Codec{}, derive: map[*tenants.Codec]func(tenants.Payload) corpus.Key{}, request: make(map[tenants.Payload]*donor, len(f.in.Lookback))}
	for _, x := range f.in.Round.Exchanges {
		all = append(all, donor{exchange: x.ID, payload: x.Payload.Request(), spec: x.Intent.Spec, prompt: x.Prompt, tried: x.Prompt != nil})
	}
	for _, ref := range f.in.Lookback {
		all = append(all, donor{exchange: ref.Exchange, payload: ref.Payload.Request(), spec: ref.Spec, key: ref.Key})
	}
	d.list = make([]*donor, 0, len(all))
	for i := range all {
		d.add(&all[i])
	}
	f.donors = d
	return d
}

func (d *donors) add(n *donor) {
	if n.payload == (tenants.Payload{}) || d.request[n.payload] != nil {
		return // not minted by us, or known already
	}
	d.request[n.payload] = n
	d.list = append(d.list, n)
}

// codecOf is the codec that the donor's prompt was minted with; nil when its
// fleet key is no longer configured.
func (d *donors) codecOf(n *donor) *tenants.Codec {
	c, known := d.under[n.key]
	if !known && d.codec != nil {
		c, _ = d.codec.As(n.key)
		d.under[n.key] = c
	}
	return c
}

// rebuild returns the donor's prompt, nil if its spec gives none or its fleet
// key is gone.
func (d *donors) rebuild(n *donor) probes.Prompt {
	if !n.tried {
		n.tried = true
		if c := d.codecOf(n); c != nil {
			if p, err := c.Prompt(n.payload, n.spec); err == nil {
				n.prompt = p
			}
		}
	}
	return n.prompt
}

// markers are the texts of the donor's markers, in order: minting them is cheap,
// rebuilding the prompt is not.
func (d *donors) markers(n *donor) []string {
	var texts []string
	c := d.codecOf(n)
	if c == nil {
		return nil
	}
	for i := range min(n.spec.Seals, corpus.MaxSeals) {
		p := n.payload
		p.Index = uint8(i)
		text, _ := c.Mint(p, n.spec.Dress)
		texts = append(texts, text)
	}
	return texts
}

// origin says whose a verified marker is, as far as the look-back tells.
func (f *facts) origin(p tenants.Payload) Origin {
	o := Origin{Tenant: p.Tenant, Payload: p, PromptOffset: -1, Marker: int(p.Index) + 1}
	d := f.donorList()
	n := d.request[p.Request()]
	if n == nil {
		return o
	}
	o.Exchange = n.exchange
	if prompt := d.rebuild(n); prompt != nil {
		for _, m := range prompt.Markers() {
			if m.Number == o.Marker {
				o.PromptOffset = m.Offset
			}
		}
	}
	return o
}

// knowsTenant reports whether the tenant sent anything in the round or the
// look-back.
func (f *facts) knowsTenant(index uint16) bool {
	for _, n := range f.donorList().list {
		if n.payload.Tenant == index {
			return true
		}
	}
	return false
}

// named are the donors whose own prompt or prefix a locator verifies for. The
// first call looks at the request hashes of all donors, further ones at a few.
func (d *donors) named(l corpus.Locator) []*donor {
	if d.hashes == nil {
		d.hash()
	}
	var of []*donor
	for at := d.hashes[l.Request]; at != nil; at = at.next {
		n := at.donor
		key, ok := d.keyOf(n)
		if ok && key.Verify(l) || n.spec.Prefix != nil && n.spec.Prefix.Key.Verify(l) {
			of = append(of, n)
		}
	}
	return of
}

// link is a donor among those of one request hash.
type link struct {
	donor *donor
	next  *link
}

// hash fills hashes. It goes backwards, so that a chain has the order of the list.
func (d *donors) hash() {
	d.hashes = make(map[uint16]*link, len(d.list))
	links := make([]link, 0, d.keys())
	add := func(n *donor, hash uint16) {
		if first := d.hashes[hash]; first == nil || first.donor != n { // its prefix may have its own hash
			links = append(links, link{n, first})
			d.hashes[hash] = &links[len(links)-1]
		}
	}
	for _, n := range slices.Backward(d.list) {
		if c := d.codecOf(n); c != nil {
			add(n, c.RequestHash(n.payload))
		}
		if n.spec.Prefix != nil {
			add(n, n.spec.Prefix.Key.Hash())
		}
	}
}

// keyOf is the key of the donor's own prompt; ok is false when its fleet key is no
// longer configured.
func (d *donors) keyOf(n *donor) (key corpus.Key, ok bool) {
	c := d.codecOf(n)
	if c == nil {
		return key, false
	}
	if d.derive[c] == nil {
		d.derive[c] = c.PromptKeys()
	}
	return d.derive[c](n.payload), true
}

// keys counts the keys of all donors.
func (d *donors) keys() int {
	n := 0
	for _, e := range d.list {
		n++
		if e.spec.Prefix != nil {
			n++
		}
	}
	return n
}

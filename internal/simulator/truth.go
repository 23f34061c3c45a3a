package simulator

import (
	"maps"
	"slices"
	"sort"
	"sync"
	"time"
)

// Class is what the answer of a request really was.
type Class string

const (
	ClassRight     Class = "right"     // the known answer of its own prompt, whole
	ClassMissed    Class = "missed"    // own, but the healthy model overlooked a seal
	ClassContinued Class = "continued" // own prompt without a question: its text, continued
	ClassRefused   Class = "refused"   // a policy refusal by the model
	ClassCut       Class = "cut"       // the budget ended it
	ClassForeign   Class = "foreign"   // holds what another tenant or a stranger wrote
	ClassStale     Class = "stale"     // holds what another request of the same tenant wrote
	ClassDamaged   Class = "damaged"   // own content, spoilt by a fault
	ClassBlank     Class = "blank"     // the model had nothing to read
	ClassError     Class = "error"     // no answer: a refusal by the engine or a gateway ill
	ClassCancelled Class = "cancelled" // the client left, or the connection broke
)

// Truth is what really happened to one request.
type Truth struct {
	Seq     uint64    `json:"seq"`
	ID      string    `json:"id"`     // X-Request-Id
	Tenant  string    `json:"tenant"` // label or hash of the key
	Started time.Time `json:"started"`
	Replica int       `json:"replica"`
	Slot    int       `json:"slot"`

	Tokens    int  `json:"tokens"`    // of the prompt as sent, template included
	Prefilled int  `json:"prefilled"` // tokens really prefilled
	InFlight  int  `json:"in_flight"` // on the replica at admission, this one included
	Warm      bool `json:"warm"`      // the first 256 tokens were seen before

	// Faults that had an effect on this request; Ill is the gateway's ill, ""
	// for none.
	Faults []string `json:"faults"`
	Ill    string   `json:"ill"`

	Read Read `json:"read"`

	Class Class `json:"class"`
	// Donors are the X-Request-Ids of other requests whose text is in the
	// answer, DonorTenants their tenants; Strangers says that a stranger's is.
	Donors       []string `json:"donors"`
	DonorTenants []string `json:"donor_tenants"`
	Strangers    bool     `json:"strangers"`

	Status     int     `json:"status"`
	Stream     bool    `json:"stream"`
	Finish     string  `json:"finish"`
	Completion int     `json:"completion"` // tokens, reasoning included
	TTFT       float64 `json:"ttft"`       // seconds from the end of the body to the first token, 0: none
	Seconds    float64 `json:"seconds"`    // from the start of the request
}

// Read counts the pages that the model read for a request by who wrote them.
type Read struct {
	Own       int `json:"own"`
	Donors    int `json:"donors"`
	Strangers int `json:"strangers"`
	Blank     int `json:"blank"`
	// From are the donors by X-Request-Id, the one with most pages first, at
	// most 16.
	From []string `json:"from"`
}

// count fills in who wrote the pages of a reading.
func (t *Truth) count(r *reading, by *origin) {
	pages := map[string]int{}
	for _, o := range r.from {
		switch {
		case o == nil:
			t.Read.Blank++
		case o == by:
			t.Read.Own++
		case o.stranger:
			t.Read.Strangers++
		default:
			t.Read.Donors++
			pages[o.request]++
		}
	}
	from := make([]string, 0, len(pages))
	for id := range pages {
		from = append(from, id)
	}
	sort.Slice(from, func(i, j int) bool {
		if pages[from[i]] != pages[from[j]] {
			return pages[from[i]] > pages[from[j]]
		}
		return from[i] < from[j]
	})
	t.Read.From = from[:min(len(from), 16)]
}

// sources fills in whose text the answer holds.
func (t *Truth) sources(from []*origin, by *origin) {
	for _, o := range from {
		switch {
		case o == by:
		case o.stranger:
			t.Strangers = true
		default:
			t.Donors = append(t.Donors, o.request)
			t.DonorTenants = append(t.DonorTenants, o.tenant)
		}
	}
}

// foreign reports whether the answer holds what is not the tenant's own.
func (t *Truth) foreign() bool {
	other := func(tenant string) bool { return tenant != t.Tenant }
	return t.Strangers || slices.ContainsFunc(t.DonorTenants, other)
}

// Counts are totals over all requests since the start or the last reset.
type Counts struct {
	Requests int            `json:"requests"`
	Classes  map[Class]int  `json:"classes"`
	Faults   map[string]int `json:"faults"`
	Ills     map[string]int `json:"ills"`
	Statuses map[int]int    `json:"statuses"`
}

// truths remembers the last requests in a ring, and totals over all.
type truths struct {
	mu     sync.Mutex
	limit  int
	ring   []Truth
	next   int // where the oldest stands, once the ring is full
	counts Counts
}

func newTruths(n int) *truths {
	t := &truths{limit: n}
	t.clear()
	return t
}

func (t *truths) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ring, t.next = nil, 0
	t.counts = Counts{Classes: map[Class]int{}, Faults: map[string]int{}, Ills: map[string]int{}, Statuses: map[int]int{}}
}

// add records a finished request.
func (t *truths) add(truth Truth) {
	for _, list := range []*[]string{&truth.Faults, &truth.Donors, &truth.DonorTenants, &truth.Read.From} {
		if *list == nil {
			*list = []string{} // [] in JSON, not null
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.ring) < t.limit {
		t.ring = append(t.ring, truth)
	} else {
		t.ring[t.next] = truth
		t.next = (t.next + 1) % t.limit
	}
	t.counts.Requests++
	t.counts.Classes[truth.Class]++
	t.counts.Statuses[truth.Status]++
	for _, f := range truth.Faults {
		t.counts.Faults[f]++
	}
	if truth.Ill != "" {
		t.counts.Ills[truth.Ill]++
	}
}

// list returns the remembered requests, oldest first.
func (t *truths) list() []Truth {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]Truth, 0, len(t.ring))
	all = append(all, t.ring[t.next:]...)
	return append(all, t.ring[:t.next]...)
}

// totals returns a copy of the counts.
func (t *truths) totals() Counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Counts{
		Requests: t.counts.Requests,
		Classes:  maps.Clone(t.counts.Classes),
		Faults:   maps.Clone(t.counts.Faults),
		Ills:     maps.Clone(t.counts.Ills),
		Statuses: maps.Clone(t.counts.Statuses),
	}
}

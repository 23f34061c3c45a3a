package preflight

import (
	"fmt"
	"slices"
)

// Outcome is how a judgement ended. The zero value is unknown.
type Outcome int

const (
	// Unknown: what is needed to judge could not be read.
	Unknown Outcome = iota
	// Fine: it was read, and it holds.
	Fine
	// Warning: nothing is broken, and somebody should know.
	Warning
	// Accepted: a finding or an unknown that the user has accepted.
	Accepted
	// Finding: it was read, and it does not hold.
	Finding
)

var outcomeNames = [...]string{"unknown", "fine", "warning", "accepted", "finding"}

func (o Outcome) String() string {
	if o < 0 || int(o) >= len(outcomeNames) {
		return fmt.Sprintf("Outcome(%d)", int(o))
	}
	return outcomeNames[o]
}

// MarshalText writes the name.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// Judgement is one question and its answer.
type Judgement struct {
	// ID names the question: one of IDs.
	ID string `json:"id"`
	// Node is the name of the node, or of several joined by a comma.
	Node    string  `json:"node"`
	Outcome Outcome `json:"outcome"`
	// Required says that the report is not fine while this is unknown.
	Required bool `json:"required,omitempty"`
	// Means says what it amounts to, Do what to do about it.
	Means string `json:"means"`
	Do    string `json:"do,omitempty"`
	// Read are the facts it rests on.
	Read []Fact `json:"read"`
}

// Names of the judgements.
const (
	IDPool        = "pool-below-window"
	IDInput       = "input-limit-below-window"
	IDAdvertised  = "advertised-above-served"
	IDDecodePool  = "decode-pool-above-prefill"
	IDTruncation  = "silent-truncation"
	IDIsolation   = "cache-isolation"
	IDIntegrity   = "kv-integrity"
	IDOpen        = "open-to-the-world"
	IDKnownFaults = "known-fault"
)

// IDs lists the judgements in the order of reports.
func IDs() []string {
	return []string{IDPool, IDInput, IDAdvertised, IDDecodePool, IDTruncation, IDIsolation, IDIntegrity, IDOpen, IDKnownFaults}
}

// deployment is what judgements look at: all nodes, and what customers are
// told.
type deployment struct {
	nodes      []*Node
	advertised *Fact
	known      []KnownFault
}

// window is the window that the pool of a node has to hold: what the node says,
// else what another node of the deployment says, else what customers are told.
func (d *deployment) window(n *Node) (Fact, bool) {
	if f, ok := n.served(); ok {
		return f, true
	}
	var best Fact
	found := false
	for _, other := range d.nodes {
		if f, ok := other.served(); ok && (!found || f.Value.count > best.Value.count) {
			best, found = f, true
		}
	}
	if !found && d.advertised != nil {
		return *d.advertised, true
	}
	return best, found
}

// judge answers every question for every node that it concerns.
func (d *deployment) judge() []Judgement {
	var out []Judgement
	for _, n := range d.nodes {
		for _, question := range []func(*Node) []Judgement{
			d.pool, d.inputLimit, d.advertisedWindow, d.truncation, d.isolation, d.integrity, d.open, d.knownFaults,
		} {
			for _, j := range question(n) {
				j.Node = n.Name
				out = append(out, j)
			}
		}
	}
	out = append(out, d.decodePool()...)
	order := IDs()
	slices.SortStableFunc(out, func(a, b Judgement) int {
		return slices.Index(order, a.ID) - slices.Index(order, b.ID)
	})
	return out
}

// one is a list of one judgement.
func one(j Judgement) []Judgement { return []Judgement{j} }

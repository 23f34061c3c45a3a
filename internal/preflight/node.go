package preflight

import (
	"fmt"
	"slices"
)

// Node is one serving process and what was read about it.
type Node struct {
	Name     string    `json:"name"`
	Facts    []Fact    `json:"facts"`
	Problems []Problem `json:"problems,omitempty"`

	// only is the model that documents about several are read for; "": all.
	only string
}

// Problem is something that was named and could not be read.
type Problem struct {
	Where string `json:"where"`
	// Why it could not, and what to do about it.
	Why string `json:"why"`
	Do  string `json:"do"`
}

func (p Problem) String() string { return fmt.Sprintf("%s: %s", p.Where, p.Why) }

// mostFacts bounds what is kept of one node: more is not an engine.
const mostFacts = 4096

// add keeps a fact. One that is there already, from the same place, is not
// kept twice.
func (n *Node) add(facts ...Fact) {
	for _, f := range facts {
		if len(n.Facts) < mostFacts && !slices.Contains(n.Facts, f) {
			n.Facts = append(n.Facts, f)
		}
	}
}

// absorb adds what was read elsewhere about the same node. Documents of two
// engines are not of one node: what one says must not make up for what the
// other lacks.
func (n *Node) absorb(where string, other *Node) {
	n.Problems = append(n.Problems, other.Problems...)
	mine, theirs := n.engine(), other.engine()
	if mine != "" && theirs != "" && mine != theirs {
		n.trouble(where, fmt.Sprintf("it is of %s, and what was read before of %s", theirs, mine),
			"keep nodes apart: --from NODE=FILE, --url NODE=URL; or correct --engine")
		return
	}
	n.add(other.Facts...)
}

func (n *Node) trouble(where, why, do string) {
	n.Problems = append(n.Problems, Problem{Where: where, Why: why, Do: do})
}

// all are the facts of that name, in the order they were read.
func (n *Node) all(name Name) []Fact {
	var out []Fact
	for _, f := range n.Facts {
		if f.Name == name {
			out = append(out, f)
		}
	}
	return out
}

// first is the fact of that name which was read first.
func (n *Node) first(name Name) (Fact, bool) {
	i := slices.IndexFunc(n.Facts, func(f Fact) bool { return f.Name == name })
	if i < 0 {
		return Fact{}, false
	}
	return n.Facts[i], true
}

// text is the value of the first fact of that name, "" if there is none.
func (n *Node) text(name Name) string {
	f, _ := n.first(name)
	return f.Value.text
}

// yes reports whether a fact of that name says yes, and whether there is one
// at all.
func (n *Node) yes(name Name) (yes bool, fact Fact, known bool) {
	for _, f := range n.all(name) {
		if !known || f.Value.count == 1 {
			fact, known = f, true
		}
		yes = yes || f.Value.count == 1
	}
	return yes, fact, known
}

// largest and smallest are the facts of the first of these names that has any.
func (n *Node) largest(names ...Name) (Fact, bool) {
	return n.extreme(names, func(a, b int64) bool { return a > b })
}

func (n *Node) smallest(names ...Name) (Fact, bool) {
	return n.extreme(names, func(a, b int64) bool { return a < b })
}

func (n *Node) extreme(names []Name, beats func(a, b int64) bool) (Fact, bool) {
	for _, name := range names {
		list := n.all(name)
		if len(list) == 0 {
			continue
		}
		out := list[0]
		for _, f := range list[1:] {
			if beats(f.Value.count, out.Value.count) {
				out = f
			}
		}
		return out, true
	}
	return Fact{}, false
}

// engine is the engine of the node, "" if it is not known.
func (n *Node) engine() string { return n.text(Engine) }

// role is what the node does, RoleUnified if nothing says otherwise.
func (n *Node) role() string {
	for _, f := range n.all(Role) {
		if f.Value.text != RoleUnified {
			return f.Value.text
		}
	}
	return RoleUnified
}

// served is the window that the node serves: what it says itself before what it
// was asked for. Of several, the largest: somebody is told it.
func (n *Node) served() (Fact, bool) { return n.largest(Window, Configured) }

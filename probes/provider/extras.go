package provider

import (
	"fmt"
	"strings"
)

// maxExtras bounds how many places Extras tells apart. What is beyond stands
// together in the last.
const maxExtras = 256

// Extras collects texts that stand where no known field is. Pieces of the same
// place are joined, so that a text spread over the deltas of a stream is whole
// again when it is searched.
type Extras struct {
	texts []*extraText
	at    map[string]*extraText
}

type extraText struct {
	where string
	text  strings.Builder
}

// Add appends a piece of text to what is known of a place.
func (e *Extras) Add(where, text string) {
	if text != "" {
		e.place(where).WriteString(text)
	}
}

// AddLine appends a text of its own to a place, on a new line.
func (e *Extras) AddLine(where, text string) {
	if text == "" {
		return
	}
	b := e.place(where)
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	b.WriteString(text)
}

func (e *Extras) place(where string) *strings.Builder {
	if e.at == nil {
		e.at = make(map[string]*extraText)
	}
	if e.at[where] == nil {
		if len(e.texts) >= maxExtras {
			where = "further places"
		}
		if e.at[where] == nil {
			e.at[where] = &extraText{where: where}
			e.texts = append(e.texts, e.at[where])
		}
	}
	return &e.at[where].text
}

// Collect adds every string in a value, however deep.
func (e *Extras) Collect(where string, n *Node) {
	switch {
	case n == nil:
	case n.Kind == String:
		e.Add(where, n.Text())
	case n.Kind == Array:
		for i := range n.Items {
			e.Collect(fmt.Sprintf("%s[%d]", where, i), &n.Items[i])
		}
	case n.Kind == Object:
		e.CollectMembers(where, n, nil)
	}
}

// CollectMembers adds every string in the members of an object whose names
// are not known. Of a duplicate name the values before the last are unknown
// too: no reader would show them.
func (e *Extras) CollectMembers(where string, n *Node, known func(name string) bool) {
	if n == nil {
		return
	}
	for i := range n.Members {
		m := &n.Members[i]
		if known != nil && known(m.Name) && n.Get(m.Name) == &m.Value {
			continue
		}
		place := m.Name
		if where != "" {
			place = where + "." + m.Name
		}
		e.Collect(place, &m.Value)
	}
}

// Texts returns what was collected, in order of first sight.
func (e *Extras) Texts() []Text {
	var out []Text
	for _, t := range e.texts {
		out = append(out, Text{Where: t.where, Text: strings.ToValidUTF8(t.text.String(), "\uFFFD")})
	}
	return out
}

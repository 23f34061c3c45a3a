package provider

import (
	"errors"
	"strconv"
	"unicode/utf8"
)

// maxNodes bounds the values of one JSON text: a tree of more would cost more
// memory than the text that made it could excuse.
const maxNodes = 1 << 18

// ErrJSONLimit is wrapped by the error of a JSON text that is nested too deep
// or has too many values.
var ErrJSONLimit = errors.New("JSON beyond our limits")

// Kind is the kind of a JSON value.
type Kind byte

// The kinds of a JSON value.
const (
	Null   Kind = 'n'
	Bool   Kind = 'b'
	Number Kind = '0'
	String Kind = '"'
	Array  Kind = '['
	Object Kind = '{'
)

// Node is one JSON value as it came: in order, with duplicate names, and with
// the bytes it was made of. Methods work on a nil Node, which is a value that
// is not there.
type Node struct {
	Kind    Kind
	Raw     []byte   // its bytes, a part of the parsed text
	text    string   // of a String, decoded
	Members []Member // of an Object
	Items   []Node   // of an Array
}

// Member is one name and value of an object.
type Member struct {
	Name  string
	Value Node
}

// Get returns the value of a name, nil if there is none. Of duplicates it is
// the last, as in most readers.
func (n *Node) Get(name string) *Node {
	if n == nil {
		return nil
	}
	for i := len(n.Members) - 1; i >= 0; i-- {
		if n.Members[i].Name == name {
			return &n.Members[i].Value
		}
	}
	return nil
}

// Given reports whether the value is there and is not null.
func (n *Node) Given() bool { return n != nil && n.Kind != Null }

// Is reports whether the value is there and of that kind.
func (n *Node) Is(k Kind) bool { return n != nil && n.Kind == k }

// Text is the text of a string, the digits of a number, "" of anything else.
func (n *Node) Text() string {
	switch {
	case n == nil:
		return ""
	case n.Kind == String:
		return n.text
	case n.Kind == Number:
		return string(n.Raw)
	}
	return ""
}

// Int returns the value of a number, or of a string of digits, that is whole
// and in range.
func (n *Node) Int() (int, bool) {
	text := n.Text()
	if i, err := strconv.Atoi(text); err == nil {
		return i, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != float64(int64(f)) || f > 1<<53 || f < -1<<53 {
		return 0, false
	}
	return int(f), true
}

// Clip returns the beginning of s, at most n bytes and cut between characters.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

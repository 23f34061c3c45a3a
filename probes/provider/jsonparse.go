package provider

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// JSONProblem is something in a JSON text that readers disagree about.
type JSONProblem struct {
	Kind   string // duplicate_key or bad_utf8
	Detail string
	Offset int // in the text
}

// ParseJSON reads the first JSON value of text and returns it with the offset
// of what follows it (white space skipped). A text that ends within the value
// gives io.ErrUnexpectedEOF.
//
// Invalid UTF-8 in strings is kept as it is, so that a character split over
// two strings can be joined again; it is noted as a problem.
func ParseJSON(text []byte, depth int) (root *Node, end int, problems []JSONProblem, err error) {
	p := jsonParser{text: text, copied: string(text), depth: depth}
	root = new(Node)
	if err := p.value(root); err != nil {
		return nil, p.pos, p.problems, err
	}
	p.space()
	return root, p.pos, p.problems, nil
}

type jsonParser struct {
	text     []byte
	copied   string // the same: strings without escapes are parts of it
	pos      int
	depth    int // levels left
	nodes    int
	problems []JSONProblem
}

func (p *jsonParser) problem(kind, detail string, offset int) {
	if len(p.problems) < maxProblems {
		p.problems = append(p.problems, JSONProblem{kind, detail, offset})
	}
}

func (p *jsonParser) space() {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\t', '\r', '\n':
			p.pos++
		default:
			return
		}
	}
}

// syntax is the error for the byte at the current position.
func (p *jsonParser) syntax() error {
	if p.pos >= len(p.text) {
		return io.ErrUnexpectedEOF
	}
	return fmt.Errorf("JSON syntax error at byte %d", p.pos)
}

func (p *jsonParser) value(n *Node) error {
	p.space()
	if p.nodes++; p.nodes > maxNodes {
		return fmt.Errorf("%w: more than %d values", ErrJSONLimit, maxNodes)
	}
	if p.pos >= len(p.text) {
		return io.ErrUnexpectedEOF
	}
	start := p.pos
	var err error
	switch c := p.text[p.pos]; {
	case c == '{' || c == '[':
		if p.depth--; p.depth < 0 {
			return fmt.Errorf("%w: nested too deep at byte %d", ErrJSONLimit, p.pos)
		}
		n.Kind = Kind(c)
		if c == '{' {
			err = p.object(n)
		} else {
			err = p.array(n)
		}
		p.depth++
	case c == '"':
		n.Kind = String
		n.text, err = p.str()
	case c == '-' || c >= '0' && c <= '9':
		n.Kind = Number
		err = p.number()
	default:
		err = p.literal(n)
	}
	n.Raw = p.text[start:p.pos]
	return err
}

func (p *jsonParser) literal(n *Node) error {
	rest := p.text[p.pos:]
	for _, l := range []struct {
		text string
		kind Kind
	}{{"null", Null}, {"true", Bool}, {"false", Bool}} {
		have := string(rest[:min(len(rest), len(l.text))])
		if !strings.HasPrefix(l.text, have) {
			continue
		}
		p.pos += len(have)
		n.Kind = l.kind
		if len(have) < len(l.text) {
			return io.ErrUnexpectedEOF
		}
		return nil
	}
	return p.syntax()
}

func (p *jsonParser) object(n *Node) error {
	p.pos++
	var seen map[string]bool // only for large objects
	for first := true; ; first = false {
		p.space()
		switch {
		case p.peek() == '}' && first:
			p.pos++
			return nil
		case p.peek() != '"':
			return p.syntax()
		}
		at := p.pos
		name, err := p.str()
		if err != nil {
			return err
		}
		if p.duplicate(n, name, &seen) {
			p.problem("duplicate_key", "the name "+strconv.Quote(Clip(name, 40))+" is there twice", at)
		}
		if p.space(); p.peek() != ':' {
			return p.syntax()
		}
		p.pos++
		if n.Members == nil {
			n.Members = make([]Member, 0, 4)
		}
		n.Members = append(n.Members, Member{Name: name})
		if err := p.value(&n.Members[len(n.Members)-1].Value); err != nil {
			return err
		}
		if done, err := p.more('}'); done || err != nil {
			return err
		}
	}
}

// duplicate reports whether an object has the name already.
func (p *jsonParser) duplicate(n *Node, name string, seen *map[string]bool) bool {
	if len(n.Members) < 16 {
		return n.Get(name) != nil
	}
	if *seen == nil {
		*seen = make(map[string]bool)
		for _, m := range n.Members {
			(*seen)[m.Name] = true
		}
	}
	was := (*seen)[name]
	(*seen)[name] = true
	return was
}

func (p *jsonParser) array(n *Node) error {
	p.pos++
	if p.space(); p.peek() == ']' {
		p.pos++
		return nil
	}
	for {
		n.Items = append(n.Items, Node{})
		if err := p.value(&n.Items[len(n.Items)-1]); err != nil {
			return err
		}
		if done, err := p.more(']'); done || err != nil {
			return err
		}
	}
}

// more reads a comma, or the end of an object or array.
func (p *jsonParser) more(end byte) (done bool, err error) {
	p.space()
	switch p.peek() {
	case ',':
		p.pos++
		return false, nil
	case end:
		p.pos++
		return true, nil
	}
	return false, p.syntax()
}

// peek returns the next byte, 0 at the end. A zero byte is never valid where
// peek is used.
func (p *jsonParser) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

func (p *jsonParser) number() error {
	if p.peek() == '-' {
		p.pos++
	}
	switch c := p.peek(); {
	case c == '0':
		p.pos++
	case c >= '1' && c <= '9':
		p.digits()
	default:
		return p.syntax()
	}
	if p.peek() == '.' {
		p.pos++
		if p.digits() == 0 {
			return p.syntax()
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.pos++
		if c := p.peek(); c == '+' || c == '-' {
			p.pos++
		}
		if p.digits() == 0 {
			return p.syntax()
		}
	}
	return nil
}

func (p *jsonParser) digits() (n int) {
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.pos++
		n++
	}
	return n
}

// str reads a string. Without an escape in it, its text is its bytes.
func (p *jsonParser) str() (string, error) {
	start := p.pos + 1
	for p.pos = start; ; p.pos++ {
		switch c := p.peek(); {
		case p.pos >= len(p.text) || c < 0x20:
			return "", p.syntax()
		case c == '"':
			text := p.copied[start:p.pos]
			p.pos++
			p.checkUTF8(text, start)
			return text, nil
		case c == '\\':
			return p.escaped(start)
		}
	}
}

// escaped goes on with str from the first escape.
func (p *jsonParser) escaped(start int) (string, error) {
	out := append(make([]byte, 0, 2*(p.pos-start)+16), p.text[start:p.pos]...)
	for {
		switch c := p.peek(); {
		case p.pos >= len(p.text) || c < 0x20:
			return "", p.syntax()
		case c == '"':
			p.pos++
			text := string(out)
			p.checkUTF8(text, start)
			return text, nil
		case c != '\\':
			out = append(out, c)
			p.pos++
		default:
			var err error
			if out, err = p.escape(out); err != nil {
				return "", err
			}
		}
	}
}

// simpleEscapes are the escapes of one letter, each before its meaning.
const simpleEscapes = "\"\"\\\\//b\bf\fn\nr\rt\t"

// escape reads one escape and appends what it stands for.
func (p *jsonParser) escape(out []byte) ([]byte, error) {
	at := p.pos
	p.pos++
	c := p.peek()
	if c != 'u' {
		for i := 0; i < len(simpleEscapes); i += 2 {
			if c == simpleEscapes[i] {
				p.pos++
				return append(out, simpleEscapes[i+1]), nil
			}
		}
		return nil, p.syntax()
	}
	r, err := p.unit()
	if err != nil {
		return nil, err
	}
	if utf16.IsSurrogate(r) {
		low := rune(-1)
		if back := p.pos; p.peek() == '\\' && p.pos+1 < len(p.text) && p.text[p.pos+1] == 'u' {
			p.pos++
			if low, err = p.unit(); err != nil {
				return nil, err
			}
			if utf16.DecodeRune(r, low) == utf8.RuneError {
				p.pos, low = back, -1
			}
		}
		if low < 0 {
			p.problem("bad_utf8", "half of a surrogate pair", at)
		}
		r = utf16.DecodeRune(r, low)
	}
	return utf8.AppendRune(out, r), nil
}

// unit reads "uXXXX".
func (p *jsonParser) unit() (rune, error) {
	p.pos++
	var r rune
	for range 4 {
		c := p.peek()
		i := strings.IndexByte(hexDigits, c|0x20)
		if c < '0' || i < 0 || c > '9' && c < 'A' {
			return 0, p.syntax()
		}
		r = r<<4 | rune(i)
		p.pos++
	}
	return r, nil
}

func (p *jsonParser) checkUTF8(text string, offset int) {
	if !utf8.ValidString(text) {
		p.problem("bad_utf8", "a string is not UTF-8", offset)
	}
}

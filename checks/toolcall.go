package checks

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Kinds of the toolcall check.
const (
	KindBadArguments = "arguments" // damaged: the arguments of a call are not one JSON value
	KindDoubledKey   = "doubled"   // damaged: an object of them has a key twice
	KindBadName      = "name"      // damaged: the name of the tool is no name
)

// toolcallCheck reads tool calls as a client must: the arguments are one JSON
// object and nothing else, no key of an object is given twice, and the name is
// one that an API accepts. Nothing is trimmed or repaired. A call that was cut
// at the token limit is cut lawfully, and says so.
type toolcallCheck struct{}

func (toolcallCheck) Name() string { return "toolcall" }

func (c toolcallCheck) Run(in *Input) []Finding { return in.each(c.Name(), toolcallOf) }

func toolcallOf(s *subject) []Finding {
	if s.r.Failure != nil {
		return nil
	}
	var found []Finding
	names, arguments := 0, 0 // offsets in the channels, whose parts are joined by line feeds
	for _, t := range s.r.Tools {
		if t.Name == "" || strings.ContainsAny(t.Name, " \t\n<>|{}\"'") {
			found = append(found, Finding{
				Kind: KindBadName, Class: Damaged, Channel: ChannelToolName, Offset: names, Length: len(t.Name),
				Detail: "the name of a tool is empty, or holds what no name holds",
			})
		}
		if f, ok := badArguments(t.Arguments); ok && !s.cut() {
			f.Offset += arguments
			found = append(found, f)
		}
		names, arguments = names+len(t.Name)+1, arguments+len(t.Arguments)+1
	}
	return found
}

// badArguments judges the arguments of one call. None at all are those of a tool
// without parameters.
func badArguments(text string) (Finding, bool) {
	f := Finding{Kind: KindBadArguments, Class: Damaged, Channel: ChannelToolArguments, Length: len(text)}
	if text == "" || len(text) > maxRead {
		return f, false
	}
	d := json.NewDecoder(strings.NewReader(text))
	doubled, err := readObject(d)
	f.Offset = int(min(d.InputOffset(), int64(len(text))))
	f.Length -= f.Offset
	switch {
	case err != nil:
		f.Detail = fmt.Sprintf("the arguments of a tool call stop being JSON after %d of %d bytes", f.Offset, len(text))
	case strings.TrimSpace(text[f.Offset:]) != "":
		f.Detail = fmt.Sprintf("more stands behind the arguments of a tool call, after %d of %d bytes", f.Offset, len(text))
	case doubled:
		f.Kind, f.Offset, f.Length = KindDoubledKey, 0, len(text)
		f.Detail = "an object in the arguments of a tool call has a key twice"
	default:
		return f, false
	}
	return f, true
}

var errNoObject = errors.New("not an object")

// readObject reads one object and reports whether any object in it has a key
// twice.
func readObject(d *json.Decoder) (doubled bool, err error) {
	type level struct {
		keys map[string]bool // nil for a list
		key  bool            // a key comes next
	}
	var stack []level
	for {
		token, err := d.Token()
		if err == io.EOF && len(stack) > 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return doubled, err
		}
		if delim, ok := token.(json.Delim); ok {
			switch delim {
			case '{':
				stack = append(stack, level{map[string]bool{}, true})
				continue
			case '[':
				if len(stack) == 0 {
					return doubled, errNoObject
				}
				stack = append(stack, level{})
				continue
			}
			if stack = stack[:len(stack)-1]; len(stack) == 0 {
				return doubled, nil
			}
		} else if len(stack) == 0 {
			return doubled, errNoObject
		}
		top := &stack[len(stack)-1]
		if name, ok := token.(string); ok && top.key {
			doubled = doubled || top.keys[name]
			top.keys[name], top.key = true, false
			continue
		}
		top.key = top.keys != nil
	}
}

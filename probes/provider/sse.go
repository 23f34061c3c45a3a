package provider

import (
	"bytes"
	"iter"
	"strings"
)

// SSEEvent is one event of an event stream.
type SSEEvent struct {
	Name string // of its event field, "" if none
	Data []byte // its data lines joined by newlines
	// Offset and End are where it begins and ends in the body.
	Offset, End int
	// Whole is false for a last event that the blank line after it is
	// missing from: its data may be cut.
	Whole bool
	// Strays are lines that are no field of an event stream, comments that
	// say more than "still here", and the like: bytes where none belong.
	Strays []Text
	lines  int // of data
	// Long says that a line was longer than the limit; the event ends there.
	Long bool
}

// ParseSSE returns the events of an event stream, in order. It accepts what
// servers really send: "data:" with and without a space, line ends of CR LF,
// LF and CR, a byte order mark, data over several lines, comments, events
// without name, a last event without its blank line, and the field "error" of
// old llama.cpp builds, which is read as an event named "error".
//
// A line longer than limit ends the stream with an event that is Long.
func ParseSSE(body []byte, limit int) iter.Seq[SSEEvent] {
	return func(yield func(SSEEvent) bool) {
		p := sseParser{body: body, limit: limit}
		if bytes.HasPrefix(body, []byte("\xef\xbb\xbf")) {
			p.pos = 3
		}
		for p.pos < len(body) {
			event, found := p.next()
			if found && !yield(event) || event.Long {
				return
			}
		}
	}
}

type sseParser struct {
	body  []byte
	pos   int
	limit int
}

// next reads up to the next blank line. It reports whether there was anything
// but blank lines and plain comments.
func (p *sseParser) next() (event SSEEvent, found bool) {
	event.Offset = p.pos
	fields := 0
	for p.pos < len(p.body) {
		start := p.pos
		line, ended := p.line()
		if len(line) > p.limit {
			event.Long, event.End = true, p.pos
			return event, true
		}
		if len(line) == 0 && ended {
			event.Whole = true
			break
		}
		if fields == 0 && len(event.Strays) == 0 {
			event.Offset = start
		}
		if !ended && cutField(line) {
			continue
		}
		if event.add(line) {
			fields++
		}
	}
	event.End = p.pos
	return event, fields > 0 || len(event.Strays) > 0
}

// line reads one line without its end and reports whether the end was there.
func (p *sseParser) line() (line []byte, ended bool) {
	rest := p.body[p.pos:]
	i := bytes.IndexAny(rest, "\r\n")
	if i < 0 {
		p.pos = len(p.body)
		return rest, false
	}
	p.pos += i + 1
	if rest[i] == '\r' && i+1 < len(rest) && rest[i+1] == '\n' {
		p.pos++
	}
	return rest[:i], true
}

// add takes in one line and reports whether it was a field with a meaning.
func (e *SSEEvent) add(line []byte) bool {
	name, value, colon := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch {
	case len(name) == 0 && colon:
		if !keepAlive(value) {
			e.Strays = append(e.Strays, Text{"comment", string(value)})
		}
		return false
	case string(name) == "error":
		e.Name = "error"
		fallthrough
	case string(name) == "data":
		e.addData(value)
	case string(name) == "event":
		e.Name = string(value)
	case string(name) == "id", string(name) == "retry":
	default:
		e.Strays = append(e.Strays, Text{"stray line", string(line)})
		return false
	}
	return true
}

// cutField reports whether a line without an end is the beginning of a field or
// of a sign of life: the body was cut within it, which is no fault of the line.
func cutField(line []byte) bool {
	for _, whole := range []string{"data", "event", "error", "retry", "id", ": ping", ": keep-alive", ": keepalive", ": heartbeat", ": openrouter processing"} {
		if strings.HasPrefix(whole, string(bytes.ToLower(line))) {
			return true
		}
	}
	return false
}

// addData joins a further line of data. The first is a part of the body, the
// second makes a copy, so that the usual event costs none.
func (e *SSEEvent) addData(value []byte) {
	e.lines++
	switch e.lines {
	case 1:
		e.Data = value
		return
	case 2:
		e.Data = bytes.Clone(e.Data)
	}
	e.Data = append(append(e.Data, '\n'), value...)
}

// keepAlive reports whether a comment only says that the server is alive.
func keepAlive(comment []byte) bool {
	switch string(bytes.ToLower(bytes.TrimSpace(comment))) {
	case "", "ping", "keep-alive", "keepalive", "heartbeat", "openrouter processing":
		return true
	}
	return false
}

// LooksStreamed reports whether a body is an event stream, by its content type
// or, failing that, by its first bytes.
func LooksStreamed(contentType string, body []byte) bool {
	start := bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")), " \r\n\t")
	if len(start) > 0 && (start[0] == '{' || start[0] == '[' || start[0] == '<') {
		return false
	}
	for _, field := range []string{"data:", "event:", ":", "id:", "retry:", "error:"} {
		if bytes.HasPrefix(start, []byte(field)) {
			return true
		}
	}
	return strings.HasPrefix(strings.ToLower(contentType), "text/event-stream")
}

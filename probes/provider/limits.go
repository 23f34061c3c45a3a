package provider

import "time"

// Limits bound what a client reads of one response. A field that is zero has
// the value of DefaultLimits.
type Limits struct {
	Body       int64         // bytes after decompression
	Wire       int64         // bytes before decompression
	Header     int64         // bytes of response header
	Line       int           // bytes of one stream line
	Depth      int           // nesting of JSON
	Idle       time.Duration // between two reads
	FirstByte  time.Duration // until the response header
	Wall       time.Duration // for the whole exchange
	Connecting time.Duration // dial and TLS
	// Linger is how long a stream may stay open after its terminator before
	// we close it. What still comes in that time is read.
	Linger time.Duration
}

// DefaultLimits are generous for an honest answer and small for us.
func DefaultLimits() Limits {
	return Limits{
		Body: 16 << 20, Wire: 16 << 20, Header: 256 << 10, Line: 4 << 20, Depth: 64,
		Idle: 2 * time.Minute, FirstByte: 15 * time.Minute, Wall: 20 * time.Minute,
		Connecting: 20 * time.Second, Linger: 2 * time.Second,
	}
}

// OrDefault returns l with every zero field replaced by its default.
func (l Limits) OrDefault() Limits {
	d := DefaultLimits()
	return Limits{
		Body:       pick(l.Body, d.Body),
		Wire:       pick(l.Wire, d.Wire),
		Header:     pick(l.Header, d.Header),
		Line:       pick(l.Line, d.Line),
		Depth:      pick(l.Depth, d.Depth),
		Idle:       pick(l.Idle, d.Idle),
		FirstByte:  pick(l.FirstByte, d.FirstByte),
		Wall:       pick(l.Wall, d.Wall),
		Connecting: pick(l.Connecting, d.Connecting),
		Linger:     pick(l.Linger, d.Linger),
	}
}

func pick[T int | int64 | time.Duration](given, fallback T) T {
	if given <= 0 {
		return fallback
	}
	return given
}

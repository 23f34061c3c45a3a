package engine

import (
	"bytes"
	"io"
	"regexp"
	"sync"
)

// listening passes the log of a server on and picks the address out of it: the
// server binds to a port of its own choice, loads its model, and says where it
// listens when it is ready.
type listening struct {
	log     io.Writer
	address chan string // host and port; capacity 1

	mu    sync.Mutex
	text  []byte // what came before the address, for an error
	found bool
}

var listeningOn = regexp.MustCompile(`(?i)listening on (?:http://)?(127\.0\.0\.1:\d+)\s`)

// tailSize bounds what is kept for an error, bytes.
const tailSize = 4 << 10

func (l *listening) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.found {
		l.text = append(l.text, p...)
		if m := listeningOn.FindSubmatch(l.text); m != nil {
			l.found = true
			l.address <- string(m[1])
		}
		if n := len(l.text); n > tailSize {
			l.text = bytes.Clone(l.text[n-tailSize:])
		}
	}
	return l.log.Write(p)
}

// tail is the end of the log before the server listened.
func (l *listening) tail() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.TrimSpace(l.text)
}

package notifytest

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// receiver is a server that keeps what it is sent.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	requests []request
}

type request struct {
	header http.Header
	body   []byte
}

// serve starts a receiver; answer writes the answer to its nth request, from 1.
func serve(t *testing.T, answer func(w http.ResponseWriter, n int)) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		r.requests = append(r.requests, request{req.Header.Clone(), body})
		n := len(r.requests)
		r.mu.Unlock()
		answer(w, n)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) address() string { return r.URL + "/" + inAddress }

func (r *receiver) got() []request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]request(nil), r.requests...)
}

// status answers with a status and quotes, as bad servers do, the key.
func status(code int) func(http.ResponseWriter, int) {
	return func(w http.ResponseWriter, _ int) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, "no: "+Secret+" "+inAddress)
	}
}

// reset cuts the connection without an answer.
func reset(w http.ResponseWriter, _ int) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}

// noise answers with something that is not HTTP.
func noise(w http.ResponseWriter, _ int) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_, _ = io.WriteString(c, "220 mail.example "+Secret+"\r\n\r\n")
	_ = c.Close()
}

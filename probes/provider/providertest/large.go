package providertest

import (
	"io"
	"net/http"
	"runtime"
	"testing"

	"crosstalk/probes/provider"
)

// Generated is a prompt of any size that is never in memory.
type Generated int64

// Size implements provider.Prompt.
func (p Generated) Size() int64 { return int64(p) }

// Reader implements provider.Prompt.
func (p Generated) Reader() io.Reader { return io.LimitReader(&generator{}, int64(p)) }

// generator repeats a line with something to escape in it.
type generator struct{ at int }

const generated = "The tide \"rose\" over the pier of Hollow Bay.\n"

// Read implements io.Reader.
func (g *generator) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		k := copy(p[n:], generated[g.at:])
		g.at = (g.at + k) % len(generated)
		n += k
	}
	return n, nil
}

// largePrompt sends 5 MB, about a million tokens, and looks at all memory that
// was allocated meanwhile, by client and server.
func (s suite) largePrompt(t *testing.T) {
	const size = 5 << 20
	const allowed = 1 << 20
	var received int64
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		received, _ = io.Copy(io.Discard, r.Body)
		serveWhole(w, s.wire.Answer)
	})
	client := s.client(t, server.URL, provider.Limits{})
	do(t, client, newRequest(Text("warm up"), false))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	resp := do(t, client, newRequest(Generated(size), false))
	runtime.ReadMemStats(&after)
	if !resp.OK() || received < size {
		t.Fatalf("%d bytes arrived, failure %+v", received, resp.Failure)
	}
	if total := after.TotalAlloc - before.TotalAlloc; total > allowed {
		t.Errorf("%d bytes were allocated for a prompt of %d, allowed %d", total, size, allowed)
	}
}

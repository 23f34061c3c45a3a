package preflight

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"

	"crosstalk/internal/secret"
)

// answer is what came back from one address.
type answer struct {
	where, path string
	status      int
	body        []byte
	keyed       bool   // a key was given
	reach       string // OpenLoopback, OpenPrivate or OpenPublic
}

// absent reports whether the engine does not have the address.
func (a *answer) absent() bool {
	return a.status == http.StatusNotFound || a.status == http.StatusMethodNotAllowed || a.status == http.StatusNotImplemented
}

// why says what is wrong with an answer that is of no use.
func (a *answer) why(err error) string {
	text := fmt.Sprintf("it answered with HTTP %d", a.status)
	if a.status >= 300 && a.status < 400 {
		return text + ", a redirect, which is not followed"
	}
	value, decodeErr := decode(a.body)
	if o, ok := value.(object); ok && decodeErr == nil && a.status != http.StatusOK {
		return text + ": " + clean(o.errorText())
	}
	if bytes.HasPrefix(bytes.TrimSpace(a.body), []byte("<")) {
		return text + " and an HTML page"
	}
	if err != nil {
		return text + ": " + clean(err.Error())
	}
	return text
}

// once asks an address, without a key first: that anybody may read it is a
// fact of its own, and a key is given only to an address that asks for one.
// An address is asked once in the life of a visit.
func (v *visit) once(ctx context.Context, method, path string, body []byte) (*answer, bool) {
	id := method + path + string(body)
	if v.down || v.asked[id] {
		return nil, false
	}
	v.asked[id] = true
	a, err := v.do(ctx, method, path, body, false)
	refused := err == nil && (a.status == http.StatusUnauthorized || a.status == http.StatusForbidden)
	if refused && !v.reader.Key.IsEmpty() {
		a, err = v.do(ctx, method, path, body, true)
	}
	if err != nil {
		why, silent := v.explain(err)
		v.down, v.broken = silent, true
		v.node.trouble(v.base.JoinPath(path).String(), why, "see whether the server listens there and is reachable from here; --timeout gives it longer")
		return nil, false
	}
	return a, true
}

// do sends one request and reads its answer under limits.
func (v *visit) do(ctx context.Context, method, path string, body []byte, keyed bool) (*answer, error) {
	timeout := v.reader.Timeout
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	target := v.base.JoinPath(path).String()
	a := &answer{where: target, path: path, keyed: keyed, reach: OpenPublic}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(c httptrace.GotConnInfo) { a.reach = reachOf(c.Conn.RemoteAddr()) },
	})
	req, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "crosstalk-preflight")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if keyed {
		req.Header.Set("Authorization", "Bearer "+v.reader.Key.Reveal())
	}
	// The transport itself: it follows no redirect, so that nobody is read who
	// was not named.
	resp, err := v.transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	a.status = resp.StatusCode
	a.body, err = io.ReadAll(io.LimitReader(resp.Body, MaxDocument+1))
	if err == nil && len(a.body) > MaxDocument {
		err = badDocument("the answer is larger than %d MiB", MaxDocument>>20)
	}
	return a, err
}

// explain says why there is no answer, and whether there will be none to
// another question either.
func (v *visit) explain(err error) (why string, silent bool) {
	var timeout net.Error
	switch {
	case errors.Is(err, errDocument):
		return err.Error(), false
	case errors.Is(err, context.Canceled):
		return "interrupted", true
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return "no answer in time", true
	}
	return clean(err.Error()), true
}

// redact takes the key out of what a server sent back.
func (n *Node) redact(key secret.Value) {
	for i := range n.Facts {
		f := &n.Facts[i]
		f.Value.text, f.Of = secret.Redact(f.Value.text, key), secret.Redact(f.Of, key)
	}
	for i := range n.Problems {
		n.Problems[i].Why = secret.Redact(n.Problems[i].Why, key)
	}
}

// reachOf says from how far an address that we reached can be reached.
func reachOf(a net.Addr) string {
	ap, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return OpenPublic
	}
	ip := ap.Addr().Unmap()
	carrier := netip.MustParsePrefix("100.64.0.0/10")
	switch {
	case ip.IsLoopback():
		return OpenLoopback
	case ip.IsPrivate(), ip.IsLinkLocalUnicast(), carrier.Contains(ip):
		return OpenPrivate
	}
	return OpenPublic
}

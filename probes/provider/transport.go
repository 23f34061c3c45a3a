package provider

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
)

// TransportOptions are what a Transport needs to know of the way to a target.
type TransportOptions struct {
	Limits Limits
	// Proxy is the proxy to go through; nil goes straight to the target. The
	// environment (HTTPS_PROXY) is never asked: a canary must know which way
	// it tests.
	Proxy *url.URL
	// RootCAs are trusted in place of the system's; nil means the system's.
	RootCAs *x509.CertPool
	// HTTP2 lets TLS connections speak HTTP/2 if the target can. Off, an
	// exchange is one conversation on one connection, and Wrote and
	// FirstByte mean what they say.
	HTTP2 bool
}

// Transport carries the exchanges of one client. It belongs to one tenant and
// one target and is never shared: whatever leaks between two transports did
// not leak here.
//
// It is a pair of http.Transports. One keeps no connection alive; the other
// does, and only exchanges with Call.Reuse go through it, so that a fresh
// connection is really fresh.
type Transport struct {
	limits  Limits
	fresh   *http.Transport
	kept    *http.Transport
	ordinal atomic.Int64
}

// NewTransport returns a transport that shares nothing with any other.
func NewTransport(o TransportOptions) *Transport {
	t := &Transport{limits: o.Limits.OrDefault()}
	t.fresh = newHTTPTransport(o, t.limits)
	t.fresh.DisableKeepAlives = true
	t.kept = newHTTPTransport(o, t.limits)
	return t
}

// Limits returns the limits in force.
func (t *Transport) Limits() Limits { return t.limits }

// Close closes idle connections. Exchanges in flight are left to their
// context.
func (t *Transport) Close() {
	t.fresh.CloseIdleConnections()
	t.kept.CloseIdleConnections()
}

func newHTTPTransport(o TransportOptions, l Limits) *http.Transport {
	dialer := net.Dialer{Timeout: l.Connecting, KeepAlive: -1}
	t := &http.Transport{
		Proxy: func(*http.Request) (*url.URL, error) { return o.Proxy, nil },
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return newPatientConn(conn), nil
		},
		TLSClientConfig:        &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    l.Connecting,
		MaxResponseHeaderBytes: l.Header,
		MaxIdleConnsPerHost:    1,
		DisableCompression:     true, // see body.go: both sizes are counted
		WriteBufferSize:        16 << 10,
		Protocols:              new(http.Protocols),
	}
	t.Protocols.SetHTTP1(true)
	t.Protocols.SetHTTP2(o.HTTP2)
	return t
}

package openaichat

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"

	"crosstalk/probes/provider"
)

// Client speaks Chat Completions to one target for one tenant. It is safe for
// concurrent use.
type Client struct {
	options   Options
	endpoint  *url.URL
	transport *provider.Transport

	mu    sync.Mutex
	adapt adaption
}

var _ provider.Client = (*Client)(nil)

// New returns a client. It connects to nothing yet.
func New(o Options) (*Client, error) {
	endpoint, err := o.endpoint()
	if err != nil {
		return nil, err
	}
	proxy, err := o.proxy()
	if err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	o.MaxTokensField = cmp.Or(o.MaxTokensField, MaxTokens)
	c := &Client{options: o, endpoint: endpoint, adapt: adaption{maxTokens: o.MaxTokensField}}
	c.transport = provider.NewTransport(provider.TransportOptions{
		Limits: o.Limits, Proxy: proxy, RootCAs: o.RootCAs, HTTP2: o.HTTP2,
	})
	return c, nil
}

// Close closes idle connections.
func (c *Client) Close() { c.transport.Close() }

// Do implements provider.Client.
func (c *Client) Do(ctx context.Context, req *provider.Request) (*provider.Response, error) {
	c.mu.Lock()
	adapt := c.adapt.clone()
	c.mu.Unlock()
	call, err := c.call(req, adapt)
	if err != nil {
		return nil, fmt.Errorf("build request %s: %w", req.ID, err)
	}
	resp, arrivals, err := c.transport.Exchange(ctx, call)
	if err != nil {
		return nil, fmt.Errorf("request %s: %w", req.ID, err)
	}
	interpret(resp, arrivals, c.transport.Limits())
	noteMode(resp, req.Stream)
	c.mu.Lock()
	c.adapt.learn(resp.Failure)
	c.mu.Unlock()
	resp.Redact(req.Credential)
	return resp, nil
}

// noteMode notes an answer in the other mode than asked for.
func noteMode(resp *provider.Response, stream bool) {
	if !resp.OK() || resp.Streamed == stream {
		return
	}
	if stream {
		resp.AddProblem("not_streamed", "a plain answer to a request for a stream", 0)
	} else {
		resp.AddProblem("streamed", "a stream in answer to a request for a plain answer", 0)
	}
}

// Parse implements provider.Client.
func (c *Client) Parse(status int, header http.Header, body io.Reader) *provider.Response {
	resp := provider.Record(status, header, body, c.transport.Limits())
	interpret(resp, nil, c.transport.Limits())
	return resp
}

// Adapted lists what the client changed since the target refused it, as
// "max_tokens -> max_completion_tokens" or "without temperature".
func (c *Client) Adapted() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.adapt.list(c.options.MaxTokensField)
}

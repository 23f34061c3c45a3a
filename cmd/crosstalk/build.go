package main

import (
	"bytes"
	"crypto/x509"
	"fmt"
	"net/http"

	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/probes/provider/openaichat"
	"crosstalk/tenants"
)

// build.go is the one file that names every concrete type: what a word in the
// configuration stands for.

// dial is how a target is reached.
type dial struct {
	api            string
	baseURL        string
	maxTokensField string
	thinking       string
	keyHeader      string
	proxy          string
	roots          *x509.CertPool // nil: the system's
	headers        map[string]string
}

// dialects makes a client for each API. Adding one is a line here and a kind
// name in the configuration.
var dialects = map[string]func(dial) (provider.Client, error){
	"openai-chat": func(d dial) (provider.Client, error) {
		return openaichat.New(openaichat.Options{
			BaseURL: d.baseURL, Limits: provider.DefaultLimits(), Version: version(),
			MaxTokensField: d.maxTokensField, Thinking: thinking[d.thinking], Header: d.headers,
			KeyHeader: d.keyHeader, Proxy: d.proxy, RootCAs: d.roots,
		})
	},
}

// thinking is the dialect's word for the configuration's; what is left out is
// left to the target.
var thinking = map[string]openaichat.Thinking{
	"":         openaichat.ThinkingNone,
	"leave":    openaichat.ThinkingNone,
	"template": openaichat.ThinkingTemplate,
	"low":      openaichat.ThinkingLow,
	"minimal":  openaichat.ThinkingMinimal,
	"disabled": openaichat.ThinkingDisabled,
}

func knownAPIs() []string { return sortedKeys(dialects) }

// newClient makes the client of one tenant. No two tenants share one.
func newClient(d dial) (provider.Client, error) {
	make, ok := dialects[d.api]
	if !ok {
		return nil, fmt.Errorf("no dialect for api %q", d.api)
	}
	return make(d)
}

// clientsFor makes a client for each tenant.
func clientsFor(d dial, list []tenants.Tenant) (map[string]provider.Client, error) {
	clients := make(map[string]provider.Client, len(list))
	for _, t := range list {
		c, err := newClient(d)
		if err != nil {
			return nil, fmt.Errorf("client of tenant %s: %w", t.Name, err)
		}
		clients[t.Name] = c
	}
	return clients, nil
}

// recordedAddress stands where a client needs an address but sends nothing.
const recordedAddress = "http://127.0.0.1:9/v1"

// recordedParser is a client that only parses.
func recordedParser(api string) (provider.Client, error) {
	if api == "" {
		api = "openai-chat"
	}
	return newClient(dial{api: api, baseURL: recordedAddress})
}

// parseAnswer reads a recorded answer as the dialect does a live one: an
// evidence.Parser.
func parseAnswer(api string, status int, header http.Header, body []byte) (*provider.Response, error) {
	c, err := recordedParser(api)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.Parse(status, header, bytes.NewReader(body)), nil
}

// probeKind makes the probe of a configured kind; size is of a burst only, 0
// for the usual.
func probeKind(kind string, size int) (probes.Probe, error) {
	p, ok := probes.Lookup(kind)
	if !ok {
		return nil, fmt.Errorf("no probe is called %q", kind)
	}
	if b, ok := p.(probes.Burst); ok && size > 0 {
		b.Size = size
		return b, nil
	}
	return p, nil
}

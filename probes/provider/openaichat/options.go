package openaichat

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"crosstalk/probes/provider"
)

// Thinking is how a target is asked not to reason.
type Thinking string

const (
	// ThinkingNone sends no switch.
	ThinkingNone Thinking = ""
	// ThinkingTemplate sets chat_template_kwargs.enable_thinking to false:
	// Qwen, GLM and others on vLLM and SGLang.
	ThinkingTemplate Thinking = "template"
	// ThinkingLow sets reasoning_effort to "low", ThinkingMinimal to
	// "minimal": models that cannot stop reasoning but can do less of it.
	ThinkingLow     Thinking = "low"
	ThinkingMinimal Thinking = "minimal"
	// ThinkingDisabled sets thinking to {"type":"disabled"}.
	ThinkingDisabled Thinking = "disabled"
)

// The names of the field that bounds an answer.
const (
	MaxTokens           = "max_tokens"
	MaxCompletionTokens = "max_completion_tokens"
)

// Options configure a Client. Only BaseURL is needed.
type Options struct {
	// BaseURL is where "/chat/completions" is, e.g. https://host/v1. A query
	// (api-version of Azure) is kept.
	BaseURL string
	Limits  provider.Limits
	// Thinking is the switch used for Request.ThinkingOff.
	Thinking Thinking
	// MaxTokensField is MaxTokens (the default) or MaxCompletionTokens.
	MaxTokensField string
	// KeyHeader is the header that carries the credential as it is, e.g.
	// "api-key" of Azure. Empty means "Authorization: Bearer".
	KeyHeader string
	// Header and Body are added to every request: routing headers, fields
	// such as "cache_salt". Body values must be what encoding/json can write.
	// Both win over what the client would set, except for credential,
	// request id and prompt.
	Header map[string]string
	Body   map[string]any
	// Version of crosstalk for the User-Agent header.
	Version string
	// Proxy is the URL of a proxy; empty goes straight to the target.
	Proxy string
	// RootCAs are trusted in place of the system's; nil means the system's.
	RootCAs *x509.CertPool
	// HTTP2 lets https connections speak HTTP/2.
	HTTP2 bool
}

// endpoint returns the URL to post to.
func (o Options) endpoint() (*url.URL, error) {
	u, err := url.Parse(o.BaseURL)
	switch {
	case err != nil:
		// The error of url.Parse quotes the URL, which may hold a secret.
		return nil, errors.New("base URL does not parse: write it like https://host/v1")
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return nil, fmt.Errorf("base URL %q is not absolute: write it like https://host/v1", u.Redacted())
	case u.User != nil:
		return nil, errors.New("base URL holds a user name or password: give the credential to the tenant instead")
	}
	const path = "/chat/completions"
	if u.Path == "" {
		u.Path = "/" // or JoinPath would make it relative
	}
	if !strings.HasSuffix(u.Path, path) {
		u = u.JoinPath(path)
	}
	u.Fragment = ""
	return u, nil
}

// check reports what is wrong with the options but for BaseURL and Proxy.
func (o Options) check() error {
	switch o.Thinking {
	case ThinkingNone, ThinkingTemplate, ThinkingLow, ThinkingMinimal, ThinkingDisabled:
	default:
		return fmt.Errorf("unknown thinking switch %q: use template, low, minimal or disabled", o.Thinking)
	}
	switch o.MaxTokensField {
	case "", MaxTokens, MaxCompletionTokens:
	default:
		return fmt.Errorf("unknown max tokens field %q: use %s or %s", o.MaxTokensField, MaxTokens, MaxCompletionTokens)
	}
	for name := range o.Body {
		if name == "messages" || name == "model" || name == "stream" {
			return fmt.Errorf("extra body field %q belongs to the request: leave it out", name)
		}
	}
	for name := range o.Header {
		switch http.CanonicalHeaderKey(name) {
		case "Authorization", "Content-Length", "Host", "Accept-Encoding", "X-Request-Id":
			return fmt.Errorf("extra header %q belongs to the request: leave it out", name)
		}
	}
	return nil
}

// proxy returns the proxy's URL, nil for none.
func (o Options) proxy() (*url.URL, error) {
	if o.Proxy == "" {
		return nil, nil
	}
	u, err := url.Parse(o.Proxy)
	if err != nil || u.Host == "" {
		return nil, errors.New("proxy URL does not parse: write it like http://host:3128")
	}
	return u, nil
}

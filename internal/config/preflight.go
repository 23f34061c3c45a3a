package config

import (
	"fmt"

	"crosstalk/internal/secret"
)

// Preflight is where the engines behind a target can be read: what they say of
// themselves is judged before any probe, and after each deploy.
type Preflight struct {
	// URLs are the roots of the engines' own servers, not of a gateway before
	// them: one for each node. The authorization of the target covers them.
	URLs []string `yaml:"urls" jsonschema:"required,minItems=1" eg:"['http://127.0.0.1:30000']"`
	// Key refers to the API key of the engines, given only where it is asked
	// for: env:NAME or file:PATH.
	Key Ref `yaml:"key,omitempty"`
	// Engine that runs there. Left out: it is recognised.
	Engine string `yaml:"engine,omitempty" jsonschema:"enum=sglang,enum=vllm,enum=llama.cpp,enum=ollama,enum=tensorrt-llm"`
	// InsecureHTTP allows the key to cross the network in the clear: http://
	// to another machine.
	InsecureHTTP bool `yaml:"insecure_http,omitempty"`
}

// checkPreflight holds the rules of a target's preflight. It reports whether
// an engine is on another machine, which wants an authorization.
func checkPreflight(ps *problems, path string, p *Preflight) (elsewhere bool) {
	if p == nil {
		return false
	}
	for i, text := range p.URLs {
		at := indexed(path+".urls", i)
		u := checkURL(ps, at, text)
		switch {
		case u == nil:
			continue
		case u.Scheme != "http" && u.Scheme != "https":
			ps.add(at, fmt.Sprintf("has the scheme %q", u.Scheme), "write http:// or https:// in front")
			continue
		case u.RawQuery != "":
			ps.add(at, "has a query", "end it before the ?")
		case u.Scheme == "http" && p.Key != "" && !loopback(u) && !p.InsecureHTTP:
			ps.add(at, "http:// would send the key over the network in the clear", "use https://, or set insecure_http: true beside urls")
		}
		elsewhere = elsewhere || !loopback(u)
	}
	return elsewhere
}

// PreflightKey reads the key of a target's engines; empty if there is none.
func (c *Config) PreflightKey(t Target) (secret.Value, error) {
	if t.Preflight == nil || t.Preflight.Key == "" {
		return secret.Value{}, nil
	}
	v, err := c.Secret(t.Preflight.Key)
	if err != nil {
		return v, fmt.Errorf("preflight key of target %s: %w", t.Name, err)
	}
	return v, nil
}

package config

import (
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"os"

	"crosstalk/corpus"
	"crosstalk/internal/secret"
	"crosstalk/probes"
	"crosstalk/tenants"
)

// Probe is the target as probes know it.
func (t Target) Probe() probes.Target {
	out := probes.Target{
		Name: t.Name, API: t.API, Model: t.Model, Window: t.Window, MaxOutput: t.MaxOutput,
		Family: t.Family, Families: t.Families, Facts: t.Facts, Dress: corpus.Dress(t.Dress), Task: corpus.Task(t.Task),
		NoLocators: !t.Locators,
	}
	if u, err := url.Parse(t.BaseURL); err == nil {
		out.Loopback = loopback(u)
	}
	if a := t.Authorization; a != nil {
		out.Authorization = probes.Authorization{
			Basis: probes.Basis(a.Basis), Reference: a.Reference, Contact: a.Contact, Expires: a.Expires.End(),
		}
	}
	if p := t.Pricing; p != nil {
		out.Pricing = probes.Pricing{Input: p.Input, CachedInput: p.CachedInput, Output: p.Output}
	}
	return out
}

// Target returns the target of that name.
func (c *Config) Target(name string) (Target, bool) {
	for _, t := range c.Targets {
		if t.Name == name {
			return t, true
		}
	}
	return Target{}, false
}

// Accounts are the tenants, in the order of the file. Their credentials are
// read when they are first needed. Relative paths start at the folder of the
// configuration file.
func (c *Config) Accounts() ([]tenants.Tenant, error) {
	var out []tenants.Tenant
	for _, t := range c.Tenants {
		credential, err := tenants.NewCredential(string(t.Credential), c.refs.dir, c.refs.lookup)
		if err != nil {
			return nil, fmt.Errorf("credential of tenant %s: %w", t.Name, err)
		}
		out = append(out, tenants.Tenant{
			Name: t.Name, Index: uint16(t.Index), Credential: credential, Domain: t.Domain, Targets: t.Targets,
		})
	}
	return out, nil
}

// Keys reads the fleet keys, newest first. There may be none.
func (c *Config) Keys() ([]tenants.FleetKey, error) {
	var out []tenants.FleetKey
	for _, r := range c.FleetKeys {
		key, err := tenants.LoadFleetKey(string(r), c.refs.dir, c.refs.lookup)
		if err != nil {
			return nil, err // names the key and where it is
		}
		out = append(out, key)
	}
	return out, nil
}

// MissingKeyFile is the file of the first fleet key that is not there, "" if
// none is missing.
func (c *Config) MissingKeyFile() string {
	for _, r := range c.FleetKeys {
		if c.refs.missing(r) != "" {
			return c.refs.keyFile(r)
		}
	}
	return ""
}

// HeaderValues reads the further headers of a target, references resolved. Names
// are canonical.
func (c *Config) HeaderValues(t Target) (map[string]secret.Value, error) {
	out := map[string]secret.Value{}
	for name, value := range t.Headers {
		v := secret.New(value)
		if looksLikeRef(value) {
			credential, err := tenants.NewCredential(value, c.refs.dir, c.refs.lookup)
			if err == nil {
				v, err = credential.Value()
			}
			if err != nil {
				return nil, fmt.Errorf("header %s of target %s: %w", name, t.Name, err)
			}
		}
		out[http.CanonicalHeaderKey(name)] = v
	}
	return out, nil
}

// Limits are the caps of the budget.
func (b Budget) Limits() probes.Limits {
	return probes.Limits{
		TokensPerRun: b.TokensPerRun, USDPerRun: b.USDPerRun,
		TokensPerDay: b.TokensPerDay, USDPerDay: b.USDPerDay,
	}
}

// RootCAs reads the certificates a target's are checked against; nil: those of
// the system.
func (c *Config) RootCAs(t Target) (*x509.CertPool, error) {
	if t.CAFile == "" {
		return nil, nil
	}
	path := c.refs.path(t.CAFile)
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("certificates of target %s: %w", t.Name, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("certificates of target %s: no certificate in PEM form in %s", t.Name, path)
	}
	return pool, nil
}

package config

import (
	"fmt"
	"time"
)

// expiresSoon is how long before an authorization ends a warning says so.
const expiresSoon = 14 * 24 * time.Hour

// warn notes what is allowed and probably not meant.
func (c *Config) warn(now time.Time) {
	ps := &problems{file: c.Path, at: c.given}
	for i, t := range c.Targets {
		path := indexed("targets", i)
		if a := t.Authorization; a != nil && a.Expires.End().Sub(now) < expiresSoon {
			ps.add(path+".authorization.expires", fmt.Sprintf("the authorization ends on %s", a.Expires), "have it renewed")
		}
		if c.reach(t.Name) == 1 {
			ps.add(path, fmt.Sprintf("only one tenant may use %q, so no leak between tenants can be seen", t.Name),
				"add a second account; seedwatch and burst need two")
		}
		if p := t.Pricing; p != nil && p.CachedInput > p.Input {
			ps.add(path+".pricing.cached_input", "is dearer than input", "check the two prices")
		}
		c.warnBurst(ps, t)
	}
	c.checkPrices(ps, true)
	c.Warnings = ps.sorted()
}

// warnBurst notes bursts that a target's authorization will cut down.
func (c *Config) warnBurst(ps *problems, t Target) {
	for i, p := range c.Probes {
		if most := t.Probe().Burst(); p.Size > most {
			ps.add(indexed("probes", i)+".size",
				fmt.Sprintf("more than %d requests at once need basis owner or provider-consent, which target %q does not state", most, t.Name),
				fmt.Sprintf("use at most %d, or have the authorization widened", most))
		}
	}
}

// warnMissing adds references whose secrets are not there yet.
func (c *Config) warnMissing() {
	ps := &problems{file: c.Path, at: c.given, list: c.Warnings}
	for i, r := range c.FleetKeys {
		if why := c.refs.missing(r); why != "" {
			ps.add(indexed("fleet_keys", i), why, "restore it from a copy, or make a new one: crosstalk config keygen -o "+c.refs.keyFile(r))
		}
	}
	missing := func(path string, r Ref, mend string) {
		if !r.valid() {
			return
		}
		if why := c.refs.missing(r); why != "" {
			ps.add(path, why, mend)
		}
	}
	for i, t := range c.Tenants {
		missing(indexed("tenants", i)+".credential", t.Credential, "put the account's API key there")
	}
	for i, t := range c.Targets {
		if t.Preflight != nil {
			missing(indexed("targets", i)+".preflight.key", t.Preflight.Key, "put the engine's API key there")
		}
		for name, value := range t.Headers {
			missing(indexed("targets", i)+".headers."+name, Ref(value), "put the value there")
		}
	}
	for i, n := range c.Notify {
		path := indexed("notify", i)
		missing(path+".url", Ref(n.URL), "put the receiver's address there: serve does not start without it")
		missing(path+".secret", n.Secret, "put the secret shared with the receiver there: serve does not start without it")
		missing(path+".token", n.Token, "put the receiver's token there: serve does not start without it")
	}
	if c.Heartbeat != nil {
		missing("heartbeat.url", c.Heartbeat.URL, "put the address there: serve does not start without it")
	}
	c.Warnings = ps.sorted()
}

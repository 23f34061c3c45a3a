package config

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"crosstalk/corpus"
)

// check holds the rules between keys. The rules of one key are in its tags. A
// value that did not decode is its zero value here and breaks no second rule.
func (c *Config) check(ps *problems, now time.Time) {
	for i := range c.Targets {
		c.checkTarget(ps, i, now)
	}
	for i := range c.Tenants {
		c.checkTenant(ps, i)
	}
	for i := range c.Probes {
		c.checkProbe(ps, i)
	}
	for i := range c.Notify {
		c.checkNotify(ps, i)
	}
	for i := range c.Silences {
		c.checkSilence(ps, i)
	}
	c.checkEvidence(ps)
	c.checkReach(ps)
	c.checkPrices(ps, false)
}

func (c *Config) checkTarget(ps *problems, i int, now time.Time) {
	t, path := &c.Targets[i], indexed("targets", i)
	if first := slices.IndexFunc(c.Targets[:i], func(o Target) bool { return o.Name == t.Name }); first >= 0 && t.Name != "" {
		ps.add(path+".name", fmt.Sprintf("%q is also the name of targets[%d]", t.Name, first), "give each target a name of its own")
	}
	if t.Window > 0 && t.MaxOutput >= t.Window {
		ps.add(path+".max_output", fmt.Sprintf("%d tokens of answer leave no room for a prompt in a window of %d", t.MaxOutput, t.Window), "use a small part of the window")
	}
	if t.Family != "" {
		checkFamily(ps, path+".family", t.Family)
		if len(t.Families) > 0 {
			ps.add(path+".families", "family is set too: every prompt is of that one", "keep family or families")
		}
	}
	for i, name := range t.Families {
		checkFamily(ps, indexed(path+".families", i), name)
	}
	checkHeaders(ps, path+".headers", t.Headers)
	checkURL(ps, path+".proxy", t.Proxy)
	elsewhere := checkPreflight(ps, path+".preflight", t.Preflight)
	u := checkURL(ps, path+".base_url", t.BaseURL)
	if u == nil {
		return
	}
	if elsewhere && loopback(u) {
		checkAuthorization(ps, path, "preflight", t.Authorization, now)
	}
	if !loopback(u) {
		if u.Scheme == "http" && !t.InsecureHTTP {
			ps.add(path+".base_url", "http:// sends credentials over the network in the clear", "use https://, or set insecure_http: true")
		}
		checkAuthorization(ps, path, "base_url", t.Authorization, now)
	}
}

func (c *Config) checkSilence(ps *problems, i int) {
	s, path := &c.Silences[i], indexed("silences", i)
	known := slices.ContainsFunc(c.Targets, func(t Target) bool { return t.Name == s.Target })
	if s.Target != "" && !known {
		ps.add(path+".target", fmt.Sprintf("there is no target %q", s.Target), "name a target of this file, or leave it out for all of them")
	}
	if !s.Until.IsZero() && !s.Until.After(s.From.Time) {
		ps.add(path+".until", "is not after from: the silence is empty", "write when it ends")
	}
}

func checkFamily(ps *problems, path, name string) {
	if _, ok := corpus.LookupFamily(name); ok {
		return
	}
	var names []string
	for _, f := range corpus.Families() {
		names = append(names, f.Name)
	}
	mend := "use one of " + strings.Join(names, ", ")
	if meant := nearest(name, names); meant != "" {
		mend = fmt.Sprintf("did you mean %q?", meant)
	}
	ps.add(path, fmt.Sprintf("unknown filler family %q", name), mend)
}

// checkURL returns the address if it can be used. A password in it is not
// repeated.
func checkURL(ps *problems, path, text string) *url.URL {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "":
		ps.add(path, shown(serverOf(text))+"is not an address", "write scheme, host and path, for example: https://inference.example/v1")
	case !portExists(u):
		ps.add(path, fmt.Sprintf("there is no port %s", u.Port()), "ports go from 1 to 65535")
	case u.User != nil:
		ps.add(path, "holds a user name or password", "remove it: addresses are printed, and credentials belong to tenants")
	case u.Fragment != "":
		ps.add(path, "has a fragment", "end it before the #")
	case secretQuery(u):
		ps.add(path, "seems to hold a secret in its query (not repeated here)", "remove it: addresses are printed, and credentials belong to tenants")
	default:
		return u
	}
	return nil
}

// serverOf is an address up to its path, which may be a secret of a receiver's.
func serverOf(text string) string {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return ""
	}
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}

// portExists reports whether the address has no port or one that can be
// connected to.
func portExists(u *url.URL) bool {
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	return u.Port() == "" || err == nil && n > 0
}

// secretQuery reports whether the address authenticates by its query.
func secretQuery(u *url.URL) bool {
	for name := range u.Query() {
		if authenticates(strings.ToLower(name)) {
			return true
		}
	}
	return false
}

// loopback reports whether the address is on this machine whatever its
// resolver says.
func loopback(u *url.URL) bool {
	host := u.Hostname()
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// checkAuthorization wants a permission that holds, because what the key names
// is on another machine.
func checkAuthorization(ps *problems, target, key string, a *Authorization, now time.Time) {
	path := target + ".authorization"
	switch {
	case a == nil && !ps.has(path):
		ps.add(target, fmt.Sprintf("has no authorization, and %s is on another machine", key),
			"state who allowed it: authorization: {basis: owner, reference: CHG-1234, contact: oncall@example.com, expires: 2027-06-30}")
	case a != nil && !a.Expires.IsZero() && !now.Before(a.Expires.End()):
		ps.add(path+".expires", fmt.Sprintf("the authorization expired on %s", a.Expires), "have it renewed; without it nothing is sent")
	}
}

func (c *Config) checkTenant(ps *problems, i int) {
	t, path := &c.Tenants[i], indexed("tenants", i)
	for j, o := range c.Tenants[:i] {
		if t.Name != "" && o.Name == t.Name {
			ps.add(path+".name", fmt.Sprintf("%q is also the name of tenants[%d]", t.Name, j), "give each tenant a name of its own")
		}
		if t.Index != 0 && o.Index == t.Index {
			ps.add(path+".index", fmt.Sprintf("%d is also the index of tenants[%d]", t.Index, j), "give each tenant an index of its own: a marker names its tenant by it")
		}
		if t.Credential != "" && o.Credential == t.Credential {
			ps.add(path+".credential", fmt.Sprintf("is also the credential of tenants[%d]", j), "give each tenant an account of its own: two names for one account cannot leak into each other")
		}
	}
	names := make([]string, len(c.Targets))
	for j, target := range c.Targets {
		names[j] = target.Name
	}
	for j, name := range t.Targets {
		if name == "" || slices.Contains(names, name) {
			continue
		}
		mend := "use one of " + strings.Join(names, ", ")
		if meant := nearest(name, names); meant != "" {
			mend = fmt.Sprintf("did you mean %q?", meant)
		}
		ps.add(indexed(path+".targets", j), fmt.Sprintf("there is no target %q", name), mend)
	}
}

func (c *Config) checkProbe(ps *problems, i int) {
	p, path := c.Probes[i], indexed("probes", i)
	if p.Size != 0 && p.Kind != "" && p.Kind != "burst" {
		ps.add(path+".size", fmt.Sprintf("a %s has no size", p.Kind), "remove it; only a burst has one")
	}
	same := func(o Probe) bool { return o.Kind == p.Kind && o.Size == p.Size }
	if first := slices.IndexFunc(c.Probes[:i], same); first >= 0 && p.Kind != "" && p.Name == c.Probes[first].Name {
		ps.add(path, fmt.Sprintf("asks for the same as probes[%d]", first), "make one line of the two, or give one of them another name")
	}
	if p.Every != "" && p.Cron != "" {
		ps.add(path+".cron", "stands beside every", "keep one of the two")
	}
	if p.Timezone != "" && p.Cron == "" {
		ps.add(path+".timezone", "is of a cron expression, and there is none", "remove it: an interval has no time of day")
	}
	if p.ColdEvery != 0 && p.Kind != "" && p.Kind != "top" {
		ps.add(path+".cold_every", fmt.Sprintf("a %s is always cold", p.Kind), "remove it; only a top has it")
	}
}

// checkNotify holds the rules of one receiver.
func (c *Config) checkNotify(ps *problems, i int) {
	n, path := c.Notify[i], indexed("notify", i)
	for j, o := range c.Notify[:i] {
		if n.Called() == o.Called() && n.Kind != "" {
			ps.add(path, fmt.Sprintf("has the name of notify[%d], %q", j, n.Called()), "give each receiver a name of its own")
		}
	}
	switch {
	case n.Kind == "webhook" && n.Secret == "" && !ps.has(path+".secret"):
		ps.add(path, "a webhook has no secret, so its receiver cannot tell our pages from anybody's", "add secret: env:NAME or file:PATH")
	case n.Kind == "webhook" && n.Token != "":
		ps.add(path+".token", "a webhook takes no token", "remove it; its requests are signed with secret")
	case n.Kind == "alertmanager" && n.Secret != "":
		ps.add(path+".secret", "Alertmanager takes no signature", "remove it, or give a bearer token with token")
	}
	if !looksLikeRef(n.URL) {
		checkURL(ps, path+".url", n.URL)
	} else if !Ref(n.URL).valid() {
		ps.add(path+".url", "is not a reference to a secret", "write env:NAME or file:PATH")
	}
}

// checkReach reports targets that no tenant may use.
func (c *Config) checkReach(ps *problems) {
	for i, t := range c.Targets {
		if t.Name != "" && len(c.Tenants) > 0 && c.reach(t.Name) == 0 {
			ps.add(indexed("targets", i), fmt.Sprintf("no tenant may use %q", t.Name), "add it to the targets of a tenant, or remove it")
		}
	}
}

// reach counts the tenants that may use a target.
func (c *Config) reach(target string) int {
	n := 0
	for _, t := range c.Tenants {
		if len(t.Targets) == 0 || slices.Contains(t.Targets, target) {
			n++
		}
	}
	return n
}

// checkPrices reports caps in USD that could not be kept, of targets on this
// machine or of those that are not.
func (c *Config) checkPrices(ps *problems, onThisMachine bool) {
	caps := []struct {
		path string
		usd  float64
	}{{"budget.usd_per_run", c.Budget.USDPerRun}, {"budget.usd_per_day", c.Budget.USDPerDay}}
	for _, most := range caps {
		if most.usd == 0 {
			continue
		}
		for i, t := range c.Targets {
			u, err := url.Parse(t.BaseURL)
			if t.Pricing == nil && !ps.has(indexed("targets", i)+".pricing") && err == nil && loopback(u) == onThisMachine {
				ps.add(most.path, fmt.Sprintf("cannot be kept: target %q has no pricing", t.Name), "add pricing: {input: ..., output: ...} to it, or cap tokens instead")
			}
		}
	}
}

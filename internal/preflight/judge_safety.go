package preflight

import (
	"fmt"
	"slices"
	"strings"
)

// isolation asks whether tenants share cached prefixes.
func (d *deployment) isolation(n *Node) []Judgement {
	j := Judgement{ID: IDIsolation}
	if external, ok := n.first(ExternalCache); ok {
		j.Outcome, j.Read = Warning, []Fact{external}
		j.Means = fmt.Sprintf("KV is also kept outside of the engine (%s), where keys may leave the salts of requests out", external.Value)
		j.Do = "ask its version whether cache_salt is part of the key; until it is, keep one such cache a tenant"
		return one(j)
	}
	on, f, known := n.yes(PrefixCache)
	switch {
	case known && !on:
		j.Outcome, j.Read = Fine, []Fact{f}
		j.Means = "no prefix cache: tenants share no cached prefixes"
		return one(j)
	case known:
		j.Read = []Fact{f}
	case n.engine() == LlamaCpp || n.engine() == Ollama:
		f, _ = n.first(Engine)
		j.Outcome, j.Read = Warning, []Fact{f}
		j.Means = "slots are shared and keep the last prompt for the next request that begins alike; there are no salts"
		j.Do = "serve one tenant a process, or send cache_prompt: false with every request where timing must not tell"
		return one(j)
	default:
		j.Means = "whether there is a prefix cache is not known"
		j.Do = "name server information, a metrics page or launch flags that say it"
		return one(j)
	}
	j.Outcome = Warning
	j.Means = "the prefix cache is on: tenants share cached prefixes unless every request carries a cache_salt of its own tenant"
	j.Do = "let the gateway set cache_salt for each tenant, or switch the prefix cache off"
	return one(j)
}

// integrity asks whether KV is checked on its way from prefill to decode.
func (d *deployment) integrity(n *Node) []Judgement {
	if n.engine() != SGLang || n.role() == RoleUnified {
		return nil
	}
	j := Judgement{ID: IDIntegrity}
	on, f, known := n.yes(KVChecksum)
	switch {
	case on:
		j.Outcome, j.Read = Fine, []Fact{f}
		j.Means = "KV is checked when it is transferred"
	case known:
		j.Outcome, j.Read = Warning, []Fact{f}
		j.Means = "KV is not checked when it is transferred: a page that went to the wrong place is read as it is"
		j.Do = "start prefill and decode with --disaggregation-enable-kv-checksum"
	default:
		j.Means = "whether KV is checked when it is transferred is not known: disaggregation_enable_kv_checksum was not read"
		j.Do = "update to a version with --disaggregation-enable-kv-checksum (merged 2026-09-15), and switch it on at both sides"
	}
	return one(j)
}

// open asks who can read what the engine says of itself.
func (d *deployment) open(n *Node) []Judgement {
	j := Judgement{ID: IDOpen}
	if shown, f, _ := n.yes(ShownKey); shown {
		j.Outcome, j.Read = Finding, []Fact{f}
		j.Means = "the server information holds the server's own API key in the clear"
		j.Do = "replace that key, and keep the address behind one"
		return one(j)
	}
	list := n.all(Open)
	if len(list) == 0 {
		return nil // files, or every address wants a key
	}
	j.Read = list
	paths := map[string][]string{}
	for _, f := range list {
		paths[f.Value.text] = append(paths[f.Value.text], f.Of)
	}
	switch {
	case len(paths[OpenPublic]) > 0:
		j.Outcome = Finding
		j.Means = "open to the world without a key: " + strings.Join(paths[OpenPublic], ", ")
		j.Do = "keep these addresses behind a key or off public networks: they tell load, prompts of slots and settings"
	case len(paths[OpenPrivate]) > 0:
		j.Outcome = Warning
		j.Means = "open without a key to everybody on the private network: " + strings.Join(paths[OpenPrivate], ", ")
		j.Do = "let only the monitoring reach them"
	default:
		j.Outcome = Fine
		j.Means = "open without a key on this machine only: " + strings.Join(paths[OpenLoopback], ", ")
	}
	return one(j)
}

// knownFaults holds the version against the table of known faults.
func (d *deployment) knownFaults(n *Node) []Judgement {
	version, ok := n.first(Version)
	if !ok {
		return one(Judgement{ID: IDKnownFaults, Means: "the version is not known, so known faults cannot be looked up", Do: "name server information, or /version"})
	}
	var out []Judgement
	unsure := ""
	for _, k := range d.known {
		if k.Engine != n.engine() || !d.applies(n, k) {
			continue
		}
		switch k.stands(version.Value.text) {
		case standsBad:
			out = append(out, Judgement{
				ID: IDKnownFaults, Outcome: Finding, Read: []Fact{version},
				Means: fmt.Sprintf("%s %s: %s (%s; looked up %s)", k.Engine, version.Value, k.Fault, k.Source, k.Seen), Do: k.Do,
			})
		case standsUnknown:
			unsure = k.ID
		}
	}
	switch {
	case len(out) > 0:
		return out
	case unsure != "":
		return one(Judgement{
			ID: IDKnownFaults, Read: []Fact{version},
			Means: fmt.Sprintf("whether %s %s has the fault %s is not known", n.engine(), version.Value, unsure),
			Do:    "run a release that is known to be clear of it; docs/preflight.md has the table",
		})
	case n.engine() == "" || parseVersion(version.Value.text) == nil && n.engine() != LlamaCpp:
		return one(Judgement{
			ID: IDKnownFaults, Read: []Fact{version},
			Means: fmt.Sprintf("version %s is no release, so known faults cannot be looked up", version.Value), Do: "run a release",
		})
	}
	return one(Judgement{
		ID: IDKnownFaults, Outcome: Fine, Read: []Fact{version},
		Means: fmt.Sprintf("no fault in the table applies to %s %s with these settings", n.engine(), version.Value),
	})
}

// applies reports whether a fault can occur with the settings of the node. What
// is not known counts as possible.
func (d *deployment) applies(n *Node, k KnownFault) bool {
	return !slices.ContainsFunc(k.When, func(condition string) bool { return !d.holds(n, condition) })
}

// holds reports whether one condition of a known fault holds or may hold.
func (d *deployment) holds(n *Node, condition string) bool {
	switch condition {
	case "disaggregated":
		return n.role() != RoleUnified
	case "mismatched":
		pool, knowsPool := n.smallest(Pool)
		window, knowsWindow := d.window(n)
		return !knowsPool || !knowsWindow || pool.Value.count < window.Value.count
	case "prefix-cache":
		on, _, known := n.yes(PrefixCache)
		return on || !known
	case "external-cache":
		_, ok := n.first(ExternalCache)
		return ok
	}
	return true
}

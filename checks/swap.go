package checks

import (
	"fmt"

	"crosstalk/probes"
	"crosstalk/tenants"
)

// Kinds of the swap check.
const (
	KindSwap      = "swap"       // leak: another tenant's right answer
	KindStaleSwap = "stale_swap" // damaged: the right answer to the tenant's other request
)

// swapCheck asks whether the whole answer is the right answer to somebody else's
// request: replies that changed places, as batches and pooled connections do.
// The markers in it prove whose it is, so without a fleet key it says nothing.
type swapCheck struct{}

func (swapCheck) Name() string { return "swap" }

func (c swapCheck) Run(in *Input) []Finding { return in.each(c.Name(), swapOf) }

func swapOf(s *subject) []Finding {
	if len(s.r.Content) > maxRead {
		return nil // no right answer is as long
	}
	tried := map[tenants.Payload]bool{}
	for _, h := range s.markers(ChannelContent) {
		request := h.Payload.Request()
		if s.isOwn(h) || tried[request] {
			continue
		}
		tried[request] = true
		p, n := s.facts.promptOf(request)
		if p != nil && Normalize(s.r.Content) == Normalize(p.Expected()) {
			return []Finding{s.swapped(h, n)}
		}
	}
	return nil
}

// promptOf returns the prompt of a request of the round or the look-back.
func (f *facts) promptOf(request tenants.Payload) (probes.Prompt, *donor) {
	d := f.donorList()
	n := d.request[request]
	if n == nil {
		return nil, nil
	}
	return d.rebuild(n), n
}

func (s *subject) swapped(h tenants.Hit, n *donor) Finding {
	origin := s.facts.origin(h.Payload)
	f := Finding{
		Kind: KindSwap, Class: Leak, Channel: ChannelContent, Length: len(s.r.Content),
		PChance: h.PChance, Origin: &origin,
		Detail: fmt.Sprintf("the whole answer is the right answer to exchange %s of another tenant", n.exchange),
	}
	if h.Payload.Tenant == s.tenant {
		f.Kind, f.Class = KindStaleSwap, Damaged
		f.Detail = fmt.Sprintf("the whole answer is the right answer to exchange %s of the same tenant", n.exchange)
	}
	return f
}

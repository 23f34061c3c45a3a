package checks

import (
	"fmt"
	"time"

	"crosstalk/tenants"
)

const (
	// KindMarker is a verified marker of another tenant.
	KindMarker = "marker"
	// KindSearchBudget is a text too full of what could be altered markers to
	// be searched for all of them; inconclusive. Whole markers are always found.
	KindSearchBudget = "search_budget"
)

// foreignMarker looks for verified markers of other tenants in everything that
// came back, error bodies and headers too. One is proof: text made without the
// fleet key verifies with probability 2^-72 per window and hypothesis.
type foreignMarker struct{}

func (foreignMarker) Name() string { return "foreignmarker" }

func (c foreignMarker) Run(in *Input) []Finding {
	return in.each(c.Name(), func(s *subject) []Finding {
		var found []Finding
		for _, m := range s.foreignMarkers() {
			if m.hit.Payload.Tenant != s.tenant {
				found = append(found, s.markerFinding(m, KindMarker, Leak, "of another tenant"))
			}
		}
		for _, c := range s.unsearched {
			found = append(found, Finding{
				Kind: KindSearchBudget, Class: Inconclusive, Channel: c, Length: len(s.text(c)),
				Detail: "more words of the marker list than can be searched for altered markers",
			})
		}
		return found
	})
}

// placedMarker is the first sighting of a marker in a channel.
type placedMarker struct {
	channel Channel
	hit     tenants.Hit
	times   int
}

// foreignMarkers are the markers that are not the exchange's own, each once per
// channel.
func (s *subject) foreignMarkers() []placedMarker {
	var all []placedMarker
	for _, c := range Channels() {
		seen := map[tenants.Payload]int{}
		for _, h := range s.markers(c) {
			if s.isOwn(h) {
				continue
			}
			if i, ok := seen[h.Payload]; ok {
				all[i].times++
				continue
			}
			seen[h.Payload] = len(all)
			all = append(all, placedMarker{c, h, 1})
		}
	}
	return all
}

// markerFinding is the finding for a marker that does not belong here.
func (s *subject) markerFinding(m placedMarker, kind string, class Class, whose string) Finding {
	h := m.hit
	origin := s.facts.origin(h.Payload)
	detail := fmt.Sprintf("marker %d %s (%s, seen %s in the %s)", origin.Marker, whose, h.Edit, times(m.times), m.channel)
	if note := s.implausible(h.Payload, origin); note != "" {
		detail += ": " + note
	}
	return Finding{
		Kind: kind, Class: class, Channel: m.channel, Offset: h.Start, Length: h.End - h.Start,
		PChance: h.PChance, Origin: &origin, Detail: detail,
	}
}

// times says how often.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// implausible says what is odd about a verified marker: it is still proof, but a
// person should know.
func (s *subject) implausible(p tenants.Payload, o Origin) string {
	switch ended := s.facts.in.Round.Ended; {
	case !ended.IsZero() && p.Time().After(ended.Add(time.Minute)):
		return "it is dated after the round, look for a wrong clock or a key in other hands"
	case o.PromptOffset < 0 && !s.facts.knowsTenant(p.Tenant):
		return "neither its request nor its tenant is in the look-back"
	case o.PromptOffset < 0:
		return "its request is not in the look-back"
	}
	return ""
}

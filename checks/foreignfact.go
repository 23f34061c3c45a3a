package checks

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"crosstalk/corpus"
)

// Kinds of the foreignfact check; see also KindSuspect.
const (
	KindFact      = "fact"       // leak: names and figures of another tenant's prompt
	KindStaleFact = "stale_fact" // damaged: those of the tenant's other request
)

// foreignFact looks for the named facts of other requests: which of their names
// stand in the answer, and which of their figures beside them. They are what is
// left of a prompt that was translated or told in other words.
//
// A name is one of 2^20 and a figure one of 2^9, both drawn by the donor's key.
// For F facts of earlier requests, a text with w different words that may be
// names, and f figures near the names found, n names and k figures of one given
// fact agree by accident with at most
//
//	p = F C(3,n) (w/2^20)^n C(2,k) (f/2^9)^k
//
// ([corpus.FactMatch.Chance]). Facts of one donor multiply; a further one counts
// with the facts that its prompt can have for F. One name alone says nothing: with
// thousands of facts some text has one. Names that the own prompt holds are nobody
// else's. Facts are of a request's own key and behind what it shares with others,
// so that a shared prefix has none.
type foreignFact struct{}

func (foreignFact) Name() string { return "foreignfact" }

func (c foreignFact) Run(in *Input) []Finding {
	return in.each(c.Name(), func(s *subject) []Finding {
		var found []Finding
		for _, channel := range Channels() {
			if channel.isAnswer() {
				found = append(found, s.foreignFacts(channel)...)
			}
		}
		return found
	})
}

// minFactNames is how many names of one fact are worth a look.
const minFactNames = 2

// donorFact is a named fact of an earlier request.
type donorFact struct {
	donor *donor
	corpus.Fact
}

// toldFact is a fact of which a text tells something.
type toldFact struct {
	donorFact
	match corpus.FactMatch
}

// foreignFacts are the findings in one channel, those of each donor together.
func (s *subject) foreignFacts(c Channel) []Finding {
	if s.codec() == nil {
		return nil
	}
	names := s.strangeNames(c)
	distinct := map[string]bool{}
	for _, n := range names {
		distinct[n.Name] = true
	}
	if len(distinct) < minFactNames {
		return nil
	}
	all := s.facts.donorList().allFacts()
	var order []*donor
	told := map[*donor][]toldFact{}
	for _, f := range all {
		if s.own[f.donor.payload] || !f.named(distinct) {
			continue
		}
		if told[f.donor] == nil {
			order = append(order, f.donor)
		}
		told[f.donor] = append(told[f.donor], toldFact{f, f.Match(s.text(c), names)})
	}
	var found []Finding
	for _, d := range order {
		chance := factChance(told[d], len(all), len(distinct))
		if chance > maxSuspectChance {
			continue
		}
		for _, f := range told[d] {
			found = append(found, s.factFinding(c, f, chance))
		}
	}
	return found
}

// named reports whether enough of the fact's names are among those of a text.
func (f donorFact) named(names map[string]bool) bool {
	n := 0
	for _, name := range f.Names {
		if names[name] {
			n++
		}
	}
	return n >= minFactNames
}

// factChance bounds the chance that all that is told of one donor's facts agrees
// by accident.
func factChance(told []toldFact, candidates, names int) float64 {
	slices.SortStableFunc(told, func(a, b toldFact) int {
		return cmp.Compare(a.match.Chance(candidates, names), b.match.Chance(candidates, names))
	})
	chance := 1.0
	for i, f := range told {
		if i > 0 {
			candidates = corpus.MaxFacts
		}
		chance *= f.match.Chance(candidates, names)
	}
	return max(chance, math.SmallestNonzeroFloat64)
}

// strangeNames are the words of a channel that may be names of facts and do not
// stand in the own prompt. Long texts are read in windows.
func (s *subject) strangeNames(c Channel) []corpus.Name {
	text := s.text(c)
	var names []corpus.Name
	for _, part := range windows(text, maxRead, windowSize) {
		for _, n := range corpus.FindNames(text[part[0]:part[1]]) {
			n.Start, n.End = n.Start+part[0], n.End+part[0]
			names = append(names, n)
		}
	}
	if len(names) < minFactNames {
		return nil
	}
	own := s.ownNames()
	return slices.DeleteFunc(names, func(n corpus.Name) bool { return own[n.Name] })
}

// ownNames are the names that stand in the own prompt: in its facts, its markers
// and, where it is known as text, anywhere in it.
func (s *subject) ownNames() map[string]bool {
	own := map[string]bool{}
	add := func(text string) {
		for _, n := range corpus.FindNames(text) {
			own[n.Name] = true
		}
	}
	add(s.expected())
	switch p := s.x.Prompt.(type) {
	case corpus.Text:
		add(p.Prompt)
	case interface{ Facts() []corpus.Fact }:
		for _, f := range p.Facts() {
			add(f.Text)
		}
	}
	return own
}

func (s *subject) factFinding(c Channel, f toldFact, chance float64) Finding {
	m := f.match
	finding := Finding{
		Kind: KindFact, Class: Leak, Channel: c, Offset: m.Start, Length: m.End - m.Start, PChance: chance,
		Origin: &Origin{
			Tenant: f.donor.payload.Tenant, Payload: f.donor.payload, Exchange: f.donor.exchange,
			PromptOffset: s.facts.factOffset(f.donorFact),
		},
	}
	whose := "another tenant's request"
	switch {
	case f.donor.payload.Tenant == s.tenant:
		finding.Kind, finding.Class, whose = KindStaleFact, Damaged, "another request of the same tenant"
	case chance >= maxLeakChance:
		finding.Kind, finding.Class = KindSuspect, Damaged
	}
	finding.Detail = fmt.Sprintf("%d names and %d figures of fact %d of %s; by accident with p < %.1e", m.Names, m.Numbers, f.Number, whose, chance)
	return finding
}

// allFacts are the named facts of all donors, made when first asked for.
func (d *donors) allFacts() []donorFact {
	if d.facts != nil {
		return d.facts
	}
	d.facts = []donorFact{}
	for _, n := range d.list {
		if n.spec.Facts == 0 {
			continue
		}
		if key, ok := d.keyOf(n); ok {
			for _, f := range corpus.FactsOf(key, min(n.spec.Facts, corpus.MaxFacts)) {
				d.facts = append(d.facts, donorFact{n, f})
			}
		}
	}
	return d.facts
}

// factOffset is the place of a fact in the donor's prompt, -1 when not known.
func (f *facts) factOffset(of donorFact) int64 {
	p, ok := f.donorList().rebuild(of.donor).(interface{ Facts() []corpus.Fact })
	if !ok {
		return -1
	}
	for _, placed := range p.Facts() {
		if placed.Number == of.Number {
			return placed.Offset
		}
	}
	return -1
}

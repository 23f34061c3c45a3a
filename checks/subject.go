package checks

import (
	"slices"

	"crosstalk/corpus"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

// facts is what several checks need to know about a round, computed once.
type facts struct {
	in       *Input
	subjects map[*probes.Exchange]*subject
	order    []*subject
	donors   *donors
	pages    int // what is left of pageBudget
}

func newFacts(in *Input) *facts {
	f := &facts{in: in, subjects: map[*probes.Exchange]*subject{}, pages: pageBudget}
	for _, x := range in.Round.Exchanges {
		s := newSubject(f, x)
		f.subjects[x] = s
		f.order = append(f.order, s)
	}
	return f
}

func (f *facts) subject(x *probes.Exchange) *subject { return f.subjects[x] }

// each runs a judgement over every exchange that has a response. A panic stays
// with the exchange that caused it: what was found in the others is kept.
func (in *Input) each(check string, judge func(s *subject) []Finding) []Finding {
	if in.Round == nil {
		return nil
	}
	if in.facts == nil {
		in.facts = newFacts(in)
	}
	var all []Finding
	for _, s := range in.facts.order {
		if s.x.Response != nil {
			all = append(all, s.contained(check, judge)...)
		}
	}
	return all
}

func (s *subject) contained(check string, judge func(s *subject) []Finding) (found []Finding) {
	defer func() {
		if p := recover(); p != nil {
			found = []Finding{panicked(check, s.x.ID, p)}
		}
	}()
	found = judge(s)
	for i := range found {
		found[i].Check, found[i].Exchange = check, s.x.ID
	}
	return found
}

// subject is one exchange with the facts derived from it. Facts are computed
// when first asked for.
type subject struct {
	facts *facts
	x     *probes.Exchange
	r     *provider.Response // never nil; empty when nothing came back
	// tenant is the index of the tenant that sent it; 0 when not known.
	tenant uint16
	// own are the requests whose markers are this exchange's own.
	own   map[tenants.Payload]bool
	seals []seal

	texts      map[Channel]string
	hits       map[Channel][]tenants.Hit
	unsearched []Channel // where the search for altered markers was cut short
	readings   map[Channel]*reading
	match      map[Channel][]corpus.Span
	runs       map[Channel][]tenants.Run
	named      map[Channel][]corpus.Locator
	parts      map[Channel]foundPieces
	touch      *contact
	index      *sealIndex // of seals
	right      *string    // the expected answer, normalised
	completed  *int       // seals that are whole in the content
	shown      *int       // visible characters
	manner     *manner
}

func newSubject(f *facts, x *probes.Exchange) *subject {
	s := &subject{
		facts: f, x: x, r: x.Response, tenant: x.Tenant,
		own:      map[tenants.Payload]bool{},
		texts:    map[Channel]string{},
		hits:     map[Channel][]tenants.Hit{},
		readings: map[Channel]*reading{},
		match:    map[Channel][]corpus.Span{},
		runs:     map[Channel][]tenants.Run{},
		named:    map[Channel][]corpus.Locator{},
		parts:    map[Channel]foundPieces{},
	}
	if s.r == nil {
		s.r = &provider.Response{}
	}
	if recorded, ok := x.Prompt.(corpus.Text); ok {
		s.ownRecorded(recorded)
	} else if x.Payload != (tenants.Payload{}) {
		s.own[x.Payload.Request()] = true
	}
	s.seals = sealsOf(x)
	return s
}

// ownRecorded makes the markers found in a recorded prompt or right answer the
// exchange's own. The right answer goes first: it names the tenant.
func (s *subject) ownRecorded(t corpus.Text) {
	if s.codec() == nil {
		return
	}
	for _, text := range []string{t.Answer, t.Prompt} {
		for _, h := range s.codec().Find(text) {
			s.own[h.Payload.Request()] = true
			if s.tenant == 0 {
				s.tenant = h.Payload.Tenant
			}
		}
	}
}

func (s *subject) codec() *tenants.Codec { return s.facts.in.Codec }

// sealIndex is the index of the own seals.
func (s *subject) sealIndex() sealIndex {
	if s.index == nil {
		x := newSealIndex(s.seals)
		s.index = &x
	}
	return *s.index
}

// rightAnswer is the expected answer, normalised.
func (s *subject) rightAnswer() string {
	if s.right == nil {
		right := Normalize(s.expected())
		s.right = &right
	}
	return *s.right
}

// text is the joined text of a channel.
func (s *subject) text(c Channel) string {
	t, ok := s.texts[c]
	if !ok {
		t = ChannelText(s.r, c)
		s.texts[c] = t
	}
	return t
}

// markers are the verified markers in a channel, own and foreign.
func (s *subject) markers(c Channel) []tenants.Hit {
	if s.codec() == nil {
		return nil
	}
	h, ok := s.hits[c]
	if !ok {
		var complete bool
		h, s.runs[c], complete = s.codec().FindWithRuns(s.text(c), minFragment)
		if more := encodedMarkers(s.codec(), s.text(c)); len(more) > 0 {
			h = append(h, more...)
			slices.SortStableFunc(h, func(a, b tenants.Hit) int { return a.Start - b.Start })
		}
		s.hits[c] = h
		if !complete {
			s.unsearched = append(s.unsearched, c)
		}
	}
	return h
}

func (s *subject) isOwn(h tenants.Hit) bool { return s.own[h.Payload.Request()] }

// locators are the locators in a channel, own and foreign.
func (s *subject) locators(c Channel) []corpus.Locator {
	l, ok := s.named[c]
	if !ok {
		l = corpus.FindLocators(s.text(c))
		s.named[c] = l
	}
	return l
}

// minPassage is the length in words from which a passage in common with the
// own prompt counts as taken from it.
const minPassage = 5

// passages are the parts of a channel's text that stand in the own prompt,
// outside its question and marker lines.
func (s *subject) passages(c Channel) []corpus.Span {
	m, ok := s.match[c]
	if !ok {
		if s.x.Prompt != nil && s.text(c) != "" {
			m, _ = matchWindows(s.x.Prompt, s.text(c), minPassage-1, 0)
		}
		s.match[c] = m
	}
	return m
}

// task is what the prompt asks for, "" when not known.
func (s *subject) task() corpus.Task {
	if s.x.Prompt == nil {
		return ""
	}
	if t, ok := s.x.Prompt.(corpus.Text); ok {
		return recordedTask(t)
	}
	return s.x.Prompt.Task()
}

// expected is the right answer, "" when not known.
func (s *subject) expected() string {
	if s.x.Prompt == nil {
		return ""
	}
	return s.x.Prompt.Expected()
}

// closed reports whether the right answer, or at least what it must be made of,
// is known: only then does a lack of contact mean anything.
func (s *subject) closed() bool {
	if s.x.Prompt == nil {
		return false
	}
	if t, ok := s.x.Prompt.(corpus.Text); ok {
		return t.Answer != "" || t.Prompt != "" && recordedTask(t) != ""
	}
	return true
}

// cut reports whether the target says it stopped at the token limit.
func (s *subject) cut() bool {
	switch s.r.FinishReason {
	case "length", "max_tokens", "MAX_TOKENS", "max_output_tokens":
		return true
	}
	return false
}

// thought reports whether reasoning took tokens.
func (s *subject) thought() bool {
	u := s.r.Usage
	return s.r.Reasoning != "" || u != nil && u.Reasoning != nil && *u.Reasoning > 0
}

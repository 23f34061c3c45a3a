package checks

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"crosstalk/tenants"
)

// Kinds of the recall check, besides KindBudget and KindLostAskedSeal.
const (
	KindRecalled = "recalled"  // sound: every seal that decides, whole
	KindLostSeal = "lost_seal" // damaged: a seal is not in the answer
	// KindAlteredSeal is a seal that came back with a word or a letter changed,
	// lost or added; damaged. Where only the signs between the groups of a code
	// are others it is degraded.
	KindAlteredSeal    = "altered_seal"
	KindCutSeal        = "cut_seal"        // damaged: only a run of a seal's words came back
	KindDuplicatedSeal = "duplicated_seal" // damaged: a seal more often than the others
	KindSealOrder      = "seal_order"      // damaged: not in the order asked for
	KindMissRate       = "missrate"        // degraded: seals lost that do not decide
)

// recallCheck says which of the prompt's seals the answer holds. Up to 128k
// tokens every seal decides. Longer prompts ask for one seal first, and only
// that one decides: healthy models lose some of many at that length, so the
// others feed a rate.
type recallCheck struct{}

func (recallCheck) Name() string { return "recall" }

func (c recallCheck) Run(in *Input) []Finding { return in.each(c.Name(), recallOf) }

func recallOf(s *subject) []Finding {
	if len(s.seals) == 0 || s.r.Failure != nil || s.mannerOf() != answering || !s.spoke() {
		return nil
	}
	got := s.recall()
	switch {
	case s.cut() && s.thought() && len(got.missing()) > 0 && !s.askedRight(got):
		if !s.contact().found {
			return nil // a cut answer without contact is never a budget
		}
		return []Finding{{
			Kind: KindBudget, Class: Inconclusive, Channel: ChannelContent,
			Detail: "the answer was cut at the token limit after reasoning: give it more tokens or less reasoning",
		}}
	case len(got.missing()) > 0 && !s.askedRight(got) && s.cutByWindow():
		return nil // the finish check says so
	case s.text(ChannelContent) == "":
		return nil // empty or misplaced: other checks say so
	case s.asked() >= 0:
		return s.judgeAsked(got)
	default:
		return s.judgeAll(got)
	}
}

// spoke reports whether there is anything to be read.
func (s *subject) spoke() bool {
	return s.text(ChannelContent) != "" || s.text(ChannelReasoning) != ""
}

// sealState is how a seal came back.
type sealState uint8

const (
	sealMissing sealState = iota
	sealCut               // at least minSealRun of its words in a row
	sealAltered           // with one word changed, lost or added
	sealExact
)

// recall is the state of every seal in the content, in order of their number.
type recall struct {
	state []sealState
	count []int // whole copies
	first []int // byte offset of the first whole copy; -1 when there is none
	at    []int // byte offset of what there is of it
	// regrouped are the codes whose characters are all there and the signs between
	// their groups not.
	regrouped []int
}

func (s *subject) recall() recall {
	n := len(s.seals)
	got := recall{state: make([]sealState, n), count: make([]int, n), first: make([]int, n), at: make([]int, n)}
	for i := range got.first {
		got.first[i] = -1
	}
	r := s.read(ChannelContent)
	for _, o := range r.seals {
		state := sealCut
		if o.complete {
			state = sealExact
			if end := r.words[o.from+o.n-1].End; s.isRegrouped(o.seal, r.text[r.words[o.from].Start:end]) {
				got.regrouped = append(got.regrouped, o.seal)
			}
		}
		got.found(o.seal, state, r.words[o.from].Start)
	}
	for _, h := range s.markers(ChannelContent) {
		i := int(h.Payload.Index)
		if !s.isOwn(h) || i >= n || got.state[i] == sealExact {
			continue
		}
		// A code is read with i and l for 1 too. Who was to copy it did not.
		state := sealAltered
		if h.Edit == tenants.EditNone && lettersOf(r.text[h.Start:h.End]) == strings.Join(s.seals[i].words, "") {
			state = sealExact
			if s.isRegrouped(i, r.text[h.Start:h.End]) {
				got.regrouped = append(got.regrouped, i)
			}
		}
		got.found(i, state, h.Start)
	}
	return got
}

// isRegrouped reports whether a passage has the characters of a code, and other
// signs between its groups than the right answer.
func (s *subject) isRegrouped(i int, passage string) bool {
	code := strings.Join(s.seals[i].words, "-")
	return strings.Contains(s.expected(), code) && Normalize(passage) != Normalize(code)
}

// lettersOf are the letters and digits of a text, in lower case.
func lettersOf(text string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return -1
		}
		return unicode.ToLower(c)
	}, text)
}

func (g *recall) found(seal int, state sealState, offset int) {
	if state == sealExact {
		g.count[seal]++
		if g.first[seal] < 0 {
			g.first[seal] = offset
		}
	}
	if state > g.state[seal] {
		g.state[seal], g.at[seal] = state, offset
	}
}

// missing are the seals that are not whole, as indexes.
func (g *recall) missing() []int {
	var out []int
	for i, st := range g.state {
		if st != sealExact {
			out = append(out, i)
		}
	}
	return out
}

// asked is the index of the seal that alone decides, -1 if all do.
func (s *subject) asked() int {
	ask := s.x.Intent.Spec.Ask
	return slices.IndexFunc(s.seals, func(e seal) bool { return ask > 0 && e.number == ask })
}

func (s *subject) askedRight(got recall) bool {
	i := s.asked()
	return i >= 0 && got.state[i] == sealExact
}

// judgeAsked judges a prompt in which one seal decides.
func (s *subject) judgeAsked(got recall) []Finding {
	i, missing := s.asked(), got.missing()
	var found []Finding
	switch {
	case got.state[i] == sealExact:
		found = append(found, s.recalled(s.askedCame(i, missing)))
	case s.facts.in.Baseline.LostSeal[s.x.Intent.Cell]:
		found = append(found, s.lost([]int{i}, got, Damaged, kindOf(got.state[i])))
	default:
		found = append(found, s.lost([]int{i}, got, Inconclusive, KindLostAskedSeal))
	}
	others := slices.DeleteFunc(missing, func(m int) bool { return m == i })
	if len(others) > 0 {
		found = append(found, s.lost(others, got, Degraded, KindMissRate))
	}
	return found
}

// askedCame says how the one seal that decides came back, and in what company.
func (s *subject) askedCame(asked int, missing []int) string {
	if len(missing) == 0 {
		return "every seal came back whole"
	}
	return fmt.Sprintf("seal %d, the one asked for, came back whole", s.seals[asked].number)
}

// judgeAll judges a prompt in which every seal decides.
func (s *subject) judgeAll(got recall) []Finding {
	var found []Finding
	for _, state := range []sealState{sealMissing, sealCut, sealAltered} {
		var in []int
		for i, st := range got.state {
			if st == state {
				in = append(in, i)
			}
		}
		if len(in) > 0 {
			found = append(found, s.lost(in, got, Damaged, kindOf(state)))
		}
	}
	if len(found) > 0 {
		return found
	}
	if i := got.duplicated(); i >= 0 {
		return []Finding{{
			Kind: KindDuplicatedSeal, Class: Damaged, Channel: ChannelContent, Offset: got.at[i],
			Detail: fmt.Sprintf("seal %d came back %d times", s.seals[i].number, got.count[i]),
		}}
	}
	if !slices.IsSorted(got.first) {
		return []Finding{{
			Kind: KindSealOrder, Class: Damaged, Channel: ChannelContent,
			Detail: "every seal came back whole, but not in the order asked for",
		}}
	}
	found = []Finding{s.recalled("every seal came back whole")}
	if i := got.regrouped; len(i) > 0 {
		found = append(found, Finding{
			Kind: KindAlteredSeal, Class: Degraded, Channel: ChannelContent, Offset: got.at[i[0]],
			Detail: plural(len(i), "code") + " with other signs between the groups",
		})
	}
	return found
}

// duplicated is the index of a seal that came back too often, -1 if none did. A
// model may lawfully give its whole list twice, in a draft and in the end.
func (g *recall) duplicated() int {
	fewest := slices.Min(g.count)
	for i, n := range g.count {
		if n > fewest || n > 2 {
			return i
		}
	}
	return -1
}

func (s *subject) recalled(detail string) Finding {
	return Finding{Kind: KindRecalled, Class: Sound, Channel: ChannelContent, Length: len(s.text(ChannelContent)), Detail: detail}
}

func kindOf(state sealState) string {
	switch state {
	case sealCut:
		return KindCutSeal
	case sealAltered:
		return KindAlteredSeal
	default:
		return KindLostSeal
	}
}

// lost is the finding about seals that are not whole.
func (s *subject) lost(in []int, got recall, class Class, kind string) Finding {
	var parts []string
	for _, i := range in {
		e := s.seals[i]
		part := fmt.Sprintf("%d", e.number)
		if e.depth >= 0 {
			part += fmt.Sprintf(" at %.0f %%", 100*e.depth)
		}
		parts = append(parts, part)
	}
	return Finding{
		Kind: kind, Class: class, Channel: ChannelContent, Offset: got.at[in[0]],
		Detail: fmt.Sprintf("%d of %d seals not whole: seal %s (%s)", len(in), len(s.seals), strings.Join(parts, ", "), pattern(in, len(s.seals))),
	}
}

// pattern names where the lost ones of n seals stand: it tells a prompt cut at
// the front from one cut at the back or compressed in the middle.
func pattern(lost []int, n int) string {
	first, last := lost[0], lost[len(lost)-1]
	contiguous := last-first+1 == len(lost)
	switch {
	case len(lost) == n:
		return "all"
	case contiguous && first == 0:
		return "head"
	case contiguous && last == n-1:
		return "tail"
	case first > 0 && last < n-1:
		return "middle"
	default:
		return "scattered"
	}
}

package checks

import (
	"fmt"
	"math"
	"strings"
	"unicode"

	"github.com/google/uuid"
)

// identityCheck sees signs that somebody else answered: a response id given
// twice, or another model than asked for. Both may be a proxy's or an
// operator's choice, so they are signs and page nobody.
type identityCheck struct{}

func (identityCheck) Name() string { return "identity" }

func (c identityCheck) Run(in *Input) []Finding {
	given := map[string]uuid.UUID{}
	return in.each(c.Name(), func(s *subject) []Finding {
		found := reusedIDs(s, given)
		return append(found, otherModel(s)...)
	})
}

// minIDBits is the apparent entropy from which an id cannot have come twice by
// chance: among a million ids of 64 random bits, one time in 37 million.
const minIDBits = 64

// reusedIDs compares the ids of a response with those given before, in this
// round and earlier. Servers that number their answers restart their count, so
// only ids that look random are judged.
func reusedIDs(s *subject, given map[string]uuid.UUID) []Finding {
	ids := []string{s.r.ID}
	if s.r.Stream != nil {
		ids = append(ids, s.r.Stream.IDs...)
	}
	for _, id := range ids {
		before, ok := s.facts.in.Baseline.IDs[id]
		if !ok {
			before, ok = given[id]
		}
		if ok && before != s.x.ID && idBits(id) >= minIDBits {
			return []Finding{{Kind: "id_reuse", Class: Degraded, Channel: ChannelHeader, Detail: fmt.Sprintf(
				"the response id, of about %.0f bits, was given to exchange %s before", idBits(id), before)}}
		}
	}
	for _, id := range ids {
		if id != "" {
			given[id] = s.x.ID
		}
	}
	return nil
}

// idBits estimates the entropy of an id from the characters it is made of. A
// first part of letters only ("chatcmpl") is a name; parts with few different
// characters are padding.
func idBits(id string) float64 {
	parts := strings.FieldsFunc(id, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(parts) > 1 && strings.IndexFunc(parts[0], unicode.IsDigit) < 0 {
		parts = parts[1:]
	}
	text := strings.Join(parts, "")
	distinct := map[rune]bool{}
	digits, upper, lower, hex := 0, 0, 0, 0
	for _, r := range text {
		distinct[r] = true
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsUpper(r):
			upper++
		default:
			lower++
		}
		if strings.ContainsRune("0123456789abcdefABCDEF", r) {
			hex++
		}
	}
	n := len([]rune(text))
	if len(distinct) < 6 {
		return 0
	}
	alphabet := 36.0
	switch {
	case digits == n:
		alphabet = 10
	case hex == n && (upper == 0 || lower == 0):
		alphabet = 16
	case upper > 0 && lower > 0:
		alphabet = 62
	}
	return float64(n) * math.Log2(alphabet)
}

// otherModel compares the model that answered with the one asked for or, where
// that is not known, with those that answered the other exchanges of the round.
func otherModel(s *subject) []Finding {
	got := s.r.Model
	if got == "" || s.r.Failure != nil {
		return nil
	}
	want, whose := s.facts.in.Baseline.Model, "asked for"
	if want == "" {
		want, whose = s.usualModel(), "that answered most of the round"
	}
	if want == "" || sameModel(got, want) {
		return nil
	}
	return []Finding{{
		Kind: "model_changed", Class: Degraded, Channel: ChannelHeader,
		Detail: "the answer names another model than the one " + whose,
	}}
}

// usualModel is the model of more than half the answers of the round.
func (s *subject) usualModel() string {
	count, all := map[string]int{}, 0
	for _, o := range s.facts.order {
		if o.r.Model != "" && o.r.Failure == nil {
			count[o.r.Model]++
			all++
		}
	}
	for model, n := range count {
		if 2*n > all {
			return model
		}
	}
	return ""
}

// sameModel reports whether two names may mean one model: relays add the
// provider before it, and vendors a date after it.
func sameModel(a, b string) bool {
	a, b = bareModel(a), bareModel(b)
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

func bareModel(name string) string {
	name = strings.TrimRight(name, "/")
	name = name[strings.LastIndexAny(name, "/")+1:]
	return strings.ToLower(name)
}

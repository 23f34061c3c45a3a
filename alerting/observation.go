package alerting

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/internal/rates"
	"crosstalk/probes"
)

// Sighting is one exchange as alerting sees it.
type Sighting struct {
	Exchange uuid.UUID    `json:"exchange"`
	Cell     probes.Cell  `json:"cell"`
	Tenant   string       `json:"tenant"`
	Class    checks.Class `json:"class"`
	// Check and Finding name what decided: for damage the finding that
	// explains most, so that one spoilt answer is one incident.
	Check   string `json:"check,omitempty"`
	Finding string `json:"finding,omitempty"`
	// Reason says why an undecided exchange is undecided.
	Reason string `json:"reason,omitempty"`
	// Supported says that a second kind of evidence stands beside a foreign
	// answer: prefill rate, usage or the paired control.
	Supported bool `json:"supported,omitempty"`
	// Confirms says that the exchange belongs to a confirming round.
	Confirms bool `json:"confirms,omitempty"`
	// Origin is the tenant whose content a leak is, 0 if none; PChance bounds
	// the chance of accident.
	Origin  uint16  `json:"origin,omitempty"`
	PChance float64 `json:"p_chance,omitempty"`
}

// suspect reports whether all there is against the exchange is a fragment
// short of proof. It is neither sound nor a failure, and pages nobody.
func (s Sighting) suspect() bool {
	return s.Class == checks.Damaged && s.Finding == checks.KindSuspect
}

// Observation is a finished round as alerting sees it.
type Observation struct {
	Round     uuid.UUID  `json:"round"`
	Target    string     `json:"target"`
	At        time.Time  `json:"at"`
	Sightings []Sighting `json:"sightings"`
	// Rates is the round as the statistics of lost seals see it.
	Rates rates.Round `json:"rates,omitzero"`
}

// Observe reduces a finished round and its report to what paging needs. It is
// pure, and keeps no text of any answer.
func Observe(round *probes.Round, report checks.Report) Observation {
	o := Observation{Round: round.ID, Target: round.Plan.Target, At: round.Ended, Rates: rates.Of(round, report)}
	verdicts := map[uuid.UUID]checks.Verdict{}
	for _, v := range report.Verdicts {
		verdicts[v.Exchange] = v
	}
	findings := map[uuid.UUID][]checks.Finding{}
	for _, f := range report.Findings {
		findings[f.Exchange] = append(findings[f.Exchange], f)
	}
	control := controlSound(round, verdicts)
	for _, x := range round.Exchanges {
		s := sight(x, verdicts[x.ID], findings[x.ID])
		s.Confirms = round.Plan.Confirm != uuid.Nil
		if s.Class == checks.Foreign && control && x.Intent.Role != probes.RoleControl {
			s.Supported = true
		}
		o.Sightings = append(o.Sightings, s)
	}
	return o
}

// controlSound reports whether the paired control of a round is sound: then
// account, network and model are right, and what fails beside it fails for its
// length. Of several controls, none may be worse.
func controlSound(round *probes.Round, verdicts map[uuid.UUID]checks.Verdict) bool {
	sound := false
	for _, x := range round.Exchanges {
		if x.Intent.Role != probes.RoleControl {
			continue
		}
		switch c := verdicts[x.ID].Class; {
		case c == checks.Sound:
			sound = true
		case c.Worse(checks.Inconclusive):
			return false
		}
	}
	return sound
}

// sight reduces one exchange.
func sight(x *probes.Exchange, v checks.Verdict, findings []checks.Finding) Sighting {
	s := Sighting{
		Exchange: x.ID, Cell: x.Intent.Cell, Tenant: x.Intent.Tenant, Class: v.Class,
	}
	if s.Class == checks.Inconclusive {
		s.Reason, _, _ = strings.Cut(v.Reason, ":") // the detail of a skip is not bounded
	}
	if f, ok := explaining(v.Class, findings); ok {
		s.Check, s.Finding = f.Check, f.Kind
		if f.Class == checks.Leak && f.Origin != nil {
			s.Origin, s.PChance = f.Origin.Tenant, f.PChance
		}
	}
	s.Supported = s.Class == checks.Foreign && slices.ContainsFunc(findings, supports)
	return s
}

// explaining is the finding, among those of the exchange's class, that explains
// most of what is wrong with it.
func explaining(class checks.Class, findings []checks.Finding) (checks.Finding, bool) {
	var own []checks.Finding
	for _, f := range findings {
		if f.Class == class {
			own = append(own, f)
		}
	}
	if len(own) == 0 {
		return checks.Finding{}, false
	}
	if class != checks.Damaged {
		return own[0], true // in the order of the checks: the strongest first
	}
	return slices.MinFunc(own, func(a, b checks.Finding) int {
		return cmp.Compare(explains(a), explains(b))
	}), true
}

// explanations lists the checks from cause to symptom. A prompt that was not
// read (overlength, prefillrate, usage) explains an answer that is noise, noise
// explains seals that are lost, and a lost seal explains a wrong answer.
func explanations() []string {
	return []string{
		"overlength", "prefillrate", "usage",
		"empty", "repetition", "script", "encoding", "markup", "toolcall", "stream", "finish",
		"contact", "stalemarker", "swap", "foreignmarker", "foreignfragment", "foreignfact",
		"recall", "answer", "foreigncontent", "identity",
	}
}

// explains is the place of a damage finding among the explanations, less is
// more. A suspect comes last: it is the answer only when there is no other.
func explains(f checks.Finding) int {
	list := explanations()
	if f.Kind == checks.KindSuspect {
		return len(list) + 1
	}
	if i := slices.Index(list, f.Check); i >= 0 {
		return i
	}
	return len(list) // a check of a newer version, read from its report
}

// supports reports whether a finding shows, independently of the text, that the
// prompt of a foreign answer was not read: it came too fast, the target counted
// too few tokens for it, or it took a length that it had to refuse.
func supports(f checks.Finding) bool {
	if f.Class != checks.Damaged {
		return false
	}
	switch f.Check {
	case "prefillrate", "overlength":
		return true
	case "usage": // not a sum that is wrong by itself
		return f.Kind == checks.KindPromptLow || f.Kind == checks.KindPromptCapped
	}
	return false
}

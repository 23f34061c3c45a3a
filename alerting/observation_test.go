package alerting

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/internal/rates"
	"crosstalk/probes"
	"crosstalk/probes/provider"
)

// scene is a round with a report, written short: one exchange for each entry.
type scene []struct {
	role     probes.Role
	class    checks.Class
	reason   string
	findings []checks.Finding
}

// observe builds the round and observes it.
func (s scene) observe(confirm uuid.UUID) Observation {
	round := &probes.Round{
		ID: uuid.NewSHA1(uuid.NameSpaceOID, []byte("round")), Ended: epoch,
		Plan: probes.Plan{Probe: "top", Target: "edge", Confirm: confirm},
	}
	var report checks.Report
	for i, x := range s {
		id := uuid.NewSHA1(uuid.NameSpaceOID, []byte{byte(i)})
		round.Exchanges = append(round.Exchanges, &probes.Exchange{
			ID:       id,
			Intent:   probes.Intent{Tenant: "alpha", Role: x.role, Cell: cellOf("top"), Expect: probes.ExpectAnswer},
			Response: &provider.Response{Status: 200, Content: "a stranger's words"},
		})
		for _, f := range x.findings {
			f.Exchange = id
			report.Findings = append(report.Findings, f)
		}
		report.Verdicts = append(report.Verdicts, checks.Verdict{Exchange: id, Class: x.class, Reason: x.reason})
	}
	return Observe(round, report)
}

func found(check, kind string, c checks.Class) checks.Finding {
	return checks.Finding{Check: check, Kind: kind, Class: c, Detail: "said of it"}
}

// TestExplanation: one spoilt answer is one incident, named after its cause.
func TestExplanation(t *testing.T) {
	d := checks.Damaged
	tests := []struct {
		name     string
		class    checks.Class
		findings []checks.Finding
		want     string
	}{
		{"cause before symptom", d, []checks.Finding{
			found("recall", "lost_seal", d), found("answer", "wrong", d), found("overlength", "truncated", d), found("usage", "capped", d),
		}, "overlength/truncated"},
		{"prefill before usage", d, []checks.Finding{found("usage", "capped", d), found("prefillrate", "skipped", d)}, "prefillrate/skipped"},
		{"noise before seals", d, []checks.Finding{found("recall", "lost_seal", d), found("repetition", "loop", d)}, "repetition/loop"},
		{"a denial before seals", d, []checks.Finding{found("recall", "lost_seal", d), found("contact", "denial", d)}, "contact/denial"},
		{"a call that is none before seals", d, []checks.Finding{found("recall", "lost_seal", d), found("toolcall", "arguments", d)}, "toolcall/arguments"},
		{"seals before answer", d, []checks.Finding{found("answer", "wrong", d), found("recall", "lost_seal", d)}, "recall/lost_seal"},
		{"a suspect is last", d, []checks.Finding{
			found("foreignfragment", checks.KindSuspect, d), found("someday", "new", d),
		}, "someday/new"},
		{"a suspect alone", d, []checks.Finding{found("foreignfragment", checks.KindSuspect, d)}, "foreignfragment/suspect"},
		{"a stale fragment is no suspect", d, []checks.Finding{
			found("foreignfragment", checks.KindSuspect, d), found("foreignfragment", checks.KindStaleFragment, d),
		}, "foreignfragment/stale_fragment"},
		{"only findings of the class", checks.Foreign, []checks.Finding{
			found("recall", "lost_seal", d), found("contact", "no_contact", checks.Foreign),
		}, "contact/no_contact"},
		{"the strongest leak", checks.Leak, []checks.Finding{
			found("foreignmarker", "marker", checks.Leak), found("swap", "swap", checks.Leak), found("usage", "capped", d),
		}, "foreignmarker/marker"},
		{"nothing", checks.Inconclusive, nil, "/"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := scene{{probes.RoleMain, tt.class, "", tt.findings}}.observe(uuid.Nil).Sightings[0]
			if got := s.Check + "/" + s.Finding; got != tt.want {
				t.Errorf("explained by %s, want %s", got, tt.want)
			}
		})
	}
}

// TestExplanationsAreComplete: no check is forgotten in the order of causes, and
// none is listed that does not exist.
func TestExplanationsAreComplete(t *testing.T) {
	var names []string
	for _, c := range checks.All() {
		names = append(names, c.Name())
	}
	slices.Sort(names)
	if diff := cmp.Diff(names, slices.Sorted(slices.Values(explanations()))); diff != "" {
		t.Errorf("give every check its place in explanations (-checks.All +explanations):\n%s", diff)
	}
}

// TestSupported: what makes one foreign answer enough.
func TestSupported(t *testing.T) {
	foreign := []checks.Finding{found("contact", checks.KindNoContact, checks.Foreign)}
	with := func(f checks.Finding) []checks.Finding { return append([]checks.Finding{f}, foreign...) }
	main := func(findings []checks.Finding) scene {
		return scene{{probes.RoleMain, checks.Foreign, "", findings}}
	}
	control := func(c checks.Class) scene { return append(main(foreign), scene{{probes.RoleControl, c, "", nil}}...) }
	tests := []struct {
		name string
		s    scene
		want bool
	}{
		{"alone", main(foreign), false},
		{"never prefilled", main(with(found("prefillrate", "skipped", checks.Damaged))), true},
		{"not counted", main(with(found("usage", "prompt_low", checks.Damaged))), true},
		{"one count for all", main(with(found("usage", "capped", checks.Damaged))), true},
		{"over the limit", main(with(found("overlength", "truncated", checks.Damaged))), true},
		{"a sum that is wrong by itself", main(with(found("usage", "total", checks.Damaged))), false},
		{"a changed count", main(with(found("usage", "prompt_low", checks.Degraded))), false},
		{"other damage", main(with(found("recall", "lost_seal", checks.Damaged))), false},
		{"sound control", control(checks.Sound), true},
		{"damaged control", control(checks.Damaged), false},
		{"foreign control", control(checks.Foreign), false},
		{"undecided control", control(checks.Inconclusive), false},
		{"one of two controls", append(control(checks.Sound), scene{{probes.RoleControl, checks.Damaged, "", nil}}...), false},
		{"a sound seed is no control", append(main(foreign), scene{{probes.RoleSeed, checks.Sound, "", nil}}...), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.s.observe(uuid.Nil).Sightings[0].Supported; got != tt.want {
				t.Errorf("supported %t, want %t", got, tt.want)
			}
		})
	}
}

// TestObserve is a whole round.
func TestObserve(t *testing.T) {
	leak := found("foreignmarker", checks.KindMarker, checks.Leak)
	leak.Origin, leak.PChance = &checks.Origin{Tenant: 7}, 1e-20
	o := scene{
		{probes.RoleMain, checks.Leak, checks.KindMarker, []checks.Finding{leak}},
		{probes.RoleControl, checks.Inconclusive, "credential: open /run/secrets/key: no such file", nil},
		{probes.RoleMain, checks.Sound, checks.KindExact, []checks.Finding{found("answer", checks.KindExact, checks.Sound)}},
	}.observe(uuid.NameSpaceDNS)
	id := func(i int) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceOID, []byte{byte(i)}) }
	want := Observation{
		Round: uuid.NewSHA1(uuid.NameSpaceOID, []byte("round")), Target: "edge", At: epoch,
		Sightings: []Sighting{
			{
				Exchange: id(0), Cell: cellOf("top"), Tenant: "alpha", Class: checks.Leak, Confirms: true,
				Check: "foreignmarker", Finding: "marker", Origin: 7, PChance: 1e-20,
			},
			{Exchange: id(1), Cell: cellOf("top"), Tenant: "alpha", Class: checks.Inconclusive, Confirms: true, Reason: "credential"},
			{
				Exchange: id(2), Cell: cellOf("top"), Tenant: "alpha", Class: checks.Sound, Confirms: true,
				Check: "answer", Finding: "exact",
			},
		},
		Rates: rates.Round{Confirms: true, Trials: []rates.Trial{
			{Exchange: id(0), Cell: cellOf("top"), Identity: "alpha"},
			{Exchange: id(2), Cell: cellOf("top"), Identity: "alpha"},
		}},
	}
	if diff := cmp.Diff(want, o); diff != "" {
		t.Errorf("observation (-want +got):\n%s", diff)
	}
	// Text of an answer goes no further than here.
	s, pages := Step(Policy{}, TargetState{}, o)
	if all := encode(t, s) + encode(t, pages); strings.Contains(all, "stranger") || strings.Contains(all, "/run/secrets") {
		t.Errorf("text of an answer, or a path, is in the state or a page: %s", all)
	}
	if _, again := Step(Policy{}, s, o); len(again) != 0 {
		t.Error("the round counted twice")
	}
	if _, later := Tick(Policy{}, s, epoch.Add(time.Hour)); len(later) != 0 {
		t.Errorf("pages after an hour: %v", said(later))
	}
}

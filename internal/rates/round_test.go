package rates

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/probes"
	"crosstalk/probes/provider"
)

// TestOf is a round of every sort of exchange as the statistics see it.
func TestOf(t *testing.T) {
	id := func(i int) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceOID, []byte{byte(i)}) }
	top, half := cellOf(probes.BandWindow), cellOf(probes.Band512k)
	found := func(check, kind string, c checks.Class) checks.Finding {
		return checks.Finding{Check: check, Kind: kind, Class: c}
	}
	list := []struct {
		role    probes.Role
		cell    probes.Cell
		expect  probes.Expect
		class   checks.Class
		finding checks.Finding
	}{
		{probes.RoleMain, top, probes.ExpectAnswer, checks.Damaged, found("recall", checks.KindLostSeal, checks.Damaged)},
		{probes.RoleControl, half, probes.ExpectAnswer, checks.Sound, found("answer", checks.KindExact, checks.Sound)},
		{probes.RoleSeed, top, probes.ExpectAnswer, checks.Inconclusive, found("recall", checks.KindLostAskedSeal, checks.Inconclusive)},
		{probes.RoleSeed, top, probes.ExpectAnswer, checks.Inconclusive, found("answer", checks.KindRefusal, checks.Inconclusive)},
		{probes.RoleSeed, top, probes.ExpectAnswer, checks.Foreign, found("contact", checks.KindNoContact, checks.Foreign)},
		{probes.RoleSeed, top, probes.ExpectAnswer, checks.Damaged, found("usage", checks.KindPromptLow, checks.Damaged)},
		{probes.RoleSeed, top, probes.ExpectRefusal, checks.Damaged, found("answer", "wrong", checks.Damaged)},
	}
	round := &probes.Round{}
	var report checks.Report
	for i, x := range list {
		round.Exchanges = append(round.Exchanges, &probes.Exchange{
			ID: id(i), Response: &provider.Response{}, Intent: probes.Intent{Tenant: "alpha", Role: x.role, Cell: x.cell, Expect: x.expect},
		})
		x.finding.Exchange = id(i)
		report.Findings = append(report.Findings, x.finding)
		report.Verdicts = append(report.Verdicts, checks.Verdict{Exchange: id(i), Class: x.class})
	}
	round.Exchanges = append(round.Exchanges, &probes.Exchange{ID: id(99)}) // not sent
	want := Round{
		Trials: []Trial{
			{Exchange: id(0), Cell: top, Identity: "alpha", Missed: true},
			{Exchange: id(1), Cell: half, Identity: "alpha"},
			{Exchange: id(2), Cell: top, Identity: "alpha", Missed: true},
			{Exchange: id(4), Cell: top, Identity: "alpha", Missed: true, NoContact: true},
			{Exchange: id(5), Cell: top, Identity: "alpha"},
		},
		Pairs: []Pair{{Cell: top, MainMissed: true}},
	}
	if diff := cmp.Diff(want, Of(round, report)); diff != "" {
		t.Errorf("round (-want +got):\n%s", diff)
	}
	round.Plan.Confirm = id(50)
	if !Of(round, report).Confirms {
		t.Error("a confirming round is not told")
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"io"

	"crosstalk/internal/config"
	"crosstalk/internal/report"
	"crosstalk/probes"
)

// dryRun is the JSON form of a dry run.
type dryRun struct {
	Seed   uint64        `json:"seed"`
	Plans  []dryRunProbe `json:"plans"`
	Tokens int64         `json:"tokens"`
	USD    float64       `json:"usd"`
	MostT  int64         `json:"tokens_at_most"`
	MostU  float64       `json:"usd_at_most"`
	// EndsEarly says which cap ends the run before it is done; "" if none.
	EndsEarly string `json:"ends_early,omitempty"`
}

type dryRunProbe struct {
	Rounds int         `json:"rounds"`
	Plan   probes.Plan `json:"first_plan"`
}

// printPlans prints what would be sent. Later rounds differ in seed and in what
// has been learnt, not in kind.
func (v *validation) printPlans(w io.Writer, asJSON bool) error {
	d := dryRun{Seed: v.campaign.Seed, USD: v.predicted(), EndsEarly: v.endsEarly()}
	for _, p := range v.plans {
		most := p.plan.Spend(v.site.Target.Pricing)
		d.Plans = append(d.Plans, dryRunProbe{p.rounds, p.plan})
		d.Tokens += int64(p.rounds) * p.grown.Tokens()
		grown := p.grown.Spend(v.site.Target.Pricing)
		d.MostT += int64(p.rounds) * max(most.Tokens, grown.Tokens)
		d.MostU += float64(p.rounds) * max(most.USD, grown.USD)
	}
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(d)
	}
	p := &demoPrinter{w: w}
	p.printf("INTERVAL is from the fewest to the most tokens a prompt may turn out to have. It is wide\n" +
		"and prompts are short until pulse has taught how many tokens the target makes of a byte;\n" +
		"later rounds are then as long as they should be.\n\n")
	for _, item := range v.plans {
		p.printf("%s, the first:\n", report.Plural(item.rounds, "round"))
		if p.err == nil {
			p.err = item.plan.WriteTable(w, v.site.Target.Pricing)
		}
		p.printf("\n")
	}
	p.printf("in all about %s tokens and USD %.2f, at most %s tokens and USD %.2f;\ncaps: %s\n",
		report.Number(d.Tokens), d.USD, report.Number(d.MostT), d.MostU, caps(v.cfg.Budget))
	if d.EndsEarly != "" {
		p.printf("the run will end early: %s\n", d.EndsEarly)
	}
	p.printf("nothing was sent\n")
	return p.err
}

// endsEarly says which cap the run will reach before it is done, "" if none as
// far as can be seen: a round is begun if the most it can take is within the
// caps beside what the rounds before it have reserved.
func (v *validation) endsEarly() string {
	limits, pricing := v.cfg.Budget.Limits(), v.site.Target.Pricing
	var spent probes.Spend
	for _, item := range v.plans {
		for n := range item.rounds {
			if err := limits.Admit(spent, spent, item.grown.Spend(pricing)); err != nil {
				return fmt.Sprintf("at %s, round %d of %d, %s", item.plan.Probe, n+1, item.rounds, budgetUsedUp(err))
			}
			spent = spent.Plus(item.grown.Spend(pricing))
		}
	}
	return ""
}

func caps(b config.Budget) string {
	text := report.Number(b.TokensPerRun) + " tokens a run"
	if b.USDPerRun > 0 {
		text += fmt.Sprintf(", USD %.2f a run", b.USDPerRun)
	}
	if b.TokensPerDay > 0 {
		text += fmt.Sprintf(", %s tokens a day", report.Number(b.TokensPerDay))
	}
	if b.USDPerDay > 0 {
		text += fmt.Sprintf(", USD %.2f a day", b.USDPerDay)
	}
	return text
}

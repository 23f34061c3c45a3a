package pipeline_test

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/internal/pipeline"
	"crosstalk/probes"
	"crosstalk/probes/provider"
)

// recounting is a client whose target has another tokenizer: it counts so many
// tokens for each hundred bytes.
type recounting struct {
	*client
	perHundred int
}

func (c *recounting) Do(ctx context.Context, req *provider.Request) (*provider.Response, error) {
	r, err := c.client.Do(ctx, req)
	if err == nil && r.Usage != nil {
		n := int(req.Prompt.Size()) * c.perHundred / 100
		total := n + *r.Usage.Completion
		r.Usage.Prompt, r.Usage.Total = &n, &total
	}
	return r, err
}

// TestTokenizerChange: when a target that reads its prompts whole counts them
// otherwise from one day on, that is said, and after three rounds its
// calibration is begun anew; a single odd round changes nothing.
func TestTokenizerChange(t *testing.T) {
	c := &recounting{client: &client{answer: func(p *corpus.Prompt) string { return p.Expected() }}, perHundred: 25}
	campaign := newCampaign(t, c.client, probes.Limits{}, pipeline.Item{Probe: probes.Pulse{}, Rounds: 8})
	for tenant := range campaign.Site.Clients {
		campaign.Site.Clients[tenant] = c
	}
	perByte := func() float64 {
		k, err := campaign.Engine.Store.Known(t.Context(), "edge")
		if err != nil {
			t.Fatal(err)
		}
		return k.Calibration["prose"].PerByte
	}
	rounds := func(n int) (changed int) {
		campaign.Items[0].Rounds = n
		outcomes, err := campaign.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range outcomes {
			for _, x := range o.Round.Exchanges {
				if o.Report.Has(x.ID, checks.KindCountChanged) {
					changed++
				}
				if class := o.Report.Verdict(x.ID); class.Worse(checks.Degraded) {
					t.Errorf("a right answer was called %s", class)
				}
			}
		}
		return changed
	}
	near := func(what string, want float64) {
		t.Helper()
		if got := perByte(); got < 0.95*want || got > 1.05*want {
			t.Errorf("%s: %.3f tokens a byte, want about %.3f", what, got, want)
		}
	}

	if n := rounds(8); n != 0 {
		t.Errorf("%d counts were called changed before the change", n)
	}
	near("at first", 0.25)
	c.perHundred = 36
	if n := rounds(1); n == 0 {
		t.Error("a changed count was not noticed")
	}
	c.perHundred = 25
	rounds(1)
	near("after one odd round", 0.25)
	c.perHundred = 36
	if n := rounds(3); n == 0 {
		t.Error("the change was not noticed")
	}
	near("after three rounds", 0.36)
	if n := rounds(4); n != 0 {
		t.Errorf("%d counts are called changed once the new tokenizer is known", n)
	}
}

// TestTokenizerChangeIsOfAllFamilies: three rounds of three families that are
// counted otherwise are enough to begin anew with all nine; the first round of
// each would be a finding otherwise, three times over.
func TestTokenizerChangeIsOfAllFamilies(t *testing.T) {
	c := &recounting{client: &client{answer: func(p *corpus.Prompt) string { return p.Expected() }}, perHundred: 25}
	campaign := newCampaign(t, c.client, probes.Limits{}, pipeline.Item{Probe: probes.Pulse{}})
	campaign.Site.Target.Family = ""
	for tenant := range campaign.Site.Clients {
		campaign.Site.Clients[tenant] = c
	}
	turns := func(rounds int) pipeline.Known {
		for range rounds {
			campaign.Items[0].Rounds = 1
			campaign.Seed++ // the next families
			if _, err := campaign.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		k, err := campaign.Engine.Store.Known(t.Context(), "edge")
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	all := len(corpus.Families())
	if k := turns(4 * all); len(k.Calibration) != all || len(k.CountsChanged) != 0 {
		t.Fatalf("%d families are known, changed %v", len(k.Calibration), k.CountsChanged)
	}
	c.perHundred = 36
	if k := turns(3); len(k.Calibration) >= all || len(k.CountsChanged) != 0 {
		t.Errorf("after three rounds %d families are known, changed %v", len(k.Calibration), k.CountsChanged)
	}
}

// TestKnownForgets: what is kept of a target has bounds, and it is the oldest
// that goes: an id or a lost seal of today is known however many there were.
func TestKnownForgets(t *testing.T) {
	c := &client{answer: func(p *corpus.Prompt) string { return p.Expected() }}
	campaign := newCampaign(t, c, probes.Limits{}, pipeline.Item{Probe: probes.Pulse{}, Rounds: 1})
	ctx, store := t.Context(), campaign.Engine.Store
	k := pipeline.Known{IDs: map[string]uuid.UUID{}, Lost: map[uuid.UUID][]probes.Cell{}}
	for len(k.IDs) < 5000 {
		id := uuid.Must(uuid.NewV7())
		k.IDs[id.String()] = id
		if len(k.Lost) < 100 {
			k.Lost[id] = nil
		}
	}
	outcomes, err := campaign.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Save(ctx, outcomes[0], k); err != nil {
		t.Fatal(err)
	}
	if outcomes, err = campaign.Run(ctx); err != nil {
		t.Fatal(err)
	}
	known, err := store.Known(ctx, "edge")
	if err != nil {
		t.Fatal(err)
	}
	if len(known.IDs) > 4096 || len(known.Lost) > 64 {
		t.Errorf("%d ids and %d lost seals are kept", len(known.IDs), len(known.Lost))
	}
	for _, x := range outcomes[0].Round.Exchanges {
		if known.IDs[x.Response.ID] != x.ID {
			t.Error("the id of the newest exchange is not known")
		}
	}
}

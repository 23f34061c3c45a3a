package main

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"filippo.io/age"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"crosstalk/checks"
	"crosstalk/internal/config"
	"crosstalk/internal/evidence"
	"crosstalk/internal/pipeline"
	"crosstalk/internal/report"
	"crosstalk/probes"
	"crosstalk/probes/provider"
)

// captured runs a short plan against an engine and returns the records of what
// was found, the engine that judged and the outcomes. parse is the dialect or a
// broken one.
func captured(t *testing.T, row faultRow, parse evidence.Parser) ([]*evidence.Record, *pipeline.Engine, []*report.Outcome, []string) {
	t.Helper()
	s := newSimulated(t, row.options(t, 1, 0))
	e, _, _ := testEnv("")
	cfg, err := config.Load(s.config, config.Options{LookupEnv: e.lookup})
	if err != nil {
		t.Fatal(err)
	}
	site, err := newSite(cfg, cfg.Targets[0])
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	codec, _, err := ephemeralCodec()
	if err != nil {
		t.Fatal(err)
	}
	engine, _ := newEngine(e, codec, probes.Limits{}, func(string) probes.Pricing { return probes.Pricing{} })
	var (
		mu      sync.Mutex
		records []*evidence.Record
		doubts  []string
	)
	engine.Parse = parse
	engine.Keep = func(_ context.Context, r *evidence.Record) {
		mu.Lock()
		defer mu.Unlock()
		records = append(records, r)
	}
	engine.Doubt = func(_ context.Context, _, detail string) { doubts = append(doubts, detail) }
	campaign := &pipeline.Campaign{Engine: engine, Site: site, Seed: 1, Items: []pipeline.Item{
		{Probe: probes.Pulse{}, Rounds: 1}, {Probe: probes.Burst{Size: 8}, Rounds: 1}, {Probe: probes.SeedWatch{}, Rounds: 2},
	}}
	outcomes, err := campaign.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return records, engine, outcomes, doubts
}

// TestJudgedAgain: what is found in an answer of any fault is found again in its
// record, by the pipeline before it is called and after the record was sealed and
// opened. With a decoder that loses the content the second judgement differs:
// then nothing is called, and the prober is doubted.
func TestJudgedAgain(t *testing.T) {
	text, recipient, err := evidence.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	identities, err := age.ParseIdentities(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	sealer, err := evidence.NewSealer(recipient)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range faultTable() {
		name := row.fault
		if row.strangers > 0 {
			name += ",strangers"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			records, engine, _, doubts := captured(t, row, parseAnswer)
			if len(doubts) > 0 {
				t.Errorf("doubted: %q", doubts)
			}
			if len(records) == 0 {
				t.Fatal("the fault left no record")
			}
			for _, r := range records {
				sealed, err := sealer.Seal(r)
				if err != nil {
					t.Fatal(err)
				}
				opened, err := evidence.Open(sealed, identities...)
				if err != nil {
					t.Fatal(err)
				}
				again, err := opened.Judge(engine.Codec, parseAnswer, checks.All())
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(r.Report, again, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%s: judged again it differs (-first +again):\n%s", r.Label.Class, diff)
				}
			}
		})
	}
	t.Run("broken decoder", func(t *testing.T) {
		blank := func(api string, status int, header http.Header, body []byte) (*provider.Response, error) {
			r, err := parseAnswer(api, status, header, body)
			if err == nil {
				r.Content, r.Reasoning, r.Extra = "", "", nil
			}
			return r, err
		}
		_, _, outcomes, doubts := captured(t, faultTable()[0], blank)
		if len(doubts) == 0 || !strings.Contains(doubts[0], "judged again from its bytes") {
			t.Errorf("doubts are %q", doubts)
		}
		for _, o := range outcomes {
			if c := o.Report.Class(); c == checks.Leak || c == checks.Foreign {
				t.Errorf("a round is called %s though it did not come out the same way twice", c)
			}
		}
	})
}

package pipeline_test

import (
	"net/http"
	"strings"
	"testing"

	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/internal/pipeline"
	"crosstalk/probes"
	"crosstalk/probes/provider"
)

// failing is a response without an answer.
func failing(status int, kind provider.FailureKind, message string) *provider.Response {
	return &provider.Response{Status: status, Header: http.Header{}, Failure: &provider.Failure{Kind: kind, Message: message}}
}

// TestGivesUp: a campaign against a target that never answers, or answers
// nobody, ends after a few requests and says why.
func TestGivesUp(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer *provider.Response
		sent   int // by the two tenants together
		want   []string
	}{
		{
			"timeout", failing(0, provider.FailureTimeout, "no response header within 1m52s"), 10,
			[]string{`5 rounds in a row decided nothing: timeout: "no response header within 1m52s"; is the target up?`},
		},
		{"network", failing(0, provider.FailureNetwork, "connection refused"), 10, []string{"network", "is the target up?"}},
		{
			"401", failing(401, provider.FailureAuth, "Invalid API key"), 4,
			[]string{`every tenant`, `alpha with status 401 (auth: "Invalid API key")`, "bravo with status 401", "check the tenants' credentials"},
		},
		{"402", failing(402, provider.FailurePayment, strings.Repeat("pay ", 200)), 4, []string{"alpha with status 402", `…"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &client{refuse: func(int) *provider.Response { return tt.answer }}
			campaign := newCampaign(t, c, probes.Limits{}, pipeline.Item{Probe: probes.Pulse{}, Rounds: 50})
			outcomes, err := campaign.Run(t.Context())
			if err == nil {
				t.Fatalf("the campaign went on for %d rounds", len(outcomes))
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not say %q", err, part)
				}
			}
			if len(err.Error()) > 1000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			if len(c.sent) != tt.sent {
				t.Errorf("%d requests were sent, want %d", len(c.sent), tt.sent)
			}
		})
	}
}

// TestPatience: troubles that pass, or that are not of the target's being away,
// end no campaign.
func TestPatience(t *testing.T) {
	answer := func(p *corpus.Prompt) string { return p.Expected() }
	for name, refuse := range map[string]func(n int) *provider.Response{
		"a restart": func(n int) *provider.Response {
			if n%10 != 0 {
				return failing(0, provider.FailureNetwork, "connection refused")
			}
			return nil
		},
		"a key changed": func(n int) *provider.Response {
			if n <= 2 {
				return failing(401, provider.FailureAuth, "Invalid API key")
			}
			return nil
		},
		"overloaded": func(int) *provider.Response { return failing(503, provider.FailureOverload, "busy") },
	} {
		t.Run(name, func(t *testing.T) {
			c := &client{answer: answer, refuse: refuse}
			outcomes, err := newCampaign(t, c, probes.Limits{}, pipeline.Item{Probe: probes.Pulse{}, Rounds: 20}).Run(t.Context())
			if err != nil || len(outcomes) != 20 {
				t.Errorf("%d rounds took place, error %v", len(outcomes), err)
			}
		})
	}
}

// TestRefusedTenantIsLeftOut: a tenant refused twice sends nothing more, the
// other goes on.
func TestRefusedTenantIsLeftOut(t *testing.T) {
	good := &client{answer: func(p *corpus.Prompt) string { return p.Expected() }}
	bad := &client{refuse: func(int) *provider.Response { return failing(403, provider.FailureAuth, "not for you") }}
	campaign := newCampaign(t, good, probes.Limits{}, pipeline.Item{Probe: probes.Pulse{}, Rounds: 20})
	campaign.Site.Clients["alpha"] = bad
	outcomes, err := campaign.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(bad.sent) != 2 || len(good.sent) != 20 {
		t.Errorf("alpha sent %d requests and bravo %d, want 2 and 20", len(bad.sent), len(good.sent))
	}
	if n := classes(outcomes)[checks.Inconclusive]; n != 20 {
		t.Errorf("%d exchanges were not decided, want all 20 of alpha", n)
	}
	last := outcomes[19].Round.Exchanges
	for _, x := range last {
		if x.Intent.Tenant == "alpha" && (x.SkipReason() != probes.SkipTenant || !strings.Contains(x.Skipped, "status 403")) {
			t.Errorf("skipped for %q", x.Skipped)
		}
	}
}

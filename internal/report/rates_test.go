package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/internal/rates"
	"crosstalk/internal/report"
	"crosstalk/probes"
)

// A cell that misses far more than a healthy model is named with its p-value and
// interval; confirming rounds and what could not be told do not count; one bad
// tenant of several is named by itself.
func TestDegradedCells(t *testing.T) {
	miss := checks.Finding{Check: "recall", Kind: checks.KindLostSeal, Class: checks.Damaged, Detail: "seal 2 is not in the answer"}
	refused := checks.Finding{Check: "answer", Kind: "refusal", Class: checks.Inconclusive, Detail: "a refusal"}
	other := checks.Finding{Check: "usage", Kind: "absent", Class: checks.Damaged, Detail: "no usage"}
	campaign := func(confirms uuid.UUID, finding func(round int, tenant string) checks.Finding) []*report.Outcome {
		var run []*report.Outcome
		for n := range 12 {
			var list []exchange
			for _, tenant := range []string{"alpha", "bravo", "carol", "delta"} {
				list = append(list, exchange{tenant, probes.RoleMain, 400, short, "", []checks.Finding{finding(n, tenant)}})
			}
			run = append(run, outcome("pulse", byte(20*n), confirms, list...))
		}
		return run
	}
	always := func(f checks.Finding) func(int, string) checks.Finding {
		return func(int, string) checks.Finding { return f }
	}
	tests := []struct {
		name string
		run  []*report.Outcome
		want string // signs, and whom
	}{
		{"sound", campaign(uuid.Nil, always(sound)), ""},
		{"all missed", campaign(uuid.Nil, always(miss)), "rate"},
		{"confirming rounds", campaign(id(1), always(miss)), ""},
		{"could not tell", campaign(uuid.Nil, always(refused)), ""},
		{"other damage", campaign(uuid.Nil, always(other)), ""},
		{"the one asked for", campaign(uuid.Nil, always(lost)), "rate"},
		{"one miss", campaign(uuid.Nil, func(n int, tenant string) checks.Finding {
			if n == 3 && tenant == "bravo" {
				return miss
			}
			return sound
		}), ""},
		{"one bad tenant", campaign(uuid.Nil, func(_ int, tenant string) checks.Finding {
			if tenant == "carol" {
				return miss
			}
			return sound
		}), "rate, identity carol"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := summary(test.run...)
			var signs []string
			for _, d := range s.DegradedCells {
				sign := string(d.Sign)
				if d.Sign == rates.SignIdentity {
					sign += " " + d.Identity
				}
				if d.Cell != short || d.P <= 0 || d.P > rates.DefaultAlpha || d.Low > d.High {
					t.Errorf("degradation %+v", d)
				}
				signs = append(signs, sign)
			}
			if got := strings.Join(signs, ", "); got != test.want {
				t.Errorf("signs %q, want %q", got, test.want)
			}
			var text bytes.Buffer
			if err := s.Text(&text); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(text.String(), "degraded cell, by "); got != (test.want != "") {
				t.Errorf("text:\n%s", text.String())
			}
		})
	}
}

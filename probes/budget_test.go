package probes

import (
	"errors"
	"math"
	"testing"
)

func TestSpend(t *testing.T) {
	plan := planOf([]Intent{short("alpha"), short("bravo")}, []Intent{long("alpha")})
	pricing := Pricing{Input: 0.60, CachedInput: 0.11, Output: 2.20}

	if got, want := plan.Tokens(), int64(300+300+200_000+3*100); got != want {
		t.Errorf("Tokens = %d, want %d", got, want)
	}
	near(t, "Cost", plan.Cost(pricing), (300+300+200_000)*0.60e-6+3*100*2.20e-6)

	most := plan.Spend(pricing)
	if want := int64(310 + 310 + 201_000 + 3*100); most.Tokens != want {
		t.Errorf("Spend = %d tokens, want %d", most.Tokens, want)
	}
	near(t, "Spend", most.USD, (310+310+201_000)*0.60e-6+3*100*2.20e-6)
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("%s = %g USD, want %g", what, got, want)
	}
}

func TestLimitsAdmit(t *testing.T) {
	limits := Limits{TokensPerRun: 1000, USDPerRun: 1, TokensPerDay: 5000, USDPerDay: 3}
	tests := map[string]struct {
		limits         Limits
		run, day, more Spend
		want           string // "" if admitted
	}{
		"no caps":       {Limits{}, Spend{1e9, 1e9}, Spend{1e9, 1e9}, Spend{1e9, 1e9}, ""},
		"to the brim":   {limits, Spend{900, 0.5}, Spend{4900, 2.5}, Spend{100, 0.5}, ""},
		"tokens of run": {limits, Spend{900, 0}, Spend{900, 0}, Spend{101, 0}, "budget used up: 1001 tokens of this run are above the cap of 1000"},
		"money of run":  {limits, Spend{0, 0.75}, Spend{0, 0.75}, Spend{0, 0.5}, "budget used up: 1.25 USD of this run are above the cap of 1.00"},
		"tokens of day": {limits, Spend{}, Spend{4500, 0}, Spend{501, 0}, "budget used up: 5001 tokens of this day are above the cap of 5000"},
		"money of day":  {limits, Spend{}, Spend{0, 2.75}, Spend{0, 0.5}, "budget used up: 3.25 USD of this day are above the cap of 3.00"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := tt.limits.Admit(tt.run, tt.day, tt.more)
			if tt.want == "" {
				if err != nil {
					t.Errorf("not admitted: %v", err)
				}
				return
			}
			if err == nil || err.Error() != tt.want || !errors.Is(err, ErrBudget) {
				t.Errorf("got error  %v\nwant error %s", err, tt.want)
			}
		})
	}
}

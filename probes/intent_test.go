package probes

import (
	"testing"

	"crosstalk/corpus"
)

// TestBind: the exact size moves the interval and takes out of it what came
// from not knowing the key, so that a step near the limit becomes definite.
func TestBind(t *testing.T) {
	s := newState(t, 1<<20, evenly(0.22, 0.0001))
	s.Target.Family = "prose"
	plan, err := OverLength{}.Plan(1, s)
	if err != nil {
		t.Fatal(err)
	}
	definite := func(name string, factor float64) Expect {
		for _, step := range plan.Steps {
			if step.Name != name {
				continue
			}
			in := step.Intents[0]
			if in.Expect != ExpectEither {
				t.Errorf("%s is planned as %q", name, in.Expect)
			}
			bound := in.bind(int64(float64(in.Bytes) * factor))
			if bound.TokensHigh-bound.TokensLow >= in.TokensHigh-in.TokensLow {
				t.Errorf("%s: %d - %d is no narrower than %d - %d", name, bound.TokensLow, bound.TokensHigh, in.TokensLow, in.TokensHigh)
			}
			if bound.TokensLow > bound.Tokens || bound.Tokens > bound.TokensHigh {
				t.Errorf("%s: %d is not in %d - %d", name, bound.Tokens, bound.TokensLow, bound.TokensHigh)
			}
			return bound.Expect
		}
		t.Fatalf("there is no step %s", name)
		return ""
	}
	if got := definite("-0.4%", 1); got != ExpectAnswer {
		t.Errorf("0.4 %% below the limit expects %q", got)
	}
	if got := definite("+0.4%", 1); got != ExpectRefusal {
		t.Errorf("0.4 %% above the limit expects %q", got)
	}
	if got := definite("+0.4%", 0.996); got != ExpectEither {
		t.Errorf("a prompt that came out just short of the limit, with no room for the answer, expects %q", got)
	}
}

// TestExpect: between "the answer surely fits" and "the prompt surely does not",
// both outcomes are lawful.
func TestExpect(t *testing.T) {
	tests := []struct {
		low, high int
		want      Expect
	}{
		{800, 900, ExpectAnswer},
		{800, 901, ExpectEither},
		{950, 990, ExpectEither}, // the prompt fits, the answer does not
		{1000, 1100, ExpectEither},
		{1001, 1100, ExpectRefusal},
	}
	for _, tt := range tests {
		if got := expect(tt.low, tt.high, 100, 1000); got != tt.want {
			t.Errorf("expect(%d - %d) = %q, want %q", tt.low, tt.high, got, tt.want)
		}
	}
}

// TestSizeSlack: the exact sizes of real prompts stay within the slack that
// plans allow for them, and use more than a quarter of it.
func TestSizeSlack(t *testing.T) {
	minter := &countingMinter{}
	for _, family := range corpus.Families() {
		for _, sentences := range []int{1, 3, 10, 100, 1000} {
			spec := short("alpha").Spec
			spec.Family, spec.Sentences, spec.Seals = family.Name, sentences, 5
			mean := corpus.EstimateBytes(spec)
			slack, worst := sizeSlack(spec, mean), int64(0)
			for range 60 {
				_, prompt, err := minter.Mint(1, spec)
				if err != nil {
					t.Fatal(err)
				}
				worst = max(worst, prompt.Size()-mean, mean-prompt.Size())
			}
			if worst > slack || worst < slack/4 {
				t.Errorf("%s, %d sentences: sizes stray by up to %d bytes from %d, %d are allowed for", family.Name, sentences, worst, mean, slack)
			}
		}
	}
}

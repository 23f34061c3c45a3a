package checks

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"crosstalk/probes"
	"crosstalk/probes/provider"
)

func TestClassText(t *testing.T) {
	t.Parallel()
	for _, c := range Classes() {
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var back Class
		if err := json.Unmarshal(text, &back); err != nil || back != c {
			t.Errorf("%s: came back as %v, %v", text, back, err)
		}
	}
	var c Class
	if err := json.Unmarshal([]byte(`"fine"`), &c); err == nil || !strings.Contains(err.Error(), `"fine"`) {
		t.Errorf("unknown class: error %v, want one that names it", err)
	}
	if c != Inconclusive || Class(200).Worse(Damaged) || !Class(200).Worse(Sound) {
		t.Error("what is not a class must be inconclusive")
	}
}

func TestClassOrder(t *testing.T) {
	t.Parallel()
	classes := Classes()
	for i, c := range classes {
		for j, d := range classes {
			if got := c.Worse(d); got != (i < j) {
				t.Errorf("%s.Worse(%s) = %v", c, d, got)
			}
		}
	}
}

// says is a check that returns fixed findings for every exchange.
type says []Finding

func (says) Name() string { return "says" }

func (c says) Run(in *Input) []Finding {
	return in.each("says", func(*subject) []Finding { return append([]Finding(nil), c...) })
}

// panics is a check that does not finish on answers that contain "bomb".
type panics struct{}

func (panics) Name() string { return "panics" }

func (panics) Run(in *Input) []Finding {
	return in.each("panics", func(s *subject) []Finding {
		if strings.Contains(s.r.Content, "bomb") {
			panic("text of a stranger: " + s.r.Content)
		}
		return []Finding{{Kind: "seen", Class: Leak}}
	})
}

type panicsWhole struct{}

func (panicsWhole) Name() string { return "panicsWhole" }

func (panicsWhole) Run(in *Input) []Finding { panic(in) }

func TestVerdict(t *testing.T) {
	t.Parallel()
	sound, degraded := Finding{Kind: "ok", Class: Sound}, Finding{Kind: "rate", Class: Degraded}
	damaged, unsure := Finding{Kind: "lost", Class: Damaged}, Finding{Kind: "budget", Class: Inconclusive}
	response := &provider.Response{Status: 200}
	tests := []struct {
		name     string
		x        probes.Exchange
		findings says
		want     Verdict
	}{
		{"nothing said", probes.Exchange{Response: response}, nil, Verdict{Class: Inconclusive, Reason: "undecided"}},
		{"sound", probes.Exchange{Response: response}, says{sound}, Verdict{Class: Sound, Reason: "ok"}},
		{"a rate beside sound", probes.Exchange{Response: response}, says{degraded, sound}, Verdict{Class: Degraded, Reason: "rate"}},
		{"a rate alone decides nothing", probes.Exchange{Response: response}, says{degraded}, Verdict{Class: Inconclusive, Reason: "undecided"}},
		{"unsure beside sound", probes.Exchange{Response: response}, says{sound, unsure}, Verdict{Class: Inconclusive, Reason: "budget"}},
		{"unsure alone", probes.Exchange{Response: response}, says{unsure}, Verdict{Class: Inconclusive, Reason: "budget"}},
		{"worst wins", probes.Exchange{Response: response}, says{sound, unsure, damaged, degraded}, Verdict{Class: Damaged, Reason: "lost"}},
		{"not sent", probes.Exchange{Skipped: "budget spent"}, says{sound}, Verdict{Class: Inconclusive, Reason: "budget spent"}},
		{
			"failed",
			probes.Exchange{Response: &provider.Response{Status: 429, Failure: &provider.Failure{Kind: provider.FailureRateLimit}}},
			nil,
			Verdict{Class: Inconclusive, Reason: "ratelimit"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x := tt.x
			x.ID = uuid.UUID{1}
			tt.want.Exchange = x.ID
			r := Run(Input{Round: &probes.Round{Exchanges: []*probes.Exchange{&x}}}, []Check{tt.findings})
			if diff := cmp.Diff([]Verdict{tt.want}, r.Verdicts); diff != "" {
				t.Errorf("verdict (-want +got):\n%s", diff)
			}
			if r.Class() != tt.want.Class || r.Verdict(x.ID) != tt.want.Class {
				t.Errorf("class of the round %s, want %s", r.Class(), tt.want.Class)
			}
		})
	}
}

// TestPanicIsContained: what a check saw elsewhere is kept, the exchange it
// failed on is not sound, and the finding does not repeat the text.
func TestPanicIsContained(t *testing.T) {
	t.Parallel()
	good := &probes.Exchange{ID: uuid.UUID{1}, Response: &provider.Response{Content: "fine"}}
	bad := &probes.Exchange{ID: uuid.UUID{2}, Response: &provider.Response{Content: "bomb"}}
	round := &probes.Round{Exchanges: []*probes.Exchange{good, bad}}
	r := Run(Input{Round: round}, []Check{says{{Kind: "ok", Class: Sound}}, panics{}})
	if r.Verdict(good.ID) != Leak || r.Verdict(bad.ID) != Inconclusive || !r.Has(bad.ID, KindPanic) {
		t.Errorf("verdicts %+v", r.Verdicts)
	}
	for _, f := range r.Findings {
		if strings.Contains(f.Detail, "bomb") {
			t.Errorf("the finding repeats the text: %q", f.Detail)
		}
	}
	r = Run(Input{Round: round}, []Check{says{{Kind: "ok", Class: Sound}}, panicsWhole{}})
	if r.Verdict(good.ID) != Inconclusive || r.Verdict(bad.ID) != Inconclusive {
		t.Errorf("after a check that did not finish at all: %+v", r.Verdicts)
	}
}

func TestEmptyRound(t *testing.T) {
	t.Parallel()
	if r := Run(Input{}, All()); r.Class() != Inconclusive || len(r.Verdicts) != 0 {
		t.Errorf("no round: %+v", r)
	}
	if r := Run(Input{Round: &probes.Round{}}, All()); r.Class() != Inconclusive {
		t.Errorf("empty round: %s", r.Class())
	}
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	const want = "amber kettle\nbasil lantern"
	for _, text := range []string{
		"amber kettle\nbasil lantern",
		"1: amber kettle\n2: basil lantern",
		"1. Amber Kettle\r\n\r\n2. Basil Lantern\r\n",
		"(1) amber kettle\n(2) basil lantern",
		"Seal 1: amber kettle\nSeal 2: basil lantern",
		"2: amber kettle\n1: basil lantern",
		"- **1:** amber kettle\n- **2:** basil lantern",
		"* `amber kettle`\n* `basil lantern`",
		"```text\n1: amber kettle\n2: basil lantern\n```",
		"> 1: \"amber kettle\"\n> 2: “basil lantern”",
		"  amber   kettle \n\tbasil lantern",
		"ａｍｂｅｒ kett\u00adle\nbasil\u200b lantern",
	} {
		if got := Normalize(text); got != want {
			t.Errorf("Normalize(%q) = %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{
		"amber kettle basil lantern",        // line ends count
		"amber kettle\nbasil lantern.",      // punctuation counts
		"1: amber kettle\n3: basil lantern", // not numbering
		"amber-kettle\nbasil lantern",
	} {
		if got := Normalize(text); got == want {
			t.Errorf("Normalize(%q) = %q: too much is stripped", text, got)
		}
	}
}

func FuzzNormalize(f *testing.F) {
	f.Add("1: **amber** kettle\n```\n> 2) \"basil\"")
	f.Add("\xff\xfe 3: x")
	f.Fuzz(func(t *testing.T, text string) {
		got := Normalize(text)
		if got != strings.TrimSpace(got) || strings.Contains(got, "\n\n") {
			t.Errorf("Normalize(%q) = %q: blank edges or lines", text, got)
		}
		if again := Normalize(strings.ReplaceAll(text, "\n", "\r\n\n")); again != got {
			t.Errorf("Normalize(%q) = %q, with other line ends %q", text, got, again)
		}
	})
}

func TestCopyError(t *testing.T) {
	t.Parallel()
	tests := []struct{ got, want, kind string }{
		{"a b c", "a b c", ""},
		{"a b c c", "a b c", "doubled"},
		{"a a b c", "a b c", "doubled"},
		{"b c", "a b c", "dropped"},
		{"a b", "a b c", "dropped"},
		{"a x c", "a b c", "changed"},
		{"a b c d", "a b c", "added"},
		{"x y", "a b", ""},
		{"5", "4", ""},
		{"", "a b", ""},
	}
	for _, tt := range tests {
		if kind := copyError(tt.got, tt.want); kind != tt.kind {
			t.Errorf("copyError(%q, %q) = %q, want %q", tt.got, tt.want, kind, tt.kind)
		}
	}
}

func TestLossPattern(t *testing.T) {
	t.Parallel()
	for want, lost := range map[string][]int{
		"all": {0, 1, 2, 3, 4}, "head": {0, 1}, "tail": {4}, "middle": {1, 2, 3}, "scattered": {0, 3},
	} {
		if got := pattern(lost, 5); got != want {
			t.Errorf("pattern(%v) = %s, want %s", lost, got, want)
		}
	}
}

func TestNoiseShare(t *testing.T) {
	t.Parallel()
	noise := []string{
		strings.Repeat("@", 31),
		strings.Repeat("the ", 40),
		"the the harbour of the of and of in of the to and of of the in of and of the of the in of the of",
		strings.Repeat("<unused24>", 9),
		"0,2.4,508. 0611 7.0 3333,0.9,4.1020. 0,5151..7,00,8.",
		"Der code ist 七 apples की the 그래서 value of при needle है the 14 ouvrir",
		"很抱歉\ufffd\ufffd看\ufffd\ufffd时数\ufffd据您\ufffd\ufffd",
		"",
	}
	for _, text := range noise[:len(noise)-1] {
		if got := noiseShare(text); got < 0.5 {
			t.Errorf("noiseShare(%.40q) = %.2f, want noise", text, got)
		}
	}
	for _, text := range append(strangerTexts(), "") {
		if got := noiseShare(text); got > 0.1 {
			t.Errorf("noiseShare(%.40q) = %.2f, want none", text, got)
		}
	}
}

// strangerTexts are texts that people wrote, hard ones among them.
func strangerTexts() []string {
	return []string{
		"The dragon circled the burning tower while Carla crouched beneath the shattered drawbridge.",
		`{"customer": "Priya", "invoice": 48, "items": [{"sku": "lamp-oak", "qty": 2, "price": 49.5}]}`,
		"2026-03-14 08:14:22 WARN gateway: retrying upstream payments after socket hangup, shard blue.",
		"患者今年四十七岁，使用 MRI 检查后发现 L4 和 L5 椎间盘突出，建议口服 NSAID 并复查。",
		"Der Mechaniker prüfte Bremsen, Kupplung und Auspuff, bevor er das Fahrzeug übergab.",
	}
}

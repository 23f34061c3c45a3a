package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/internal/report"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// exchange is an exchange of a made-up run with the verdict it got.
type exchange struct {
	tenant   string
	role     probes.Role
	tokens   int
	cell     probes.Cell
	skipped  string
	findings []checks.Finding
}

func id(n byte) uuid.UUID {
	u := uuid.MustParse("01932f00-0000-7000-8000-000000000000")
	u[15] = n
	return u
}

// outcome makes the outcome of a round of the given exchanges; n numbers them.
func outcome(probe string, n byte, confirms uuid.UUID, list ...exchange) *report.Outcome {
	o := &report.Outcome{Round: &probes.Round{ID: id(n), Plan: probes.Plan{Probe: probe, Target: "edge", Confirm: confirms}}}
	for i, e := range list {
		x := &probes.Exchange{
			ID: id(n + 1 + byte(i)), Skipped: e.skipped,
			Intent: probes.Intent{
				Tenant: e.tenant, Role: e.role, Tokens: e.tokens, MaxTokens: 300, Cell: e.cell,
				Spec: corpus.Spec{Family: "prose"}, Expect: probes.ExpectAnswer,
			},
		}
		if e.skipped == "" {
			x.Response = &provider.Response{Status: 200, Times: provider.Times{FirstContent: time.Second, End: 2 * time.Second}}
		}
		verdict := checks.Inconclusive
		for k, f := range e.findings {
			f.Exchange = x.ID
			if k == 0 || f.Class.Worse(verdict) {
				verdict = f.Class
			}
			o.Report.Findings = append(o.Report.Findings, f)
		}
		o.Round.Exchanges = append(o.Round.Exchanges, x)
		o.Report.Verdicts = append(o.Report.Verdicts, checks.Verdict{Exchange: x.ID, Class: verdict})
	}
	return o
}

var (
	short = probes.Cell{Target: "edge", Probe: "pulse", Length: "<=4k", Concurrency: "2-8"}
	long  = probes.Cell{Target: "edge", Probe: "top", Length: "window", Concurrency: "1", Stream: true}
	sound = checks.Finding{Check: "answer", Kind: "exact", Class: checks.Sound, Detail: "the known answer"}
	leak  = checks.Finding{
		Check: "foreignmarker", Kind: "marker", Class: checks.Leak, Channel: checks.ChannelContent, Offset: 3, Length: 83, PChance: 4e-18,
		Origin: &checks.Origin{Tenant: 1, Payload: tenants.Payload{Tenant: 1, Second: 28857600, Draw: 7}, Exchange: id(99), PromptOffset: 1284991, Marker: 2},
		Detail: "marker 2 of another tenant's request",
	}
	lost = checks.Finding{Check: "recall", Kind: checks.KindLostAskedSeal, Class: checks.Inconclusive, Detail: "the seal asked for first is missing"}
)

func summary(outcomes ...*report.Outcome) *report.Summary {
	start := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	return report.Summarize(report.Header{
		Command: "validate", Version: "v0.1.0", Target: "edge", Model: "glm-5.3", Seed: 7,
		Started: start, Ended: start.Add(12400 * time.Millisecond),
	}, outcomes, map[uint16]string{1: "alpha", 2: "bravo"}, probes.Pricing{Input: 0.6, Output: 2.2})
}

func leaky() *report.Summary {
	return summary(
		outcome("pulse", 10, uuid.Nil, exchange{"alpha", probes.RoleMain, 400, short, "", []checks.Finding{sound}}, exchange{"bravo", probes.RoleMain, 400, short, "", []checks.Finding{sound}}),
		outcome("top", 20, uuid.Nil, exchange{"bravo", probes.RoleMain, 1_000_000, long, "", []checks.Finding{leak}}, exchange{"alpha", probes.RoleMain, 1_000_000, long, "backoff", nil}),
	)
}

func TestFormats(t *testing.T) {
	for _, format := range report.Formats() {
		t.Run(format, func(t *testing.T) {
			var got bytes.Buffer
			if err := leaky().Write(&got, format); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", "leak."+format)
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("%s differs (-want +got), -update rewrites it:\n%s", golden, diff)
			}
		})
	}
	if err := leaky().Write(&bytes.Buffer{}, "yaml"); err == nil {
		t.Error("an unknown format was written")
	}
}

// TestFormatsParse reads the machine formats back: well formed, and the numbers
// are the summary's.
func TestFormatsParse(t *testing.T) {
	s := leaky()
	var buf bytes.Buffer
	if err := s.Write(&buf, "junit"); err != nil {
		t.Fatal(err)
	}
	var suite struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
	}
	if err := xml.Unmarshal(buf.Bytes(), &suite); err != nil {
		t.Fatal(err)
	}
	if suite.Tests != 2 || suite.Failures != 1 {
		t.Errorf("junit says %d tests, %d failures, want 2 and 1", suite.Tests, suite.Failures)
	}
	for _, format := range []string{"json", "sarif"} {
		buf.Reset()
		if err := s.Write(&buf, format); err != nil {
			t.Fatal(err)
		}
		if !json.Valid(buf.Bytes()) {
			t.Errorf("%s is not JSON", format)
		}
	}
}

func TestExitCode(t *testing.T) {
	damaged := checks.Finding{Check: "recall", Kind: "lost_seal", Class: checks.Damaged}
	foreign := checks.Finding{Check: "contact", Kind: "nocontact", Class: checks.Foreign}
	degraded := checks.Finding{Check: "identity", Kind: "id_reuse", Class: checks.Degraded}
	one := func(fs ...checks.Finding) exchange {
		return exchange{"alpha", probes.RoleMain, 400, short, "", fs}
	}
	for _, tt := range []struct {
		name     string
		outcomes []*report.Outcome
		want     int
	}{
		{"nothing at all", nil, report.ExitInconclusive},
		{"sound", []*report.Outcome{outcome("pulse", 1, uuid.Nil, one(sound))}, report.ExitSound},
		{"degraded", []*report.Outcome{outcome("pulse", 1, uuid.Nil, one(degraded, sound))}, report.ExitSound},
		{"damaged", []*report.Outcome{outcome("pulse", 1, uuid.Nil, one(damaged), one(sound))}, report.ExitDamaged},
		{"foreign", []*report.Outcome{outcome("pulse", 1, uuid.Nil, one(foreign), one(damaged))}, report.ExitLeak},
		{"leak", []*report.Outcome{outcome("pulse", 1, uuid.Nil, one(leak))}, report.ExitLeak},
		{"nothing decided", []*report.Outcome{outcome("pulse", 1, uuid.Nil, one())}, report.ExitInconclusive},
		{"four of five decided", []*report.Outcome{outcome("pulse", 1, uuid.Nil, one(sound), one(sound), one(sound), one(sound), one())}, report.ExitSound},
		{"three of four decided", []*report.Outcome{outcome("pulse", 1, uuid.Nil, one(sound), one(sound), one(sound), one())}, report.ExitInconclusive},
		{"one cell of two undecided", []*report.Outcome{
			outcome("pulse", 1, uuid.Nil, one(sound)),
			outcome("top", 20, uuid.Nil, exchange{"alpha", probes.RoleMain, 1_000_000, long, "", nil}),
		}, report.ExitInconclusive},
		{"lost seal found again", []*report.Outcome{
			outcome("top", 1, uuid.Nil, exchange{"alpha", probes.RoleMain, 1_000_000, long, "", []checks.Finding{lost}}),
			outcome("top", 20, id(1), exchange{"alpha", probes.RoleMain, 1_000_000, long, "", []checks.Finding{sound}}),
		}, report.ExitSound},
		{"lost seal not asked again", []*report.Outcome{
			outcome("top", 1, uuid.Nil, exchange{"alpha", probes.RoleMain, 1_000_000, long, "", []checks.Finding{lost}}),
		}, report.ExitInconclusive},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := summary(tt.outcomes...).ExitCode; got != tt.want {
				t.Errorf("exit code %d, want %d", got, tt.want)
			}
		})
	}
}

// TestDroppedIsNotCovered: an exchange that was planned and not sent must not
// vanish from its cell.
func TestDroppedIsNotCovered(t *testing.T) {
	o := outcome("top", 1, uuid.Nil, exchange{"alpha", probes.RoleMain, 1_000_000, long, "", []checks.Finding{sound}})
	o.Dropped = []probes.Intent{{Tenant: "bravo", Cell: long}}
	s := summary(o)
	if len(s.Cells) != 1 || s.Cells[0].Planned != 2 || s.Cells[0].Decided != 1 || s.Cells[0].Enough {
		t.Errorf("cell is %+v, want 1 of 2 decided and not enough", s.Cells)
	}
	if s.ExitCode != report.ExitInconclusive {
		t.Errorf("exit code %d, want %d", s.ExitCode, report.ExitInconclusive)
	}
}

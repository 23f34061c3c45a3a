package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/internal/report"
	"crosstalk/probes"
)

// written is the summary in a format.
func written(t *testing.T, s *report.Summary, format string) string {
	t.Helper()
	var buf bytes.Buffer
	if err := s.Write(&buf, format); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// mustHold fails unless the text holds every passage.
func mustHold(t *testing.T, text string, passages ...string) {
	t.Helper()
	for _, p := range passages {
		if !strings.Contains(text, p) {
			t.Errorf("no %q in:\n%s", p, text)
		}
	}
}

// TestOneTenant: where one tenant sent everything, no number speaks of leaks
// between tenants.
func TestOneTenant(t *testing.T) {
	s := summary(outcome("pulse", 1, uuid.Nil, exchange{"alpha", probes.RoleMain, 400, short, "", []checks.Finding{sound}}))
	text := written(t, s, "text")
	mustHold(t, text, "foreign only: < 95 %", "verdict: sound (exit 0); leaks between tenants were not tested: one tenant", "routes: 1 tenant was sent from")
	mustHold(t, written(t, s, "markdown"), "foreign only: < 95 %", "leaks between tenants were not tested: one tenant", "Routes: 1 tenant")
	if two := written(t, leaky(), "text"); strings.Contains(two, "foreign only") {
		t.Errorf("two tenants are called one:\n%s", two)
	}
}

// TestNeverBegun: rounds that an early end left undone are planned, not
// decided, and keep the run from being sound.
func TestNeverBegun(t *testing.T) {
	s := summary(outcome("pulse", 1, uuid.Nil, exchange{"alpha", probes.RoleMain, 400, short, "", []checks.Finding{sound}}, exchange{"bravo", probes.RoleMain, 400, short, "", []checks.Finding{sound}}))
	s.AddPlanned(probes.Plan{Probe: "pulse", Steps: []probes.Step{{Intents: []probes.Intent{{Cell: short}}}}}, 0)
	if s.ExitCode != report.ExitSound {
		t.Fatalf("exit code %d after no round was added", s.ExitCode)
	}
	s.AddPlanned(probes.Plan{Probe: "seedwatch", Steps: []probes.Step{{Intents: []probes.Intent{{Cell: long}, {Cell: long}}}}}, 2)
	if s.ExitCode != report.ExitInconclusive || s.Totals.Planned != 6 || s.Totals.Decided != 2 {
		t.Errorf("exit code %d, %+v: want inconclusive, 2 of 6 decided", s.ExitCode, s.Totals)
	}
	mustHold(t, written(t, s, "text"),
		"never begun: seedwatch 2 rounds", "not sent: never begun 4",
		"top window, 1 at once, streamed  4        0", "too little decided (under 80 % of what was planned): top window",
		"4 of 6 planned exchanges could not be told")
	mustHold(t, written(t, s, "json"), `"never_begun"`, `"rounds": 2`)
}

// TestDegradedIsExplained: a verdict of degraded says why, once a kind.
func TestDegradedIsExplained(t *testing.T) {
	slow := checks.Finding{Check: "stream", Kind: "no_done", Class: checks.Degraded, Detail: "the stream ended without its terminator"}
	one := exchange{"alpha", probes.RoleMain, 400, short, "", []checks.Finding{slow, slow, sound}}
	s := summary(outcome("pulse", 1, uuid.Nil, one, one, one))
	for format, want := range map[string]string{"text": "degraded: stream/no_done in 3 exchanges, for example: the stream ended", "markdown": "- Degraded: stream/no_done in 3 exchanges"} {
		text := written(t, s, format)
		mustHold(t, text, want)
		if n := strings.Count(text, "stream/no_done"); n != 1 {
			t.Errorf("%s explains it %d times", format, n)
		}
	}
}

// TestMarkersOfOneRequest: several markers of one donor's request are one line,
// with the smallest chance.
func TestMarkersOfOneRequest(t *testing.T) {
	var fs []checks.Finding
	for i, at := range []int64{1_284_991, 1_300_000, 1_310_000} {
		f := leak
		o := *leak.Origin
		o.Marker, o.PromptOffset, o.Payload.Index = i+2, at, uint8(i+1)
		f.Origin, f.Offset = &o, 3+1200*i
		f.PChance = leak.PChance * float64(i+1)
		fs = append(fs, f)
	}
	other := leak
	o := *leak.Origin
	o.Payload.Draw++
	other.Origin = &o
	s := summary(outcome("top", 1, uuid.Nil, exchange{"bravo", probes.RoleMain, 1_000_000, long, "", append(fs, other)}))
	text := written(t, s, "text")
	mustHold(t, text, "markers 2, 3 and 4 of one request of alpha; content at 3, 1,203 and 2,403;",
		"at prompt offsets 1,284,991, 1,300,000 and 1,310,000", "chance of accident 4e-18", "what to do: crosstalk runbook foreignmarker")
	if n := strings.Count(text, "foreignmarker/marker:"); n != 2 {
		t.Errorf("%d lines of markers, want one for each of the two requests:\n%s", n, text)
	}
}

// TestReasonsAreWords: a short name that means something else to a reader of a
// bill is spelt out.
func TestReasonsAreWords(t *testing.T) {
	o := outcome("pulse", 1, uuid.Nil, exchange{"alpha", probes.RoleMain, 400, short, "", nil})
	o.Report.Verdicts[0].Reason = checks.KindBudget
	mustHold(t, written(t, summary(o), "text"), "could not tell: answer budget used up 1")
}

// TestEmptyListsAreLists: a program that reads a report never meets null where
// a list stands.
func TestEmptyListsAreLists(t *testing.T) {
	s := summary()
	var doc struct {
		Findings   []any    `json:"findings"`
		Cells      []any    `json:"cells"`
		Rounds     []any    `json:"rounds"`
		NotCovered []string `json:"not_covered"`
		Routes     struct {
			Tenants int    `json:"tenants"`
			Note    string `json:"note"`
		} `json:"routes"`
	}
	if err := json.Unmarshal([]byte(written(t, s, "json")), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Findings == nil || doc.Cells == nil || doc.Rounds == nil || len(doc.NotCovered) == 0 || doc.Routes.Note == "" {
		t.Errorf("json has %+v", doc)
	}
	mustHold(t, written(t, s, "sarif"), `"rules": []`, `"results": []`)
}

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 targets", 1: "1 target", 1200: "1,200 targets"} {
		if got := report.Plural(n, "target"); got != want {
			t.Errorf("Plural(%d) is %q, want %q", n, got, want)
		}
	}
}

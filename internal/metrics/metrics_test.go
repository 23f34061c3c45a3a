package metrics_test

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"crosstalk/checks"
	"crosstalk/internal/metrics"
	"crosstalk/probes"
	"crosstalk/probes/provider"
)

var update = flag.Bool("update", false, "rewrite the golden text")

var start = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

func static() metrics.Static {
	return metrics.Static{
		Version: "v0.3.0", Revision: "abc",
		Targets: []metrics.Target{{
			Name:                 "edge",
			Probes:               []metrics.Schedule{{Probe: "pulse", Every: time.Minute}, {Probe: "top", Every: 20 * time.Minute}},
			AuthorizationExpires: start.AddDate(1, 0, 0),
		}},
		Notifiers: []string{"pager"}, Controls: []string{"null", "seeded"},
		DeliveryReasons: []string{"timeout", "unavailable"}, SkipReasons: []string{"paused", "stop-file", "budget"},
	}
}

func newMetrics() (*metrics.Metrics, *prometheus.Registry) {
	reg := prometheus.NewPedanticRegistry()
	return metrics.New(reg, static()), reg
}

// id numbers the identifiers of a test.
func id(n byte) uuid.UUID {
	u := uuid.MustParse("01932f00-0000-7000-8000-000000000000")
	u[15] = n
	return u
}

// round makes a finished round with an exchange for each class.
func round(n byte, probe string, classes ...checks.Class) (*probes.Round, checks.Report) {
	r := &probes.Round{
		ID: id(n), Plan: probes.Plan{Probe: probe, Target: "edge"},
		Started: start, Ended: start.Add(time.Duration(n) * time.Second),
	}
	var judged checks.Report
	for i, c := range classes {
		x := &probes.Exchange{ID: id(n + 1 + byte(i)), Response: &provider.Response{
			Status: 200, Times: provider.Times{FirstContent: 300 * time.Millisecond, End: 2 * time.Second},
		}}
		x.Intent.Cell = probes.Cell{Target: "edge", Probe: probe, Length: probes.Band4k, Concurrency: "1"}
		r.Exchanges = append(r.Exchanges, x)
		judged.Verdicts = append(judged.Verdicts, checks.Verdict{Exchange: x.ID, Class: c, Reason: "ratelimit"})
	}
	return r, judged
}

// busy has everything happen once.
func busy(m *metrics.Metrics) {
	r, judged := round(10, "pulse", checks.Leak, checks.Sound, checks.Inconclusive)
	judged.Findings = []checks.Finding{
		{Check: "foreignmarker", Kind: checks.KindMarker, Class: checks.Leak, Exchange: id(11)},
		{Check: "stream", Kind: "bad_utf8", Class: checks.Damaged, Exchange: id(11)},
		{Check: "answer", Kind: checks.KindExact, Class: checks.Sound, Exchange: id(12)},
	}
	r.Exchanges = append(r.Exchanges, &probes.Exchange{
		ID: id(20), Skipped: probes.SkipBackoff + ": retry after 30 s",
		Intent: probes.Intent{Tokens: 400, MaxTokens: 100},
	})
	m.Round(r, judged, []probes.Intent{{Tokens: 1000, MaxTokens: 24}})
	m.Skip("edge", "top", metrics.SkipBudget)
	m.Reserved("edge", "pulse", probes.Spend{Tokens: 1500, USD: 0.25})
	m.Unjournaled("edge", 2)
	m.Schedule("edge", "top", start.Add(time.Hour))
	m.Paused("edge", true, 1)
	m.Cells("edge", []metrics.Cell{{
		Cell:    probes.Cell{Target: "edge", Probe: "top", Length: probes.BandWindow, Concurrency: "1", Stream: true},
		Planned: 100, Decided: 90, DisclosureBound: 0.0327, Damaged: 1, DamageBound: 0.06,
		LastRound: start, LastDecided: start, LastSound: start.Add(-time.Minute),
	}})
	m.Incidents([]metrics.Incident{{"edge", "leak", "page"}, {"edge", "damaged/recall", "page"}, {"seeded", "prober", "page"}, {"gone", "leak", "page"}})
	m.Raised("edge", "leak", "trigger")
	m.Delivery("pager", "", 3*time.Second)
	m.Delivery("pager", "timeout", 0)
	m.Outbox(2, start)
	m.Preflight("edge", map[string]int{"finding": 9, "gone": 1})
	m.Preflight("edge", map[string]int{"finding": 1, "fine": 7})
	m.Preflight("dark", nil)
	m.Heartbeat(nil, start)
	m.Heartbeat(http.ErrHandlerTimeout, start)
	m.Control("null", true, start)
	m.Control("seeded", false, start)
	m.Ledger(true)
	m.LedgerError("save")
	m.Reload(true, start)
	m.Reload(false, start)
}

// TestGolden pins every series that the program can write.
func TestGolden(t *testing.T) {
	m, reg := newMetrics()
	busy(m)
	var got bytes.Buffer
	rec := httptest.NewRecorder()
	metrics.Handler(reg).ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	got.WriteString(regexp.MustCompile(`goversion="[^"]*"`).ReplaceAllString(rec.Body.String(), `goversion="go"`))
	const golden = "testdata/metrics.txt"
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
}

func TestLint(t *testing.T) {
	m, reg := newMetrics()
	busy(m)
	problems, err := testutil.GatherAndLint(reg)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// TestCatalogue: what is listed is what is gathered, and everything is
// gathered once everything has happened.
func TestCatalogue(t *testing.T) {
	m, reg := newMetrics()
	busy(m)
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, f := range families {
		var labels []string
		for _, l := range f.GetMetric()[0].GetLabel() {
			labels = append(labels, l.GetName())
		}
		got[f.GetName()] = labels
	}
	want := map[string][]string{}
	for _, s := range metrics.Catalogue() {
		labels := slices.Clone(s.Labels)
		slices.Sort(labels)
		want[s.Name] = labels
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("catalogue (-listed +gathered):\n%s", diff)
	}
}

// TestZeroes: what an alert is made from is there before anything has
// happened, or the first leak would not be an increase.
func TestZeroes(t *testing.T) {
	_, reg := newMetrics()
	text := scrape(t, reg)
	for _, want := range []string{
		`crosstalk_exchanges_total{class="leak",probe="top",target="edge"} 0`,
		`crosstalk_rounds_total{class="foreign",probe="pulse",target="edge"} 0`,
		`crosstalk_findings_total{check="foreignmarker",kind="marker",target="edge"} 0`,
		`crosstalk_incidents_open{kind="leak",severity="page",target="edge"} 0`,
		`crosstalk_incidents_open{kind="prober",severity="page",target="seeded"} 0`,
		`crosstalk_pages_failed_total{notifier="pager",reason="timeout"} 0`,
		`crosstalk_rounds_skipped_total{probe="top",reason="budget",target="edge"} 0`,
		`crosstalk_control_runs_total{control="seeded",outcome="wrong"} 0`,
		`crosstalk_heartbeats_failed_total 0`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("not there at the start: %s", want)
		}
	}
	if strings.Contains(text, "crosstalk_last_") {
		t.Error("a point in time is there before it is known")
	}
}

// TestHostileWords feeds texts and identifiers wherever a word may come from a
// round: none may become a label, and the series must stay few.
func TestHostileWords(t *testing.T) {
	m, reg := newMetrics()
	secret := "sk-live-51H8planted"
	for i := range 200 {
		r, judged := round(50, "pulse", checks.Inconclusive)
		judged.Verdicts[0].Reason = fmt.Sprintf("Dear Mrs Okafor %d", i)
		judged.Findings = []checks.Finding{
			{Check: "<script>", Kind: secret, Class: checks.Damaged},
			{Check: "stream", Kind: uuid.NewString(), Class: checks.Damaged},
			{Check: "stream", Kind: "made_up_" + string(rune('a'+i%26)) + string(rune('a'+i/26)), Class: checks.Damaged},
		}
		r.Exchanges = append(r.Exchanges, &probes.Exchange{ID: id(60), Skipped: secret + ": " + secret})
		m.Round(r, judged, nil)
		m.Skip("edge", "pulse", fmt.Sprintf("reason %d \"quoted\"", i))
		m.Delivery("pager", "POST https://hooks.example/"+secret, 0)
		m.LedgerError(secret)
	}
	text := scrape(t, reg)
	for _, bad := range []string{"Okafor", "sk-live", "script", "0193", "quoted", "hooks"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q became a label", bad)
		}
	}
	if n := strings.Count(text, `crosstalk_findings_total{check="stream"`); n > 40 {
		t.Errorf("one check has %d series", n)
	}
	if !strings.Contains(text, `crosstalk_findings_total{check="other",kind="other",target="edge"} 200`) {
		t.Error("what is not one of our words was not counted as other")
	}
}

// TestExemplars: the round that a count comes from can be found.
func TestExemplars(t *testing.T) {
	m, reg := newMetrics()
	busy(m)
	req := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	req.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	rec := httptest.NewRecorder()
	metrics.Handler(reg).ServeHTTP(rec, req)
	want := `# {round_id="` + id(10).String() + `"}`
	for _, series := range []string{
		`crosstalk_exchanges_total{class="leak"`, `crosstalk_time_to_first_token_seconds_bucket`,
		`crosstalk_exchange_duration_seconds_bucket`, `crosstalk_findings_total{check="foreignmarker"`,
	} {
		if !slices.ContainsFunc(strings.Split(rec.Body.String(), "\n"), func(line string) bool {
			return strings.HasPrefix(line, series) && strings.Contains(line, want)
		}) {
			t.Errorf("no exemplar with the round on %s", series)
		}
	}
}

// TestNative: histograms have native buckets beside the classic ones.
func TestNative(t *testing.T) {
	m, reg := newMetrics()
	busy(m)
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != "crosstalk_time_to_first_token_seconds" {
			continue
		}
		h := f.GetMetric()[0].GetHistogram()
		if len(h.GetPositiveSpan()) == 0 || len(h.GetBucket()) == 0 {
			t.Errorf("%d native spans and %d classic buckets, want both", len(h.GetPositiveSpan()), len(h.GetBucket()))
		}
		return
	}
	t.Error("no histogram")
}

// TestConfigure: a new configuration adds and drops series, and keeps counts of
// what it keeps.
func TestConfigure(t *testing.T) {
	m, reg := newMetrics()
	busy(m)
	next := static()
	next.Targets[0].Probes = next.Targets[0].Probes[:1]
	next.Targets = append(next.Targets, metrics.Target{Name: "core", Probes: []metrics.Schedule{{Probe: "burst", Every: time.Hour}}})
	next.Notifiers = []string{"chat"}
	m.Configure(next)
	text := scrape(t, reg)
	for _, want := range []string{
		`crosstalk_exchanges_total{class="leak",probe="pulse",target="edge"} 1`,
		`crosstalk_exchanges_total{class="leak",probe="burst",target="core"} 0`,
		`crosstalk_pages_delivered_total{notifier="chat"} 0`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("missing after the reload: %s", want)
		}
	}
	for _, gone := range []string{`probe="top"`, `notifier="pager"`} {
		if strings.Contains(text, gone) {
			t.Errorf("still there after the reload: %s", gone)
		}
	}
	m.Configure(metrics.Static{})
	if text := scrape(t, reg); strings.Contains(text, `target="edge"`) {
		t.Error("a target that is gone has series")
	}
}

// TestCells: cells are replaced, and times never go back.
func TestCells(t *testing.T) {
	m, reg := newMetrics()
	cell := func(length string, at time.Time) metrics.Cell {
		return metrics.Cell{Cell: probes.Cell{Target: "edge", Probe: "top", Length: length}, Planned: 1, LastRound: at}
	}
	m.Cells("edge", []metrics.Cell{cell(probes.Band4k, start.Add(time.Hour)), cell(probes.Band32k, start)})
	m.Cells("edge", []metrics.Cell{cell(probes.Band32k, start)})
	want := fmt.Sprintf(`
		# HELP crosstalk_cell_exchanges_planned Exchanges planned in a cell within the window of its statistics.
		# TYPE crosstalk_cell_exchanges_planned gauge
		crosstalk_cell_exchanges_planned{concurrency="",length="<=32k",probe="top",stream="false",target="edge",warm="false"} 1
		# HELP crosstalk_last_round_timestamp_seconds When a round was last finished.
		# TYPE crosstalk_last_round_timestamp_seconds gauge
		crosstalk_last_round_timestamp_seconds{probe="top",target="edge"} %d
	`, start.Add(time.Hour).Unix())
	if err := testutil.GatherAndCompare(reg, strings.NewReader(want),
		"crosstalk_cell_exchanges_planned", "crosstalk_last_round_timestamp_seconds"); err != nil {
		t.Error(err)
	}
}

func scrape(t *testing.T, g prometheus.Gatherer) string {
	t.Helper()
	rec := httptest.NewRecorder()
	metrics.Handler(g).ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return rec.Body.String()
}

func BenchmarkRound(b *testing.B) {
	m, _ := newMetrics()
	r, judged := round(10, "pulse", checks.Sound, checks.Sound)
	judged.Findings = []checks.Finding{{Check: "usage", Kind: "absent", Class: checks.Degraded}}
	for b.Loop() {
		m.Round(r, judged, nil)
	}
}

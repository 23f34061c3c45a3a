//go:build e2e

package dashboards

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"crosstalk/checks"
	"crosstalk/internal/metrics"
	"crosstalk/probes"
	"crosstalk/probes/provider"
)

// TestE2EPrometheus has the real Prometheus scrape a daemon on a bad day: every
// query of the dashboards returns data, every rule is evaluated without error,
// and the leak fires, whether it keeps native histograms or classic ones.
func TestE2EPrometheus(t *testing.T) {
	for _, feature := range []string{"native-histograms", "exemplar-storage"} {
		t.Run(feature, func(t *testing.T) { scrapeAndAsk(t, feature) })
	}
}

func scrapeAndAsk(t *testing.T, feature string) {
	daemon := httptest.NewServer(badDay(t))
	defer daemon.Close()
	api := startPrometheus(t, daemon.Listener.Addr().String(), feature)
	variables := strings.NewReplacer("$__rate_interval", "1m", "$target", "edge")
	missing := map[string]string{}
	for where, expr := range expressions(t) {
		if !strings.HasPrefix(where, "alert ") && !strings.HasPrefix(where, "record ") {
			missing[where] = variables.Replace(expr)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	await(ctx, func() bool {
		for where, expr := range missing {
			if api.returns(ctx, t, expr) {
				delete(missing, where)
			}
		}
		return len(missing) == 0
	})
	for _, where := range slices.Sorted(maps.Keys(missing)) {
		t.Errorf("no data: %s: %s", where, missing[where])
	}
	if !await(ctx, func() bool {
		return api.returns(ctx, t, `ALERTS{alertname="CrosstalkLeak", alertstate="firing"}`)
	}) {
		t.Error("CrosstalkLeak does not fire")
	}
	if body := api.get(ctx, t, "/api/v1/rules", nil); strings.Contains(body, `"health":"err"`) || !strings.Contains(body, `"health":"ok"`) {
		t.Errorf("rules: %s", body)
	}
}

// await asks every half second until it is so or ctx ends.
func await(ctx context.Context, so func() bool) bool {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		if so() {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
}

// server is the API of a running Prometheus.
type server struct{ base string }

func startPrometheus(t *testing.T, scraped, feature string) server {
	t.Helper()
	dir := t.TempDir()
	if err := Write(dir, Options{}); err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf("global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [%s]\n"+
		"scrape_configs: [{job_name: crosstalk, static_configs: [{targets: ['%s']}]}]\n", rulesFile, scraped)
	if err := os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(filepath.Dir(promtool(t)), "prometheus"), "--config.file=prometheus.yml",
		"--storage.tsdb.path=data", "--web.listen-address="+addr, "--enable-feature="+feature)
	cmd.Dir = dir
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if data, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("prometheus:\n%s", data)
		}
	})
	return server{"http://" + addr}
}

// get is the body of an answer, "" if there is none yet.
func (s server) get(ctx context.Context, t *testing.T, path string, query url.Values) string {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+path+"?"+query.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return ""
	}
	return string(body)
}

// returns reports whether an expression returns a value that is a number.
func (s server) returns(ctx context.Context, t *testing.T, expr string) bool {
	t.Helper()
	var answer struct {
		Status, Error string
		Data          struct{ Result []struct{ Value []any } }
	}
	body := s.get(ctx, t, "/api/v1/query", url.Values{"query": {expr}})
	if json.Unmarshal([]byte(body), &answer) != nil {
		return false
	}
	if answer.Status == "error" && answer.Error != "" && !strings.Contains(body, "unavailable") {
		t.Errorf("%s: %s", expr, answer.Error)
	}
	for _, r := range answer.Data.Result {
		if len(r.Value) == 2 && r.Value[1] != "NaN" {
			return true
		}
	}
	return false
}

// badDay serves the metrics of a daemon to which everything happens between any
// two scrapes.
func badDay(t *testing.T) http.Handler {
	t.Helper()
	reg := prometheus.NewRegistry()
	m := metrics.New(reg, metrics.Static{
		Version: "v0", Controls: []string{"null", "seeded"}, Notifiers: []string{"pager"}, DeliveryReasons: []string{"timeout"},
		Targets: []metrics.Target{{Name: "edge", Probes: []metrics.Schedule{{Probe: "top", Every: time.Minute}}, AuthorizationExpires: time.Now().Add(time.Hour)}},
	})
	h := metrics.Handler(reg)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r) // the zeroes first
		happen(m, time.Now())
	})
}

func happen(m *metrics.Metrics, now time.Time) {
	cell := probes.Cell{Target: "edge", Probe: "top", Length: probes.BandWindow, Concurrency: "1"}
	r := &probes.Round{ID: uuid.Must(uuid.NewV7()), Plan: probes.Plan{Target: "edge", Probe: "top"}, Ended: now}
	judged := checks.Report{Findings: []checks.Finding{{Check: "foreignmarker", Kind: checks.KindMarker, Class: checks.Leak}}}
	for _, c := range checks.Classes() {
		x := &probes.Exchange{ID: uuid.Must(uuid.NewV7()), Intent: probes.Intent{Cell: cell}, Response: &provider.Response{
			Times: provider.Times{FirstContent: time.Second, End: 2 * time.Second},
		}}
		r.Exchanges = append(r.Exchanges, x)
		judged.Verdicts = append(judged.Verdicts, checks.Verdict{Exchange: x.ID, Class: c, Reason: "timeout"})
	}
	r.Exchanges = append(r.Exchanges, &probes.Exchange{ID: uuid.Must(uuid.NewV7()), Skipped: "backoff: later", Intent: probes.Intent{Tokens: 9}})
	m.Round(r, judged, nil)
	m.Skip("edge", "top", metrics.SkipBudget)
	m.Reserved("edge", "top", probes.Spend{Tokens: 1000, USD: 1})
	m.Schedule("edge", "top", now.Add(time.Minute))
	m.Paused("edge", true, 1)
	m.Cells("edge", []metrics.Cell{{Cell: cell, Planned: 9, Decided: 8, DisclosureBound: .3, DamageBound: .4, LastRound: now, LastDecided: now, LastSound: now}})
	m.Incidents([]metrics.Incident{
		{Target: "edge", Kind: "leak", Severity: "page"},
		{Target: "edge", Kind: "foreign", Severity: "page"},
		{Target: "edge", Kind: "damaged/recall", Severity: "page"},
		{Target: "edge", Kind: "blind", Severity: "ticket"},
	})
	m.Delivery("pager", "", time.Second)
	m.Delivery("pager", "timeout", 0)
	m.Outbox(1, now)
	m.Heartbeat(nil, now)
	m.Preflight("edge", map[string]int{"finding": 1, "fine": 7})
	m.Control("null", true, now)
	m.Control("seeded", true, now)
	m.Ledger(false)
	m.Reload(true, now)
}

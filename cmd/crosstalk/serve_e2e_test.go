//go:build e2e

package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crosstalk/internal/simulator"
)

// debian unpacks Debian packages into the cache and returns the folder. They
// are not installed: installing them would start servers.
func debian(t *testing.T, packages ...string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "crosstalk-ci", strings.Join(packages, "+"))
	if _, err := os.Stat(filepath.Join(dir, "usr", "bin")); err == nil {
		return dir
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "apt-get download "+strings.Join(packages, " ")+" && for f in *.deb; do dpkg -x $f .; done")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("unpack %v: %v\n%s", packages, err, out)
	}
	return dir
}

// process starts a program and ends it with the test.
func process(t *testing.T, dir, program string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	log, err := os.Create(filepath.Join(t.TempDir(), filepath.Base(program)+".log"))
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
		log.Close()
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("%s: %s", program, text[max(0, len(text)-4000):])
		}
	})
	return cmd
}

// freePort is a port that was free a moment ago.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// poll asks until the answer has what is wanted.
func poll(t *testing.T, bound time.Duration, address string, want func(string) bool) {
	t.Helper()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	end := time.After(bound)
	last := ""
	for {
		select {
		case <-tick.C:
			resp, err := http.Get(address)
			if err != nil {
				last = err.Error()
				continue
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if last = string(body); err == nil && want(last) {
				return
			}
		case <-end:
			t.Fatalf("%s never said what was wanted; it says\n%.3000s", address, last)
		}
	}
}

// timedEngine is a sound engine at a small window that has the seed fault, with
// own donors, when the test says so.
func timedEngine(t *testing.T) (*simulator.Server, string) {
	t.Helper()
	o, err := simulator.Preset(simulator.PresetFixed)
	if err != nil {
		t.Fatal(err)
	}
	o = o.Scale(smallWindow)
	o.Speed, o.AnyModel = 200, true
	server, err := simulator.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	front := httptest.NewServer(server)
	t.Cleanup(front.Close)
	return server, front.URL + "/v1"
}

// TestE2EScenario: a compressed day of an operator. A sound engine gets the seed
// fault and is mended again; one page and one resolve reach the webhook, a real
// Alertmanager has the alert, and a real Prometheus has scraped the leak.
func TestE2EScenario(t *testing.T) {
	dir := debian(t, "prometheus", "prometheus-alertmanager")
	work := t.TempDir()
	amPort, promPort := freePort(t), freePort(t)
	am := fmt.Sprintf("http://127.0.0.1:%d", amPort)
	if err := os.WriteFile(filepath.Join(work, "am.yml"), []byte("route: {receiver: none}\nreceivers: [{name: none}]\ntemplates: []\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	template := filepath.Join(dir, "usr", "share", "prometheus", "alertmanager")
	if err := os.MkdirAll("/usr/share/prometheus", 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/usr/share/prometheus/alertmanager"); err != nil { // where Debian's build looks
		if err := os.Symlink(template, "/usr/share/prometheus/alertmanager"); err != nil {
			t.Fatal(err)
		}
	}
	process(t, work, filepath.Join(dir, "usr", "bin", "prometheus-alertmanager"), "--config.file=am.yml",
		fmt.Sprintf("--web.listen-address=127.0.0.1:%d", amPort), "--cluster.listen-address=", "--storage.path="+filepath.Join(work, "am"))

	server, engine := timedEngine(t)
	p := newPager(t, "key-HOOK")
	s := newServed(t, engine, p.URL+"/hook", "  - {kind: pulse, every: 5s}\n  - {kind: seedwatch, every: 5s}")
	s.stop()
	if code := <-s.code; code != 0 {
		t.Fatalf("serve ended with %d\n%s", code, s.stderr)
	}
	text, err := os.ReadFile(s.config())
	if err != nil {
		t.Fatal(err)
	}
	more := strings.Replace(string(text), "notify: [", fmt.Sprintf("notify: [{kind: alertmanager, url: %q}, ", am), 1)
	if err := os.WriteFile(s.config(), []byte(more), 0o600); err != nil {
		t.Fatal(err)
	}
	s.stderr = &syncBuffer{}
	s.start(t)

	prom := fmt.Sprintf(`global: {scrape_interval: 1s}
scrape_configs:
  - job_name: crosstalk
    static_configs: [{targets: [%q]}]
`, strings.TrimPrefix(s.address, "http://"))
	if err := os.WriteFile(filepath.Join(work, "prom.yml"), []byte(prom), 0o644); err != nil {
		t.Fatal(err)
	}
	process(t, work, filepath.Join(dir, "usr", "bin", "prometheus"), "--config.file=prom.yml",
		fmt.Sprintf("--web.listen-address=127.0.0.1:%d", promPort), "--storage.tsdb.path="+filepath.Join(work, "prom"))

	s.eventually(t, "/metrics", `crosstalk_rounds_total{class="sound",probe="seedwatch",target="sim"}`)
	fault, err := simulator.ParseFault("seed,pool=21290")
	if err != nil {
		t.Fatal(err)
	}
	if err := server.SetFault(fault); err != nil {
		t.Fatal(err)
	}
	first := p.next(t, "trigger")
	if first.Incident.Kind != "leak" {
		t.Errorf("paged for %s, want the leak", first.Incident.Kind)
	}
	poll(t, time.Minute, am+"/api/v2/alerts", func(body string) bool { return strings.Contains(body, first.Incident.DedupKey) })
	poll(t, time.Minute, fmt.Sprintf("http://127.0.0.1:%d/api/v1/query?query=crosstalk_incidents_open%%7Bkind%%3D%%22leak%%22%%7D", promPort),
		func(body string) bool { return strings.Contains(body, `"1"]`) })
	if err := server.SetFaults(); err != nil {
		t.Fatal(err)
	}
	resolve := p.next(t, "resolve")
	if resolve.Incident.DedupKey != first.Incident.DedupKey {
		t.Errorf("resolved %s, want %s", resolve.Incident.DedupKey, first.Incident.DedupKey)
	}
	if n := len(p.pages); n != 0 {
		t.Errorf("%d further pages", n)
	}
}

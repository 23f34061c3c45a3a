package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"crosstalk/internal/simulator"
)

// rollout is an engine that can be replaced by another while it is served.
type rollout struct {
	now atomic.Pointer[simulator.Server]
}

func (r *rollout) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.now.Load().ServeHTTP(w, req)
}

// deploy replaces the engine by that of a preset.
func (r *rollout) deploy(t *testing.T, preset string) {
	t.Helper()
	server, err := fastEngine(preset)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	r.now.Store(server)
}

// TestServePreflight: the daemon reads the engines when it starts and after a
// deploy, and the target's page and the metrics show what they say now.
func TestServePreflight(t *testing.T) {
	var engine rollout
	engine.deploy(t, simulator.PresetHonest)
	front := httptest.NewServer(&engine)
	t.Cleanup(front.Close)
	p := newPager(t, "key-HOOK")
	text := servedConfig(front.URL+"/v1", p.URL, smallWindow, "  - {kind: pulse, every: 1h}")
	text = strings.Replace(text, "max_output: 1024", fmt.Sprintf("max_output: 1024, preflight: {urls: [%q, %q]}", front.URL, front.URL+"/decode"), 1)
	s := newServedWith(t, text)

	s.eventually(t, "/targets/sim", "Preflight: 3 findings")
	if _, body := s.get(t, "/targets/sim"); !strings.Contains(body, "pool-below-window") {
		t.Error("the page does not name the finding")
	}
	if log := s.stderr.String(); !strings.Contains(log, `msg="preflight finding"`) || !strings.Contains(log, "judgement=pool-below-window") {
		t.Errorf("the log lacks the finding:\n%s", log)
	}
	s.eventually(t, "/metrics", `crosstalk_preflight_judgements{outcome="finding",target="sim"} 3`)
	engine.deploy(t, simulator.PresetFixed)
	if code, body := s.post(t, "/-/deploy?target=sim"); code != http.StatusOK {
		t.Fatalf("deploy: %d %s", code, body)
	}
	s.eventually(t, "/targets/sim", "Preflight: fine")
	s.eventually(t, "/metrics", `crosstalk_preflight_judgements{outcome="finding",target="sim"} 0`)
	if _, body := s.get(t, "/targets/sim"); strings.Contains(body, "pool-below-window") {
		t.Error("the page shows a finding that is mended")
	}
}

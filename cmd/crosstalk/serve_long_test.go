//go:build long && e2e && linux

package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crosstalk/alerting"
	"crosstalk/internal/simulator"
)

// TestLongKills is TestE2EKills two hundred times over.
func TestLongKills(t *testing.T) {
	t.Parallel()
	killServe(t, 200)
}

// TestLongCuts is TestE2ECutLedger ten times over.
func TestLongCuts(t *testing.T) {
	t.Parallel()
	cutLedger(t, 60)
}

// million is the advertised window of the engines of these scenarios, and
// overPool the prefill pool of the faulty ones.
const (
	million  = 1048576
	overPool = 681280
)

// exampleServed starts serve with examples/simulator.yaml, which is given the
// engine's address, a pager and a schedule.
func exampleServed(t *testing.T, engine *simulator.Server, hook *pager) *served {
	t.Helper()
	front := httptest.NewServer(engine)
	t.Cleanup(front.Close)
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "simulator.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	config := strings.Replace(string(text), "http://127.0.0.1:18080/v1", front.URL+"/v1", 1)
	if config == string(text) {
		t.Fatal("the example has another address")
	}
	s := prepareServed(t, config+fmt.Sprintf("fleet_keys: [file:./fleet.key]\nprobes: [{kind: seedwatch, every: 30s}]\nbudget: {tokens_per_run: 1000000000}\n"+
		"notify: [{kind: webhook, url: %q, secret: \"env:HOOK\"}]\n", hook.URL+"/hook"))
	if err := os.CopyFS(filepath.Join(s.dir, "simulator-keys"), os.DirFS(filepath.Join("..", "..", "examples", "simulator-keys"))); err != nil {
		t.Fatal(err)
	}
	s.start(t)
	t.Cleanup(func() { s.stop(); <-s.code })
	return s
}

// longEngine is a simulated engine with a window of a million tokens.
func longEngine(t *testing.T, preset string, strangers float64) *simulator.Server {
	t.Helper()
	o, err := simulator.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	o.AnyModel, o.Strangers = true, strangers
	engine, err := simulator.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(engine.Close)
	return engine
}

// arrival is a page and when it came.
type arrival struct {
	alerting.Page
	at time.Time
}

// until collects pages until a time.
func (p *pager) until(end time.Time) []arrival {
	var list []arrival
	bound := time.After(time.Until(end))
	for {
		select {
		case page := <-p.pages:
			list = append(list, arrival{page, time.Now()})
		case <-bound:
			return list
		}
	}
}

// TestLongLeak is nine minutes of an operator's life: the seed fault comes at
// minute 2 and goes at minute 4. One page, signed, and one resolve; the metrics,
// the status page and the page map show it.
func TestLongLeak(t *testing.T) {
	t.Parallel()
	engine, hook := longEngine(t, simulator.PresetFixed, 0), newPager(t, "key-HOOK")
	s := exampleServed(t, engine, hook)
	began := time.Now()
	early := hook.until(began.Add(2 * time.Minute))
	fault, err := simulator.ParseFault(fmt.Sprintf("seed,pool=%d", overPool))
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.SetFault(fault); err != nil {
		t.Fatal(err)
	}
	during := hook.until(began.Add(4 * time.Minute))
	if err := engine.SetFaults(); err != nil {
		t.Fatal(err)
	}
	if len(early) != 0 || len(during) != 1 || during[0].Incident.Kind != alerting.KindLeak || during[0].Action != alerting.ActionTrigger {
		t.Fatalf("pages before the fault: %+v; during it: %+v; want none and the leak", early, during)
	}
	page := during[0]
	for path, want := range map[string]string{
		"/metrics": `crosstalk_incidents_open{kind="leak",severity="page",target="simulator"} 1`,
		"/":        "1 open incident",
		"/incidents/" + page.Incident.ID.String(): "Page map",
	} {
		s.eventually(t, path, want)
		t.Logf("%s says %q", path, want)
	}
	after := hook.until(began.Add(9 * time.Minute))
	if len(after) != 1 || after[0].Action != alerting.ActionResolve || after[0].Incident.DedupKey != page.Incident.DedupKey {
		t.Errorf("pages after the fault: %+v, want one resolve of the leak", after)
	}
	for _, truth := range engine.Truth() {
		if len(truth.Faults) == 0 {
			continue
		}
		ended := truth.Started.Add(time.Duration(truth.Seconds * float64(time.Second)))
		late := page.at.Sub(ended)
		t.Logf("first faulty answer ended %.1f s after the start; page %.2f s later (%.0f %% of the 10 s allowed); resolve %.1f s after the fault was gone",
			ended.Sub(began).Seconds(), late.Seconds(), 100*late.Seconds()/10, after[0].at.Sub(began.Add(4*time.Minute)).Seconds())
		if late > 10*time.Second {
			t.Errorf("the page came %s after the first faulty answer ended", late)
		}
		break
	}
	t.Logf("%d rounds in nine minutes", int(s.count(t, "crosstalk_rounds_total")))
}

// TestLongForeign is five minutes with the fault there from the start, and
// 99.99 % of the memory strangers': one foreign page by the second exchange over
// the pool, no donor, at most two confirmations after it, and then nothing above
// the pool until a person has resumed the target and resolved the incident.
func TestLongForeign(t *testing.T) {
	t.Parallel()
	engine, hook := longEngine(t, simulator.PresetFaulty, 0.9999), newPager(t, "key-HOOK")
	s := exampleServed(t, engine, hook)
	began := time.Now()
	over := func(until time.Time) (n int) {
		for _, truth := range engine.Truth() {
			if truth.Tokens > overPool && truth.Started.Before(until) {
				n++
			}
		}
		return n
	}
	pages := hook.until(began.Add(5 * time.Minute))
	if len(pages) != 1 || pages[0].Incident.Kind != alerting.KindForeign || pages[0].Action != alerting.ActionTrigger {
		t.Fatalf("pages in five minutes: %+v, want one foreign", pages)
	}
	page := pages[0]
	before, all := over(page.at), over(time.Now())
	t.Logf("foreign paged %.1f s after the start, on over-pool exchange %d; %d sent after it in five minutes; donors named: %d",
		page.at.Sub(began).Seconds(), before, all-before, len(page.Incident.Origins))
	if before > 2 || all-before > 2 || len(page.Incident.Origins) != 0 {
		t.Errorf("over the pool: %d exchanges until the page, %d after it, donors %v; want at most 2, at most 2, none", before, all-before, page.Incident.Origins)
	}
	for _, args := range [][]string{{"resume", "simulator"}, {"incidents", "resolve", page.Incident.ID.String(), "--by", "ines"}} {
		e, stdout, stderr := testEnv("")
		if code := run(t.Context(), append(args, "-c", s.config()), e); code != 0 {
			t.Fatalf("%v: exit %d %s%s", args, code, stdout, stderr)
		}
	}
	s.until(t, "/metrics", "an exchange over the pool after the target was resumed", func(string) bool { return over(time.Now()) > all })
	t.Logf("after resume and resolve: probing above the pool goes on")
}

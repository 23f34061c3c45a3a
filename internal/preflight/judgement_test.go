package preflight

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crosstalk/internal/report"
)

// fact is a fact written down by hand.
func fact(name Name, v Value) Fact { return Fact{Name: name, Value: v, Where: "hand"} }

func judge(t *testing.T, o Options, nodes ...*Node) *Report {
	t.Helper()
	r, err := Judge(nodes, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// outcome is that of one judgement of a report; fails if there is none.
func outcome(t *testing.T, r *Report, id string) Judgement {
	t.Helper()
	for _, j := range r.Judgements {
		if j.ID == id {
			return j
		}
	}
	t.Fatalf("no judgement %s in %+v", id, r.Judgements)
	return Judgement{}
}

// TestNothingIsNotFine holds the principle of the package: without facts
// nothing is fine.
func TestNothingIsNotFine(t *testing.T) {
	for _, engine := range append(Engines(), "") {
		n := &Node{Name: "n"}
		if engine != "" {
			n.add(fact(Engine, Text(engine)))
		}
		r := judge(t, Options{}, n)
		if r.ExitCode == report.ExitSound {
			t.Errorf("%q: exit 0: %s", engine, r.Verdict)
		}
	}
	if r := judge(t, Options{}); r.ExitCode != report.ExitInconclusive {
		t.Errorf("no node: exit %d", r.ExitCode)
	}
}

// TestFindingOutweighsProblem holds that what was found stands even if
// something else could not be read, and that acceptance is counted.
func TestFindingOutweighsProblem(t *testing.T) {
	n := &Node{Name: "n"}
	n.add(fact(Engine, Text(SGLang)), fact(Window, Count(100)), fact(Pool, Count(50)))
	n.trouble("x", "broken", "mend")
	if r := judge(t, Options{}, n); r.ExitCode != report.ExitDamaged {
		t.Errorf("exit %d", r.ExitCode)
	}
	r := judge(t, Options{Accept: []string{IDPool}}, n)
	if r.ExitCode != report.ExitInconclusive || outcome(t, r, IDPool).Outcome != Accepted {
		t.Errorf("accepted: exit %d, %s", r.ExitCode, r.Verdict)
	}
}

func TestOpen(t *testing.T) {
	for reach, want := range map[string]Outcome{OpenLoopback: Fine, OpenPrivate: Warning, OpenPublic: Finding} {
		n := &Node{Name: "n"}
		n.add(Fact{Name: Open, Of: "/metrics", Value: Text(OpenLoopback), Where: "a"}, Fact{Name: Open, Of: "/slots", Value: Text(reach), Where: "b"})
		j := outcome(t, judge(t, Options{}, n), IDOpen)
		if j.Outcome != want || !strings.Contains(j.Means, "/slots") {
			t.Errorf("%s: %s: %s", reach, j.Outcome, j.Means)
		}
	}
}

// TestKnownFaults holds the table against versions at its edges.
func TestKnownFaults(t *testing.T) {
	prefill := []Fact{fact(Engine, Text(SGLang)), fact(Role, Text(RolePrefill)), fact(Window, Count(1000)), fact(PrefixCache, Flag(false))}
	small, large := fact(Pool, Count(500)), fact(Pool, Count(1000))
	for _, c := range []struct {
		name    string
		version string
		facts   []Fact
		want    Outcome
	}{
		{"last bad", "0.5.18", append(prefill, small), Finding},
		{"older", "v0.4.6.post5", append(prefill, small), Finding},
		{"between", "0.5.19", append(prefill, small), Unknown},
		{"first clear", "0.5.22", append(prefill, small), Fine},
		{"later", "0.6.0", append(prefill, small), Fine},
		{"no release", "0.0.0", append(prefill, small), Unknown},
		{"candidate", "0.5.22rc1", append(prefill, small), Unknown},
		{"commit", "deadbeef", append(prefill, small), Unknown},
		{"not mismatched", "0.5.11", append(prefill, large), Fine},
		{"pool not known", "0.5.11", prefill, Finding},
		{"salts do nothing", "0.5.6", []Fact{fact(Engine, Text(SGLang)), fact(PrefixCache, Flag(true))}, Finding},
		{"salts, later", "0.5.13", []Fact{fact(Engine, Text(SGLang)), fact(PrefixCache, Flag(true))}, Fine},
		{"lmcache", "0.29.1+cu130", []Fact{fact(Engine, Text(VLLM)), fact(ExternalCache, Text("LMCacheConnectorV1"))}, Finding},
		{"no lmcache", "0.29.1", []Fact{fact(Engine, Text(VLLM))}, Fine},
		{"lmcache, later", "0.30.0", []Fact{fact(Engine, Text(VLLM)), fact(ExternalCache, Text("LMCacheConnectorV1"))}, Fine},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := &Node{Name: "n"}
			n.add(c.facts...)
			n.add(fact(Version, Text(c.version)))
			if j := outcome(t, judge(t, Options{}, n), IDKnownFaults); j.Outcome != c.want {
				t.Errorf("%s: %s", j.Outcome, j.Means)
			}
		})
	}
}

// TestKnownTable holds that every row can be used and has its source.
func TestKnownTable(t *testing.T) {
	rows, err := KnownFaults()
	if err != nil || len(rows) == 0 {
		t.Fatal(rows, err)
	}
	conditions := map[string]bool{"disaggregated": true, "mismatched": true, "prefix-cache": true, "external-cache": true}
	for _, k := range rows {
		if k.ID == "" || k.Fault == "" || k.Do == "" || k.Source == "" || parseVersion(k.Clear) == nil || k.Through != "" && parseVersion(k.Through) == nil {
			t.Errorf("row %+v lacks something", k)
		}
		if _, err := time.Parse(time.DateOnly, k.Seen); err != nil {
			t.Errorf("row %s: %v", k.ID, err)
		}
		for _, w := range k.When {
			if !conditions[w] {
				t.Errorf("row %s: unknown condition %q", k.ID, w)
			}
		}
	}
	if _, err := parseKnown([]byte("rows: [{idd: x}]")); err == nil {
		t.Error("a misspelt key was taken")
	}
}

// TestFormats holds that the formats of machines say what the text says.
func TestFormats(t *testing.T) {
	n := &Node{Name: "a|<b>"}
	n.add(fact(Engine, Text(SGLang)), fact(Window, Count(100)), fact(Pool, Count(50)))
	n.trouble("http://x", "broken", "mend it")
	r := judge(t, Options{Advertised: 200, From: "--window"}, n)
	written := map[string]string{}
	for _, format := range report.Formats() {
		var b bytes.Buffer
		if err := r.Write(&b, format); err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		written[format] = b.String()
		if !strings.Contains(b.String(), IDPool) || !strings.Contains(b.String(), "broken") {
			t.Errorf("%s lacks something:\n%s", format, b.String())
		}
	}
	if err := r.Write(&bytes.Buffer{}, "pdf"); err == nil {
		t.Error("pdf was written")
	}
	var log struct {
		Runs []struct {
			Results     []struct{ RuleID, Level string }
			Invocations []struct {
				ExitCode            int
				ExecutionSuccessful bool
			}
		}
	}
	if err := json.Unmarshal([]byte(written["sarif"]), &log); err != nil || log.Runs[0].Invocations[0].ExitCode != 1 || log.Runs[0].Results[0].Level != "error" {
		t.Errorf("sarif %+v, %v", log, err)
	}
	var suite report.JUnitSuite
	if err := xml.Unmarshal([]byte(written["junit"]), &suite); err != nil || suite.Failures != 2 || suite.Errors != 1 || suite.Tests != len(suite.Cases) {
		t.Errorf("junit %+v, %v", suite, err)
	}
	if strings.Contains(written["markdown"], "a|<b>") {
		t.Error("markdown is not escaped")
	}
	var back struct {
		Nodes []struct {
			Facts []struct {
				Fact  string
				Value any
				Where string
			}
		}
		Schema   int
		ExitCode int `json:"exit_code"`
	}
	if err := json.Unmarshal([]byte(written["json"]), &back); err != nil || back.Schema != 1 || back.ExitCode != 1 || back.Nodes[0].Facts[1].Value != float64(100) {
		t.Errorf("json %+v, %v", back, err)
	}
}

func TestNamed(t *testing.T) {
	type named struct{ Name, Rest string }
	for text, want := range map[string]named{
		"server.json": {"", "server.json"}, "prefill=a.json": {"prefill", "a.json"}, "http://h/?a=b": {"", "http://h/?a=b"},
		"p-1=http://h": {"p-1", "http://h"}, "Dir/x=y": {"", "Dir/x=y"},
	} {
		name, rest, err := Named(text)
		if diff := cmp.Diff(want, named{name, rest}); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", text, err, diff)
		}
	}
	for _, text := range []string{"=x", "x="} {
		if _, _, err := Named(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]int64{"32768": 32768, "32k": 32000, "32K": 32768, "1m": 1000000, "1M": 1048576} {
		if v, ok := tokens(text); !ok || v.count != want {
			t.Errorf("%s: %v, want %d", text, v, want)
		}
	}
	for _, text := range []string{"", "-1", "0", "k", "1.5k", "9223372036854775807", "99999999999G", "x"} {
		if v, ok := tokens(text); ok {
			t.Errorf("%q was read as %v", text, v)
		}
	}
}

package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"crosstalk/probes"
)

// write puts a configuration into a folder of its own and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "crosstalk.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func load(t *testing.T, path string) *Config {
	t.Helper()
	c, err := Load(path, options())
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return c
}

// ignored leaves out what a Config knows besides its keys.
func ignored() cmp.Option {
	return cmp.Options{cmpopts.IgnoreUnexported(Config{}), cmpopts.IgnoreFields(Config{}, "Path", "Warnings")}
}

const minimal = `
version: 1
targets:
  - {name: edge, api: openai-chat, base_url: "http://localhost:8000/v1", model: m, window: 131072}
tenants:
  - {name: alpha, index: 1, credential: env:KEY_A}
  - {name: bravo, index: 2, credential: file:./b.key}
`

func TestDefaults(t *testing.T) {
	c := load(t, write(t, minimal))
	want := &Config{
		Version: 1,
		Targets: []Target{{
			Name: "edge", API: "openai-chat", BaseURL: "http://localhost:8000/v1", Model: "m",
			Window: 131072, MaxOutput: 512, Locators: true, MaxTokensField: "max_tokens", Thinking: "leave",
		}},
		Tenants: []Tenant{
			{Name: "alpha", Index: 1, Credential: "env:KEY_A", Domain: "default"},
			{Name: "bravo", Index: 2, Credential: "file:./b.key", Domain: "default"},
		},
		Probes: DefaultPlan(),
		Budget: Budget{TokensPerRun: 20_000_000, ConfirmAboveUSD: 10},
		Store:  "sqlite:./crosstalk.db", Instance: "crosstalk", Paging: Paging{FalsePagesPerYear: 0.1, RepeatEvery: "4h"},
		Evidence: Evidence{Dir: "./evidence", Keep: "168h", MiBPerIncident: 32, MiBTotal: 512},
	}
	if diff := cmp.Diff(want, c, ignored()); diff != "" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}
}

// TestGivenValues holds that a value in the file is kept even where it equals
// the zero value that a default would replace.
func TestGivenValues(t *testing.T) {
	c := load(t, write(t, strings.Replace(minimal, "window: 131072", "window: 131072, locators: false, pricing: {input: 2, output: 3}", 1)+
		"probes: [{kind: top}, {kind: burst, rounds: 7, size: 8}]\nbudget: {confirm_above_usd: 0, tokens_per_day: 5}\n"))
	if c.Targets[0].Locators {
		t.Error("locators: false became true")
	}
	if diff := cmp.Diff(&Pricing{Input: 2, CachedInput: 2, Output: 3}, c.Targets[0].Pricing); diff != "" {
		t.Errorf("pricing (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Probe{{Kind: "top", Rounds: 2}, {Kind: "burst", Rounds: 7, Size: 8}}, c.Probes); diff != "" {
		t.Errorf("probes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Budget{TokensPerRun: 20_000_000, TokensPerDay: 5}, c.Budget); diff != "" {
		t.Errorf("budget (-want +got):\n%s", diff)
	}
}

// TestSilences: what is announced in the file is read with its offset, and an
// open beginning is one.
func TestSilences(t *testing.T) {
	c := load(t, write(t, minimal+`silences:
  - {target: edge, from: 2027-03-01T22:00:00+01:00, until: 2027-03-02T02:00:00Z, reason: kernel upgrade}
  - {until: "2027-03-05T00:00:00Z", reason: moving house}
`))
	want := []string{
		"edge 2027-03-01T21:00:00Z 2027-03-02T02:00:00Z kernel upgrade",
		" 0001-01-01T00:00:00Z 2027-03-05T00:00:00Z moving house",
	}
	var got []string
	for _, s := range c.Silences {
		got = append(got, fmt.Sprintf("%s %s %s %s", s.Target, s.From.UTC().Format(time.RFC3339), s.Until.UTC().Format(time.RFC3339), s.Reason))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("silences (-want +got):\n%s", diff)
	}
}

func TestProbeTarget(t *testing.T) {
	c := load(t, write(t, `
version: 1
targets:
  - name: edge
    api: openai-chat
    base_url: https://inference.example/v1
    model: glm
    window: 1048576
    max_output: 256
    authorization: {basis: contract, reference: C-7, contact: ops@example.com, expires: 2027-06-30}
    pricing: {input: 0.6, cached_input: 0.11, output: 2.2}
    dress: code
    task: echo
    locators: false
tenants:
  - {name: alpha, index: 4095, credential: env:KEY_A, domain: org-a, targets: [edge]}
  - {name: bravo, index: 2, credential: env:KEY_B}
budget: {usd_per_run: 3, usd_per_day: 4, tokens_per_run: 5, tokens_per_day: 6}
`))
	want := probes.Target{
		Name: "edge", API: "openai-chat", Model: "glm", Window: 1048576, MaxOutput: 256,
		Authorization: probes.Authorization{
			Basis: probes.BasisContract, Reference: "C-7", Contact: "ops@example.com",
			Expires: time.Date(2027, 7, 1, 0, 0, 0, 0, time.UTC),
		},
		Pricing: probes.Pricing{Input: 0.6, CachedInput: 0.11, Output: 2.2},
		Dress:   "code", Task: "echo", NoLocators: true,
	}
	if diff := cmp.Diff(want, c.Targets[0].Probe()); diff != "" {
		t.Errorf("target (-want +got):\n%s", diff)
	}
	limits := probes.Limits{TokensPerRun: 5, USDPerRun: 3, TokensPerDay: 6, USDPerDay: 4}
	if diff := cmp.Diff(limits, c.Budget.Limits()); diff != "" {
		t.Errorf("limits (-want +got):\n%s", diff)
	}
}

func TestLoopback(t *testing.T) {
	tests := map[string]bool{
		"http://127.0.0.1:8000/v1": true, "http://127.9.9.9/v1": true, "http://[::1]:8000/v1": true,
		"http://LocalHost:8000/v1": true, "http://10.0.0.1/v1": false, "http://localhost.example/v1": false,
		"http://127.0.0.1.example/v1": false, "http://0.0.0.0/v1": false,
	}
	for base, want := range tests {
		if got := (Target{BaseURL: base}).Probe().Loopback; got != want {
			t.Errorf("Loopback of %s = %v, want %v", base, got, want)
		}
	}
}

// TestSecretsThroughReferences reads credentials, headers and keys the way
// commands do.
func TestSecretsThroughReferences(t *testing.T) {
	path := write(t, strings.Replace(minimal, "window: 131072",
		"window: 131072, headers: {x-org: blue, X-API-Key: env:KEY_H}", 1))
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "b.key"), []byte("bravo's key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"KEY_A": "alpha's key", "KEY_H": "header's key"}
	o := options()
	o.LookupEnv = func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	c, err := Load(path, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Warnings) > 0 {
		t.Errorf("warnings %v, want none", c.Warnings)
	}
	accounts, err := c.Accounts()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, a := range accounts {
		v, err := a.Credential.Value()
		if err != nil {
			t.Fatal(err)
		}
		got[a.Name] = v.Reveal()
	}
	headers, err := c.HeaderValues(c.Targets[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range headers {
		got[name] = v.Reveal()
	}
	want := map[string]string{"alpha": "alpha's key", "bravo": "bravo's key", "X-Org": "blue", "X-Api-Key": "header's key"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("secrets (-want +got):\n%s", diff)
	}
}

func TestWarnings(t *testing.T) {
	c := load(t, write(t, `
version: 1
fleet_keys: [file:./fleet.key]
targets:
  - name: edge
    api: openai-chat
    base_url: https://inference.example/v1
    model: m
    window: 131072
    authorization: {basis: customer, reference: CHG-1, contact: ops@example.com, expires: 2026-12-02}
    pricing: {input: 1, cached_input: 2, output: 3}
    headers: {X-Key: env:NOT_SET}
tenants:
  - {name: alpha, index: 1, credential: env:KEY_A}
probes: [{kind: burst, size: 16}]
`))
	var got []string
	for _, w := range c.Warnings {
		w.File = filepath.Base(w.File)
		got = append(got, strings.ReplaceAll(w.String(), filepath.Dir(c.Path)+string(filepath.Separator), ""))
	}
	golden(t, "testdata/warnings.txt", strings.Join(got, "\n")+"\n")
}

func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			c := load(t, file)
			for _, w := range c.Warnings {
				if !strings.Contains(w.Message, "is not set") && !strings.Contains(w.Message, "fleet.key is not there") {
					t.Errorf("warning: %s", w)
				}
			}
		})
	}
}

func TestInit(t *testing.T) {
	var b bytes.Buffer
	if err := Init(&b, options().Now); err != nil {
		t.Fatal(err)
	}
	c := load(t, write(t, b.String()))
	for i := range c.Probes {
		c.Probes[i].Every = "" // the daemon's; the plan is the same
	}
	if diff := cmp.Diff(DefaultPlan(), c.Probes); diff != "" {
		t.Errorf("the plan of the starter file is not the default plan (-want +got):\n%s", diff)
	}
	if got, want := c.Targets[0].Authorization.Expires.String(), "2027-02-28"; got != want {
		t.Errorf("authorization expires %s, want %s", got, want)
	}
}

// TestKindsExist holds that every probe kind the file may name is a probe.
func TestKindsExist(t *testing.T) {
	for _, p := range DefaultPlan() {
		if _, ok := probes.Lookup(p.Kind); !ok {
			t.Errorf("no probe of kind %q", p.Kind)
		}
	}
	for _, p := range probes.All() {
		if !strings.Contains(string(Schema()), `"`+p.Kind()+`"`) {
			t.Errorf("probe %q cannot be named in a configuration", p.Kind())
		}
	}
}

func TestMissingFile(t *testing.T) {
	_, err := Load(filepath.Join(t.TempDir(), "none.yaml"), options())
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load of no file: error %v", err)
	}
}

func TestLargeFile(t *testing.T) {
	_, err := Load(write(t, strings.Repeat("# comment\n", MaxSize/10+1)), options())
	if err == nil || !strings.Contains(err.Error(), "is larger than 256 KiB") {
		t.Errorf("Load of a large file: error %v", err)
	}
}

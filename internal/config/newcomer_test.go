package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crosstalk/internal/config"
)

const small = `version: 1
targets:
  - {name: sim, api: openai-chat, base_url: "http://127.0.0.1:18080/v1", model: sim, window: 32768}
tenants:
  - {name: alpha, index: 1, credential: "env:KEY_ALPHA"}
  - {name: bravo, index: 2, credential: "env:KEY_BRAVO"}
`

func parse(text string) (*config.Config, error) {
	return config.Parse("test.yaml", []byte(text), config.Options{Now: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)})
}

// TestByteOrderMark: some editors write one, and YAML allows it.
func TestByteOrderMark(t *testing.T) {
	cfg, err := parse("\ufeff" + small)
	if err != nil || len(cfg.Targets) != 1 {
		t.Errorf("%+v, %v", cfg, err)
	}
}

// TestPortExists: an address with a port that cannot be is no address.
func TestPortExists(t *testing.T) {
	for _, port := range []string{"0", "65536", "99999"} {
		_, err := parse(strings.Replace(small, ":18080", ":"+port, 1))
		if err == nil || !strings.Contains(err.Error(), "there is no port "+port) {
			t.Errorf("port %s: %v", port, err)
		}
	}
	if _, err := parse(strings.Replace(small, ":18080", ":65535", 1)); err != nil {
		t.Error(err)
	}
}

// TestCapWithoutPrices: on this machine a cap in USD without prices is allowed,
// but it caps nothing.
func TestCapWithoutPrices(t *testing.T) {
	cfg, err := parse(small + "budget: {usd_per_run: 5}\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(cfg.Warnings) != 1 || !strings.Contains(cfg.Warnings[0].Message, "has no pricing") {
		t.Errorf("warnings %v", cfg.Warnings)
	}
}

// TestMissingOfReceivers: what serve would not start without is warned of.
func TestMissingOfReceivers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "crosstalk.yaml")
	text := small + `notify: [{kind: webhook, url: "env:HOOK_URL", secret: "env:HOOK_SECRET"}, {kind: alertmanager, url: "http://127.0.0.1:1", token: "env:AM_TOKEN"}]
heartbeat: {url: "env:BEAT_URL"}
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	lookup := func(name string) (string, bool) { return "set", strings.HasPrefix(name, "KEY_") }
	cfg, err := config.Load(path, config.Options{LookupEnv: lookup})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range cfg.Warnings {
		got = append(got, w.Path+": "+w.Message)
	}
	want := []string{
		"notify[0].url: environment variable HOOK_URL is not set", "notify[0].secret: environment variable HOOK_SECRET is not set",
		"notify[1].token: environment variable AM_TOKEN is not set", "heartbeat.url: environment variable BEAT_URL is not set",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

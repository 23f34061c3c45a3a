package probes

import (
	"encoding/base64"
	"flag"
	"testing"
	"time"

	"go.uber.org/goleak"

	"crosstalk/corpus"
	"crosstalk/internal/secret"
	"crosstalk/tenants"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// today is the date of every plan in these tests.
func today() time.Time { return time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC) }

// newState is the state of a target of our own with two tenants of different
// organizations, calibrated with that many observations per family.
func newState(t testing.TB, window int, calibration map[string]corpus.Calibration) State {
	t.Helper()
	return State{
		Target: Target{
			Name: "edge", API: "openai-chat", Model: "glm-5.3", Window: window, MaxOutput: 512,
			Authorization: ownerAuthorization(),
			Pricing:       Pricing{Input: 0.60, CachedInput: 0.11, Output: 2.20},
		},
		Tenants:     twoTenants(t),
		Now:         today(),
		Calibration: calibration,
	}
}

func ownerAuthorization() Authorization {
	return Authorization{
		Basis: BasisOwner, Reference: "CHG-1234", Contact: "oncall@example.com",
		Expires: time.Date(2037, 6, 30, 0, 0, 0, 0, time.UTC),
	}
}

func twoTenants(t testing.TB) []tenants.Tenant {
	t.Helper()
	return []tenants.Tenant{
		newTenant(t, "alpha", 1, "org-a", nil),
		newTenant(t, "bravo", 2, "org-b", nil),
	}
}

// newTenant returns a tenant whose key is read by lookup; nil is a lookup that
// always finds one.
func newTenant(t testing.TB, name string, index uint16, domain string, lookup func(string) (string, bool)) tenants.Tenant {
	t.Helper()
	if lookup == nil {
		lookup = func(string) (string, bool) { return "key-of-" + name, true }
	}
	credential, err := tenants.NewCredential("env:KEY_"+name, "", lookup)
	if err != nil {
		t.Fatal(err)
	}
	return tenants.Tenant{Name: name, Index: index, Domain: domain, Credential: credential}
}

// evenly calibrates every family: so many tokens a byte, with that spread.
func evenly(perByte, spread float64) map[string]corpus.Calibration {
	known := make(map[string]corpus.Calibration)
	for _, f := range corpus.Families() {
		known[f.Name] = corpus.Calibration{N: 40, Overhead: 12, PerByte: perByte, Spread: spread}
	}
	return known
}

// countingMinter mints prompts under a fixed key, the first draw first, so that
// every run of a test sees the same bytes.
type countingMinter struct {
	codec *tenants.Codec
	draw  uint16
}

func (m *countingMinter) Mint(tenant uint16, spec corpus.Spec) (tenants.Payload, *corpus.Prompt, error) {
	if m.codec == nil {
		text := base64.StdEncoding.EncodeToString([]byte("a fleet key for the tests only.."))
		key, err := tenants.ParseFleetKey(text)
		if err != nil {
			return tenants.Payload{}, nil, err
		}
		m.codec = tenants.NewCodec(key)
	}
	for {
		m.draw++
		payload := tenants.Payload{Tenant: tenant, Second: 1, Draw: m.draw % (1 << 12)}
		if prompt, err := m.codec.Prompt(payload, spec); err == nil || spec.Validate() != nil {
			return payload, prompt, err
		}
	}
}

// reveal is for tests that look at the key a client was given.
func reveal(v secret.Value) string { return v.Reveal() }

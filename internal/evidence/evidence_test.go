package evidence_test

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/internal/evidence"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

// foreign stands for a stranger's text.
const foreign = "the landlord agreed to drop the deposit but insists on the pets clause"

var at = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// key makes an identity and the sealer for it.
func key(t testing.TB) (*evidence.Sealer, []age.Identity) {
	t.Helper()
	text, recipient, err := evidence.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "identity")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	identities, err := evidence.ReadIdentities(path)
	if err != nil {
		t.Fatal(err)
	}
	sealer, err := evidence.NewSealer(recipient)
	if err != nil {
		t.Fatal(err)
	}
	return sealer, identities
}

// record is a record of one exchange with something in every field.
func record(class checks.Class) *evidence.Record {
	id := uuid.Must(uuid.NewV7())
	x := uuid.Must(uuid.NewV7())
	spec := corpus.Spec{Version: 1, Family: "prose", Task: corpus.TaskSeals, Dress: corpus.DressWords, Sentences: 60, Seals: 5}
	return &evidence.Record{
		Label:   evidence.Label{Format: evidence.Format, ID: id, Target: "edge", Probe: "top", Class: class, At: at},
		Program: "v1", API: "openai-chat", Seed: 7, Started: at.Add(-time.Minute), Key: "0badcafe",
		Exchanges: []evidence.Exchange{{
			ID: x, Intent: probes.Intent{Tenant: "alpha", Spec: spec, Tokens: 900}, Tenant: 1,
			Payload: tenants.Payload{Tenant: 1, Second: 99, Draw: 3}, Started: at.Add(-time.Minute),
			Answer: &evidence.Answer{
				Status: 200, Header: http.Header{"X-Request-Id": {"req_1"}}, Body: []byte(`{"x": "` + foreign + `"}`), WireBytes: 90,
				Failure: &provider.Failure{Kind: provider.FailureTruncated}, Arrivals: []time.Duration{time.Second},
			},
		}},
		Lookback: evidence.Prompts{
			{Exchange: uuid.Must(uuid.NewV7()), Payload: tenants.Payload{Tenant: 2, Second: 98, Draw: 9}, Spec: spec, Key: "0badcafe"},
			{Payload: tenants.Payload{Tenant: 2, Second: 97, Draw: 9}, Spec: corpus.Spec{Version: 1, Family: "code"}, Key: "cafe0bad"},
		},
		Report: checks.Report{
			Findings: []checks.Finding{{Check: "contact", Kind: "no_contact", Class: class, Exchange: x, Detail: "12 words"}},
			Verdicts: []checks.Verdict{{Exchange: x, Class: class, Reason: "no_contact"}},
		},
	}
}

func seal(t testing.TB, s *evidence.Sealer, r *evidence.Record) []byte {
	t.Helper()
	data, err := s.Seal(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestSeal: what is sealed comes back whole to who has the identity, to nobody
// else, and nothing of it shows.
func TestSeal(t *testing.T) {
	sealer, identities := key(t)
	_, others := key(t)
	want := record(checks.Foreign)
	data := seal(t, sealer, want)
	got, err := evidence.Open(data, identities...)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("it came back changed (-want +got):\n%s", diff)
	}
	if _, err := evidence.Open(data, others...); !errors.Is(err, evidence.ErrSealed) {
		t.Errorf("another identity: %v", err)
	}
	if bytes.Contains(data, []byte(foreign)) || bytes.Contains(data, []byte("req_1")) || bytes.Contains(data, []byte("alpha")) {
		t.Error("the envelope shows what is sealed in it")
	}
	label, _, err := evidence.ParseEnvelope(data)
	if err != nil || !cmp.Equal(label, want.Label) {
		t.Errorf("label %+v, %v", label, err)
	}
	if again := seal(t, sealer, want); bytes.Equal(again, data) {
		t.Error("sealed twice it is the same: two envelopes can be compared")
	}
}

// TestDamage: an envelope that is cut anywhere, or has a byte changed, gives an
// error that says so, and nothing of the record.
func TestDamage(t *testing.T) {
	sealer, identities := key(t)
	data := seal(t, sealer, record(checks.Leak))
	spoilt := func(what string, at int, d []byte) {
		t.Helper()
		r, err := evidence.Open(d, identities...)
		if r != nil || !errors.Is(err, evidence.ErrDamaged) && !errors.Is(err, evidence.ErrEnvelope) && !errors.Is(err, evidence.ErrSealed) {
			t.Errorf("%s at byte %d: %v", what, at, err)
		}
	}
	for n := range len(data) {
		spoilt("cut", n, data[:n])
		changed := bytes.Clone(data)
		changed[n] ^= 1
		spoilt("changed", n, changed)
	}
	spoilt("longer", len(data), append(bytes.Clone(data), 0))
	if _, err := evidence.Open(data[:len(data)-1], identities...); !errors.Is(err, evidence.ErrDamaged) {
		t.Errorf("without its last byte: %v, want one that wraps ErrDamaged", err)
	}
	if _, err := evidence.Open([]byte("hello\n"), identities...); !errors.Is(err, evidence.ErrEnvelope) {
		t.Errorf("another file: %v, want one that wraps ErrEnvelope", err)
	}
	// A label of another envelope is noticed, though it is a good one.
	other := seal(t, sealer, record(checks.Damaged))
	head, _, _ := bytes.Cut(other, []byte("\n"))
	_, sealed, _ := bytes.Cut(data, []byte("\n"))
	mislabelled := bytes.Join([][]byte{head, sealed}, []byte("\n"))
	if _, err := evidence.Open(mislabelled, identities...); !errors.Is(err, evidence.ErrDamaged) {
		t.Errorf("with another's label: %v", err)
	}
	newer := bytes.Replace(data, []byte(`"format":1`), []byte(`"format":2`), 1)
	if _, _, err := evidence.ParseEnvelope(newer); !errors.Is(err, evidence.ErrEnvelope) || !strings.Contains(err.Error(), "newer crosstalk") {
		t.Errorf("of a newer format: %v", err)
	}
}

// TestRecipients: what is not a recipient is refused and not repeated, a secret
// key with what it is.
func TestRecipients(t *testing.T) {
	hybrid, err := age.GenerateHybridIdentity()
	if err != nil {
		t.Fatal(err)
	}
	_, plain, err := evidence.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		recipients []string
		want       error
	}{
		"one":               {[]string{plain}, nil},
		"post-quantum":      {[]string{hybrid.Recipient().String()}, nil},
		"two of two kinds":  {[]string{plain, hybrid.Recipient().String()}, evidence.ErrMixed},
		"none":              {nil, evidence.ErrRecipient},
		"an identity":       {[]string{hybrid.String()}, evidence.ErrIdentity},
		"something":         {[]string{plain, "sk-planted"}, evidence.ErrRecipient},
		"two in one":        {[]string{plain + "\n" + plain}, evidence.ErrRecipient},
		"identity in lower": {[]string{"age-secret-key-planted"}, evidence.ErrIdentity},
	} {
		s, err := evidence.NewSealer(tt.recipients...)
		if !errors.Is(err, tt.want) || (err == nil) != (s != nil) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
		if err != nil && (strings.Contains(err.Error(), "planted") || strings.Contains(err.Error(), hybrid.String())) {
			t.Errorf("%s: the error repeats it: %v", name, err)
		}
	}
}

// TestIdentities: an identity file is read if it is closed to others, and no
// error repeats what is in it.
func TestIdentities(t *testing.T) {
	text, _, err := evidence.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		text []byte
		mode os.FileMode
		want string // "": it is read
	}{
		"good":         {text, 0o600, ""},
		"open to all":  {text, 0o644, "chmod 600"},
		"encrypted":    {[]byte("age-encryption.org/v1\n-> scrypt"), 0o600, "age -d"},
		"no identity":  {[]byte("AGE-SECRET-KEY-PLANTED"), 0o600, "no identity in it"},
		"nothing":      {nil, 0o600, "no identity in it"},
		"armored file": {[]byte("-----BEGIN AGE ENCRYPTED FILE-----"), 0o600, "age -d"},
	} {
		path := filepath.Join(t.TempDir(), "identity")
		if err := os.WriteFile(path, tt.text, tt.mode); err != nil {
			t.Fatal(err)
		}
		list, err := evidence.ReadIdentities(path)
		if tt.want == "" {
			if err != nil || len(list) != 1 {
				t.Errorf("%s: %d identities, %v", name, len(list), err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "PLANTED") {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	if _, err := evidence.ReadIdentities(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestKey: a record of a retired fleet key says so.
func TestKey(t *testing.T) {
	fleet, err := tenants.NewFleetKey()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := record(checks.Leak).Judge(tenants.NewCodec(fleet), nil, nil); !errors.Is(err, evidence.ErrKey) {
		t.Errorf("error is %v, want one that wraps ErrKey", err)
	}
}

// FuzzOpen: whatever a file holds, opening it gives a record or one of the
// errors, and never panics.
func FuzzOpen(f *testing.F) {
	sealer, identities := key(f)
	good := seal(f, sealer, record(checks.Leak))
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add([]byte("crosstalk-evidence {}\nage-encryption.org/v1\n"))
	f.Add([]byte("crosstalk-evidence {\"format\":1,\"id\":\"01a22ec9-0000-7000-8000-000000000000\",\"at\":\"2026-07-01T12:00:00Z\"} {}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		label, sealed, err := evidence.ParseEnvelope(data)
		if err == nil && (label.ID == uuid.Nil || len(sealed) >= len(data)) {
			t.Errorf("label %+v, %d bytes sealed of %d", label, len(sealed), len(data))
		}
		r, err := evidence.Open(data, identities...)
		if (r == nil) == (err == nil) {
			t.Errorf("record %v and error %v", r, err)
		}
		if err != nil && !errors.Is(err, evidence.ErrDamaged) && !errors.Is(err, evidence.ErrEnvelope) && !errors.Is(err, evidence.ErrSealed) {
			t.Errorf("error is none of ours: %v", err)
		}
	})
}

// FuzzPrompts: a look-back that is read is written and read the same.
func FuzzPrompts(f *testing.F) {
	good, err := record(checks.Leak).Lookback.MarshalJSON()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"specs":[{}],"keys":[""],"rows":[{"p":0},{"p":-1}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var p, q evidence.Prompts
		if p.UnmarshalJSON(text) != nil {
			return
		}
		again, err := p.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if err := q.UnmarshalJSON(again); err != nil || !cmp.Equal(p, q, cmpopts.EquateEmpty()) {
			t.Errorf("%v: %s", err, cmp.Diff(p, q))
		}
	})
}

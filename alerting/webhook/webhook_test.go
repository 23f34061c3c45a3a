package webhook

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crosstalk/alerting"
	"crosstalk/alerting/notifytest"
	"crosstalk/internal/secret"
)

func open(t *testing.T, url string, change ...func(*Options)) *Webhook {
	t.Helper()
	o := Options{
		Name: "test", URL: secret.New(url), Secret: secret.New(notifytest.Secret),
		External: "https://crosstalk.example/",
		HTTP:     alerting.SenderOptions{WaitMin: time.Millisecond, WaitMax: notifytest.WaitMax},
	}
	for _, f := range change {
		f(&o)
	}
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestConformance(t *testing.T) {
	notifytest.Run(t, func(t *testing.T, url string) alerting.Notifier { return open(t, url) })
}

// TestMessage reads a message the way a receiver does.
func TestMessage(t *testing.T) {
	key := secret.New(notifytest.Secret)
	pages := notifytest.Pages()
	var got []Message
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if err := Verify(key, r.Header.Get(HeaderSignature), body, time.Now()); err != nil {
			t.Errorf("Verify: %v", err)
		}
		var m Message
		if err := json.Unmarshal(body, &m); err != nil {
			t.Errorf("body: %v", err)
		}
		if r.Header.Get(HeaderDedupKey) != m.Incident.DedupKey || r.Header.Get(HeaderPage) != m.ID.String() {
			t.Errorf("headers %v do not fit the body", r.Header)
		}
		got = append(got, m)
	}))
	defer server.Close()
	w := open(t, server.URL)
	var want []Message
	for _, p := range pages {
		if err := w.Notify(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		want = append(want, Message{
			Version: 1, Page: p, Runbook: "foreignmarker",
			Link: "https://crosstalk.example/incidents/" + p.Incident.ID.String(),
		})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

func TestUnsigned(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if h := r.Header.Get(HeaderSignature); h != "" {
			t.Errorf("signed without a secret: %s", h)
		}
	}))
	defer server.Close()
	w := open(t, server.URL, func(o *Options) { o.Secret = secret.Value{} })
	if err := w.Notify(t.Context(), notifytest.Pages()[0]); err != nil {
		t.Fatal(err)
	}
}

func TestVerify(t *testing.T) {
	key, body := secret.New("key"), []byte(`{"version":1}`)
	at := time.Unix(1_790_000_000, 0)
	right := Sign(key, body, at)
	// Computed with openssl: printf '1790000000.{"version":1}' | openssl dgst -sha256 -hmac key
	const vector = "t=1790000000,v1=4313c05fb86a2f39a1bbfc1fdb6a49e55f2b57a8d447fb2c5c946a3dc4e5e3f2"
	tests := []struct {
		name   string
		header string
		body   string
		now    time.Time
		good   bool
	}{
		{"right", right, string(body), at, true},
		{"vector", vector, string(body), at, true},
		{"a clock that is slow", right, string(body), at.Add(-4 * time.Minute), true},
		{"one of two", right + ",v1=00ff", string(body), at, true},
		{"spaces", strings.ReplaceAll(right, ",", " , "), string(body), at, true},
		{"another body", right, `{"version":2}`, at, false},
		{"another time", strings.Replace(right, "t=179", "t=178", 1), string(body), time.Unix(1_780_000_000, 0), false},
		{"old", right, string(body), at.Add(6 * time.Minute), false},
		{"from the future", right, string(body), at.Add(-6 * time.Minute), false},
		{"nothing", "", string(body), at, false},
		{"no time", "v1=00", string(body), at, false},
		{"no signature", "t=1790000000", string(body), at, false},
		{"not hex", "t=1790000000,v1=zz", string(body), at, false},
		{"empty signature", "t=1790000000,v1=", string(body), at, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Verify(key, tt.header, []byte(tt.body), tt.now)
			if (err == nil) != tt.good {
				t.Errorf("Verify: %v, want good %t", err, tt.good)
			}
			if err != nil && !errors.Is(err, ErrSignature) {
				t.Errorf("%v is not an ErrSignature", err)
			}
		})
	}
	if err := Verify(secret.New("other"), right, body, at); err == nil {
		t.Error("another secret verifies")
	}
}

func TestNew(t *testing.T) {
	for _, url := range []string{"", "example.com/hook", "ftp://example.com", "http://", "http://%zz-planted"} {
		if _, err := New(Options{Name: "hook", URL: secret.New(url)}); err == nil || !strings.Contains(err.Error(), "notifier hook: url") || strings.Contains(err.Error(), "planted") {
			t.Errorf("New(%q): %v", url, err)
		}
	}
}

func FuzzVerify(f *testing.F) {
	key, body, at := secret.New("key"), []byte("body"), time.Unix(1_790_000_000, 0)
	f.Add(Sign(key, body, at))
	f.Add("t=,v1=")
	f.Add(",,,=,t=1,v1=00")
	f.Fuzz(func(t *testing.T, header string) {
		_, right, _ := strings.Cut(Sign(key, body, at), "v1=")
		if Verify(key, header, body, at) == nil && !strings.Contains(strings.ToLower(header), right) {
			t.Errorf("%q verifies", header)
		}
	})
}

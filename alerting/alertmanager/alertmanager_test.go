package alertmanager

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crosstalk/alerting"
	"crosstalk/alerting/notifytest"
	"crosstalk/internal/secret"
)

var at = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, change func(*Options), urls ...string) *Alertmanager {
	t.Helper()
	o := Options{
		Name: "test", URLs: urls, Token: secret.New(notifytest.Secret),
		HTTP: alerting.SenderOptions{WaitMin: time.Millisecond, WaitMax: notifytest.WaitMax},
	}
	if change != nil {
		change(&o)
	}
	a, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestConformance(t *testing.T) {
	notifytest.Run(t, func(t *testing.T, url string) alerting.Notifier { return open(t, nil, url) })
}

// member is an Alertmanager that keeps what it is sent.
type member struct {
	*httptest.Server
	mu     sync.Mutex
	posts  [][]Alert
	header http.Header
}

func serve(t *testing.T) *member {
	m := &member{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var alerts []Alert
		if r.URL.Path != "/prefix/api/v2/alerts" || json.Unmarshal(body, &alerts) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.posts, m.header = append(m.posts, alerts), r.Header
	}))
	t.Cleanup(m.Close)
	return m
}

func TestAlerts(t *testing.T) {
	m := serve(t)
	a := open(t, func(o *Options) {
		o.Labels = map[string]string{"team": "infra", "kind": "cannot be changed"}
		o.External = "http://crosstalk.example"
	}, m.URL+"/prefix/")
	pages := notifytest.Pages()
	for _, p := range pages {
		if err := a.Notify(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	first := m.posts[0][0]
	want := Alert{
		Labels: map[string]string{
			"alertname": "CrosstalkLeak", "target": "edge-glm", "kind": "leak", "severity": "page",
			"dedup": pages[0].Incident.DedupKey, "team": "infra",
		},
		Annotations:  first.Annotations,
		StartsAt:     at,
		EndsAt:       at.Add(24 * time.Hour),
		GeneratorURL: "http://crosstalk.example/incidents/" + pages[0].Incident.ID.String(),
	}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("first alert (-want +got):\n%s", diff)
	}
	for _, k := range []string{"summary", "description", "runbook"} {
		if first.Annotations[k] == "" {
			t.Errorf("no annotation %s", k)
		}
	}
	for i, alerts := range m.posts {
		if diff := cmp.Diff(first.Labels, alerts[0].Labels); diff != "" {
			t.Errorf("post %d has other labels, it is another alert:\n%s", i, diff)
		}
	}
	last := m.posts[len(m.posts)-1][0]
	if end := at.Add(3 * time.Hour); !last.EndsAt.Equal(end) || !last.StartsAt.Equal(at) {
		t.Errorf("the resolved alert is from %v to %v, want %v to %v", last.StartsAt, last.EndsAt, at, end)
	}
	if got := m.header.Get("Authorization"); got != "Bearer "+notifytest.Secret {
		t.Errorf("Authorization: %s", got)
	}
}

// TestTicketBecomesPage: the severity is a label, so the alert with the old one
// must end.
func TestTicketBecomesPage(t *testing.T) {
	m := serve(t)
	a := open(t, nil, m.URL+"/prefix")
	i := alerting.Incident{
		Kind: alerting.KindBlind, Target: "t", DedupKey: "k", State: alerting.StateOpen,
		Severity: alerting.SeverityPage, Opened: at, Escalated: at.Add(24 * time.Hour),
	}
	if err := a.Notify(t.Context(), alerting.Page{Action: alerting.ActionEscalate, At: at.Add(24 * time.Hour), Incident: i}); err != nil {
		t.Fatal(err)
	}
	got := m.posts[0]
	if len(got) != 2 || got[0].Labels["severity"] != "page" || got[1].Labels["severity"] != "ticket" {
		t.Fatalf("alerts %+v, want the page and the end of the ticket", got)
	}
	if !got[1].EndsAt.Equal(i.Escalated) || !got[0].EndsAt.After(i.Escalated) {
		t.Errorf("the ticket ends at %v, the page at %v", got[1].EndsAt, got[0].EndsAt)
	}
}

func TestRefresh(t *testing.T) {
	m := serve(t)
	a := open(t, func(o *Options) { o.Now = func() time.Time { return at.Add(time.Hour) } }, m.URL+"/prefix")
	if err := a.Refresh(t.Context(), nil); err != nil || len(m.posts) != 0 {
		t.Errorf("nothing open: %v, %d posts", err, len(m.posts))
	}
	p := notifytest.Pages()[0]
	if err := a.Notify(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if err := a.Refresh(t.Context(), []alerting.Incident{p.Incident}); err != nil {
		t.Fatal(err)
	}
	first, again := m.posts[0][0], m.posts[1][0]
	if diff := cmp.Diff(first.Labels, again.Labels); diff != "" {
		t.Errorf("another alert:\n%s", diff)
	}
	if want := at.Add(25 * time.Hour); !again.EndsAt.Equal(want) {
		t.Errorf("EndsAt = %v, want %v", again.EndsAt, want)
	}
}

// TestCluster: each member is told, and one that has it is enough.
func TestCluster(t *testing.T) {
	m, n := serve(t), serve(t)
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	defer busy.Close()
	wrong := httptest.NewServer(http.NotFoundHandler())
	defer wrong.Close()
	p := notifytest.Pages()[0]

	a := open(t, nil, down.URL, m.URL+"/prefix", wrong.URL, n.URL+"/prefix")
	if err := a.Notify(t.Context(), p); err != nil || len(m.posts) != 1 || len(n.posts) != 1 {
		t.Errorf("Notify: %v, %d and %d posts; want nil, 1 and 1", err, len(m.posts), len(n.posts))
	}
	a = open(t, nil, wrong.URL, busy.URL)
	var d *alerting.DeliveryError
	if err := a.Notify(t.Context(), p); !errors.As(err, &d) || !d.Retryable {
		t.Errorf("Notify: %v, want the failure that may pass", err)
	}
}

func TestBasicAuth(t *testing.T) {
	m := serve(t)
	a := open(t, func(o *Options) { o.Token, o.Username, o.Password = secret.Value{}, "jo", secret.New("pw") }, m.URL+"/prefix")
	if err := a.Notify(t.Context(), notifytest.Pages()[0]); err != nil {
		t.Fatal(err)
	}
	r := http.Request{Header: m.header}
	if user, pw, ok := r.BasicAuth(); !ok || user != "jo" || pw != "pw" {
		t.Errorf("basic auth %s:%s, %t", user, pw, ok)
	}
}

func TestAlertname(t *testing.T) {
	for kind, want := range map[alerting.Kind]string{
		alerting.KindLeak: "CrosstalkLeak", alerting.KindForeign: "CrosstalkForeign", alerting.KindBlind: "CrosstalkBlind",
		alerting.KindProber: "CrosstalkProber", alerting.KindDamage("recall"): "CrosstalkDamaged", "": "Crosstalk",
	} {
		if got := alertname(kind); got != want {
			t.Errorf("alertname(%q) = %s, want %s", kind, got, want)
		}
	}
}

func TestNew(t *testing.T) {
	tests := []struct {
		urls []string
		want string
	}{
		{nil, "name at least one"},
		{[]string{"http://am.example", "am.example:9093"}, "urls[1]"},
		{[]string{"http://user:planted@am.example"}, "urls[0]"},
	}
	for _, tt := range tests {
		_, err := New(Options{Name: "am", URLs: tt.urls})
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "planted") {
			t.Errorf("New(%q): %v, want it to say %q", tt.urls, err, tt.want)
		}
	}
}

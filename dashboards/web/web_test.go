package web_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"crosstalk/alerting"
	"crosstalk/dashboards/web"
)

func handler(t *testing.T, f *fake, s web.Site) http.Handler {
	t.Helper()
	h, err := web.New(f, web.Options{Site: func() web.Site { return s }, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func get(t *testing.T, h http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, nil))
	return rec
}

// paths are one of every kind of page.
func paths() []string {
	return []string{
		"/", "/incidents", "/targets/edge-glm", "/targets/core-qwen", "/targets/lab-mist",
		"/incidents/" + id('i', 1).String(), "/incidents/" + id('i', 2).String(), "/incidents/" + id('i', 3).String(),
		"/rounds/" + id('r', 1).String(), "/runbooks/foreignmarker", "/runbooks/norounds",
	}
}

func TestPages(t *testing.T) {
	h := handler(t, morning(), site())
	for _, tt := range []struct {
		path string
		want []string
	}{
		{"/", []string{
			"2 open incidents", "edge-glm", `<span class="chip leak">leak</span>`, "4 seen", "4 hits",
			"paused", "48,120,400 tokens", "≤ 0.0", "/targets/core-qwen", "5 min ago",
		}},
		{"/targets/edge-glm", []string{
			"1,048,576 tokens advertised", "What the answers so far exclude", "seedwatch", "8,620 of 8,640",
			`<rect class="mark leak"`, "/rounds/" + id('r', 2).String(), "Resolved lately", "damaged/recall",
		}},
		{"/targets/lab-mist", []string{"Paused by jo", "moving racks", "Nothing has been covered yet"}},
		{"/rounds/" + id('r', 1).String(), []string{
			"foreignmarker / marker", "alpha, prompt byte", "not sent: backoff", "X-Request-Id: req_7f3a9c", "996,147", "0.41 s", "4e-18",
		}},
		{"/incidents/" + id('i', 1).String(), []string{
			"Leak on", "Page map", "alpha, charlie", "bytes 1,284,991 to", "<polygon", "<circle", "whole marker",
			"crosstalk incidents ack " + id('i', 1).String(), "crosstalk incidents resolve", "crosstalk pause edge-glm",
			"delivered 2026-12-01 09:27:02 UTC", "not delivered (timeout), 4 attempts", "/runbooks/foreignmarker", "recall: 3",
		}},
		{"/incidents/" + id('i', 2).String(), []string{
			"Foreign content on", "Whose content it was is not known", "no page map", "at most two confirmations", "crosstalk resume core-qwen", "taken by jo",
		}},
		{"/incidents/" + id('i', 3).String(), []string{"resolved by sound rounds", "No exchange of it is kept", "To look closer"}},
		{"/incidents", []string{"damaged/recall", "page, resolved", "foreign content on core-qwen"}},
		{"/runbooks/contact", []string{"contact:"}},
		{"/runbooks/ledger", []string{"Do not restart"}},
	} {
		t.Run(tt.path, func(t *testing.T) {
			rec := get(t, h, tt.path)
			if rec.Code != http.StatusOK {
				t.Fatalf("status %d", rec.Code)
			}
			for _, want := range tt.want {
				if !strings.Contains(rec.Body.String(), want) {
					t.Errorf("%q is not on the page", want)
				}
			}
			for _, bad := range []string{"<no value>", "ZgotmplZ", "%!", "NaN", "0001-01-01"} {
				if strings.Contains(rec.Body.String(), bad) {
					t.Errorf("%q is on the page", bad)
				}
			}
		})
	}
	if body := get(t, h, "/incidents/"+id('i', 2).String()).Body.String(); strings.Contains(body, "<svg class=\"map\"") {
		t.Error("a map is drawn for a donor nobody knows")
	}
}

// TestEmpty: the pages of a daemon that has just been started.
func TestEmpty(t *testing.T) {
	h := handler(t, &fake{}, site())
	for path, want := range map[string]string{
		"/": "not probed yet", "/targets/edge-glm": "Nothing has been covered yet", "/incidents": "There has been none",
	} {
		if body := get(t, h, path).Body.String(); !strings.Contains(body, want) {
			t.Errorf("%s: %q is not on the page", path, want)
		}
	}
	h = handler(t, &fake{}, web.Site{})
	if body := get(t, h, "/").Body.String(); !strings.Contains(body, "No target is configured") {
		t.Error("a site without targets does not say so")
	}
}

// TestSilences: what is announced is on the status page, and a target that is
// left alone says so on its own.
func TestSilences(t *testing.T) {
	s := site()
	h := handler(t, morning(), s)
	for _, path := range []string{"/", "/targets/edge-glm"} {
		if body := strings.ToLower(get(t, h, path).Body.String()); strings.Contains(body, "silence") || strings.Contains(body, "left alone") {
			t.Errorf("%s speaks of silence, and there is none", path)
		}
	}
	s.Silences = []web.Silence{{Target: "edge-glm", Until: now.Add(3 * time.Hour), Reason: "kernel <b>upgrade</b>"}}
	s.Targets[0].LeftAlone = "the target is silenced until noon"
	h = handler(t, morning(), s)
	for path, want := range map[string]string{"/": "kernel &lt;b&gt;upgrade", "/targets/edge-glm": "silenced until noon"} {
		if body := get(t, h, path).Body.String(); !strings.Contains(body, want) {
			t.Errorf("%s does not say %q", path, want)
		}
	}
}

// TestWaits: an incident says what its resolution waits for.
func TestWaits(t *testing.T) {
	f := morning()
	f.incidents[0].Waits = []alerting.Wait{{Cell: f.incidents[0].Cells[0], Passed: 2, Needed: 5}}
	body := get(t, handler(t, f, site()), "/incidents/"+f.incidents[0].ID.String()).Body.String()
	if !strings.Contains(body, "2 of 5 sound rounds") {
		t.Error("the page does not say what the incident waits for")
	}
}

// TestMapPlaces: the marks of a page map stand where the findings say.
func TestMapPlaces(t *testing.T) {
	body := get(t, handler(t, morning(), site()), "/incidents/"+id('i', 1).String()).Body.String()
	marks := regexp.MustCompile(`<circle cx="([0-9.]+)" cy="([0-9.]+)"`).FindAllStringSubmatch(body, -1)
	if len(marks) < 10 {
		t.Fatalf("%d circles, want at least 10", len(marks))
	}
	// The first passage stands at byte 60 of an axis to 2,000 over 690 pixels,
	// and at byte 1,284,991 of one from 1,200,000 to 2,000,000 over 325 pixels
	// upwards from 345.
	if marks[0][1] != "130.7" || marks[0][2] != "310.5" {
		t.Errorf("the first mark is at %s, %s, want 130.7, 310.5", marks[0][1], marks[0][2])
	}
	if n := strings.Count(body, `<g class="d0">`) + strings.Count(body, `<g class="d1">`); n != 17 {
		t.Errorf("%d marks, want 17 of two answers", n)
	}
}

// TestHeaders: every answer, whatever it is, is inert.
func TestHeaders(t *testing.T) {
	h := handler(t, morning(), site())
	for _, path := range append(paths(), "/nothing", "/static/style.css", "/rounds/x", "/targets/nobody") {
		rec := get(t, h, path)
		csp := rec.Header().Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") || strings.Contains(csp, "script") {
			t.Errorf("%s: Content-Security-Policy %q", path, csp)
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
		} {
			if got := rec.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		// What the policy would block must not be needed.
		for _, bad := range []string{"<script", " style=", "<style", "javascript:", " onclick"} {
			if strings.Contains(rec.Body.String(), bad) {
				t.Errorf("%s: the page has %q", path, bad)
			}
		}
	}
}

// TestHostile: text that came over the wire is text.
func TestHostile(t *testing.T) {
	f, s := wicked()
	h := handler(t, f, s)
	for _, path := range append(paths(), "/targets/"+url.PathEscape(hostile)) {
		rec := get(t, h, path)
		if rec.Code >= 500 {
			t.Errorf("%s: status %d", path, rec.Code)
		}
		body := rec.Body.String()
		for _, bad := range []string{"<script", "<img", "\u202e", "\x00", "onerror=alert(2)>"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s: %q came through", path, bad)
			}
		}
	}
	rec := get(t, h, "/targets/"+url.PathEscape(hostile))
	if rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), "&lt;script&gt;") {
		t.Errorf("the page of the hostile target: status %d, want the name as text", rec.Code)
	}
	if line := regexp.MustCompile(`<code>crosstalk pause (.*?)</code>`).FindStringSubmatch(get(t, h, "/incidents/"+id('i', 1).String()).Body.String()); line == nil || !strings.HasPrefix(line[1], "&#39;") {
		t.Errorf("a hostile name is not quoted for the shell: %q", line)
	}
}

// TestBounded: no list makes a page too large to be read.
func TestBounded(t *testing.T) {
	h := handler(t, huge(), site())
	for _, path := range paths() {
		rec := get(t, h, path)
		if n := rec.Body.Len(); n > 1<<20 {
			t.Errorf("%s: %d bytes", path, n)
		}
	}
	for path, want := range map[string]string{
		"/": "Only the newest 100", "/incidents": "Only the newest 100", "/targets/edge-glm": "Only the first 200 cells",
		"/rounds/" + id('r', 1).String():    "Not all rows are shown",
		"/incidents/" + id('i', 1).String(): "Only the first 400 marks",
	} {
		if !strings.Contains(get(t, h, path).Body.String(), want) {
			t.Errorf("%s does not say %q", path, want)
		}
	}
}

func TestNotFound(t *testing.T) {
	h := handler(t, morning(), site())
	for _, path := range []string{
		"/nothing", "/rounds/" + id('r', 60000).String(), "/rounds/1", "/incidents/" + id('i', 999).String(), "/incidents/x",
		"/targets/nobody", "/runbooks/nobody", "/runbooks/..%2f..%2fweb", "/static/../web.go", "/targets/",
	} {
		if rec := get(t, h, path); rec.Code != http.StatusNotFound && rec.Code/100 != 3 {
			t.Errorf("%s: status %d, want 404", path, rec.Code)
		}
	}
}

// TestReadsOnly: nothing is done by these pages.
func TestReadsOnly(t *testing.T) {
	h := handler(t, morning(), site())
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
		for _, path := range paths() {
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, httptest.NewRequest(method, path, strings.NewReader("x")))
			if rec.Code != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: status %d", method, path, rec.Code)
			}
		}
	}
	for _, path := range paths() {
		if body := get(t, h, path).Body.String(); strings.Contains(body, "<form") || strings.Contains(body, "<button") {
			t.Errorf("%s has something to press", path)
		}
	}
}

// TestLedgerFails: an error of the ledger is said, and not shown.
func TestLedgerFails(t *testing.T) {
	f := morning()
	f.err = errors.New("disk /var/lib/secret-path is full")
	h := handler(t, f, site())
	for _, path := range []string{"/", "/targets/edge-glm", "/incidents"} {
		rec := get(t, h, path)
		if rec.Code != http.StatusServiceUnavailable || strings.Contains(rec.Body.String(), "secret-path") {
			t.Errorf("%s: status %d", path, rec.Code)
		}
	}
}

// TestLinks: every link of every page leads somewhere, with and without a base.
func TestLinks(t *testing.T) {
	for _, base := range []string{"", "/canary"} {
		h, err := web.New(morning(), web.Options{Site: site, Now: func() time.Time { return now }, Base: base})
		if err != nil {
			t.Fatal(err)
		}
		link := regexp.MustCompile(`href="([^"]*)"`)
		outside := []string{"/metrics", "/-/healthy", "/-/ready"}
		for _, path := range paths() {
			for _, m := range link.FindAllStringSubmatch(get(t, h, path).Body.String(), -1) {
				to, ok := strings.CutPrefix(m[1], base)
				if strings.HasPrefix(m[1], "#") || slices.Contains(outside, to) {
					continue
				}
				if !ok {
					t.Errorf("%s: %s is not below the base", path, m[1])
				} else if rec := get(t, h, to); rec.Code == http.StatusNotFound && !strings.HasPrefix(to, "/rounds/") {
					t.Errorf("%s: %s leads nowhere", path, m[1])
				}
			}
		}
	}
}

func TestStatic(t *testing.T) {
	h := handler(t, morning(), site())
	for path, kind := range map[string]string{"/static/style.css": "text/css", "/static/icon.svg": "image/svg+xml"} {
		rec := get(t, h, path)
		if rec.Code != http.StatusOK || !strings.HasPrefix(rec.Header().Get("Content-Type"), kind) {
			t.Errorf("%s: status %d, %s", path, rec.Code, rec.Header().Get("Content-Type"))
		}
		if _, err := io.ReadAll(rec.Body); err != nil {
			t.Error(err)
		}
	}
}

func BenchmarkStatus(b *testing.B) {
	h, err := web.New(morning(), web.Options{Site: site, Now: func() time.Time { return now }})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	}
}

package simulator

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAdmin(t *testing.T) {
	o := small(t, PresetFixed)
	o.MountAdmin = true
	s, url := start(t, o)
	do := func(method, path, body string) (int, string) {
		req, _ := http.NewRequest(method, url+path, strings.NewReader(body))
		transport := &http.Transport{DisableKeepAlives: true}
		resp, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		data, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(data)
	}
	steps := []struct {
		method, path, body string
		status             int
		contains           string
	}{
		{"POST", "/admin/faults", "bang\nseed,usage=1", 200, `"faults":["bang,amount=all","seed,usage=1"]`},
		{"PUT", "/admin/faults", "bang,rate=0.5", 200, `"faults":["seed,usage=1","bang,rate=0.5,amount=all"]`},
		{"POST", "/admin/faults", "bang\nbong", 400, "bong"},
		{"DELETE", "/admin/faults", "", 200, `"faults":[]`},
		{"POST", "/admin/profile", "miss20,refuse=1", 200, `"Miss":0.2`},
		{"POST", "/admin/profile", "missed", 400, "missed"},
		{"POST", "/admin/strangers", "0.5", 200, `"strangers":0.5`},
		{"POST", "/admin/strangers", "5", 400, "want 0 to 1"},
		{"GET", "/admin/state", "", 200, `"side":"decode"`},
		{"GET", "/admin/truth?since=x", "", 400, "whole numbers"},
		{"GET", "/admin/nothing", "", 404, ""},
	}
	for _, c := range steps {
		if status, body := do(c.method, c.path, c.body); status != c.status || !strings.Contains(body, c.contains) {
			t.Errorf("%s %s %q: %d %s", c.method, c.path, c.body, status, body)
		}
	}
	for i := range 3 {
		call{id: fmt.Sprint(i), text: "hello"}.do(context.Background(), url)
		truthOf(t, s, fmt.Sprint(i))
	}
	for query, want := range map[string]int{"": 3, "?id=1": 1, "?since=1": 2, "?limit=2": 2, "?id=9": 0} {
		var truths []Truth
		_, body := do("GET", "/admin/truth"+query, "")
		if err := json.Unmarshal([]byte(body), &truths); err != nil || len(truths) != want {
			t.Errorf("truth%s: %v %s", query, err, body)
		}
	}
	do("POST", "/admin/reset", "")
	if s.Counts().Requests != 0 || len(s.Truth()) != 0 {
		t.Error("reset left something")
	}
}

func TestAdminIsForThisMachine(t *testing.T) {
	s, err := New(small(t, PresetFixed))
	if err != nil {
		t.Fatal(err)
	}
	for addr, want := range map[string]int{"127.0.0.1:9": 200, "[::1]:9": 200, "192.0.2.1:9": 403, "nonsense": 403} {
		r := httptest.NewRequest("GET", "/admin/state", nil)
		r.RemoteAddr = addr
		w := httptest.NewRecorder()
		s.Admin().ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("from %s: %d, want %d", addr, w.Code, want)
		}
	}
	r := httptest.NewRequest("POST", "/admin/reset", nil)
	r.RemoteAddr = "127.0.0.1:9"
	r.Header.Set("Origin", "https://example.com")
	w := httptest.NewRecorder()
	if s.Admin().ServeHTTP(w, r); w.Code != 403 {
		t.Errorf("from a web page: %d", w.Code)
	}
}

func TestTruthRing(t *testing.T) {
	ring := newTruths(3)
	for i := range 7 {
		ring.add(Truth{Seq: uint64(i)})
	}
	var got []uint64
	for _, truth := range ring.list() {
		got = append(got, truth.Seq)
	}
	if !cmp.Equal(got, []uint64{4, 5, 6}) || ring.totals().Requests != 7 {
		t.Errorf("ring %v, %d in all", got, ring.totals().Requests)
	}
}

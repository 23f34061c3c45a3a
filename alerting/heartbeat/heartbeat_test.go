package heartbeat

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"crosstalk/alerting"
	"crosstalk/internal/secret"
)

// transport answers every request without a network, so that time can be
// stepped.
type transport struct {
	beats  atomic.Int32
	status int
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	t.beats.Add(1)
	return &http.Response{StatusCode: t.status, Body: io.NopCloser(strings.NewReader("planted")), Header: http.Header{}, Request: r}, nil
}

// TestBeatsOnlyWhileRoundsComplete is the point of it.
func TestBeatsOnlyWhileRoundsComplete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &transport{status: 200}
		var stale int
		h, err := New(Options{
			URL: secret.New("https://hc.example/planted"), Every: time.Minute, Fresh: 5 * time.Minute,
			HTTP: alerting.SenderOptions{Transport: tr},
			Sent: func(err error) {
				if errors.Is(err, ErrStale) {
					stale++
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); h.Run(ctx) }()
		time.Sleep(10*time.Minute + time.Second)
		synctest.Wait()
		if n := tr.beats.Load(); n != 0 || stale != 10 {
			t.Errorf("%d beats and %d stale ones before any round", n, stale)
		}
		for range 10 {
			h.Completed(time.Now())
			time.Sleep(time.Minute)
		}
		synctest.Wait()
		if n := tr.beats.Load(); n != 10 {
			t.Errorf("%d beats in ten minutes of rounds", n)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := tr.beats.Load(); n > 15 {
			t.Errorf("%d beats: it beats on without rounds", n)
		}
		cancel()
		<-done
	})
}

func TestBeat(t *testing.T) {
	at := time.Unix(1_790_000_000, 0)
	stuck := errors.New("the pager hangs")
	tests := []struct {
		name  string
		alive error
		last  time.Time
		code  int
		want  string // "" for a beat
		sent  int32
	}{
		{"fresh", nil, at.Add(-time.Minute), 200, "", 1},
		{"stale", nil, at.Add(-time.Hour), 200, "no round has completed", 0},
		{"pages cannot be delivered", stuck, at, 200, "the pager hangs", 0},
		{"refused", nil, at, 404, "refused", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := &transport{status: tt.code}
			h, err := New(Options{
				URL: secret.New("https://hc.example/planted"), HTTP: alerting.SenderOptions{Transport: tr},
				Alive: func(time.Time) error { return tt.alive },
			})
			if err != nil {
				t.Fatal(err)
			}
			h.Completed(tt.last)
			h.Completed(tt.last.Add(-24 * time.Hour)) // an older one changes nothing
			err = h.Beat(t.Context(), at)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Beat: %v, want %q", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "planted") {
				t.Errorf("the address is in %v", err)
			}
			if tr.beats.Load() != tt.sent {
				t.Errorf("%d requests, want %d", tr.beats.Load(), tt.sent)
			}
		})
	}
}

// TestRedirect: the path is that of a page, with its guards.
func TestRedirect(t *testing.T) {
	var followed atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) }))
	defer other.Close()
	s := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer s.Close()
	h, err := New(Options{URL: secret.New(s.URL)})
	if err != nil {
		t.Fatal(err)
	}
	h.Completed(time.Now())
	if err := h.Beat(t.Context(), time.Now()); err == nil || followed.Load() > 0 {
		t.Errorf("Beat: %v, followed %d times", err, followed.Load())
	}
}

func TestNew(t *testing.T) {
	for _, u := range []string{"", "hc.example", "file:///planted"} {
		if _, err := New(Options{URL: secret.New(u)}); err == nil || strings.Contains(err.Error(), "planted") {
			t.Errorf("New(%q): %v", u, err)
		}
	}
}

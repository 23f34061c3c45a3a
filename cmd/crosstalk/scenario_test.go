package main

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crosstalk/alerting"
	"crosstalk/internal/simulator"
)

// smallBodies is a gateway that answers 413 to what is longer than a short
// prompt.
const smallBodies = "maxbody=32768"

// TestSteppedBlind: a gateway that answers 413 to every long prompt. After three
// intervals there is one ticket that says so, and nobody is woken before a day
// has passed; seeing again ends it. The same hours without the fault raise
// nothing.
func TestSteppedBlind(t *testing.T) {
	t.Parallel()
	const schedule = "probes: [{kind: pulse, every: 10m}, {kind: top, every: 20m}]\n"
	step(t, func(t *testing.T) {
		engine := steppedEngine(t, simulator.PresetFixed, smallWindow, smallBodies)
		s := newStepped(t, schedule, map[string]int{"sim": smallWindow}, engine)
		began := time.Now()
		time.Sleep(55 * time.Minute)
		if pages := s.pager.pages(); len(pages) != 0 {
			t.Fatalf("before three intervals of blindness: %q", said(pages))
		}
		time.Sleep(35 * time.Minute)
		pages := s.pager.pages()
		if diff := cmp.Diff([]string{"trigger blind ticket"}, said(pages)); diff != "" {
			t.Fatalf("after an hour and a half (-want +got):\n%s", diff)
		}
		ticket := pages[0].Incident
		if ticket.Reason != "toolarge" {
			t.Errorf("the reason is %q, want the 413", ticket.Reason)
		}
		time.Sleep(time.Until(ticket.Opened.Add(24*time.Hour - 2*time.Minute)))
		if n := len(s.pager.pages()); n != 1 {
			t.Fatalf("before its time: %q", said(s.pager.pages()))
		}
		time.Sleep(4 * time.Minute)
		pages = s.pager.pages()
		if diff := cmp.Diff([]string{"trigger blind ticket", "escalate blind page"}, said(pages)); diff != "" {
			t.Fatalf("after a day (-want +got):\n%s", diff)
		}
		t.Logf("413 on every long prompt: ticket after %.1f intervals, page %.2f h after it", ticket.Opened.Sub(began).Minutes()/20, pages[1].At.Sub(ticket.Opened).Hours())
		if err := engine.SetProfile(simulator.Profile{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Hour)
		pages = s.pager.pages()
		if last := pages[len(pages)-1]; len(pages) != 3 || last.Action != alerting.ActionResolve || last.Incident.DedupKey != ticket.DedupKey {
			t.Errorf("after the gateway was mended: %q", said(pages))
		}
		s.stop()
	})
	step(t, func(t *testing.T) {
		s := newStepped(t, schedule, map[string]int{"sim": smallWindow}, steppedEngine(t, simulator.PresetFixed, smallWindow, "perfect"))
		time.Sleep(2 * time.Hour)
		if list := s.incidents(); len(list) != 0 {
			t.Errorf("without the fault: %+v", list)
		}
		if n := s.rounds("sim", "top"); n < 5 {
			t.Errorf("without the fault: %d rounds of top in two hours", n)
		}
		s.stop()
	})
}

// TestSteppedDeploy: inside the window after a deploy nobody waits for a day.
func TestSteppedDeploy(t *testing.T) {
	t.Parallel()
	step(t, func(t *testing.T) {
		s := newStepped(t, "probes: [{kind: pulse, every: 10m}, {kind: top, every: 20m}]\n", map[string]int{"sim": smallWindow},
			steppedEngine(t, simulator.PresetFixed, smallWindow, smallBodies))
		time.Sleep(90 * time.Minute)
		if err := s.scheduler.Deployed(context.Background(), "sim"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Minute)
		if diff := cmp.Diff([]string{"trigger blind ticket", "escalate blind page"}, said(s.pager.pages())); diff != "" {
			t.Errorf("after the deploy (-want +got):\n%s", diff)
		}
		s.stop()
	})
}

// TestSteppedRateLimit: a target that answers 429 to everything is asked a tenth
// as often or less, and is called blind, not broken.
func TestSteppedRateLimit(t *testing.T) {
	t.Parallel()
	hour := func(profile string) (requests int, list []alerting.Incident) {
		step(t, func(t *testing.T) {
			s := newStepped(t, "probes: [{kind: pulse, every: 30s}, {kind: seedwatch, every: 2m}]\n", map[string]int{"sim": smallWindow},
				steppedEngine(t, simulator.PresetFixed, smallWindow, profile))
			time.Sleep(time.Hour) // to settle
			from := time.Now()
			time.Sleep(time.Hour)
			requests, list = s.clients["sim"].requests(from, time.Now()), s.incidents()
			s.stop()
		})
		return requests, list
	}
	healthy, none := hour("perfect")
	if len(none) != 0 {
		t.Errorf("a healthy target has incidents: %+v", none)
	}
	limited, list := hour("tpm=1")
	t.Logf("requests in an hour: %d healthy, %d to a target that answers 429", healthy, limited)
	if limited == 0 || limited*10 > healthy {
		t.Errorf("%d requests an hour to a target that answers 429, want at most a tenth of %d, and some", limited, healthy)
	}
	if len(list) != 1 || list[0].Kind != alerting.KindBlind || list[0].Severity != alerting.SeverityTicket || list[0].Reason != "ratelimit" {
		t.Errorf("incidents of a target that answers 429: %+v", list)
	}
}

// TestSteppedPagerDown: a leak is found while the pager is down. Ten minutes
// later it is up again, and has the one incident within its backoff. A pager
// that was never down has it at once.
func TestSteppedPagerDown(t *testing.T) {
	t.Parallel()
	for name, outage := range map[string]time.Duration{"down": 10 * time.Minute, "up": 0} {
		t.Run(name, func(t *testing.T) {
			step(t, func(t *testing.T) {
				s := newStepped(t, "probes: [{kind: seedwatch, every: 30s}]\n", map[string]int{"sim": smallWindow},
					steppedEngine(t, simulator.PresetFaulty, smallWindow, "perfect"))
				s.pager.set(outage > 0, false)
				began := time.Now()
				time.Sleep(outage)
				if n := len(s.pager.pages()); n != 0 {
					t.Fatalf("%d pages passed a pager that is down", n)
				}
				tried := s.pager.tried()
				s.pager.set(false, false)
				time.Sleep(2 * time.Minute)
				pages := s.pager.pages()
				if diff := cmp.Diff([]string{"trigger leak page"}, said(pages)); diff != "" {
					t.Fatalf("delivered (-want +got):\n%s", diff)
				}
				late := pages[0].received.Sub(later(pages[0].At, began.Add(outage)))
				if late > alerting.DefaultBackoffMax+time.Second {
					t.Errorf("delivered %s after the pager was up", late)
				}
				t.Logf("%d attempts in an outage of %s; delivered %s after its end", tried, outage, late)
				s.stop()
			})
		})
	}
}

// later is the later of two times.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// TestSteppedPagerHangs: a pager that takes pages and never answers changes
// nothing about the probes: the same slots are run at the same instants as with
// one that answers.
func TestSteppedPagerHangs(t *testing.T) {
	t.Parallel()
	stretch := time.Hour
	if testing.Short() {
		stretch = 20 * time.Minute
	}
	run := func(hangs bool) (sent []time.Time, attempts int) {
		step(t, func(t *testing.T) {
			s := newStepped(t, "probes: [{kind: pulse, every: 20s}, {kind: seedwatch, every: 1m}]\n", map[string]int{"sim": smallWindow},
				steppedEngine(t, simulator.PresetFaulty, smallWindow, "perfect"))
			s.pager.set(false, hangs)
			time.Sleep(stretch)
			s.stop()
			sent, attempts = s.clients["sim"].times(), s.pager.tried()
			if delivered := len(s.pager.pages()); hangs == (delivered > 0) {
				t.Errorf("%d pages delivered, the pager hangs: %v", delivered, hangs)
			}
		})
		return slots(sent), attempts
	}
	fine, _ := run(false)
	hanging, attempts := run(true)
	if attempts < 10 {
		t.Errorf("%d attempts at a pager that hangs in %s, want it to be tried again and again", attempts, stretch)
	}
	if diff := cmp.Diff(fine, hanging); diff != "" {
		t.Errorf("the seconds in which requests were sent (-pager answers +pager hangs):\n%s", diff)
	}
	t.Logf("%d seconds with requests in %s, with a pager that answers and one that hangs (%d attempts)", len(fine), stretch, attempts)
}

// slots are the seconds in which something was sent.
func slots(sent []time.Time) []time.Time {
	var list []time.Time
	for _, at := range sent {
		if at = at.Truncate(time.Second).UTC(); len(list) == 0 || at.After(list[len(list)-1]) {
			list = append(list, at)
		}
	}
	return list
}

// TestSteppedHangingTargets: of ten targets six never answer. The four others
// keep their schedule.
func TestSteppedHangingTargets(t *testing.T) {
	t.Parallel()
	step(t, func(t *testing.T) {
		targets := map[string]int{}
		for _, name := range []string{"fine-1", "fine-2", "fine-3", "fine-4", "hung-1", "hung-2", "hung-3", "hung-4", "hung-5", "hung-6"} {
			targets[name] = smallWindow
		}
		engine := steppedEngine(t, simulator.PresetFixed, smallWindow, "perfect")
		s := newStepped(t, "probes: [{kind: pulse, every: 5s}]\n", targets, engine)
		for name, c := range s.clients {
			if name[0] == 'h' {
				c.use(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
			}
		}
		time.Sleep(5 * time.Minute)
		for name := range targets {
			n := s.rounds(name, "pulse")
			t.Logf("%s: %d rounds in 60 slots", name, n)
			if name[0] == 'f' && n < 57 {
				t.Errorf("%s kept %d of 60 slots, want 95 %%", name, n)
			}
		}
		s.stop()
	})
}

// TestSteppedSilence: in an announced silence nothing is sent and nothing is
// called blind; before and after it the schedule runs.
func TestSteppedSilence(t *testing.T) {
	t.Parallel()
	step(t, func(t *testing.T) {
		began := time.Now()
		s := newStepped(t, `probes: [{kind: pulse, every: 10m}]
silences: [{target: sim, from: 2026-12-01T01:00:00Z, until: 2026-12-01T07:00:00Z, reason: kernel upgrade}]
`, map[string]int{"sim": smallWindow, "other": smallWindow}, steppedEngine(t, simulator.PresetFixed, smallWindow, "perfect"))
		time.Sleep(8 * time.Hour)
		for name, want := range map[string][3]bool{"sim": {true, false, true}, "other": {true, true, true}} {
			c := s.clients[name]
			got := [3]bool{
				c.requests(began, began.Add(time.Hour)) > 0,
				c.requests(began.Add(time.Hour), began.Add(7*time.Hour)) > 0,
				c.requests(began.Add(7*time.Hour), began.Add(8*time.Hour)) > 0,
			}
			if got != want {
				t.Errorf("%s was asked before, in and after the silence: %v, want %v", name, got, want)
			}
		}
		if list := s.incidents(); len(list) != 0 {
			t.Errorf("a silence raised %+v", list)
		}
		s.stop()
	})
}

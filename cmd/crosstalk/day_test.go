package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync"
	"testing"
	"time"

	"crosstalk/alerting"
	"crosstalk/checks"
	"crosstalk/internal/simulator"
)

// day is a healthy model as unkind as providers are: at a million tokens it
// loses one seal in five, and neighbours together; a firewall answers some
// requests with pages that have e-mail addresses in them, some of them with
// status 200; response ids are small numbers that come again; for two hours
// everything is 429; and in the middle of the day the tokenizer is replaced.
type day struct {
	mu     sync.Mutex
	rng    *rand.Rand
	engine *simulator.Server // the one in use
	walls  int               // pages of the firewall
	ids    map[int]int       // how often each id was given
}

// wallShare is how many requests the firewall answers.
const wallShare = 0.02

// ServeHTTP implements http.Handler.
func (d *day) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	wall, status, id, engine := d.rng.Float64() < wallShare, http.StatusForbidden, d.rng.IntN(1000), d.engine
	if d.rng.IntN(2) == 0 {
		status = http.StatusOK
	}
	if wall {
		d.walls++
	} else {
		d.ids[id]++
	}
	d.mu.Unlock()
	if wall {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		fmt.Fprintf(w, "<html><body><h1>Request blocked</h1><p>Incident %d. Write to <a href=\"mailto:soc@gateway.example\">soc@gateway.example</a> "+
			"or to jane.miller@gateway.example, +1 555 010 9987.</p></body></html>", id)
		return
	}
	rec := &recording{ResponseRecorder: httptest.NewRecorder(), began: time.Now()}
	engine.ServeHTTP(rec, r)
	for name, values := range rec.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(rec.Code)
	body := regexp.MustCompile(`"id":"chatcmpl-[0-9a-f]+"`).ReplaceAll(rec.Body.Bytes(), fmt.Appendf(nil, `"id":"chatcmpl-%d"`, id))
	if o, ok := w.(*recording); ok {
		o.first = rec.first // the text is held back here, not by the engine
	}
	_, _ = w.Write(body)
}

// use replaces the engine.
func (d *day) use(s *simulator.Server) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.engine = s
}

// healthyDay runs 24 hours of the schedule and wants nobody woken.
func healthyDay(t *testing.T, schedule string) {
	const million = 1048576
	step(t, func(t *testing.T) {
		profile, err := simulator.ParseProfile("miss20,cluster=0.5")
		if err != nil {
			t.Fatal(err)
		}
		before := steppedEngine(t, simulator.PresetFixed, million, "miss20,cluster=0.5")
		o := before.Options()
		o.Tokens, o.Profile = simulator.TokenizerPieces, profile
		after, err := simulator.New(o)
		if err != nil {
			t.Fatal(err)
		}
		d := &day{rng: rand.New(rand.NewPCG(7, 7)), engine: before, ids: map[int]int{}}
		s := newStepped(t, schedule, map[string]int{"sim": million}, d)
		time.Sleep(6 * time.Hour)
		limited := profile
		limited.TPM = 1
		if err := before.SetProfile(limited); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Hour)
		if err := before.SetProfile(profile); err != nil {
			t.Fatal(err)
		}
		time.Sleep(4 * time.Hour)
		old, err := s.ledger.Known(context.Background(), "sim")
		if err != nil {
			t.Fatal(err)
		}
		d.use(after)
		time.Sleep(12 * time.Hour)
		d.wantQuiet(t, s, before, after)
		known, err := s.ledger.Known(context.Background(), "sim")
		if err != nil {
			t.Fatal(err)
		}
		for family, c := range known.Calibration {
			t.Logf("%s: %.3f tokens a byte before the change of the tokenizer, %.3f at the end", family, old.Calibration[family].PerByte, c.PerByte)
		}
		s.stop()
	})
}

// wantQuiet wants every unkindness to have happened, and nobody woken.
func (d *day) wantQuiet(t *testing.T, s *stepped, engines ...*simulator.Server) {
	t.Helper()
	missed, limited, asked := 0, 0, 0
	for _, e := range engines {
		for _, truth := range e.Truth() {
			asked++
			if truth.Class == simulator.ClassMissed {
				missed++
			}
			if truth.Status == http.StatusTooManyRequests {
				limited++
			}
		}
	}
	again := 0
	for _, n := range d.ids {
		again += max(0, n-1)
	}
	t.Logf("%d requests reached an engine: %d answers lost a seal, %d were 429; %d pages of the firewall; %d response ids had been given before",
		asked, missed, limited, d.walls, again)
	t.Logf("exchanges by class: %v", s.classes)
	t.Logf("findings: %v", s.findings)
	if missed == 0 || limited == 0 || d.walls == 0 || again == 0 || s.findings["usage/"+checks.KindCountChanged] == 0 {
		t.Error("a part of the day did not happen")
	}
	tickets := 0
	for _, i := range s.incidents() {
		t.Logf("%s %s, opened %s, %s: %s", i.Severity, i.Kind, i.Opened.Format(time.TimeOnly), i.State, i.Summary)
		if i.Severity == alerting.SeverityPage || i.Kind.Disclosure() {
			t.Errorf("a healthy day woke somebody: %+v", i)
		}
		tickets++
	}
	t.Logf("0 critical pages unless an error is above; %d tickets", tickets)
	if n := s.classes[checks.Leak] + s.classes[checks.Foreign]; n > 0 {
		t.Errorf("%d answers were called leak or foreign", n)
	}
}

// TestSteppedDay: 24 hours of a healthy model and an unkind provider wake nobody.
// TestLongDay has ten times as many rounds.
func TestSteppedDay(t *testing.T) {
	t.Parallel()
	healthyDay(t, "probes: [{kind: pulse, every: 15m}, {kind: burst, size: 8, every: 2h}, {kind: top, every: 3h}, {kind: seedwatch, every: 4h}]\n")
}

package alerting

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crosstalk/checks"
)

func TestLeakPagesOnOneExchange(t *testing.T) {
	w := newWorld(t)
	w.want("sound", w.rounds(3, 30*time.Second, "seedwatch", checks.Sound))
	first := w.sighting("seedwatch", checks.Leak)
	pages := w.step(30*time.Second, w.sighting("seedwatch", checks.Sound), first)
	w.want("the first leak", pages, "trigger leak page")
	i := pages[0].Incident
	if i.FirstExchange != first.Exchange || i.Sightings != 1 || !slices.Equal(i.Origins, []uint16{2}) || i.DedupKey == "" {
		t.Errorf("incident %+v", i)
	}
	if !strings.Contains(i.Summary, "tenant 2") || !strings.Contains(i.Summary, "alpha") {
		t.Errorf("summary %q names neither donor nor victim", i.Summary)
	}
	w.want("more of the same", w.rounds(4, 30*time.Second, "seedwatch", checks.Leak))
	w.want("four sound rounds", w.rounds(4, 30*time.Second, "seedwatch", checks.Sound))
	pages = w.rounds(1, 30*time.Second, "seedwatch", checks.Sound)
	w.want("the fifth", pages, "resolve leak page")
	if got := pages[0].Incident; got.ID != i.ID || got.Sightings != 5 || got.State != StateResolved || !got.Resolved.Equal(w.now) {
		t.Errorf("resolved %+v", got)
	}
	if len(w.s.Open) != 0 {
		t.Errorf("still open: %+v", w.s.Open)
	}
}

// TestResolve: five sound fresh rounds of every member cell, and 60 seconds.
func TestResolve(t *testing.T) {
	t.Run("60 seconds", func(t *testing.T) {
		w := newWorld(t)
		w.rounds(1, 0, "seedwatch", checks.Leak)
		w.want("five rounds in 25 s", w.rounds(5, 5*time.Second, "seedwatch", checks.Sound))
		w.want("at 59 s", w.tick(34*time.Second))
		w.want("at 60 s", w.tick(time.Second), "resolve leak page")
	})
	t.Run("every member cell", func(t *testing.T) {
		w := newWorld(t)
		w.step(0, w.sighting("seedwatch", checks.Leak), w.sighting("top", checks.Leak))
		w.want("one cell only", w.rounds(20, 30*time.Second, "seedwatch", checks.Sound))
		w.want("the other, four times", w.rounds(4, 20*time.Minute, "top", checks.Sound))
		w.want("and a fifth", w.rounds(1, time.Minute, "top", checks.Sound), "resolve leak page")
	})
	t.Run("what does not count", func(t *testing.T) {
		w := newWorld(t)
		w.rounds(1, 0, "seedwatch", checks.Leak)
		w.rounds(4, time.Minute, "seedwatch", checks.Sound)
		w.want("inconclusive", w.rounds(3, time.Minute, "seedwatch", checks.Inconclusive))
		w.want("damage delays", w.rounds(1, time.Minute, "seedwatch", checks.Damaged))
		w.want("four more", w.rounds(4, time.Minute, "seedwatch", checks.Sound))
		w.want("the fifth", w.rounds(1, time.Minute, "seedwatch", checks.Sound), "resolve leak page")
	})
	t.Run("another leak begins anew", func(t *testing.T) {
		w := newWorld(t)
		w.rounds(1, 0, "seedwatch", checks.Leak)
		w.rounds(4, time.Minute, "seedwatch", checks.Sound)
		w.rounds(1, time.Minute, "seedwatch", checks.Leak)
		w.want("four", w.rounds(4, time.Minute, "seedwatch", checks.Sound))
		w.want("five", w.rounds(1, time.Minute, "seedwatch", checks.Sound), "resolve leak page")
		w.want("a later one", w.rounds(1, time.Minute, "seedwatch", checks.Leak), "trigger leak page")
		if w.rows[0].Incident.DedupKey == w.pages[0].Incident.DedupKey {
			t.Error("two incidents have one dedup key")
		}
	})
	t.Run("a cell no longer probed", func(t *testing.T) {
		w := newWorld(t)
		w.step(0, w.sighting("seedwatch", checks.Leak), w.sighting("top", checks.Leak))
		delete(w.p.Probes, "top")
		w.rounds(4, time.Minute, "seedwatch", checks.Sound)
		w.want("the cell that is left", w.rounds(1, time.Minute, "seedwatch", checks.Sound), "resolve leak page")
	})
	t.Run("a cell whose turn never comes", func(t *testing.T) {
		w := newWorld(t)
		s := w.sighting("seedwatch", checks.Leak)
		s.Cell.Concurrency = "9-32"
		w.step(0, s)
		at := w.now
		w.want("rounds of other cells", w.rounds(100, time.Minute, "seedwatch", checks.Sound))
		open := w.s.Incidents()
		want := []Wait{{Cell: s.Cell, Passed: 0, Needed: DefaultSoundRounds, LastRound: at}}
		if len(open) != 1 {
			t.Fatalf("%d incidents are open, want the leak", len(open))
		}
		if diff := cmp.Diff(want, open[0].Waits); diff != "" {
			t.Errorf("what it waits for (-want +got):\n%s", diff)
		}
		if err := w.resolve(open[0].ID, "ada"); err != nil {
			t.Error(err)
		}
		w.want("a person", w.pages, "resolve leak page")
		if waits := w.pages[0].Incident.Waits; waits != nil {
			t.Errorf("a resolved incident waits for %v", waits)
		}
	})
	t.Run("no cell is left", func(t *testing.T) {
		w := newWorld(t)
		w.rounds(1, 0, "top", checks.Leak)
		delete(w.p.Probes, "top")
		w.want("nothing shows that it is over", w.tick(time.Hour))
	})
}

func TestSuspectNeverPages(t *testing.T) {
	w := newWorld(t)
	for range 500 {
		s := w.sighting("pulse", checks.Damaged)
		s.Check, s.Finding = "foreignfragment", checks.KindSuspect
		w.want("suspect", w.step(time.Minute, s, w.sighting("pulse", checks.Sound)))
	}
	if w.s.Suspects != 500 {
		t.Errorf("%d suspects counted", w.s.Suspects)
	}
}

func TestRepeatsAndEscalation(t *testing.T) {
	w := newWorld(t)
	w.p.Probes = nil
	w.p.EscalateAfter = 15 * time.Minute
	id := w.rounds(1, 0, "pulse", checks.Leak)[0].Incident.ID
	w.want("at 14 min", w.tick(14*time.Minute))
	w.want("at 15 min", w.tick(time.Minute), "escalate leak page")
	w.want("4 h after the last page", w.tick(4*time.Hour), "repeat leak page")
	w.want("and again", w.tick(4*time.Hour), "repeat leak page")
	s, err := Acknowledge(w.s, id, "jo", w.now)
	if err != nil {
		t.Fatal(err)
	}
	w.s = s
	w.want("acknowledged", w.tick(48*time.Hour))
	if s, err = Acknowledge(w.s, id, "sam", w.now); err != nil || s.Open[0].Incident.AcknowledgedBy != "jo" {
		t.Errorf("the first to take it has it: %v, %q", err, s.Open[0].Incident.AcknowledgedBy)
	}
	w.want("resolved", w.rounds(5, time.Minute, "pulse", checks.Sound), "resolve leak page")
	if by := w.pages[0].Incident.AcknowledgedBy; by != "jo" {
		t.Errorf("acknowledged by %q", by)
	}
}

func TestPersons(t *testing.T) {
	w := newWorld(t)
	id := w.rounds(1, 0, "pulse", checks.Leak)[0].Incident.ID
	if _, err := Acknowledge(w.s, w.id(), "jo", w.now); !errors.Is(err, ErrNotOpen) {
		t.Errorf("Acknowledge of another: %v", err)
	}
	if _, err := Acknowledge(w.s, id, "", w.now); err == nil {
		t.Error("acknowledged by nobody")
	}
	if err := w.resolve(w.id(), "jo"); !errors.Is(err, ErrNotOpen) {
		t.Errorf("Resolve of another: %v", err)
	}
	if err := w.resolve(id, ""); err == nil {
		t.Error("resolved by nobody")
	}
	if err := w.resolve(id, "jo"); err != nil {
		t.Errorf("Resolve: %v", err)
	}
	if err := w.resolve(id, "jo"); !errors.Is(err, ErrNotOpen) {
		t.Errorf("Resolve twice: %v", err)
	}
}

func TestControls(t *testing.T) {
	w := newWorld(t)
	w.p = Policy{ControlEvery: time.Hour}
	control := func(after time.Duration, right bool, detail string) []Page {
		w.now = w.now.Add(after)
		return w.both(func(s TargetState) (TargetState, []Page) {
			return StepControl(w.p, s, Control{Name: "seeded", Right: right, Detail: detail, At: w.now})
		})
	}
	w.want("right", control(0, true, ""))
	pages := control(time.Hour, false, "no leak was found")
	w.want("silent", pages, "trigger prober page")
	if i := pages[0].Incident; i.Target != "seeded" || !strings.Contains(i.Summary, "no leak was found") {
		t.Errorf("incident %+v", i)
	}
	w.want("still", control(time.Hour, false, ""))
	w.want("right again", control(time.Hour, true, ""), "resolve prober page")
	w.want("told twice", w.both(func(s TargetState) (TargetState, []Page) {
		return StepControl(w.p, s, Control{Name: "seeded", Right: true, At: w.now})
	}))
	w.want("two hours of nothing", w.tick(2*time.Hour))
	w.want("three", w.tick(time.Hour), "trigger prober page")
	w.want("it runs", control(time.Minute, true, ""), "resolve prober page")

	w.want("wrong", control(time.Hour, false, ""), "trigger prober page")
	if err := w.resolve(w.s.Open[0].Incident.ID, "jo"); err != nil {
		t.Fatal(err)
	}
	w.want("wrong after all", control(time.Hour, false, ""), "trigger prober page")

	keys := map[string]bool{}
	for _, p := range w.rows {
		if p.Action == ActionTrigger && keys[p.Incident.DedupKey] {
			t.Errorf("two incidents under key %s", p.Incident.DedupKey)
		}
		keys[p.Incident.DedupKey] = true
	}
}

// TestReplay: a round that is stepped again changes nothing, and the same
// history gives the same incidents on another machine.
func TestReplay(t *testing.T) {
	history := func() *world {
		w := newWorld(t)
		w.rounds(3, time.Minute, "pulse", checks.Damaged)
		w.rounds(2, time.Minute, "seedwatch", checks.Leak)
		w.rounds(6, time.Minute, "seedwatch", checks.Sound)
		w.tick(6 * time.Hour)
		return w
	}
	a, b := history(), history()
	if diff := cmp.Diff(a.rows, b.rows); diff != "" {
		t.Errorf("the same history, other pages:\n%s", diff)
	}
	o := a.observation(a.sighting("pulse", checks.Leak))
	if pages := a.observe(o); len(pages) != 1 {
		t.Fatalf("pages %v", said(pages))
	}
	before := encode(t, a.s)
	o.At = o.At.Add(time.Hour)
	a.want("again", a.observe(o))
	if diff := cmp.Diff(before, encode(t, a.s)); diff != "" {
		t.Errorf("a round stepped twice changed the state:\n%s", diff)
	}
	o.Round, o.Target = a.id(), "another"
	a.want("another target", a.observe(o))
}

// TestTimeNeverGoesBack: rounds end in another order than they are stepped.
func TestTimeNeverGoesBack(t *testing.T) {
	w := newWorld(t)
	w.rounds(1, time.Hour, "pulse", checks.Sound)
	w.now = epoch
	pages := w.rounds(1, 0, "pulse", checks.Leak)
	if at := pages[0].At; !at.Equal(epoch.Add(time.Hour)) {
		t.Errorf("page at %v, before the state's time", at)
	}
}

func TestRoute(t *testing.T) {
	page := Page{Incident: Incident{Severity: SeverityPage}}
	ticket := Page{Incident: Incident{Severity: SeverityTicket}}
	escalated := Page{Incident: Incident{Severity: SeverityPage, Escalated: epoch}}
	tests := []struct {
		route Route
		want  []bool
	}{
		{Route{}, []bool{true, true, true}},
		{Route{PagesOnly: true}, []bool{true, false, true}},
		{Route{EscalatedOnly: true}, []bool{false, false, true}},
	}
	for _, tt := range tests {
		got := []bool{tt.route.Wants(page), tt.route.Wants(ticket), tt.route.Wants(escalated)}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%+v:\n%s", tt.route, diff)
		}
	}
}

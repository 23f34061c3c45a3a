package alerting

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crosstalk/checks"
	"crosstalk/probes"
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
	t.Run("no cell is left", func(t *testing.T) {
		w := newWorld(t)
		w.rounds(1, 0, "top", checks.Leak)
		delete(w.p.Probes, "top")
		w.want("nothing shows that it is over", w.tick(time.Hour))
	})
}

func TestForeign(t *testing.T) {
	t.Run("supported: on one exchange", func(t *testing.T) {
		w := newWorld(t)
		s := w.sighting("top", checks.Foreign)
		s.Supported = true
		pages := w.step(0, s)
		w.want("supported", pages, "trigger foreign page")
		if pages[0].Incident.Origins != nil {
			t.Error("a donor is named")
		}
	})
	t.Run("alone: after one confirmation", func(t *testing.T) {
		w := newWorld(t)
		first := w.sighting("top", checks.Foreign)
		w.want("alone", w.step(0, first))
		s := w.sighting("top", checks.Foreign)
		s.Confirms = true
		pages := w.step(time.Minute, s)
		w.want("confirmed", pages, "trigger foreign page")
		if i := pages[0].Incident; i.FirstExchange != first.Exchange || i.LastExchange != s.Exchange || i.Sightings != 2 {
			t.Errorf("the page does not show both: %+v", i)
		}
	})
	t.Run("two in one round are one event", func(t *testing.T) {
		w := newWorld(t)
		w.want("two at once", w.step(0, w.sighting("top", checks.Foreign), w.sighting("top", checks.Foreign)))
		w.want("a later one", w.rounds(1, time.Minute, "seedwatch", checks.Foreign), "trigger foreign page")
	})
	t.Run("not confirmed", func(t *testing.T) {
		w := newWorld(t)
		w.rounds(1, 0, "top", checks.Foreign)
		for range clearedAfter {
			s := w.sighting("top", checks.Sound)
			s.Confirms = true
			w.want("confirmation is sound", w.step(time.Minute, s))
		}
		w.want("a second suspicion, not a confirmation", w.rounds(1, time.Minute, "top", checks.Foreign))
	})
	t.Run("rounds that do not confirm clear nothing", func(t *testing.T) {
		w := newWorld(t)
		w.rounds(1, 0, "top", checks.Foreign)
		w.want("ordinary rounds", w.rounds(5, 20*time.Minute, "top", checks.Sound))
		w.want("another within the day", w.rounds(1, 20*time.Minute, "top", checks.Foreign), "trigger foreign page")
	})
	t.Run("a day later", func(t *testing.T) {
		w := newWorld(t)
		w.rounds(1, 0, "pulse", checks.Foreign)
		w.p.Probes = nil // nothing turns blind
		w.want("a day later", w.rounds(1, 25*time.Hour, "pulse", checks.Foreign))
		w.want("and again", w.rounds(1, time.Hour, "pulse", checks.Foreign), "trigger foreign page")
	})
	t.Run("now and then, never confirmed", func(t *testing.T) {
		w := newWorld(t)
		w.p.Probes = nil
		var pages []Page
		n := 0
		for len(pages) == 0 && n < 50 {
			n++
			pages = w.rounds(1, 25*time.Hour, "pulse", checks.Foreign)
			pages = append(pages, w.rounds(3, time.Minute, "pulse", checks.Sound)...)
		}
		w.want("too often", pages, "trigger foreign page")
		if n < 3 || n > 10 {
			t.Errorf("after %d of them", n)
		}
	})
	t.Run("only a person ends it", func(t *testing.T) {
		w := newWorld(t)
		s := w.sighting("top", checks.Foreign)
		s.Supported = true
		id := w.step(0, s)[0].Incident.ID
		w.p.RepeatEvery = -1
		w.want("sound for ever", w.rounds(30, 20*time.Minute, "top", checks.Sound))
		w.p.Stopped = []string{probes.BandWindow}
		if err := w.resolve(id, "jo"); !errors.Is(err, ErrStopped) || !strings.Contains(err.Error(), "crosstalk resume") {
			t.Errorf("Resolve while stopped: %v", err)
		}
		w.p.Stopped = nil
		if err := w.resolve(id, "jo"); err != nil {
			t.Fatalf("Resolve: %v", err)
		}
		w.want("resolved", w.pages, "resolve foreign page")
		if by := w.pages[0].Incident.ResolvedBy; by != "jo" {
			t.Errorf("resolved by %q", by)
		}
		w.want("the next alone", w.rounds(1, time.Minute, "top", checks.Foreign))
	})
	t.Run("a stopped cell is not blind as well", func(t *testing.T) {
		w := newWorld(t)
		w.p.Paused = false
		w.p.Probes = map[string]Schedule{"top": {Every: 20 * time.Minute}, "seedwatch": {Every: time.Minute}}
		w.rounds(1, 0, "seedwatch", checks.Sound)
		s := w.sighting("top", checks.Foreign)
		s.Supported = true
		w.step(0, s)
		w.p.RepeatEvery = -1
		for range 48 {
			w.want("stopped", w.tick(time.Hour))
		}
		if err := w.resolve(w.s.Open[0].Incident.ID, "jo"); err != nil {
			t.Fatal(err)
		}
		w.want("resumed, and its time begins anew", w.tick(2*time.Minute))
		w.want("blind now", w.tick(2*time.Minute), "trigger blind ticket")
	})
}

func TestDamage(t *testing.T) {
	t.Run("short prompts: three in a row", func(t *testing.T) {
		w := newWorld(t)
		w.want("two", w.rounds(2, time.Minute, "pulse", checks.Damaged))
		pages := w.rounds(1, time.Minute, "pulse", checks.Damaged)
		w.want("three", pages, "trigger damaged/recall page")
		if i := pages[0].Incident; i.Sightings != 3 || i.FirstExchange == i.LastExchange {
			t.Errorf("incident %+v", i)
		}
		w.want("more", w.rounds(5, time.Minute, "pulse", checks.Damaged))
		w.want("sound", w.rounds(5, time.Minute, "pulse", checks.Sound), "resolve damaged/recall page")
		w.want("a single one after it", w.rounds(1, time.Minute, "pulse", checks.Damaged))
	})
	t.Run("long prompts: a healthy model fails now and then", func(t *testing.T) {
		w := newWorld(t)
		for range 30 {
			w.want("one in five", w.rounds(1, 20*time.Minute, "top", checks.Damaged))
			w.want("four sound", w.rounds(4, 20*time.Minute, "top", checks.Sound))
		}
		n, pages := 0, []Page(nil)
		for n = 0; n < 30 && len(pages) == 0; n++ {
			pages = w.rounds(1, 20*time.Minute, "top", checks.Damaged)
		}
		w.want("all fail", pages, "trigger damaged/recall page")
		if n < 5 || n > 15 {
			t.Errorf("paged after %d rounds", n)
		}
	})
	t.Run("form does not depend on length", func(t *testing.T) {
		w := newWorld(t)
		n, pages := 0, []Page(nil)
		for n = 0; n < 30 && len(pages) == 0; n++ {
			s := w.sighting("top", checks.Damaged)
			s.Check, s.Finding = "overlength", "window"
			pages = w.step(20*time.Minute, s)
		}
		w.want("refused", pages, "trigger damaged/overlength page")
		if n != 3 {
			t.Errorf("paged after %d rounds, want 3", n)
		}
	})
	t.Run("now and then, on short prompts", func(t *testing.T) {
		w := newWorld(t)
		n, pages := 0, []Page(nil)
		for n = 0; n < 100 && len(pages) == 0; n++ {
			pages = append(w.rounds(3, time.Minute, "pulse", checks.Sound), w.rounds(1, time.Minute, "pulse", checks.Damaged)...)
		}
		w.want("one in four", pages, "trigger damaged/recall page")
		if n < 3 || n > 20 {
			t.Errorf("paged after %d failures", n)
		}
	})
	t.Run("many in one round are one failure", func(t *testing.T) {
		w := newWorld(t)
		var all []Sighting
		for range 16 {
			all = append(all, w.sighting("pulse", checks.Damaged))
		}
		w.want("16 at once", w.step(time.Minute, all...))
	})
	t.Run("different checks are different incidents", func(t *testing.T) {
		w := newWorld(t)
		w.rounds(3, time.Minute, "pulse", checks.Damaged)
		var pages []Page
		for range 3 {
			s := w.sighting("pulse", checks.Damaged)
			s.Check = "stream"
			pages = append(pages, w.step(time.Minute, s)...)
		}
		w.want("another kind", pages, "trigger damaged/stream page")
	})
	t.Run("undecided rounds are neither", func(t *testing.T) {
		w := newWorld(t)
		w.rounds(2, time.Minute, "pulse", checks.Damaged)
		w.rounds(1, time.Minute, "pulse", checks.Inconclusive)
		w.want("third", w.rounds(1, time.Minute, "pulse", checks.Damaged), "trigger damaged/recall page")
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

// TestAbsorption: one fault is one page.
func TestAbsorption(t *testing.T) {
	for _, c := range []checks.Class{checks.Leak, checks.Foreign} {
		w := newWorld(t)
		s := w.sighting("seedwatch", c)
		s.Supported = true
		w.step(0, s)
		w.want("damage in the cell", w.rounds(20, 30*time.Second, "seedwatch", checks.Damaged))
		w.want("damage elsewhere", w.rounds(20, time.Minute, "pulse", checks.Damaged))
		o := w.s.Open[0]
		if got := o.Incident.Absorbed["recall"]; got != 40 || o.Incident.Sightings != 1 {
			t.Errorf("%v: absorbed %d, sightings %d; want 40 and 1", c, got, o.Incident.Sightings)
		}
		if !slices.Contains(o.Incident.Checks, "recall") {
			t.Errorf("%v: checks %v", c, o.Incident.Checks)
		}
	}
	t.Run("damage before it stays an incident", func(t *testing.T) {
		w := newWorld(t)
		w.rounds(3, time.Minute, "pulse", checks.Damaged)
		w.want("leak", w.rounds(1, time.Minute, "pulse", checks.Leak), "trigger leak page")
		w.want("both resolve", w.rounds(5, time.Minute, "pulse", checks.Sound),
			"resolve damaged/recall page", "resolve leak page")
	})
	t.Run("evidence stands still under it", func(t *testing.T) {
		w := newWorld(t)
		w.rounds(2, time.Minute, "pulse", checks.Damaged)
		w.rounds(1, time.Minute, "seedwatch", checks.Leak)
		w.rounds(10, time.Minute, "pulse", checks.Damaged)
		w.want("the leak ends", w.rounds(5, time.Minute, "seedwatch", checks.Sound), "resolve leak page")
		w.want("a third in a row", w.rounds(1, time.Minute, "pulse", checks.Damaged), "trigger damaged/recall page")
	})
	t.Run("what stays damaged after it pages then", func(t *testing.T) {
		w := newWorld(t)
		w.rounds(1, 0, "seedwatch", checks.Leak)
		w.rounds(10, time.Minute, "pulse", checks.Damaged)
		var pages []Page
		for range 5 {
			pages = append(pages, w.step(time.Minute, w.sighting("seedwatch", checks.Sound), w.sighting("pulse", checks.Damaged))...)
		}
		w.want("the leak ends", pages, "resolve leak page")
		w.want("the damage does not", w.rounds(3, time.Minute, "pulse", checks.Damaged), "trigger damaged/recall page")
	})
}

func TestBlind(t *testing.T) {
	blinded := func(t *testing.T, reason string) *world {
		w := newWorld(t)
		w.p.Paused = false
		w.p.Probes = map[string]Schedule{"top": {Every: 20 * time.Minute}}
		w.rounds(1, 0, "top", checks.Sound)
		for range 2 {
			s := w.sighting("top", checks.Inconclusive)
			s.Reason = reason
			w.want("two intervals", w.step(20*time.Minute, s))
		}
		return w
	}
	t.Run("ticket after three intervals, page after a day", func(t *testing.T) {
		w := blinded(t, "toolarge")
		s := w.sighting("top", checks.Inconclusive)
		s.Reason = "toolarge"
		pages := w.step(20*time.Minute, s)
		w.want("three intervals", pages, "trigger blind ticket")
		if got := pages[0].Incident.Reason; got != "toolarge" {
			t.Errorf("reason %q", got)
		}
		for range 23 {
			w.want("a day has not passed", w.tick(time.Hour))
		}
		w.want("a day", w.tick(time.Hour), "escalate blind page")
		w.want("four sighted rounds", w.rounds(4, 20*time.Minute, "top", checks.Damaged))
		w.want("a fifth", w.rounds(1, 20*time.Minute, "top", checks.Sound), "resolve blind page")
	})
	t.Run("at once after a deploy", func(t *testing.T) {
		w := blinded(t, "timeout")
		w.p.DeployedUntil = w.now.Add(time.Hour)
		w.want("inside the window", w.tick(20*time.Minute), "trigger blind page")
	})
	t.Run("a ticket becomes a page when a deploy comes", func(t *testing.T) {
		w := blinded(t, "timeout")
		w.tick(20 * time.Minute)
		w.p.DeployedUntil = w.now.Add(time.Hour)
		w.want("inside the window", w.tick(time.Minute), "escalate blind page")
	})
	t.Run("several cells are one incident", func(t *testing.T) {
		w := blinded(t, "timeout")
		w.p.Probes["pulse"] = Schedule{Every: time.Minute}
		w.rounds(1, 0, "pulse", checks.Sound)
		w.want("one", w.tick(20*time.Minute), "trigger blind ticket")
		w.want("two", w.tick(20*time.Minute))
		if got := len(w.s.Open[0].Incident.Cells); got != 2 {
			t.Errorf("%d member cells", got)
		}
	})
	t.Run("paused", func(t *testing.T) {
		w := blinded(t, "timeout")
		w.p.Paused = true
		w.want("paused", w.tick(48*time.Hour))
		w.p.Paused = false
		w.want("resumed", w.tick(59*time.Minute))
		w.want("and blind", w.tick(2*time.Minute), "trigger blind ticket")
	})
	t.Run("a probe that never ran", func(t *testing.T) {
		w := newWorld(t)
		w.p.Paused = false
		w.p.Probes = map[string]Schedule{"top": {Every: 20 * time.Minute}}
		w.p.Unsent = map[string]string{"top": "budget"}
		w.s.Target = "edge"
		w.want("expected from now on", w.tick(0))
		pages := w.tick(time.Hour)
		w.want("three intervals", pages, "trigger blind ticket")
		if got := pages[0].Incident.Reason; got != "budget" {
			t.Errorf("reason %q, want budget", got)
		}
		w.want("it runs", w.rounds(4, 20*time.Minute, "top", checks.Sound))
		w.want("five times", w.rounds(1, 20*time.Minute, "top", checks.Sound), "resolve blind ticket")
	})
	t.Run("a cell met in some rounds only", func(t *testing.T) {
		w := newWorld(t)
		w.p.Paused = false
		w.p.Probes = map[string]Schedule{"top": {Every: 20 * time.Minute, Rounds: 4}}
		w.rounds(1, 0, "top", checks.Sound)
		w.want("its turn comes every 80 minutes", w.tick(239*time.Minute))
		w.want("three turns", w.tick(time.Minute), "trigger blind ticket")
	})
	t.Run("a cell that is passed over", func(t *testing.T) {
		w := newWorld(t)
		w.p.Paused = false
		w.p.Probes = map[string]Schedule{"top": {Every: 20 * time.Minute}}
		other := w.sighting("top", checks.Sound)
		other.Cell.Warm = true
		w.step(0, other)
		for range 20 {
			w.want("nobody said how often its turn comes", w.rounds(1, 20*time.Minute, "top", checks.Sound))
		}
		w.p.Stopped = []string{probes.BandWindow}
		w.want("its band is stopped", w.tick(0), "trigger blind ticket")
		if got := w.s.Open[0].Incident.Reason; got != "stopped" {
			t.Errorf("reason %q", got)
		}
	})
	t.Run("an acknowledged ticket does not page", func(t *testing.T) {
		w := blinded(t, "timeout")
		w.tick(20 * time.Minute)
		s, err := Acknowledge(w.s, w.s.Open[0].Incident.ID, "jo", w.now)
		if err != nil {
			t.Fatal(err)
		}
		w.s = s
		w.want("two days", w.tick(48*time.Hour))
	})
}

func TestBlindReasons(t *testing.T) {
	for reason, want := range map[string]string{
		"toolarge": "toolarge", "ratelimit": "ratelimit", "payment": "payment", "timeout": "timeout",
		"moderation": "moderation", "budget": "thinking", "credential": "credential",
		"refusal": "refusal", "a stranger's words": "other", "": "other",
	} {
		if got := bounded(reason); got != want {
			t.Errorf("bounded(%q) = %q, want %q", reason, got, want)
		}
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
	o := Observation{Round: a.id(), Target: "edge", At: a.now, Sightings: []Sighting{a.sighting("pulse", checks.Leak)}}
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

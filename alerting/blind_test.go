package alerting

import (
	"testing"
	"time"

	"crosstalk/checks"
	"crosstalk/probes"
)

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

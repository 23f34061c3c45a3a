package alerting

import (
	"errors"
	"strings"
	"testing"
	"time"

	"crosstalk/checks"
	"crosstalk/probes"
)

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

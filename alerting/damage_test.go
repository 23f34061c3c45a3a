package alerting

import (
	"slices"
	"testing"
	"time"

	"crosstalk/checks"
)

func TestDamage(t *testing.T) {
	t.Run("short prompts: three in a row", func(t *testing.T) {
		w := newWorld(t)
		w.healthy(1000, time.Minute, "pulse")
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
	t.Run("short prompts since launch: five in a row", func(t *testing.T) {
		w := newWorld(t)
		w.want("four", w.rounds(4, time.Minute, "pulse", checks.Damaged))
		w.want("five", w.rounds(1, time.Minute, "pulse", checks.Damaged), "trigger damaged/recall page")
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
		if n != 4 {
			t.Errorf("paged after %d rounds, want 4", n)
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
		w.rounds(5, time.Minute, "pulse", checks.Damaged)
		var pages []Page
		for range 5 {
			s := w.sighting("pulse", checks.Damaged)
			s.Check = "stream"
			pages = append(pages, w.step(time.Minute, s)...)
		}
		w.want("another kind", pages, "trigger damaged/stream page")
	})
	t.Run("undecided rounds are neither", func(t *testing.T) {
		w := newWorld(t)
		w.rounds(4, time.Minute, "pulse", checks.Damaged)
		w.rounds(1, time.Minute, "pulse", checks.Inconclusive)
		w.want("fifth", w.rounds(1, time.Minute, "pulse", checks.Damaged), "trigger damaged/recall page")
	})
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
		w.rounds(5, time.Minute, "pulse", checks.Damaged)
		w.want("leak", w.rounds(1, time.Minute, "pulse", checks.Leak), "trigger leak page")
		w.want("both resolve", w.rounds(5, time.Minute, "pulse", checks.Sound),
			"resolve damaged/recall page", "resolve leak page")
	})
	t.Run("evidence stands still under it", func(t *testing.T) {
		w := newWorld(t)
		w.rounds(4, time.Minute, "pulse", checks.Damaged)
		w.rounds(1, time.Minute, "seedwatch", checks.Leak)
		w.rounds(10, time.Minute, "pulse", checks.Damaged)
		w.want("the leak ends", w.rounds(5, time.Minute, "seedwatch", checks.Sound), "resolve leak page")
		w.want("a fifth in a row", w.rounds(1, time.Minute, "pulse", checks.Damaged), "trigger damaged/recall page")
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
		w.want("the damage does not", w.rounds(5, time.Minute, "pulse", checks.Damaged), "trigger damaged/recall page")
	})
}

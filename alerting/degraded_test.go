package alerting

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"crosstalk/checks"
)

// turns steps rounds of one exchange in which 16 tenants take turns; missed says
// which of them miss.
func (w *world) turns(n int, missed func(tenant int) bool) []Page {
	w.t.Helper()
	var pages []Page
	for i := range n {
		s := w.sighting("top", checks.Sound)
		if missed(i % 16) {
			s = w.sighting("top", checks.Damaged)
		}
		s.Tenant = fmt.Sprintf("t%02d", i%16)
		pages = append(pages, w.step(20*time.Minute, s)...)
	}
	return pages
}

// TestOneReplicaOf16: behind a sticky router one bad replica of 16 is one bad
// tenant. Of all answers it spoils one in 16, which at the top of the window is
// normal; by identity it is found in the daily reading, named, and not resolved by
// rounds of the others. As many misses spread over all tenants page nobody.
func TestOneReplicaOf16(t *testing.T) {
	w := newWorld(t)
	w.p.Probes, w.p.RepeatEvery = nil, -1
	w.turns(16*2, func(int) bool { return false })
	opened := w.turns(16*13, func(tenant int) bool { return tenant == 7 })
	w.want("the seventh of 16", opened, "trigger damaged/recall page")
	i := opened[0].Incident
	if !strings.Contains(i.Summary, "to t07") || !strings.Contains(i.Summary, "one replica of several may be bad") ||
		!slices.Equal(i.Tenants, []string{"t07"}) {
		t.Errorf("incident %+v", i)
	}
	id := i.ID
	w.want("it goes on", w.turns(16, func(tenant int) bool { return tenant == 7 }))
	if waits := w.s.Open[0].Incident.Waits; len(waits) != 1 || !strings.Contains(waits[0].String(), "to tenant t07") {
		t.Errorf("it waits for %v", waits)
	}
	w.want("four sound rounds of it", w.turns(16*4, func(int) bool { return false }))
	last := w.turns(16, func(int) bool { return false })
	w.want("and a fifth", last, "resolve damaged/recall page")
	if last[0].Incident.ID != id {
		t.Errorf("another incident resolved: %+v", last[0].Incident)
	}
	if c := w.s.Rates.Cells[0]; c.Seen.Failed != 0 || c.Watch.Learnt.N == 0 {
		t.Errorf("what led to the incident is kept, or what is normal is not: %+v", c)
	}
	w.want("not paged again", w.turns(16*10, func(int) bool { return false }))

	w.p.Probes = map[string]Schedule{"pulse": {Every: time.Minute}}
	w.tick(time.Minute)
	if n := len(w.s.Rates.Cells); n != 0 {
		t.Errorf("the probe is gone, and %d of its cells are kept", n)
	}

	even, n := newWorld(t), 0
	even.p.Probes = nil
	even.want("one answer in 17, whosever", even.turns(16*40, func(int) bool { n++; return n%17 == 0 }))
}

// TestShift: a cell that has been sound for a fortnight and begins to miss one
// round in four pages, at the hour it does and not the next day; one in 50, which
// is normal there, does not.
func TestShift(t *testing.T) {
	for _, tt := range []struct {
		every int
		pages []string
	}{{4, []string{"trigger damaged/recall page"}}, {50, nil}} {
		w := newWorld(t)
		w.healthy(1000, 20*time.Minute, "top")
		var pages []Page
		for n := 1; n <= 100 && len(pages) == 0; n++ {
			c := checks.Sound
			if n%tt.every == 0 {
				c = checks.Damaged
			}
			pages = w.rounds(1, 20*time.Minute, "top", c)
			if len(pages) > 0 {
				t.Logf("paged after %d rounds", n)
			}
		}
		w.want(fmt.Sprintf("one round in %d", tt.every), pages, tt.pages...)
	}
}

// TestLostWhileUndecided: the one seal that decides is lost, and a fresh round has
// yet to show whether it is lost again. Such rounds are evidence, though undecided.
func TestLostWhileUndecided(t *testing.T) {
	undecided := func(w *world, finding string) []Page {
		s := w.sighting("pulse", checks.Inconclusive)
		s.Check, s.Finding, s.Reason = "recall", finding, finding
		return w.step(time.Minute, s)
	}
	w := newWorld(t)
	w.healthy(1000, time.Minute, "pulse")
	for range 2 {
		w.want("lost", undecided(w, checks.KindLostAskedSeal))
	}
	pages := undecided(w, checks.KindLostAskedSeal)
	w.want("lost a third time", pages, "trigger damaged/recall page")
	if i := pages[0].Incident; i.Sightings != 3 || i.FirstExchange == i.LastExchange {
		t.Errorf("incident %+v", i)
	}

	w = newWorld(t)
	w.healthy(1000, time.Minute, "pulse")
	for range 20 {
		w.want("refused", undecided(w, checks.KindRefusal))
	}
}

// TestOneFaultOnePage: a prompt that was cut loses seals too. The cut explains
// them, and they are not another incident.
func TestOneFaultOnePage(t *testing.T) {
	w := newWorld(t)
	var pages []Page
	for range 30 {
		s := w.sighting("pulse", checks.Damaged)
		s.Check, s.Finding = "usage", checks.KindPromptCapped
		o := w.observation(s)
		o.Rates.Trials[0].Missed = true
		w.now = w.now.Add(time.Minute)
		o.At = w.now
		pages = append(pages, w.observe(o)...)
	}
	w.want("cut prompts", pages, "trigger damaged/usage page")
}

// TestStateOfVersion1: what an older version stored is read. Its open incident
// goes on under its key; its evidence, whose sums were others, is not taken over.
func TestStateOfVersion1(t *testing.T) {
	const stored = `{"version":1,"target":"edge","now":"2026-07-01T11:59:00Z",
		"open":[{"incident":{"id":"5b0d6b6e-8f6c-5d3a-9a53-2f2f2a1c7a11","target":"edge","kind":"damaged/stream","severity":"page",
			"state":"open","dedup_key":"crosstalk-5b0d6b6e","opened":"2026-07-01T11:00:00Z","last_seen":"2026-07-01T11:50:00Z",
			"sightings":3,"cells":[{"target":"edge","probe":"seedwatch","length":"window","concurrency":"1","warm":false,"stream":true}],
			"summary":"s"},"sound":[2],"pages":1,"notified":"2026-07-01T11:00:00Z"}],
		"cells":[{"cell":{"target":"edge","probe":"pulse","length":"<=4k","concurrency":"1","warm":false,"stream":true},
			"last_round":"2026-07-01T11:59:00Z",
			"quality":{"exchanges":9000,"failures":3,"check":"recall","rounds":4,"surprise":40,"score":40,"failed":4,"checks":{"recall":4},
				"first_round":"5b0d6b6e-8f6c-5d3a-9a53-2f2f2a1c7a11"},
			"form":{"exchanges":9000,"check":"usage","rounds":4,"surprise":40,"score":40,"failed":4,"checks":{"usage":4}}}]}`
	w := newWorld(t)
	if err := json.Unmarshal([]byte(stored), &w.s); err != nil {
		t.Fatal(err)
	}
	form := w.sighting("pulse", checks.Damaged)
	form.Check = "usage"
	w.want("one more failure of each sort", w.step(0, w.sighting("pulse", checks.Damaged), form))
	if w.s.Version != 2 || len(w.s.Open) != 1 || w.s.Open[0].Sound[0] != 2 {
		t.Errorf("state %+v", w.s)
	}
	pages := w.rounds(3, 30*time.Second, "seedwatch", checks.Sound)
	w.want("three more sound rounds", pages, "resolve damaged/stream page")
	if key := pages[0].Incident.DedupKey; key != "crosstalk-5b0d6b6e" {
		t.Errorf("resolved under key %s", key)
	}
}

// TestDonorByName: a leak names its donor as it names its victim; by its index
// where the configuration has no name for it any more.
func TestDonorByName(t *testing.T) {
	for _, tt := range []struct {
		names map[uint16]string
		want  string
	}{
		{map[uint16]string{2: "bravo"}, "content of tenant bravo in an answer to tenant alpha"},
		{nil, "content of tenant 2 in an answer to tenant alpha"},
	} {
		w := newWorld(t)
		w.p.Tenants = tt.names
		pages := w.rounds(1, 0, "seedwatch", checks.Leak)
		if got := pages[0].Incident.Summary; !strings.Contains(got, tt.want) {
			t.Errorf("summary %q, want %q in it", got, tt.want)
		}
	}
}

package alerting

import (
	"encoding/binary"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/internal/rates"
	"crosstalk/probes"
)

// epoch is when the worlds of the tests begin.
var epoch = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// world is a target under test, with a time of its own. Between any two steps
// its state makes a journey through JSON, as it does in the ledger, and each
// step is made on both sides of it.
type world struct {
	t     *testing.T
	p     Policy
	s     TargetState
	now   time.Time
	ids   uint64
	pages []Page
	rows  []Page // all pages ever
}

func newWorld(t *testing.T) *world {
	// Paused, so that nothing turns blind but where that is the subject.
	return &world{t: t, now: epoch, p: Policy{Paused: true, Probes: map[string]Schedule{
		"pulse": {Every: time.Minute}, "seedwatch": {Every: 30 * time.Second}, "top": {Every: 20 * time.Minute},
	}}}
}

// id is a new identifier.
func (w *world) id() uuid.UUID {
	w.ids++
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[8:], w.ids)
	return id
}

// cellOf are cells of the target.
func cellOf(probe string) probes.Cell {
	length := map[string]string{"pulse": probes.Band4k, "seedwatch": probes.BandWindow, "top": probes.BandWindow}[probe]
	return probes.Cell{Target: "edge", Probe: probe, Length: length, Concurrency: "1", Stream: true}
}

// sighting is one of a class by the usual check.
func (w *world) sighting(probe string, c checks.Class) Sighting {
	s := Sighting{Exchange: w.id(), Cell: cellOf(probe), Tenant: "alpha", Class: c}
	switch c {
	case checks.Leak:
		s.Check, s.Finding, s.Origin, s.PChance = "foreignmarker", checks.KindMarker, 2, 1e-20
	case checks.Foreign:
		s.Check, s.Finding = "contact", checks.KindNoContact
	case checks.Damaged:
		s.Check, s.Finding = "recall", checks.KindLostSeal
	case checks.Sound:
		s.Check, s.Finding = "answer", checks.KindExact
	case checks.Inconclusive:
		s.Reason = "timeout"
	}
	return s
}

// step steps a round of sightings, after a time, and keeps its pages.
func (w *world) step(after time.Duration, sightings ...Sighting) []Page {
	w.now = w.now.Add(after)
	return w.observe(w.observation(sightings...))
}

// observation is a round of sightings, now.
func (w *world) observation(sightings ...Sighting) Observation {
	return Observation{Round: w.id(), Target: "edge", At: w.now, Sightings: sightings, Rates: trials(sightings)}
}

// trials is what rates.Of makes of such a round.
func trials(sightings []Sighting) rates.Round {
	var r rates.Round
	for _, s := range sightings {
		r.Confirms = r.Confirms || s.Confirms
		missed := s.Class == checks.Foreign || s.Class == checks.Damaged && quality(s.Check) || s.Finding == checks.KindLostAskedSeal
		if missed || s.Class != checks.Inconclusive {
			r.Trials = append(r.Trials, rates.Trial{
				Exchange: s.Exchange, Cell: s.Cell, Identity: s.Tenant, Missed: missed, NoContact: s.Check == "contact",
			})
		}
	}
	return r
}

func (w *world) observe(o Observation) []Page {
	w.t.Helper()
	return w.both(func(s TargetState) (TargetState, []Page) { return Step(w.p, s, o) })
}

func (w *world) tick(after time.Duration) []Page {
	w.t.Helper()
	w.now = w.now.Add(after)
	return w.both(func(s TargetState) (TargetState, []Page) { return Tick(w.p, s, w.now) })
}

func (w *world) resolve(id uuid.UUID, by string) error {
	w.t.Helper()
	var err error
	w.both(func(s TargetState) (TargetState, []Page) {
		var pages []Page
		s, pages, err = Resolve(w.p, s, id, by, w.now)
		return s, pages
	})
	return err
}

// rounds steps rounds of one sighting each.
func (w *world) rounds(n int, every time.Duration, probe string, c checks.Class) []Page {
	w.t.Helper()
	var pages []Page
	for range n {
		pages = append(pages, w.step(every, w.sighting(probe, c))...)
	}
	return pages
}

// healthy steps so many sound rounds, without the journey, which takes its time.
func (w *world) healthy(n int, every time.Duration, probe string) {
	w.t.Helper()
	for range n {
		w.now = w.now.Add(every)
		var pages []Page
		if w.s, pages = Step(w.p, w.s, w.observation(w.sighting(probe, checks.Sound))); len(pages) > 0 {
			w.t.Fatalf("a healthy round paged: %v", said(pages))
		}
	}
}

// both makes a step from the state and from its JSON, compares the results, and
// sees that the state it began from has not been changed.
func (w *world) both(step func(TargetState) (TargetState, []Page)) []Page {
	w.t.Helper()
	before := encode(w.t, w.s)
	s, pages := step(w.s)
	if diff := cmp.Diff(before, encode(w.t, w.s)); diff != "" {
		w.t.Fatalf("the step changed the state it was given:\n%s", diff)
	}
	var read TargetState
	if err := json.Unmarshal([]byte(before), &read); err != nil {
		w.t.Fatalf("read the state: %v", err)
	}
	s2, pages2 := step(read)
	if diff := cmp.Diff(encode(w.t, s), encode(w.t, s2)); diff != "" {
		w.t.Fatalf("another state after a journey through JSON:\n%s", diff)
	}
	if diff := cmp.Diff(pages, pages2); diff != "" {
		w.t.Fatalf("other pages after a journey through JSON:\n%s", diff)
	}
	w.s, w.pages = s2, pages
	w.rows = append(w.rows, pages...)
	return pages
}

func encode(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	return string(b)
}

// said is what pages say: action, kind and severity of each.
func said(pages []Page) []string {
	var list []string
	for _, p := range pages {
		list = append(list, string(p.Action)+" "+string(p.Incident.Kind)+" "+string(p.Incident.Severity))
	}
	return list
}

// want fails the test unless the pages say that.
func (w *world) want(what string, pages []Page, want ...string) {
	w.t.Helper()
	if diff := cmp.Diff(want, said(pages)); diff != "" {
		w.t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

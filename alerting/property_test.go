package alerting

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"

	"crosstalk/checks"
)

// TestProperties drives the machine with random histories, a journey of the
// state through JSON between any two steps, and checks what must hold in all.
func TestProperties(t *testing.T) {
	for seed := range uint64(10) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 0))
			w := newWorld(t)
			w.p.Paused = seed%3 == 0
			w.p.EscalateAfter = time.Duration(r.IntN(3)) * time.Hour
			w.p.FalsePagesPerYear = []float64{0, 0.1, 1e6}[r.IntN(3)]
			bad := r.Float64()
			for range 150 {
				w.random(r, bad)
				w.invariants()
			}
			w.ends()
		})
	}
}

// random makes one random step.
func (w *world) random(r *rand.Rand, bad float64) {
	switch r.IntN(12) {
	case 0:
		w.tick(time.Duration(r.IntN(6)) * time.Hour)
	case 1:
		if len(w.s.Open) > 0 {
			w.p.Stopped = nil
			o := w.s.Open[r.IntN(len(w.s.Open))]
			if err := w.resolve(o.Incident.ID, "jo"); err != nil {
				w.t.Fatalf("Resolve: %v", err)
			}
		}
	case 2:
		if len(w.s.Open) > 0 {
			o := w.s.Open[r.IntN(len(w.s.Open))]
			s, err := Acknowledge(w.s, o.Incident.ID, "jo", w.now)
			if err != nil {
				w.t.Fatalf("Acknowledge: %v", err)
			}
			w.s = s
		}
	default:
		w.randomRound(r, bad)
	}
}

// randomRound steps a round of random sightings, and the same round once more.
func (w *world) randomRound(r *rand.Rand, bad float64) {
	names := []string{"pulse", "seedwatch", "top", "gone"}
	var sightings []Sighting
	for range r.IntN(6) {
		c := checks.Sound
		if r.Float64() < bad {
			c = checks.Classes()[r.IntN(len(checks.Classes()))]
		}
		s := w.sighting(names[r.IntN(len(names))], c)
		s.Confirms, s.Supported = r.IntN(3) == 0, c == checks.Foreign && r.IntN(4) == 0
		if c == checks.Damaged {
			s.Check = []string{"recall", "answer", "stream", "foreignfragment"}[r.IntN(4)]
			if s.Check == "foreignfragment" {
				s.Finding = checks.KindSuspect
			}
		}
		sightings = append(sightings, s)
	}
	w.now = w.now.Add(time.Duration(r.IntN(600)-60) * time.Second)
	o := w.observation(sightings...)
	w.observe(o)
	before := encode(w.t, w.s)
	o.At = o.At.Add(time.Hour)
	if pages := w.observe(o); len(pages) != 0 || encode(w.t, w.s) != before {
		w.t.Fatal("a round that was stepped twice counted twice")
	}
}

// invariants hold after every step.
func (w *world) invariants() {
	w.t.Helper()
	open := map[Kind]bool{}
	for _, o := range w.s.Open {
		i := o.Incident
		if open[i.Kind] {
			w.t.Fatalf("two open incidents of %s", i.Kind)
		}
		open[i.Kind] = true
		if i.State != StateOpen || len(o.Sound) != len(i.Cells) || i.Target != "edge" {
			w.t.Fatalf("open incident %+v", o)
		}
	}
	for _, p := range w.pages {
		if p.Incident.Kind == KindDamage("foreignfragment") {
			w.t.Fatalf("a suspect paged: %+v", p)
		}
		if p.At.Before(p.Incident.Opened) || p.Incident.Summary == "" {
			w.t.Fatalf("page %+v", p)
		}
	}
}

// ends checks the history of pages as a whole: each incident is triggered once,
// resolved once or still open, always under one key, and no two share one.
func (w *world) ends() {
	w.t.Helper()
	type life struct {
		triggered, resolved int
		key                 string
	}
	lives, keys, pages := map[uuid.UUID]*life{}, map[string]uuid.UUID{}, map[uuid.UUID]bool{}
	for _, p := range w.rows {
		i := p.Incident
		l := lives[i.ID]
		if l == nil {
			l = &life{key: i.DedupKey}
			lives[i.ID] = l
		}
		if l.key != i.DedupKey || keys[i.DedupKey] != uuid.Nil && keys[i.DedupKey] != i.ID {
			w.t.Errorf("dedup key %s of %s is not its own for ever", i.DedupKey, i.ID)
		}
		keys[i.DedupKey] = i.ID
		if pages[p.ID] {
			w.t.Errorf("two pages with id %s", p.ID)
		}
		pages[p.ID] = true
		if l.resolved > 0 {
			w.t.Errorf("%s of %s after its resolution", p.Action, i.ID)
		}
		switch p.Action {
		case ActionTrigger:
			l.triggered++
		case ActionResolve:
			l.resolved++
		default:
			if l.triggered != 1 {
				w.t.Errorf("%s of %s before its trigger", p.Action, i.ID)
			}
		}
	}
	open := map[uuid.UUID]bool{}
	for _, o := range w.s.Open {
		open[o.Incident.ID] = true
	}
	for id, l := range lives {
		if l.triggered != 1 || l.resolved > 1 || (l.resolved == 0) != open[id] {
			w.t.Errorf("incident %s: %d triggers, %d resolutions, open %t", id, l.triggered, l.resolved, open[id])
		}
	}
}

// FuzzStep feeds the machine states that no machine has written.
func FuzzStep(f *testing.F) {
	w := newWorld(&testing.T{})
	w.rounds(3, time.Minute, "pulse", checks.Damaged)
	w.rounds(2, time.Minute, "top", checks.Foreign)
	w.rounds(2, time.Minute, "seedwatch", checks.Leak)
	state, err := json.Marshal(w.s)
	if err != nil {
		f.Fatal(err)
	}
	o := w.observation(
		w.sighting("pulse", checks.Leak), w.sighting("top", checks.Foreign), w.sighting("seedwatch", checks.Damaged),
		w.sighting("pulse", checks.Inconclusive), w.sighting("pulse", checks.Sound),
	)
	round, err := json.Marshal(o)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(state, round)
	f.Add([]byte(`{}`), round)
	f.Add([]byte(`{"open":[{"incident":{"kind":"leak","cells":[{},{}]},"sound":[1,2,3]},{"incident":{"kind":"leak"}}]}`), round)
	f.Add([]byte(`{"open":[{"incident":{"kind":"blind"}}],"cells":[{},{}],"suspected":{},"control":{}}`), []byte(`{"sightings":[{},{}]}`))
	f.Add([]byte(`{"cells":[{"form":{"watch":{"sum":1e308,"surprise":-1e308,"failed":-9223372036854775808,"learnt":{"Failed":9,"N":-9}}}}],"version":2}`), round)
	f.Add([]byte(`{"version":2,"rates_read":"2026-01-01T00:00:00Z","rates":{"cells":[{},{"seen":{"Failed":9223372036854775807,"N":9223372036854775807},`+
		`"ratio":-1e308,"most":1e308,"identities":{"":{"Failed":-5,"N":9223372036854775807}}}]}}`), round)
	f.Fuzz(func(t *testing.T, state, round []byte) {
		var s TargetState
		var o Observation
		if json.Unmarshal(state, &s) != nil || json.Unmarshal(round, &o) != nil {
			return
		}
		for _, p := range []Policy{{}, {Probes: map[string]Schedule{"pulse": {Every: time.Minute}}, ControlEvery: time.Hour}} {
			next, pages := Step(p, s, o)
			next, more := Tick(p, next, o.At.Add(100*time.Hour))
			next, last := StepControl(p, next, Control{Name: "null", At: o.At})
			if _, err := json.Marshal(next); err != nil {
				t.Errorf("the next state cannot be stored: %v", err)
			}
			for _, i := range next.Incidents() {
				if _, err := Acknowledge(next, i.ID, "jo", o.At); err != nil {
					t.Errorf("Acknowledge: %v", err)
				}
				if _, _, err := Resolve(p, next, i.ID, "jo", o.At); err != nil {
					t.Errorf("Resolve: %v", err)
				}
			}
			for _, x := range append(append(pages, more...), last...) {
				if _, err := json.Marshal(x); err != nil {
					t.Errorf("a page cannot be stored: %v", err)
				}
			}
		}
	})
}

// BenchmarkStep is a round in the state of a target with many cells.
func BenchmarkStep(b *testing.B) {
	w := newWorld(&testing.T{})
	for i := range 40 {
		s := w.sighting("top", checks.Damaged)
		s.Cell.Concurrency = fmt.Sprint(i)
		w.s, _ = Step(w.p, w.s, w.observation(s))
	}
	o := w.observation(w.sighting("pulse", checks.Sound), w.sighting("top", checks.Sound))
	b.ReportAllocs()
	for b.Loop() {
		o.Round = w.id()
		Step(w.p, w.s, o)
	}
}

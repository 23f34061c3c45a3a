package main

import (
	"strings"
	"testing"
	"time"

	"crosstalk/alerting"
	"crosstalk/internal/simulator"
)

// TestSteppedShift: a model that overlooks a seal in one short answer of 200 wakes
// nobody. When it begins to do so in one of five, no single round proves anything,
// and the daemon pages by the rate within the day. The control goes on as it was.
func TestSteppedShift(t *testing.T) {
	t.Parallel()
	const (
		schedule = "probes: [{kind: pulse, every: 10m}]\n"
		before   = "miss=0.0025,missfrom=16,missfirst=1"
		after    = "miss=0.1,missfrom=16,missfirst=1"
	)
	for _, shifts := range []bool{true, false} {
		step(t, func(t *testing.T) {
			engine := steppedEngine(t, simulator.PresetFixed, smallWindow, before)
			s := newStepped(t, schedule, map[string]int{"sim": smallWindow}, engine)
			time.Sleep(4 * time.Hour)
			asked, missed := answers(engine)
			if list := s.incidents(); len(list) != 0 {
				t.Fatalf("before the shift, %d of %d answers without a seal: %+v", missed, asked, list)
			}
			profile, err := simulator.ParseProfile(after)
			if err != nil {
				t.Fatal(err)
			}
			if shifts {
				if err := engine.SetProfile(profile); err != nil {
					t.Fatal(err)
				}
			}
			began := time.Now()
			for len(s.pager.pages()) == 0 && time.Since(began) < s.patience(shifts) {
				time.Sleep(10 * time.Minute)
			}
			now, lost := answers(engine)
			t.Logf("shift %t: %d of %d answers without a seal, then %d of %d in %s: %q",
				shifts, missed, asked, lost-missed, now-asked, time.Since(began), said(s.pager.pages()))
			pages := s.pager.pages()
			if !shifts {
				if len(pages) != 0 {
					t.Errorf("without a shift: %q", said(pages))
				}
				s.stop()
				return
			}
			if len(pages) == 0 {
				t.Fatal("the shift was not noticed")
			}
			i := pages[0].Incident
			check, damage := i.Kind.Damage()
			if !damage || check != "recall" && check != "answer" || i.Severity != alerting.SeverityPage || !strings.Contains(i.Summary, "more than is normal") {
				t.Errorf("incident %+v", i)
			}
			s.stop()
		})
	}
}

// patience is how long a shift may take to be noticed: two hours, as it happens.
// For four the control is watched for a false page.
func (*stepped) patience(shifts bool) time.Duration {
	if shifts {
		return 100 * time.Hour
	}
	return 4 * time.Hour
}

// answers counts the answers of an engine, and those of them that the model
// overlooked a seal in.
func answers(engine *simulator.Server) (asked, missed int) {
	for _, truth := range engine.Truth() {
		asked++
		if truth.Class == simulator.ClassMissed {
			missed++
		}
	}
	return asked, missed
}

package scheduler

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func mustParse(t testing.TB, s Spec) Schedule {
	t.Helper()
	schedule, err := Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return schedule
}

// slots are the slots of a schedule after one instant and up to another.
func slots(s Schedule, after, until time.Time) []time.Time {
	var all []time.Time
	for at := s.Next(after); !at.After(until); at = s.Next(at) {
		all = append(all, at)
	}
	return all
}

func TestParseRefuses(t *testing.T) {
	tests := map[string]struct {
		spec Spec
		want string // in the error
	}{
		"nothing":            {Spec{}, "is empty"},
		"both":               {Spec{Every: time.Minute, Cron: "* * * * *"}, "both every and cron"},
		"negative":           {Spec{Every: -5 * time.Second}, "too often"},
		"below floor":        {Spec{Every: 4 * time.Second}, "use 5s or more"},
		"below own floor":    {Spec{Every: 30 * time.Second, Floor: time.Minute}, "use 1m0s or more"},
		"negative floor":     {Spec{Every: time.Minute, Floor: -1}, "cannot be negative"},
		"years":              {Spec{Every: 9000 * time.Hour}, "too rare"},
		"nanoseconds":        {Spec{Every: time.Minute + 1}, "whole milliseconds"},
		"zone of every":      {Spec{Every: time.Minute, Timezone: "UTC"}, "only cron takes one"},
		"zone prefix":        {Spec{Cron: "CRON_TZ=America/New_York 0 2 * * *"}, "use timezone"},
		"zone alone":         {Spec{Cron: "TZ=UTC"}, "use timezone"},
		"zone without value": {Spec{Cron: "TZ="}, "use timezone"},
		"zone of nothing":    {Spec{Cron: "TZ=0"}, "use timezone"},
		"every in cron":      {Spec{Cron: "@every -5s"}, "use every"},
		"name":               {Spec{Cron: "@daily"}, "write five fields"},
		"six fields":         {Spec{Cron: "0 0 2 * * *"}, "6 fields"},
		"blank":              {Spec{Cron: " "}, "0 fields"},
		"zero step":          {Spec{Cron: "*/0 * * * *"}, "step"},
		"hour 24":            {Spec{Cron: "0 24 * * *"}, "above maximum"},
		"31 February":        {Spec{Cron: "0 0 31 2 *"}, "never comes"},
		"gap below floor":    {Spec{Cron: "0,30 9 1 * *", Floor: time.Hour}, "30m0s apart"},
		"unknown zone":       {Spec{Cron: "0 2 * * *", Timezone: "Mars/Olympus"}, "is unknown"},
		"zone with path":     {Spec{Cron: "0 2 * * *", Timezone: "../etc/passwd"}, "is unknown"},
		"zone of machine":    {Spec{Cron: "0 2 * * *", Timezone: "Local"}, "depends on the machine"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(tt.spec)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse(%+v) is %v, want an error with %q", tt.spec, err, tt.want)
			}
		})
	}
}

func TestCron(t *testing.T) {
	tests := map[string]struct {
		spec  Spec
		after string
		want  []string
	}{
		"UTC by default": {
			Spec{Cron: "*/20 9-10 * * 1-5"},
			"2026-12-04T09:30:00Z",
			[]string{"2026-12-04T09:40:00Z", "2026-12-04T10:00:00Z", "2026-12-04T10:20:00Z", "2026-12-04T10:40:00Z", "2026-12-07T09:00:00Z"},
		},
		"zone": {
			Spec{Cron: "0 9 * * *", Timezone: "Asia/Kolkata"},
			"2026-12-04T00:00:00Z",
			[]string{"2026-12-04T03:30:00Z", "2026-12-05T03:30:00Z"},
		},
		"leap day over a century": {
			Spec{Cron: "0 0 29 2 *"},
			"2096-02-29T00:00:00Z",
			[]string{"2104-02-29T00:00:00Z"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := mustParse(t, tt.spec)
			at, err := time.Parse(time.RFC3339, tt.after)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for range tt.want {
				at = s.Next(at)
				got = append(got, at.Format(time.RFC3339))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestClockChange pins the rule of the two odd days of a year, by what the
// clock on the wall shows when a slot comes.
func TestClockChange(t *testing.T) {
	const newYork, berlin, lordHowe = "America/New_York", "Europe/Berlin", "Australia/Lord_Howe"
	tests := []struct {
		name, zone, cron, day string
		want                  []string // local, within the day
	}{
		{"skipped time runs at the change", newYork, "30 2 * * *", "2026-03-08", []string{"03:00 EDT"}},
		{"skipped time runs at the change", berlin, "30 2 * * *", "2026-03-29", []string{"03:00 CEST"}},
		{"skipped time runs at the change", lordHowe, "15 2 * * *", "2026-10-04", []string{"02:30 +11"}},

		{"several skipped times run once", newYork, "*/15 2 * * *", "2026-03-08", []string{"03:00 EDT"}},
		{"several skipped times run once", berlin, "0 2,3 * * *", "2026-03-29", []string{"03:00 CEST"}},
		{"several skipped times run once", lordHowe, "*/10 2 * * *", "2026-10-04", []string{"02:30 +11", "02:40 +11", "02:50 +11"}},

		{"time shown twice runs once", newYork, "30 1 * * *", "2026-11-01", []string{"01:30 EDT"}},
		{"time shown twice runs once", berlin, "30 2 * * *", "2026-10-25", []string{"02:30 CEST"}},
		{"time shown twice runs once", lordHowe, "45 1 * * *", "2026-04-05", []string{"01:45 +11"}},

		{"times around the second showing", newYork, "30 1,2 * * *", "2026-11-01", []string{"01:30 EDT", "02:30 EST"}},
		{"times around the second showing", berlin, "0 2,3 * * *", "2026-10-25", []string{"02:00 CEST", "03:00 CET"}},
		{"times around the second showing", lordHowe, "*/30 1-2 * * *", "2026-04-05", []string{"01:00 +11", "01:30 +11", "02:00 +1030", "02:30 +1030"}},

		{"every hour leaves out what is skipped", newYork, "30 * 8 3 *", "2026-03-08", hours(30, "EST", 0, 1, "EDT", 3, 23)},
		{"every hour leaves out what is skipped", berlin, "30 * 29 3 *", "2026-03-29", hours(30, "CET", 0, 1, "CEST", 3, 23)},
		{"every hour leaves out what is skipped", lordHowe, "0 * 4 10 *", "2026-10-04", hours(0, "+1030", 0, 1, "+11", 3, 23)},

		{"every hour goes on in both", newYork, "30 * 1 11 *", "2026-11-01", hours(30, "EDT", 0, 1, "EST", 1, 23)},
		{"every hour goes on in both", berlin, "30 * 25 10 *", "2026-10-25", hours(30, "CEST", 0, 2, "CET", 2, 23)},
		{"every hour goes on in both", lordHowe, "45 * 5 4 *", "2026-04-05", hours(45, "+11", 0, 1, "+1030", 1, 23)},
	}
	for _, tt := range tests {
		t.Run(tt.name+" "+tt.zone, func(t *testing.T) {
			zone, err := time.LoadLocation(tt.zone)
			if err != nil {
				t.Fatal(err)
			}
			day, err := time.ParseInLocation(time.DateOnly, tt.day, zone)
			if err != nil {
				t.Fatal(err)
			}
			s := mustParse(t, Spec{Cron: tt.cron, Timezone: tt.zone})
			var got []string
			for _, at := range slots(s, day.Add(-1), day.AddDate(0, 0, 1).Add(-1)) {
				got = append(got, at.In(zone).Format("15:04 MST"))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// hours lists local times of a day: stretches of hours, each with its zone
// abbreviation, its first and its last hour.
func hours(minute int, stretches ...any) []string {
	var all []string
	for i := 0; i < len(stretches); i += 3 {
		for h := stretches[i+1].(int); h <= stretches[i+2].(int); h++ {
			at := time.Date(2000, 1, 1, h, minute, 0, 0, time.UTC)
			all = append(all, at.Format("15:04 ")+stretches[i].(string))
		}
	}
	return all
}

// TestCronKey: a key moves slots by a constant, and not far.
func TestCronKey(t *testing.T) {
	start := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	plain := slots(mustParse(t, Spec{Cron: "0 * * * *"}), start, start.Add(24*time.Hour))
	moved := slots(mustParse(t, Spec{Cron: "0 * * * *", Key: Key("top", "edge", "a")}), start, start.Add(24*time.Hour+CronSpread))
	for i, at := range plain {
		late := moved[i+1].Sub(at) // the slot of midnight itself comes first
		if late <= 0 || late >= CronSpread || late != moved[1].Sub(plain[0]) {
			t.Fatalf("slot %s comes %s late, want the same short time for all", at, late)
		}
	}
}

// TestEveryStable: where the slots lie depends on the key and not on when one
// begins to look.
func TestEveryStable(t *testing.T) {
	s := mustParse(t, Spec{Every: time.Minute, Key: Key("pulse", "edge", "a")})
	start := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	want := slots(s, start, start.Add(time.Hour))
	if len(want) != 60 {
		t.Fatalf("%d slots an hour, want 60", len(want))
	}
	for i := range want[:59] {
		if got := s.Next(want[i].Add(7 * time.Millisecond)); !got.Equal(want[i+1]) {
			t.Errorf("after %s comes %s, want %s", want[i], got, want[i+1])
		}
		if gap := want[i+1].Sub(want[i]); gap < 57*time.Second || gap > 63*time.Second {
			t.Errorf("slots are %s apart, want a minute and a twentieth at most", gap)
		}
	}
}

// TestEverySpreads: the first runs of many targets do not come together, nor
// do those of several instances.
func TestEverySpreads(t *testing.T) {
	start := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	parts := make([]int, 10)
	for i := range 1000 {
		name := "target-" + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676))
		s := mustParse(t, Spec{Every: time.Minute, Key: Key("pulse", name, "a")})
		parts[int(s.Next(start).Sub(start)/(6*time.Second))%10]++
	}
	for i, n := range parts {
		if n < 60 || n > 140 {
			t.Errorf("%d of 1000 first runs fall into tenth %d of the interval, want about 100: %v", n, i, parts)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, cron := range []string{"* * * * *", "*/20 * * * *", "30 2 * * 1-5", "0 0 29 2 *", "TZ=", "TZ=0", "CRON_TZ=UTC", "@every 0s", "0 0 31 2 *", "0 0 29 2 1,2", "59 23 31 12 ?"} {
		f.Add(int64(0), cron, "", "", int64(0), int64(1_800_000_000_000))
		f.Add(int64(0), cron, "Europe/Berlin", "key", int64(0), int64(1_774_746_000_000))
	}
	f.Add(int64(30e9), "", "", "key", int64(0), int64(-1))
	f.Add(int64(5e9), "", "", "", int64(time.Minute), int64(1<<40))
	f.Fuzz(func(t *testing.T, interval int64, cron, zone, key string, floor, from int64) {
		s, err := Parse(Spec{Every: time.Duration(interval), Cron: cron, Timezone: zone, Key: key, Floor: time.Duration(floor)})
		if err != nil {
			return
		}
		// Any time from 1900 to 2300.
		const first, last = -2208988800000, 10413792000000
		at := time.UnixMilli(first + ((from%(last-first))+(last-first))%(last-first)).UTC()
		for range 50 {
			next := s.Next(at)
			if next.IsZero() || !next.After(at) {
				t.Fatalf("after %s comes %s", at, next)
			}
			if next.Nanosecond()%int(time.Millisecond) != 0 {
				t.Fatalf("slot %s is not a whole number of milliseconds", next)
			}
			if again := s.Next(next.Add(-1)); !again.Equal(next) {
				t.Fatalf("just before slot %s comes %s", next, again)
			}
			at = next
		}
	})
}

func BenchmarkNext(b *testing.B) {
	start := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	for name, spec := range map[string]Spec{
		"every":       {Every: time.Minute, Key: "k"},
		"cron minute": {Cron: "* * * * *", Timezone: "Europe/Berlin", Key: "k"},
		"cron year":   {Cron: "30 2 24 12 *", Timezone: "Europe/Berlin", Key: "k"},
	} {
		s := mustParse(b, spec)
		b.Run(name, func(b *testing.B) {
			at := start
			for b.Loop() {
				at = s.Next(at)
				if at.Year() > 2200 {
					at = start
				}
			}
		})
	}
}

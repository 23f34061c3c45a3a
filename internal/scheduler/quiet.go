package scheduler

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Quiet is a stretch of each day in which a target is not probed. It is read by
// the clock of its zone; on a day whose clock changes it is as much longer or
// shorter as the clock says.
type Quiet struct {
	From, Until int            // minutes after midnight; Until before From ends the day after
	Days        []time.Weekday // on which it begins; none: every day
	Zone        *time.Location // nil: UTC
}

// ParseQuiet reads "22:00-06:00", or "sat,sun 00:00-24:00" for some days.
func ParseQuiet(text, timezone string) (Quiet, error) {
	zone, err := location(timezone)
	if err != nil {
		return Quiet{}, fmt.Errorf("quiet hours %q: %w", text, err)
	}
	q := Quiet{Zone: zone}
	fields := strings.Fields(text)
	if len(fields) == 2 {
		if q.Days, err = weekdays(fields[0]); err != nil {
			return Quiet{}, fmt.Errorf("quiet hours %q: %w", text, err)
		}
		fields = fields[1:]
	}
	if len(fields) != 1 {
		return Quiet{}, fmt.Errorf("quiet hours %q: write them as 22:00-06:00 or sat,sun 00:00-24:00", text)
	}
	from, until, _ := strings.Cut(fields[0], "-")
	if q.From, err = minutes(from); err == nil {
		q.Until, err = minutes(until)
	}
	switch {
	case err != nil:
		return Quiet{}, fmt.Errorf("quiet hours %q: %w", text, err)
	case q.From == q.Until || q.From == 24*60:
		return Quiet{}, fmt.Errorf("quiet hours %q are empty: for a whole day write 00:00-24:00", text)
	}
	return q, nil
}

// minutes reads a time of day, 00:00 to 24:00.
func minutes(text string) (int, error) {
	if text == "24:00" {
		return 24 * 60, nil
	}
	at, err := time.Parse("15:04", text)
	if err != nil || len(text) != len("15:04") {
		return 0, fmt.Errorf("%q is no time of day: write hours and minutes, as in 06:30", text)
	}
	return at.Hour()*60 + at.Minute(), nil
}

func weekdays(text string) ([]time.Weekday, error) {
	names := []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}
	var days []time.Weekday
	for name := range strings.SplitSeq(strings.ToLower(text), ",") {
		day := slices.Index(names, name)
		if day < 0 {
			return nil, fmt.Errorf("%q is no day: use %s", name, strings.Join(names, ", "))
		}
		days = append(days, time.Weekday(day))
	}
	return days, nil
}

// Covers reports whether t lies in the quiet hours.
func (q Quiet) Covers(t time.Time) bool {
	zone := q.Zone
	if zone == nil {
		zone = time.UTC
	}
	t = t.In(zone)
	now := t.Hour()*60 + t.Minute()
	today, yesterday := t.Weekday(), (t.Weekday()+6)%7
	if q.From < q.Until {
		return q.on(today) && q.From <= now && now < q.Until
	}
	return q.on(today) && q.From <= now || q.on(yesterday) && now < q.Until
}

func (q Quiet) on(day time.Weekday) bool {
	return len(q.Days) == 0 || slices.Contains(q.Days, day)
}

// Silence is a time in which a target is not probed: an announced maintenance.
type Silence struct {
	Target      string // "": every target
	From, Until time.Time
	Reason      string // for a person
}

// LeftAlone is why a target is not to be probed at t by the word of a person who
// said so beforehand: a silence or its quiet hours; "" if it may be.
func (s *Scheduler) LeftAlone(target string, t time.Time) string {
	if why := s.rules.silenced(target, t); why != nil {
		return why.detail
	}
	for _, e := range s.snapshot() {
		if e.Site.Target.Name == target && slices.ContainsFunc(e.Quiet, func(q Quiet) bool { return q.Covers(t) }) {
			return quietHours
		}
	}
	return ""
}

// quietHours says why nothing is sent in them.
const quietHours = "these are quiet hours of the target"

// covers reports whether the silence holds for the target at t.
func (s Silence) covers(target string, t time.Time) bool {
	return (s.Target == "" || s.Target == target) && !t.Before(s.From) && t.Before(s.Until)
}

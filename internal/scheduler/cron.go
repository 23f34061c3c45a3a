package scheduler

import (
	"errors"
	"fmt"
	"strings"
	"time"

	cronlib "github.com/robfig/cron/v3"
)

// cron is a schedule of slots by the wall clock of a zone. Its expression is
// matched against clock readings, never against instants, so the library that
// does the matching knows no zone and the rule for the two odd days of a year
// is this one:
//
//   - An expression that names hours ("30 2 * * *") means times of day. One that
//     the clock skips in spring is run at the instant of the change, once,
//     however many were skipped. One that the clock shows twice in autumn is
//     run the first time only.
//   - An expression with every hour ("*/20 * * * *") means an interval. It is
//     run whenever the clock shows a match: not in an hour that is skipped, and
//     in both of an hour that comes twice.
type cron struct {
	spec   *cronlib.SpecSchedule // in UTC
	zone   *time.Location
	hourly bool          // the expression matches every hour
	offset time.Duration // added to each slot
}

// everyHour has a bit for each hour, as the library sets them.
const everyHour = 1<<24 - 1

func parseCron(s Spec) (Schedule, error) {
	spec, err := matcher(s.Cron)
	if err != nil {
		return nil, fmt.Errorf("schedule cron %q: %w", s.Cron, err)
	}
	zone, err := location(s.Timezone)
	if err != nil {
		return nil, fmt.Errorf("schedule cron %q: %w", s.Cron, err)
	}
	c := cron{spec: spec, zone: zone, hourly: spec.Hour&everyHour == everyHour}
	if match(spec, time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return nil, fmt.Errorf("schedule cron %q never comes: no year has such a day", s.Cron)
	}
	floor := s.Floor
	if floor == 0 {
		floor = CronFloor
	}
	if gap := c.shortestGap(floor); gap < floor {
		return nil, fmt.Errorf("schedule cron %q is too often: two slots are %s apart, use %s or more", s.Cron, gap, floor)
	}
	if s.Key != "" {
		c.offset = hash(s.Key, CronSpread).Truncate(time.Millisecond)
	}
	return c, nil
}

// matcher parses an expression. The library panics on some texts and takes
// zones and intervals in others: none of that gets to it, and a panic is an
// error.
func matcher(text string) (spec *cronlib.SpecSchedule, err error) {
	switch upper := strings.ToUpper(text); {
	case strings.Contains(upper, "TZ="):
		return nil, errors.New("it has a zone in it: use timezone")
	case strings.HasPrefix(strings.TrimSpace(text), "@"):
		return nil, errors.New("it is a name: write five fields, or use every for an interval")
	case len(strings.Fields(text)) != 5:
		return nil, fmt.Errorf("it has %d fields: write five, minute hour day month weekday", len(strings.Fields(text)))
	}
	defer func() {
		if v := recover(); v != nil {
			spec, err = nil, errors.New("it cannot be read: write five fields, minute hour day month weekday")
		}
	}()
	parsed, err := cronlib.NewParser(cronlib.Minute | cronlib.Hour | cronlib.Dom | cronlib.Month | cronlib.Dow).Parse(text)
	if err != nil {
		return nil, err
	}
	spec, ok := parsed.(*cronlib.SpecSchedule)
	if !ok {
		return nil, errors.New("it is not made of fields: write five, minute hour day month weekday")
	}
	spec.Location = time.UTC
	return spec, nil
}

// location is the zone of that name. The zone of the machine is refused: the
// same file would mean different things on two machines.
func location(name string) (*time.Location, error) {
	switch name {
	case "", "UTC":
		return time.UTC, nil
	case "Local":
		return nil, errors.New("timezone Local depends on the machine: name the zone, as in Europe/Berlin")
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("timezone %q is unknown: name it as in Europe/Berlin", name)
	}
	return zone, nil
}

// match is the first reading of a clock after t that the expression matches.
// Readings are written as times in UTC. It is zero if there is none.
func match(spec *cronlib.SpecSchedule, t time.Time) time.Time {
	// The library looks five years ahead. 29 February is up to eight years
	// away, and up to forty with a weekday.
	for range 9 {
		if next := spec.Next(t); !next.IsZero() {
			return next
		}
		t = t.AddDate(5, 0, 0)
	}
	return time.Time{}
}

// Next implements Schedule.
func (c cron) Next(t time.Time) time.Time {
	return c.instant(t.Add(-c.offset)).Add(c.offset).UTC()
}

// instant is the first slot after t, before the offset is added. It goes from
// one stretch of constant zone offset to the next: within one, clock readings
// and instants differ by a constant.
func (c cron) instant(t time.Time) time.Time {
	span := c.spanAt(t)
	after := span.reading(t)
	if first := c.firstReading(span); after.Before(first) {
		after = first
	}
	for {
		next := match(c.spec, after)
		if slot := next.Add(-span.offset); span.end.IsZero() || slot.Before(span.end) {
			return slot
		}
		following := c.spanAt(span.end)
		skipped := following.reading(span.end) // first reading after the change
		if !c.hourly && span.offset < following.offset && next.Before(skipped) {
			return span.end
		}
		span, after = following, c.firstReading(following)
	}
}

// span is a stretch of time over which a zone's offset from UTC is constant.
type span struct {
	start, end time.Time     // zero: without beginning, without end
	offset     time.Duration // local reading minus UTC
	before     time.Duration // offset before start
}

func (s span) reading(t time.Time) time.Time { return t.UTC().Add(s.offset) }

func (c cron) spanAt(t time.Time) span {
	local := t.In(c.zone)
	_, offset := local.Zone()
	s := span{offset: time.Duration(offset) * time.Second}
	s.start, s.end = local.ZoneBounds()
	if !s.end.IsZero() && !s.end.After(t) {
		// On 31 December of a leap year beyond the zone's table the bound is
		// the start of that day. Any later instant will do: a span may be cut
		// in two.
		s.end = t.Add(time.Hour)
	}
	s.before = s.offset
	if !s.start.IsZero() {
		_, before := s.start.Add(-time.Second).In(c.zone).Zone()
		s.before = time.Duration(before) * time.Second
	}
	return s
}

// firstReading is the reading after which readings of the span count: from its
// start or, for times of day, from where the span before had not yet been.
func (c cron) firstReading(s span) time.Time {
	if s.start.IsZero() {
		return time.Time{}
	}
	first := s.reading(s.start)
	if !c.hourly && s.offset < s.before {
		first = s.start.UTC().Add(s.before)
	}
	return first.Add(-time.Second)
}

// shortestGap is the shortest time between two slots of a year, or the first
// that is found below the floor. Five fields cannot say less than a minute.
func (c cron) shortestGap(floor time.Duration) time.Duration {
	const year = 366 * 24 * time.Hour
	start := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	shortest := time.Duration(1<<63 - 1)
	if floor <= time.Minute {
		return shortest
	}
	for at := c.instant(start); at.Sub(start) < year && shortest >= floor; {
		next := c.instant(at)
		shortest, at = min(shortest, next.Sub(at)), next
	}
	return shortest
}

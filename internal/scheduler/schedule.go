package scheduler

import (
	"errors"
	"fmt"
	"hash/fnv"
	"time"
)

// Schedule names the instants at which a probe is due.
type Schedule interface {
	// Next is the first slot after t. It is strictly later than t, never zero,
	// a whole number of milliseconds, and depends on t alone.
	Next(t time.Time) time.Time
}

// Spec is a schedule as it is configured. Exactly one of Every and Cron is set.
type Spec struct {
	// Every is the interval between slots.
	Every time.Duration
	// Cron is an expression of five fields: minute, hour, day of month, month,
	// day of week. Names such as @daily and zones within it are refused.
	Cron string
	// Timezone of Cron, as the IANA database names it; "" is UTC. Every takes
	// none: an interval has no time of day.
	Timezone string
	// Key spreads schedules that say the same thing: who runs what against
	// whom, see Key. It moves the slots of Every by any part of the interval,
	// and those of Cron by at most CronSpread. "" moves nothing.
	Key string
	// Floor is the shortest gap between slots that is accepted; 0 is
	// EveryFloor or CronFloor. A caller raises it to what one run takes.
	Floor time.Duration
}

const (
	// EveryFloor and CronFloor are the shortest gaps accepted by default.
	EveryFloor = 5 * time.Second
	CronFloor  = 10 * time.Second
	// CronSpread bounds how far the key moves the slots of a cron expression.
	CronSpread = 10 * time.Second
	// longestEvery is the longest interval accepted: above it somebody mistook
	// the unit.
	longestEvery = 366 * 24 * time.Hour
)

// Key is the key of a probe's schedule. Instances of one fleet differ in the
// last part, so their rounds interleave.
func Key(probe, target, instance string) string {
	return probe + "\x00" + target + "\x00" + instance
}

// Parse checks a schedule and returns it ready to be walked.
func Parse(s Spec) (Schedule, error) {
	switch {
	case s.Every == 0 && s.Cron == "":
		return nil, errors.New("schedule is empty: state every or cron")
	case s.Every != 0 && s.Cron != "":
		return nil, errors.New("schedule has both every and cron: state one")
	case s.Floor < 0:
		return nil, fmt.Errorf("schedule has a floor of %s: it cannot be negative", s.Floor)
	case s.Cron != "":
		return parseCron(s)
	case s.Timezone != "":
		return nil, fmt.Errorf("schedule every %s has a timezone: only cron takes one", s.Every)
	}
	return parseEvery(s)
}

// hash is a number in [0, n) that text always gives.
func hash(text string, n time.Duration) time.Duration {
	if n <= 0 {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(text))
	// FNV's low bits of short, similar texts are alike: mix them.
	return time.Duration(mix(h.Sum64()) % uint64(n))
}

// mix spreads every bit of x over all bits of the result (the finalizer of
// SplitMix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

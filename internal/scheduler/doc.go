// Package scheduler decides when a probe runs, and when it does not.
//
// A schedule says when: at an interval, or by a cron expression. Each instant
// it names is a slot. Slots lie on the wall clock and depend on nothing but the
// schedule and its key, so a daemon that starts again goes on where it left
// off, and two daemons with different instance names do not fire together.
//
//	schedule -> slot -> job -> round(s)
//
// The walker follows each schedule from the last slot it has handed out to now,
// and turns what is due into a job of River, in the transaction that advances
// the schedule: a slot is handed out once, whatever crashes. Of slots that
// passed while nobody walked, only the newest is run; the rest are recorded as
// missed, because an hour of catching up measures nothing and costs an hour of
// probes.
//
// A job is one slot's turn. Before it sends anything it asks the rules: is
// probing paused, is the target to be left alone now, did it ask for less, is
// the run before still going? A slot that is not run is skipped for a Reason,
// counted and recorded; a slot never just vanishes. What runs is bounded by a
// deadline before the next slot and cut short within a second by a pause.
//
// River gives a job a second attempt only when the process died in the first
// one. Its worker never reports a target's fault as an error: there is nothing
// to retry, the first answer is the observation. A second attempt draws fresh
// markers like any other round.
//
// There is no limit on what runs at once but that of each target: a target that
// hangs holds up nobody but itself.
package scheduler

package scheduler

// Reason is why a slot was not run, or not to its end. The set is closed: it
// labels a counter.
type Reason string

const (
	ReasonPaused       Reason = "paused"       // a person stopped probing, of the target or of all
	ReasonStopFile     Reason = "stop-file"    // the stop file is there
	ReasonQuiet        Reason = "quiet-hours"  // the target is not to be probed at this time of day
	ReasonSilence      Reason = "silence"      // the target is not to be probed now: maintenance
	ReasonOverlap      Reason = "overlap"      // the run before has not ended
	ReasonBackoff      Reason = "backoff"      // the target asked for less
	ReasonTenant       Reason = "tenant"       // too few tenants are left that the target does not refuse
	ReasonBudget       Reason = "budget"       // a cap would have been passed
	ReasonUnauthorized Reason = "unauthorized" // no authorization, or it has expired
	ReasonNotAllowed   Reason = "not-allowed"  // the authorization does not cover this probe
	ReasonLong         Reason = "long-prompt"  // another long prompt was in flight at the target all the time
	ReasonStopped      Reason = "stopped"      // the cell is stopped after a suspected disclosure
	ReasonLate         Reason = "late"         // the next slot had come before this one's turn
	ReasonDown         Reason = "down"         // nobody walked the schedule when the slot was due
	ReasonRemoved      Reason = "removed"      // the probe is no longer configured
	ReasonPlan         Reason = "plan"         // the target cannot be probed this way: the configuration
	ReasonDeadline     Reason = "deadline"     // the round did not end before the next slot
	ReasonInterrupted  Reason = "interrupted"  // the daemon stopped, or died, during the round
	ReasonLedger       Reason = "ledger"       // the round could not be recorded: our fault
	ReasonPanic        Reason = "panic"        // the round panicked: our fault
)

// Reasons lists every reason, for counters that start at zero.
func Reasons() []Reason {
	return []Reason{
		ReasonPaused, ReasonStopFile, ReasonQuiet, ReasonSilence, ReasonOverlap, ReasonBackoff, ReasonTenant,
		ReasonBudget, ReasonUnauthorized, ReasonNotAllowed, ReasonLong, ReasonStopped, ReasonLate, ReasonDown,
		ReasonRemoved, ReasonPlan, ReasonDeadline, ReasonInterrupted, ReasonLedger, ReasonPanic,
	}
}

// skip is a slot that was not run, with one sentence for a person. It is the
// cause of a context that was cut short.
type skip struct {
	reason Reason
	detail string
}

func (s *skip) Error() string { return string(s.reason) + ": " + s.detail }

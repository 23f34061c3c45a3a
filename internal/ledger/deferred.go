package ledger

import (
	"time"

	"github.com/google/uuid"

	"crosstalk/alerting"
	"crosstalk/probes"
)

// Deferred is one thing that was done while the ledger could not be written.
// One of its fields besides At is set.
type Deferred struct {
	At time.Time

	Begun   *Begun
	Settled *Settled
	Ticked  bool
	Control *alerting.Control
	// Pages are owed whatever became of the steps that owed them: their
	// incident is as it was then.
	Pages     []alerting.Page
	Delivered *alerting.Delivery
	Failed    *Failed
	Event     *Event
	Pause     *PauseRecord
	Resume    *Resumed
}

// Begun is a round that is about to be sent.
type Begun struct {
	Round uuid.UUID
	Plan  probes.Plan
	Bound []probes.Bound
	At    time.Time
	// Unjournaled says that it was sent before the ledger knew of it.
	Unjournaled bool
}

// Failed is an attempt to deliver that failed.
type Failed struct {
	Delivery alerting.Delivery
	Reason   string
	Next     time.Time // zero: given up
}

// Resumed is the end of a pause.
type Resumed struct {
	Target, By string
}

// Package alerting turns findings into incidents and incidents into pages.
//
// # From an answer to a person
//
// A finding is what one check saw in one exchange. An [Observation] is a
// finished round reduced to what paging needs: for each exchange one [Sighting]
// with its class and the one check that explains it best. An [Incident] is what
// pages a person, from the first sighting to its resolution. A [Page] is one
// notification about an incident, owed to every notifier.
//
//	round, report --Observe--> Observation --Step--> TargetState', []Page
//	                                  time --Tick--> TargetState', []Page
//	                               control --StepControl--> ...
//	                              a person --Acknowledge, Resolve--> ...
//
// The fingerprint of an incident is its target and its [Kind]: leak, foreign,
// damaged/<check>, blind, prober. At most one incident of a fingerprint is open.
// Checks, cells and tenants are members of it, and more of the same pages
// nobody again.
//
// # A pure machine
//
// All arrows above are pure functions. They read no clock and draw nothing at
// random, and identifiers derive from what was seen, so the same inputs give
// the same incidents under the same dedup keys. The ledger runs them inside the
// transaction that stores the round: state, incident and the pages it owes are
// committed together, or not at all, and so no crash loses a page or doubles an
// incident.
//
// # When what pages
//
//   - leak: on the first exchange. It is proof.
//   - foreign: on the first exchange that a second kind of evidence supports
//     (its prompt was never prefilled or counted, or the paired control is
//     sound); otherwise when a fresh round confirms it, or when its cell has
//     more of it than any healthy model. Only a person resolves it.
//   - damaged: when fresh rounds of a cell fail in a row, or more often than
//     they did, or when one tenant of several is worse off than the others by
//     the counts of a week. How many that takes follows from
//     [Policy.FalsePagesPerYear]: see [Evidence].
//   - blind: a cell without a decided exchange for three intervals is a ticket;
//     after a day, or after a deploy, a page. "Could not tell" is never a pass.
//   - prober: a control did not do what it must. We are the first suspect.
//
// A suspect, a fragment short of proof, never pages. An open leak or foreign
// incident absorbs damage of its target: one fault is one page. An incident
// resolves after five sound fresh rounds of every member cell and 60 seconds
// ([Policy.SoundRounds], [Policy.Quiet]).
//
// # Delivery
//
// A [Courier] carries pages from the [Outbox] to every [Notifier], each from its
// own goroutine: a pager that hangs delays nobody else, and never a probe.
// Delivery is at least once under one dedup key for ever, and a page is never
// given up. Each way of paging is a package below this one, sends through a
// [Sender], and passes the one suite in notifytest. Runbooks, one for each
// check, are embedded ([Runbook]).
//
// One-shot commands do not page: their exit code is their product.
package alerting

// Package alerting turns findings into incidents and incidents into pages.
//
// A finding is what one check saw in one exchange. An incident is what pages a
// person: one for each target and kind, from the first sighting to its
// resolution. Between the two stands a pure state machine that is stepped
// inside the transaction that stores a round, so that a page is committed
// before it is first attempted and is never lost or doubled by a crash.
//
// Each way of paging is a package below this one and passes one conformance
// suite. Runbooks, one for each check, live in runbooks/.
//
// The state machine and the notifiers come with the daemon (crosstalk serve).
// One-shot commands do not page: their exit code is their product.
package alerting

// Package rates says which cell of a target has degraded: in which more answers
// miss their own seals than a healthy model explains.
//
// One missed seal proves nothing: healthy models lose some at a million tokens.
// What counts is how often, where, and with what in common. [Step] adds the
// trials of a round to a [State]; [Degraded] reads out of it what has degraded.
// Both are pure: no clock, no I/O.
//
// # Words
//
// A trial is one decided exchange that should have given its seals back; it
// missed if those that decide are not all there. The baseline of a cell is the
// rate of misses that a healthy model may show at that length, with a cap: nothing
// that is learnt can lift it above, so that a fault that is there from the first
// day cannot become normal ([BaselineOf]). The faulty rate is the least worth
// finding: 10 %, and clearly more than the baseline.
//
// # Five signs
//
//   - rate: the sequential probability ratio of the faulty rate against the
//     baseline has become so large that a healthy cell would reach it, at any
//     time, with probability p only (stats.SPRT, stats.AnytimeP).
//   - shift: the CUSUM of the same ratios has passed the threshold that follows
//     from the false pages accepted in a year (stats.CUSUM). It finds what begins
//     after months of health, where the ratio of all time is far below zero.
//   - identity: one routing identity misses more than the others of its cell
//     (stats.FisherGreater). Routers are sticky, so that one bad replica of 16
//     looks like one bad tenant, and the rate over all of them stays low.
//   - episode: the misses stand in one stretch of time (stats.LongestRun).
//   - cliff: of pairs of a long prompt and its control at half the length, the
//     long one alone fails (stats.McNemar). A model that is weak at length fails
//     gradually; a limit inside the engine makes a cliff.
//
// # How many are false
//
// All p-values of a call, over cells and signs, are adjusted together by Holm's
// method: on a healthy target the chance that [Degraded] names anything is at most
// Policy.Alpha, whatever the number of cells. The p-value of a rate may be read
// after each round. Those of identities, episodes and cliffs hold for one reading:
// who reads them n times divides alpha by n. A CUSUM is not a p-value: it passes
// falsely at most Policy.FalsePagesPerYear times a year over all cells.
package rates

// Package rates says which cell of a target has degraded: in which more answers
// miss their own seals than a healthy model explains.
//
// One missed seal proves nothing: healthy models lose some at a million tokens.
// What counts is how often, where, and with what in common. [Of] reduces a round
// to its trials and [Step] adds them to a [State]. Out of it a daemon reads after
// each round whether a cell's [Watch] has passed a threshold, and whoever wants to
// know what a stretch of time showed reads [Degraded]. All of it is pure: no
// clock, no I/O.
//
// # Words
//
// A trial is one decided exchange that should have given its seals back; it
// missed if those that decide are not all there. The baseline of a cell is the
// rate of misses that a healthy model may show at that length, with a cap: what
// is learnt lies below it, so that a fault that is there from the first day
// cannot become normal ([BaselineOf], [Watch.Normal]). The faulty rate is the
// least worth finding: 10 %, and clearly more than the baseline.
//
// # A shift
//
// Misses have become more frequent than they were. The watch of a cell looks for
// it after each round, for years, with two CUSUMs whose threshold follows from the
// false pages accepted in a year (stats.CUSUMThreshold). What is normal is learnt
// from the cell itself: a model that never misses at 500k tokens and now misses
// one time in ten has changed, though others miss as often.
//
// # Four signs of a stretch of time
//
//   - rate: the sequential probability ratio of the faulty rate against the cap
//     has become so large that a healthy cell would reach it, at any time, with
//     probability p only (stats.SPRT, stats.AnytimeP).
//   - identity: one routing identity misses more than the others of its cell, and
//     more than a healthy model may (stats.FisherGreater). Routers are sticky, so
//     that one bad replica of 16 looks like one bad tenant, and the rate over all
//     of them stays low.
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
// who reads them n times divides alpha by n. A watch is not a p-value: it passes
// falsely at most so often a year as its threshold says.
package rates

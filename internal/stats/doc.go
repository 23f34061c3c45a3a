// Package stats holds the statistics of reports and plans. All of it is closed
// form or a bisection on a closed form; nothing is simulated, and nothing is
// random.
//
// # The questions it answers
//
// How rare is a fault that was never seen? [UpperBound]: n probes without a hit
// exclude every rate above 1 - alpha^(1/n), with confidence 1 - alpha. The
// bound may be read after each probe: it stays valid however often one looks,
// as long as there was no hit.
//
// How many probes does it take? [Power] is the probability to see a fault of a
// given rate at least once in n probes, [NeededProbes] is its inverse in n and
// [SmallestFault] its inverse in the rate.
//
// How frequent is a fault that was seen? [ClopperPearson], the exact interval
// for k hits in a number n of probes fixed before.
//
// Has a rate risen? [SPRT] decides between a healthy and a faulty rate as soon as
// the evidence suffices; [AnytimeP] is its p-value, which may be read after each
// trial; [CUSUM] watches without end, with a [CUSUMThreshold] that follows from
// the false alarms accepted in a year.
//
// Is it one replica of many, one stretch of time, one length? [FisherGreater]
// compares the failures of one group with those of the rest, [LongestRun] says how
// surprising a run of failures is, and [McNemar] compares pairs.
//
// What is the 99th percentile of a latency? [Percentile] gives it with an
// interval from order statistics, which assumes nothing about the shape of the
// distribution, or says that the sample is too small to have one.
//
// Which of many cells differ? [Holm] holds the probability of any false alarm
// over all of them.
//
// # Terms
//
// A rate is a probability per probe, 0 to 1. alpha is the accepted probability
// of a wrong statement, the confidence is 1 - alpha. Probes are taken as
// independent; where several go to one replica, give the number of distinct
// replicas or routing identities instead, and the bound is one on the share of
// bad replicas.
//
// Functions answer arguments out of range with the most cautious true
// statement, such as the bound 1 for no probes, and with NaN where none exists.
package stats

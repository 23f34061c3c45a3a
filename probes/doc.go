// Package probes holds the experiments: what is sent to a target, by whom, how
// long, in which order and how much at once. It sends and records; package
// checks judges.
//
// A probe is one kind of experiment (All lists them). From a seed and a State
// it lays out a Plan: one round, as a list of steps. The exchanges of a step
// are released at the same instant, and the next step begins when all of them
// have ended:
//
//	plan ── step ── intent    one exchange to be made: tenant, spec, length
//	     │       └─ intent
//	     └─ step ── intent
//
// A plan is pure: the same seed and state give the same plan, with no clock, no
// secret and nothing sent. So it can be printed with its price before anything
// is spent, pinned by a test, and made again years later to see why a round
// looked as it did. It holds unbound specs: the markers are drawn when it runs,
// so that no two runs of one plan ever share one. Seeds are read as counters:
// consecutive seeds walk through every combination of tenant, filler family and
// depth before one is used twice.
//
// Run turns a plan into a Round. It binds each intent (mints the markers and so
// fixes the bytes), has the Journal reserve the spend and record the markers,
// and only then sends. Every exchange of a step is built first and then waits
// at a barrier, because many faults need requests that arrive together. Nothing
// is ever retried: the first answer is the observation. What was not sent says
// why (Exchange.SkipReason). The round that Run returns is frozen.
//
// Lengths are in tokens of the target, which crosstalk cannot count: it knows
// bytes, and a calibration learnt from the target's own usage figures (Learn).
// Every length is therefore an interval. An intent says what the target should
// do with it: ExpectAnswer if the whole interval and the answer lie within the
// limit, ExpectRefusal if the whole interval lies above, else ExpectEither.
//
// A control is an exchange that should be sound whatever the probe finds, such
// as the same prompt at half the length: when the control is sound and the main
// exchange is not, length did it. A cell is where an exchange counts. Rates,
// bounds and coverage are kept per cell, so that a thousand sound short prompts
// say nothing about one at the top of the window.
//
// crosstalk is a guest. Permit says what an authorization covers, Limits and
// Spend what may be spent, and Run stops a tenant whose key is refused and holds
// long prompts back from a target that says it is overloaded.
package probes

// Package detect measures the checks on labelled cases: how much of each kind
// of damage they see, and how often they are wrong about sound answers.
//
// # Words
//
// A case is one exchange with a label: the classes that are right for it (more
// than one where the line is thin) and, where it matters, the kinds one of
// which must be among its findings. A row is all cases made in one way. Recall
// is the share of a row's cases that were judged right; a false alarm is a sound
// or lawful case that was judged damaged or worse. Each share carries its exact
// 95 % interval, see package stats. A bar is the least recall a row must reach,
// and the run fails below it; a row without a bar is reported only.
//
// # The corpus
//
// [Corpus] makes the shipped cases by transformation of sound answers: prompts
// of every filler family and both dresses of marker are made under a fixed key,
// their right answers are known, and each transformation does to one what a
// public report saw done: the same token for ever, a loop, letters strewn in, a
// doubled token, another tenant's seal, a stranger's letter beside the answer, a
// prompt cut at the head, blanks after JSON, a finish reason that lies. The
// classes A to M are those of 179 public reports of corrupt answers; "leak" holds
// what must be proved and attributed; "lawful" holds what must not alarm. All of
// it is a function of a seed: the same seed gives the same table.
//
// The rows of class "open" are judged without a known answer, as inspect
// judges a log: there only rules that are safe on any text may speak.
//
// # The published samples
//
// data/samples.jsonl holds what 92 public reports show, each beside the answer
// that would have been right there, and data/lookalikes.jsonl a lawful text beside
// each. They are files of cases as a user may write them, see [ParseLabel]; a
// sample has besides its source and, where no finding of the right kind can be
// there, an exception. docs/samples.md has the verdicts.
package detect

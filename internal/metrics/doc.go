// Package metrics is the one catalogue of what crosstalk tells Prometheus.
//
// Every series is declared in catalogue.go, with its help and its labels, and
// nowhere else; the rest of the package only says when they change. Dashboards,
// rules and the golden text in testdata are tested against the catalogue, so a
// series cannot be renamed on one side only.
//
// # Rules
//
// Names are crosstalk_subject_unit, in base units (seconds, ratios from 0 to
// 1); counters end in _total and points in time in _timestamp_seconds.
//
// Labels are bounded by the configuration (target, probe, notifier, control) or
// by the program (class, check, kind, reason, band). Nothing that a target sent
// can become a label: a word that does not look like one of ours, or one word
// too many, is counted as "other". Identifiers of rounds are exemplars.
//
// Counters exist from the start, at zero, for every configured target and
// probe: increase() sees the first leak only if it has seen the zero before it.
// Points in time do not exist until they are known, so that "never" is not
// 1970; crosstalk_schedule_interval_seconds exists for each schedule, and the
// rules compare the two.
//
// # Words
//
// A round is one run of a probe; it is finished, or skipped for a reason. An
// exchange is one request of a round: sent and judged to be of a class, or not
// sent for a reason. It is decided when its class is not inconclusive. The
// bound of a cell is the upper end of the 95 % interval of a rate: what the
// exchanges so far cannot exclude.
//
// Controls are not rounds in this sense: the seeded control leaks on purpose.
// They are told by [Metrics.Control] and never by [Metrics.Round].
package metrics

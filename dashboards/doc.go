// Package dashboards draws what crosstalk measured: Grafana dashboards and
// Prometheus rules, generated from one source. The daemon's own pages are the
// package web below this one.
//
// A dashboard must answer three questions in this order: is anything of ours
// or of a stranger's leaking now, what have we covered and how recently, and
// what did we not cover and why. A panel that shows zero findings always shows
// the bound that so many clean exchanges support beside it.
//
// An alert is declared once, in alerts.go, with the cases that prove it: it
// fires, it is quiet on noise, it fires after a counter was reset, and it fires
// when the series is not there at all. The rules and their tests for promtool
// are both written from that. An expression that names a series or a label that
// internal/metrics does not have fails the test of this package.
//
// Severity is critical for what wakes a person, warning for a ticket, info for
// what is only shown.
package dashboards

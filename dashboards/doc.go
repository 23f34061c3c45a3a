// Package dashboards draws what crosstalk measured: Grafana dashboards and
// Prometheus rules generated from one source, and the daemon's own pages.
//
// A dashboard must answer three questions in this order: is anything of ours
// or of a stranger's leaking now, what have we covered and how recently, and
// what did we not cover and why. A panel that shows zero findings always shows
// the bound that so many clean exchanges support beside it.
//
// It comes with the daemon (crosstalk serve), which has the series to draw.
package dashboards

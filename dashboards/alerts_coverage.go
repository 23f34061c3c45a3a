package dashboards

// coverageAlerts are about what is not looked at: silence is no pass.
func coverageAlerts() []alert {
	const (
		interval = `crosstalk_schedule_interval_seconds{target="edge", probe="top"}`
		last     = `crosstalk_last_round_timestamp_seconds{target="edge", probe="top"}`
		decided  = `crosstalk_last_decided_timestamp_seconds{target="edge", probe="top"}`
		reload   = `crosstalk_config_last_reload_success_timestamp_seconds`
		paused   = `crosstalk_paused{target="edge"}`
		blind    = `crosstalk_incidents_open{target="edge", kind="blind", severity="ticket"}`
	)
	edge := []labelSet{{"target": "edge"}}
	edgeTop := []labelSet{{"target": "edge", "probe": "top"}}
	return []alert{
		{
			name: "CrosstalkBlind", severity: warning, runbook: "blind",
			expr:        `sum by (target) (crosstalk_incidents_open{kind="blind"}) > 0`,
			summary:     "Nothing can be decided about part of a target.",
			description: "Target {{ $labels.target }} has cells without a decided exchange for three intervals. Leaks there would not be seen.",
			cases: []ruleCase{
				{"an open incident", []inputSeries{{blind, "1x10"}}, "5m", edge},
				{"seeing", []inputSeries{{blind, "0x10"}}, "5m", nil},
			},
		},
		{
			name: "CrosstalkUndecided", severity: warning, runbook: "blind", hold: "5m",
			expr: `(
  time() - crosstalk_last_decided_timestamp_seconds > 3 * crosstalk_schedule_interval_seconds
    or
  (
    crosstalk_schedule_interval_seconds * 3 < on (job, instance) group_left () (time() - crosstalk_config_last_reload_success_timestamp_seconds)
  ) unless on (job, instance, target, probe) crosstalk_last_decided_timestamp_seconds
)
  unless on (job, instance, target)
crosstalk_paused == 1`,
			summary:     "A probe has not decided an exchange for three intervals.",
			description: "Probe {{ $labels.probe }} of target {{ $labels.target }} has not decided an exchange for three of its intervals.",
			cases: []ruleCase{
				{"nothing decided any more", []inputSeries{{interval, "600x60"}, {decided, "0x60"}, {paused, "0x60"}}, "40m", edgeTop},
				{"never decided: the series is absent", []inputSeries{{interval, "600x60"}, {reload, "0x60"}, {paused, "0x60"}}, "40m", edgeTop},
				{"decided in time", []inputSeries{{interval, "600x60"}, {decided, "0+60x60"}, {paused, "0x60"}, {reload, "0x60"}}, "50m", nil},
				{"not due yet", []inputSeries{{interval, "3600x60"}, {reload, "0x60"}}, "40m", nil},
				{"paused by a person", []inputSeries{{interval, "600x60"}, {decided, "0x60"}, {paused, "1x60"}}, "40m", nil},
			},
		},
		{
			name: "CrosstalkNoRounds", severity: warning, runbook: "norounds", hold: "5m",
			expr: `(
  time() - crosstalk_last_round_timestamp_seconds > 3 * crosstalk_schedule_interval_seconds
    or
  (
    crosstalk_schedule_interval_seconds * 3 < on (job, instance) group_left () (time() - crosstalk_config_last_reload_success_timestamp_seconds)
  ) unless on (job, instance, target, probe) crosstalk_last_round_timestamp_seconds
)
  unless on (job, instance, target)
crosstalk_paused == 1`,
			summary:     "A probe has not run for three intervals.",
			description: "Probe {{ $labels.probe }} of target {{ $labels.target }} has not finished a round for three of its intervals.",
			cases: []ruleCase{
				{"no round any more", []inputSeries{{interval, "600x60"}, {last, "0x60"}, {paused, "0x60"}}, "40m", edgeTop},
				{"never a round: the series is absent", []inputSeries{{interval, "600x60"}, {reload, "0x60"}}, "40m", edgeTop},
				{"rounds in time", []inputSeries{{interval, "600x60"}, {last, "0x10 600x10 1200x10 1800x10 2400x10"}, {reload, "0x60"}}, "50m", nil},
				{"paused by a person", []inputSeries{{interval, "600x60"}, {last, "0x60"}, {paused, "1x60"}}, "40m", nil},
			},
		},
		{
			name: "CrosstalkStalled", severity: critical, runbook: "norounds", hold: "5m",
			expr: `(
  time() - max by (job, instance) (crosstalk_last_round_timestamp_seconds)
    >
  clamp_min(3 * min by (job, instance) (crosstalk_schedule_interval_seconds), 600)
)
  unless on (job, instance)
min by (job, instance) (crosstalk_paused) == 1`,
			summary:     "No round of any probe is finished any more.",
			description: "crosstalk at {{ $labels.instance }} runs and finishes no rounds: it sees nothing.",
			cases: []ruleCase{
				{"all quiet", []inputSeries{{interval, "60x60"}, {last, "0x60"}, {paused, "0x60"}}, "30m", []labelSet{{}}},
				{"all paused", []inputSeries{{interval, "60x60"}, {last, "0x60"}, {paused, "1x60"}}, "30m", nil},
				{"one probe of two runs", []inputSeries{{interval, "60x60"}, {last, "0x60"}, {`crosstalk_last_round_timestamp_seconds{target="core", probe="pulse"}`, "0+60x60"}}, "30m", nil},
			},
		},
		{
			name: "CrosstalkAbsent", severity: critical, runbook: "norounds", hold: "5m",
			expr:        `absent(crosstalk_build_info)`,
			summary:     "crosstalk is not scraped: nobody is looking.",
			description: "Prometheus has no series of crosstalk at all. The daemon is down, or its scrape is.",
			cases: []ruleCase{
				{"no series at all", nil, "10m", []labelSet{{}}},
				{"there", []inputSeries{{`crosstalk_build_info{version="v1"}`, "1x20"}}, "10m", nil},
			},
		},
	}
}

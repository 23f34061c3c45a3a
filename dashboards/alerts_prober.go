package dashboards

// proberAlerts are about ourselves: whether pages and silence can be believed.
func proberAlerts() []alert {
	const (
		right  = `crosstalk_control_right{control="seeded"}`
		last   = `crosstalk_control_last_right_timestamp_seconds{control="seeded"}`
		runs   = `crosstalk_control_runs_total{control="seeded", outcome="right"}`
		reload = `crosstalk_config_last_reload_success_timestamp_seconds`
		depth  = `crosstalk_outbox_depth`
		oldest = `crosstalk_outbox_oldest_timestamp_seconds`
		failed = `crosstalk_pages_failed_total{notifier="pager", reason="timeout"}`
	)
	seeded := []labelSet{{"control": "seeded"}}
	pager := []labelSet{{"notifier": "pager"}}
	return []alert{
		{
			name: "CrosstalkProberBroken", severity: critical, runbook: "prober",
			expr:        `crosstalk_control_right == 0`,
			summary:     "A control failed: trust neither pages nor silence.",
			description: "The {{ $labels.control }} control did not do what it must: the null control must stay silent, the seeded one must alarm.",
			cases: []ruleCase{
				{"a control failed", []inputSeries{{right, "1x5 0x10"}}, "8m", seeded},
				{"right again", []inputSeries{{right, "0x5 1x10"}}, "8m", nil},
			},
		},
		{
			name: "CrosstalkControlMissing", severity: critical, runbook: "prober", hold: "5m",
			expr: `time() - crosstalk_control_last_right_timestamp_seconds > 10800
  or
sum without (outcome) (crosstalk_control_runs_total{outcome="right"} == 0)
  and on (job, instance)
(time() - crosstalk_config_last_reload_success_timestamp_seconds > 10800)`,
			summary:     "A control has not been right for three hours.",
			description: "The {{ $labels.control }} control has not run well for three hours: a broken prober would not be noticed.",
			cases: []ruleCase{
				{"not run any more", []inputSeries{{last, "0x300"}}, "200m", seeded},
				{"never run: the time is absent", []inputSeries{{runs, "0x300"}, {reload, "0x300"}}, "200m", seeded},
				{"each hour", []inputSeries{{last, "0x60 3600x60 7200x60 10800x60"}, {runs, "1x60 2x60 3x60 4x60"}, {reload, "0x300"}}, "200m", nil},
				{"not due yet", []inputSeries{{runs, "0x300"}, {reload, "0x300"}}, "100m", nil},
			},
		},
		{
			name: "CrosstalkOutboxStuck", severity: critical, runbook: "pages", hold: "1m",
			expr: `time() - crosstalk_outbox_oldest_timestamp_seconds > 300
  and
crosstalk_outbox_depth > 0`,
			summary:     "Pages are not being delivered.",
			description: "crosstalk at {{ $labels.instance }} has had a page waiting for more than five minutes.",
			cases: []ruleCase{
				{"a page waits", []inputSeries{{depth, "1x20"}, {oldest, "0x20"}}, "10m", []labelSet{{}}},
				{"nothing waits", []inputSeries{{depth, "0x20"}, {oldest, "0x20"}}, "10m", nil},
				{"on its way", []inputSeries{{depth, "1x20"}, {oldest, "0+60x20"}}, "10m", nil},
			},
		},
		{
			name: "CrosstalkPagesFailing", severity: warning, runbook: "pages",
			expr:        `sum by (job, instance, notifier) (increase(crosstalk_pages_failed_total[15m])) > 3`,
			summary:     "Attempts to deliver pages fail.",
			description: "Notifier {{ $labels.notifier }} has failed more than three times in 15 minutes.",
			cases: []ruleCase{
				{"every attempt", []inputSeries{{failed, "0+1x30"}}, "20m", pager},
				{"every attempt, across a reset", []inputSeries{{failed, "90+1x10 0+1x30"}}, "30m", pager},
				{"one", []inputSeries{{failed, "0x10 1x20"}}, "20m", nil},
			},
		},
		{
			name: "CrosstalkHeartbeatFailing", severity: warning, runbook: "pages",
			expr:        `increase(crosstalk_heartbeats_failed_total[15m]) > 3`,
			summary:     "Heartbeats do not arrive.",
			description: "crosstalk at {{ $labels.instance }} withholds its heartbeats, or they do not reach the dead-man's switch.",
			cases: []ruleCase{
				{"all", []inputSeries{{`crosstalk_heartbeats_failed_total`, "0+1x30"}}, "20m", []labelSet{{}}},
				{"one", []inputSeries{{`crosstalk_heartbeats_failed_total`, "0x10 1x20"}}, "20m", nil},
			},
		},
		{
			name: "CrosstalkLedgerDegraded", severity: critical, runbook: "ledger",
			expr:        `crosstalk_ledger_degraded == 1`,
			summary:     "The ledger cannot be written.",
			description: "crosstalk at {{ $labels.instance }} keeps its journal in memory: a crash would lose markers and pages.",
			cases: []ruleCase{
				{"degraded", []inputSeries{{`crosstalk_ledger_degraded`, "0x5 1x5"}}, "8m", []labelSet{{}}},
				{"well", []inputSeries{{`crosstalk_ledger_degraded`, "0x10"}}, "8m", nil},
			},
		},
	}
}

// upkeepAlerts are about what somebody has to see to in working hours.
func upkeepAlerts() []alert {
	edge := []labelSet{{"target": "edge"}}
	const reload = `crosstalk_config_last_reload_successful`
	return []alert{
		{
			name: "CrosstalkReloadFailed", severity: warning, runbook: "reload", hold: "5m",
			expr:        `crosstalk_config_last_reload_successful == 0`,
			summary:     "The configuration could not be loaded; the last good one goes on.",
			description: "crosstalk at {{ $labels.instance }} refused its configuration. Its log names the line.",
			cases: []ruleCase{
				{"refused", []inputSeries{{reload, "1x5 0x15"}}, "15m", []labelSet{{}}},
				{"mended", []inputSeries{{reload, "0x3 1x15"}}, "15m", nil},
			},
		},
		{
			name: "CrosstalkBudgetUsedUp", severity: warning, runbook: "norounds",
			expr:        `sum by (target) (increase(crosstalk_rounds_skipped_total{reason="budget"}[1h])) > 0`,
			summary:     "Rounds are not sent because a cap would be passed.",
			description: "Target {{ $labels.target }} is not probed as planned: its budget of the day is used up.",
			cases: []ruleCase{
				{"a round skipped", []inputSeries{{`crosstalk_rounds_skipped_total{target="edge", probe="top", reason="budget"}`, "0x5 1x10"}}, "10m", edge},
				{"skipped for quiet hours", []inputSeries{{`crosstalk_rounds_skipped_total{target="edge", probe="top", reason="quiet"}`, "0x5 1x10"}}, "10m", nil},
			},
		},
		{
			name: "CrosstalkCellsStopped", severity: warning, runbook: "contact", hold: "4h",
			expr:        `crosstalk_cells_stopped > 0`,
			summary:     "Part of a target is not probed after a suspected disclosure.",
			description: "Target {{ $labels.target }} has length bands in which nothing is sent until a person resumes it.",
			cases: []ruleCase{
				{"forgotten", []inputSeries{{`crosstalk_cells_stopped{target="edge"}`, "1x300"}}, "5h", edge},
				{"resumed", []inputSeries{{`crosstalk_cells_stopped{target="edge"}`, "1x60 0x240"}}, "5h", nil},
			},
		},
		{
			name: "CrosstalkPreflightFinding", severity: warning, runbook: "preflight",
			expr:        `crosstalk_preflight_judgements{outcome="finding"} > 0`,
			summary:     "An engine is set up in a way that cannot be right.",
			description: "Preflight has findings on target {{ $labels.target }}: what its engine says of itself contradicts itself or what customers are told.",
			cases: []ruleCase{
				{"a finding", []inputSeries{{`crosstalk_preflight_judgements{target="edge", outcome="finding"}`, "1x10"}}, "5m", []labelSet{{"target": "edge", "outcome": "finding"}}},
				{"mended", []inputSeries{{`crosstalk_preflight_judgements{target="edge", outcome="finding"}`, "1x3 0x10"}}, "8m", nil},
				{"a warning", []inputSeries{{`crosstalk_preflight_judgements{target="edge", outcome="warning"}`, "2x10"}}, "5m", nil},
			},
		},
		{
			name: "CrosstalkPaused", severity: info, runbook: "norounds", hold: "8h",
			expr:        `crosstalk_paused == 1`,
			summary:     "A target has been paused for eight hours.",
			description: "Target {{ $labels.target }} is not probed because a person has paused it.",
			cases: []ruleCase{
				{"forgotten", []inputSeries{{`crosstalk_paused{target="edge"}`, "1x600"}}, "9h", edge},
				{"running", []inputSeries{{`crosstalk_paused{target="edge"}`, "0x600"}}, "9h", nil},
			},
		},
		{
			name: "CrosstalkAuthorizationExpires", severity: warning, runbook: "norounds",
			expr:        `crosstalk_authorization_expires_timestamp_seconds - time() < 1209600`,
			summary:     "The authorization to probe a target ends within two weeks.",
			description: "The authorization to probe target {{ $labels.target }} ends soon; without it nothing is sent.",
			cases: []ruleCase{
				{"in a week", []inputSeries{{`crosstalk_authorization_expires_timestamp_seconds{target="edge"}`, "604800x10"}}, "5m", edge},
				{"in a month", []inputSeries{{`crosstalk_authorization_expires_timestamp_seconds{target="edge"}`, "2592000x10"}}, "5m", nil},
			},
		},
	}
}

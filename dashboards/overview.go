package dashboards

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// panels keeps the lists of rows short to write.
type panels = []cog.Builder[dashboard.Panel]

// overviewDashboard shows all targets.
func overviewDashboard(o Options) ([]byte, error) {
	return draw("crosstalk-overview", "crosstalk / overview",
		"Is anything leaking now, what is covered and how recently, what is not covered and why.", o, nil,
		[]row{leakingRow(), coveredRow(), uncoveredRow(), believedRow()})
}

func leakingRow() row {
	open := func(title, kind, about string, grades []grade) cog.Builder[dashboard.Panel] {
		return panel{
			title: title, about: about, width: 4,
			queries: []query{{`sum(crosstalk_incidents_open{kind="` + kind + `"})`, ""}},
		}.number(grades, "no data")
	}
	return row{"Is anything leaking?", panels{
		open("Leak", "leak", "Open incidents: content of one of our tenants in another's answer, proved.", badAbove(1)),
		open("Foreign", "foreign", "Open incidents: answers without contact with their prompt, donor unknown.", badAbove(1)),
		open("Damaged", "damaged", "Open incidents: wrong answers, lost parts, a protocol that lies.", []grade{{0, green}, {1, orange}}),
		open("Blind", "blind", "Open incidents: nothing can be decided in some cell.", []grade{{0, green}, {1, yellow}}),
		open("Prober", "prober", "Open incidents about ourselves: a control failed.", badAbove(1)),
		panel{
			title: "Worst bound", width: 4, unit: "percentunit",
			about:   "What the clean exchanges so far cannot exclude: the highest upper bound (95 %) of the rate of leak or foreign answers over all cells.",
			queries: []query{{`max(target:crosstalk_disclosure_bound:max)`, ""}},
		}.number([]grade{{0, green}, {.05, yellow}, {.5, orange}}, "nothing decided"),
		panel{
			title: "Exchanges by class", width: 12, unit: "short",
			about:   "Exchanges in each interval, all targets. Leak and foreign must be flat.",
			queries: []query{{`sum by (class) (increase(crosstalk_exchanges_total[$__rate_interval]))`, "{{class}}"}},
		}.areas(),
		panel{
			title: "Leak and foreign answers by target", width: 12, unit: "short",
			about:   "Exchanges whose answer held what is not from their prompt.",
			queries: []query{{`sum by (target, class) (increase(crosstalk_exchanges_total{class=~"leak|foreign"}[$__rate_interval]))`, "{{target}} {{class}}"}},
		}.lines(),
	}}
}

func coveredRow() row {
	return row{"What is covered, and how recently?", panels{
		panel{
			title: "Targets", width: 12,
			about: "For each target and probe: time since a round ended, since an exchange was decided, since one was sound.",
			queries: []query{
				{`sum by (target, probe) (time() - crosstalk_last_round_timestamp_seconds)`, ""},
				{`sum by (target, probe) (time() - crosstalk_last_decided_timestamp_seconds)`, ""},
				{`sum by (target, probe) (time() - crosstalk_last_sound_timestamp_seconds)`, ""},
			},
		}.grid(column{"last round", "s", nil}, column{"last decided", "s", nil}, column{"last sound", "s", nil}),
		panel{
			title: "Bound by target and length", width: 12,
			about: "Upper bound (95 %) of the rate of leak or foreign answers, the worst cell of each length band, and how many exchanges it rests on.",
			queries: []query{
				{`max by (target, length) (crosstalk_cell_rate_upper_bound_ratio{rate="disclosure"})`, ""},
				{`sum by (target, length) (crosstalk_cell_exchanges_decided)`, ""},
				{`sum by (target, length) (crosstalk_cell_hits{rate="disclosure"})`, ""},
			},
		}.grid(column{"bound", "percentunit", []grade{{0, green}, {.05, yellow}, {.5, orange}}}, column{"decided", "short", nil}, column{"hits", "short", badAbove(1)}),
		panel{
			title: "Coverage", width: 12, unit: "percentunit",
			about:   "Share of the planned exchanges that were decided.",
			queries: []query{{`sum by (target) (crosstalk_cell_exchanges_decided) / sum by (target) (crosstalk_cell_exchanges_planned)`, "{{target}}"}},
		}.lines(),
		panel{
			title: "Decided exchanges an hour", width: 12, unit: "short",
			about:   "How much is looked at.",
			queries: []query{{`target:crosstalk_exchanges_decided:rate1h * 3600`, "{{target}}"}},
		}.lines(),
	}}
}

func uncoveredRow() row {
	return row{"What is not covered, and why?", panels{
		panel{
			title: "Undecided exchanges by reason", width: 8, unit: "short",
			about:   "Sent, and could not tell: never a pass.",
			queries: []query{{`sum by (reason) (increase(crosstalk_exchanges_undecided_total[$__rate_interval])) > 0`, "{{reason}}"}},
		}.areas(),
		panel{
			title: "Rounds not started by reason", width: 8, unit: "short",
			about:   "Due, and skipped.",
			queries: []query{{`sum by (reason) (increase(crosstalk_rounds_skipped_total[$__rate_interval])) > 0`, "{{reason}}"}},
		}.areas(),
		panel{
			title: "Exchanges not sent by reason", width: 8, unit: "short",
			about:   "Planned in a round that was started, and not sent.",
			queries: []query{{`sum by (reason) (increase(crosstalk_exchanges_not_sent_total[$__rate_interval])) > 0`, "{{reason}}"}},
		}.areas(),
		panel{
			title: "Money reserved a day", width: 8, unit: "currencyUSD",
			about:   "Reserved before sending, at the price of cold prompts.",
			queries: []query{{`sum by (target) (increase(crosstalk_reserved_usd_total[1d]))`, "{{target}}"}},
		}.lines(),
		panel{
			title: "Tokens reserved and not spent a day", width: 8, unit: "short",
			about: "Reserved before sending; and planned and not sent.",
			queries: []query{
				{`sum by (target) (increase(crosstalk_reserved_tokens_total[1d]))`, "{{target}} reserved"},
				{`sum by (target) (increase(crosstalk_not_spent_tokens_total[1d]))`, "{{target}} not sent"},
			},
		}.lines(),
		panel{
			title: "Held back", width: 8,
			about: "Targets paused by a person, and length bands stopped after a suspected disclosure.",
			queries: []query{
				{`sum by (target) (crosstalk_paused)`, ""},
				{`sum by (target) (crosstalk_cells_stopped)`, ""},
			},
		}.grid(column{"paused", "bool_yes_no", []grade{{0, grey}, {1, yellow}}}, column{"bands stopped", "short", []grade{{0, grey}, {1, orange}}}),
	}}
}

func believedRow() row {
	return row{"Can it be believed?", panels{
		panel{
			title: "Controls", width: 4, about: "The null control must stay silent, the seeded one must alarm. 0: one did not.",
			queries: []query{{`min(crosstalk_control_right)`, ""}},
		}.number([]grade{{0, red}, {1, green}}, "not run yet"),
		panel{
			title: "Since a control was right", width: 4, unit: "s", about: "Of the control that waits longest.",
			queries: []query{{`max(time() - crosstalk_control_last_right_timestamp_seconds)`, ""}},
		}.number([]grade{{0, green}, {7200, yellow}, {10800, red}}, "never"),
		panel{
			title: "Pages waiting", width: 4, about: "Committed and not delivered.",
			queries: []query{{`sum(crosstalk_outbox_depth)`, ""}},
		}.number(badAbove(1), "no notifier"),
		panel{
			title: "Ledger", width: 4, about: "1: cannot be written, kept in memory.",
			queries: []query{{`max(crosstalk_ledger_degraded)`, ""}},
		}.number(badAbove(1), "no data"),
		panel{
			title: "Since a heartbeat", width: 4, unit: "s", about: "Since one reached the dead-man's switch.",
			queries: []query{{`max(time() - crosstalk_heartbeat_last_success_timestamp_seconds)`, ""}},
		}.number([]grade{{0, green}, {300, yellow}, {900, red}}, "none"),
		panel{
			title: "Configuration", width: 4, about: "0: the last one was refused, the one before goes on.",
			queries: []query{{`min(crosstalk_config_last_reload_successful)`, ""}},
		}.number([]grade{{0, red}, {1, green}}, "no data"),
		panel{
			title: "Delivery of pages", width: 12, unit: "short", about: "Delivered, and failed attempts by reason.",
			queries: []query{
				{`sum by (notifier) (increase(crosstalk_pages_delivered_total[$__rate_interval]))`, "{{notifier}} delivered"},
				{`sum by (notifier, reason) (increase(crosstalk_pages_failed_total[$__rate_interval])) > 0`, "{{notifier}} {{reason}}"},
			},
		}.areas(),
		panel{
			title: "Delay of pages", width: 12, unit: "s", about: "From commit to delivery, 95th percentile over an hour.",
			queries: []query{{quantile("0.95", "crosstalk_page_delay_seconds", "", "notifier", "1h"), "{{notifier}}"}},
		}.lines(),
	}}
}

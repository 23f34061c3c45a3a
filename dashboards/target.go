package dashboards

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// targetDashboard shows one target.
func targetDashboard(o Options) ([]byte, error) {
	targets := dashboard.NewQueryVariableBuilder("target").Label("Target").
		Query(dashboard.StringOrMap{String: cog.ToPtr("label_values(crosstalk_schedule_interval_seconds, target)")}).
		Datasource(source()).Refresh(dashboard.VariableRefreshOnTimeRangeChanged).Sort(dashboard.VariableSortAlphabeticalAsc)
	return draw("crosstalk-target", "crosstalk / target",
		"One target: what was found, what each cell is worth, how fast it answers, what it costs.", o,
		[]cog.Builder[dashboard.VariableModel]{targets},
		[]row{foundRow(), worthRow(), timingRow(), costRow()})
}

func foundRow() row {
	return row{"What was found?", panels{
		panel{
			title: "Open incidents", width: 8, about: "By kind and severity.",
			queries: []query{{`sum by (kind, severity) (crosstalk_incidents_open{target="$target"}) > 0`, ""}},
		}.grid(column{"open", "short", badAbove(1)}),
		panel{
			title: "Exchanges by class", width: 16, unit: "short", about: "Exchanges in each interval.",
			queries: []query{{`sum by (class) (increase(crosstalk_exchanges_total{target="$target"}[$__rate_interval]))`, "{{class}}"}},
		}.areas(),
		panel{
			title: "Rounds by probe and worst class", width: 8, unit: "short", about: "Rounds in each interval.",
			queries: []query{{`sum by (probe, class) (increase(crosstalk_rounds_total{target="$target"}[$__rate_interval])) > 0`, "{{probe}} {{class}}"}},
		}.areas(),
		panel{
			title: "Findings by check and kind", width: 8, unit: "short", about: "Other than sound ones. The exemplars carry the round.",
			queries: []query{{`sum by (check, kind) (increase(crosstalk_findings_total{target="$target"}[$__rate_interval])) > 0`, "{{check}} {{kind}}"}},
		}.areas(),
		panel{
			title: "Preflight", width: 8, about: "Judgements of what the engine says of itself, by outcome.",
			queries: []query{{`sum by (outcome) (crosstalk_preflight_judgements{target="$target"}) > 0`, ""}},
		}.grid(column{"judgements", "short", nil}),
	}}
}

func worthRow() row {
	const by = "probe, length, concurrency, warm, stream"
	return row{"What is each cell worth?", panels{
		panel{
			title: "Cells", width: 24,
			about: "Upper bounds (95 %) of the rates of leak or foreign and of damaged answers, with the exchanges they rest on, and how long ago one was sound.",
			queries: []query{
				{`sum by (` + by + `) (crosstalk_cell_rate_upper_bound_ratio{target="$target", rate="disclosure"})`, ""},
				{`sum by (` + by + `) (crosstalk_cell_hits{target="$target", rate="disclosure"})`, ""},
				{`sum by (` + by + `) (crosstalk_cell_rate_upper_bound_ratio{target="$target", rate="damage"})`, ""},
				{`sum by (` + by + `) (crosstalk_cell_hits{target="$target", rate="damage"})`, ""},
				{`sum by (` + by + `) (crosstalk_cell_exchanges_decided{target="$target"})`, ""},
				{`sum by (` + by + `) (crosstalk_cell_coverage_ratio{target="$target"})`, ""},
				{`sum by (` + by + `) (time() - crosstalk_cell_last_sound_timestamp_seconds{target="$target"})`, ""},
			},
		}.grid(
			column{"leak or foreign, bound", "percentunit", []grade{{0, green}, {.05, yellow}, {.5, orange}}},
			column{"leak or foreign", "short", badAbove(1)},
			column{"damaged, bound", "percentunit", []grade{{0, green}, {.1, yellow}, {.5, orange}}},
			column{"damaged", "short", []grade{{0, green}, {1, orange}}},
			column{"decided", "short", nil},
			column{"coverage", "percentunit", []grade{{0, red}, {.5, yellow}, {.8, green}}},
			column{"last sound", "s", nil}),
		panel{
			title: "Schedule", width: 12, about: "Time since the last round and to the next one.",
			queries: []query{
				{`sum by (probe) (crosstalk_schedule_interval_seconds{target="$target"})`, ""},
				{`sum by (probe) (time() - crosstalk_last_round_timestamp_seconds{target="$target"})`, ""},
				{`sum by (probe) (crosstalk_schedule_next_timestamp_seconds{target="$target"} - time())`, ""},
			},
		}.grid(column{"every", "s", nil}, column{"last", "s", nil}, column{"next in", "s", nil}),
		panel{
			title: "Undecided exchanges by reason", width: 12, unit: "short", about: "Sent, and could not tell: never a pass.",
			queries: []query{{`sum by (reason) (increase(crosstalk_exchanges_undecided_total{target="$target"}[$__rate_interval])) > 0`, "{{reason}}"}},
		}.areas(),
	}}
}

func timingRow() row {
	times := func(title, series, q, about string) cog.Builder[dashboard.Panel] {
		return panel{
			title: title, width: 12, unit: "s", about: about,
			queries: []query{{quantile(q, series, `{target="$target"}`, "length", "$__rate_interval"), "{{length}}"}},
		}.lines()
	}
	return row{"How fast does it answer?", panels{
		times("Time to first token, median", "crosstalk_time_to_first_token_seconds", "0.5", "Sound exchanges, by length. A long prompt that is suddenly fast was not read."),
		times("Time to first token, 95th percentile", "crosstalk_time_to_first_token_seconds", "0.95", "Sound exchanges, by length."),
		times("Duration, median", "crosstalk_exchange_duration_seconds", "0.5", "Whole answers, by length."),
		times("Duration, 95th percentile", "crosstalk_exchange_duration_seconds", "0.95", "Whole answers, by length."),
	}}
}

func costRow() row {
	return row{"What does it cost, and what was not spent?", panels{
		panel{
			title: "Money reserved a day", width: 8, unit: "currencyUSD", about: "By probe, at the price of cold prompts.",
			queries: []query{{`sum by (probe) (increase(crosstalk_reserved_usd_total{target="$target"}[1d]))`, "{{probe}}"}},
		}.lines(),
		panel{
			title: "Tokens reserved a day", width: 8, unit: "short", about: "By probe, prompts and answers.",
			queries: []query{{`sum by (probe) (increase(crosstalk_reserved_tokens_total{target="$target"}[1d]))`, "{{probe}}"}},
		}.lines(),
		panel{
			title: "Tokens not spent a day", width: 8, unit: "short", about: "Of exchanges that were planned and not sent, by reason.",
			queries: []query{{`sum by (reason) (increase(crosstalk_not_spent_tokens_total{target="$target"}[1d])) > 0`, "{{reason}}"}},
		}.lines(),
	}}
}

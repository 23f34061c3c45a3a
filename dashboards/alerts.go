package dashboards

// alert is one alerting rule with the cases that prove it.
type alert struct {
	name     string // CamelCase, begins with Crosstalk
	expr     string
	hold     string // the rule's "for"; "" fires at once
	severity string
	summary  string // static
	// description may say {{ $labels.NAME }}.
	description string
	runbook     string // name of a runbook that the daemon serves
	cases       []ruleCase
}

// recording is one recording rule.
type recording struct{ name, expr string }

// ruleCase is a test of an alert: given series, evaluated at a time, the alert
// fires with these label sets and no others.
type ruleCase struct {
	name   string
	series []inputSeries
	at     string
	fires  []labelSet // empty: quiet
}

type (
	labelSet    map[string]string
	inputSeries struct{ series, values string }
)

const (
	critical = "critical"
	warning  = "warning"
	info     = "info"
)

// recordings are sums that several alerts and panels share.
func recordings() []recording {
	return []recording{
		{"target:crosstalk_exchanges_decided:rate1h", `sum by (target) (rate(crosstalk_exchanges_total{class!="inconclusive"}[1h]))`},
		{"target:crosstalk_exchanges_damaged:ratio_rate1h", `sum by (target) (rate(crosstalk_exchanges_total{class="damaged"}[1h])) / (target:crosstalk_exchanges_decided:rate1h > 0)`},
		{"target:crosstalk_disclosure_bound:max", `max by (target) (crosstalk_cell_rate_upper_bound_ratio{rate="disclosure"})`},
	}
}

// alerts are all alerting rules, the most urgent first.
func alerts() []alert {
	var list []alert
	list = append(list, disclosureAlerts()...)
	list = append(list, damageAlerts()...)
	list = append(list, coverageAlerts()...)
	list = append(list, proberAlerts()...)
	return append(list, upkeepAlerts()...)
}

// disclosureAlerts are about content that reached the wrong tenant.
func disclosureAlerts() []alert {
	leaks := `crosstalk_exchanges_total{target="edge", probe="seedwatch", class="leak"}`
	foreign := `crosstalk_exchanges_total{target="edge", probe="top", class="foreign"}`
	incident := func(kind string) string {
		return `crosstalk_incidents_open{target="edge", kind="` + kind + `", severity="page"}`
	}
	edge := []labelSet{{"target": "edge"}}
	return []alert{
		{
			name: "CrosstalkLeak", severity: critical, runbook: "foreignmarker",
			expr: `sum by (target) (crosstalk_incidents_open{kind="leak"}) > 0
  or
sum by (target) (increase(crosstalk_exchanges_total{class="leak"}[15m])) > 0`,
			summary:     "Content of one tenant was given to another.",
			description: "Target {{ $labels.target }} answered a prompt with content that was proved to be from another tenant's prompt.",
			cases: []ruleCase{
				{"one exchange", []inputSeries{{leaks, "0x5 1x10"}}, "8m", edge},
				{"an open incident, after the daemon was restarted", []inputSeries{{incident("leak"), "1x10"}, {leaks, "0x10"}}, "5m", edge},
				{"one exchange after the counter was reset", []inputSeries{{leaks, "7x40 0x2 1x10"}}, "45m", edge},
				{"damage is no leak", []inputSeries{{`crosstalk_exchanges_total{target="edge", probe="top", class="damaged"}`, "0+1x20"}, {leaks, "0x20"}}, "15m", nil},
				{"a restart is no leak", []inputSeries{{leaks, "7x20 0x10"}}, "28m", nil},
			},
		},
		{
			name: "CrosstalkForeign", severity: critical, runbook: "contact",
			expr:        `sum by (target) (crosstalk_incidents_open{kind="foreign"}) > 0`,
			summary:     "A target answers with content that is not from the prompt.",
			description: "Target {{ $labels.target }} answered a closed task with content that has no contact with its prompt: possible disclosure of a stranger's data, donor unknown.",
			cases: []ruleCase{
				{"an open incident", []inputSeries{{incident("foreign"), "0 1x10"}}, "5m", edge},
				{"closed by a person", []inputSeries{{incident("foreign"), "1x5 0x10"}}, "8m", nil},
			},
		},
		{
			name: "CrosstalkForeignSuspected", severity: warning, runbook: "contact",
			expr: `sum by (target) (increase(crosstalk_exchanges_total{class="foreign"}[1h])) > 0
  unless on (target)
sum by (target) (crosstalk_incidents_open{kind="foreign"}) > 0`,
			summary:     "An answer without contact with its prompt, not confirmed yet.",
			description: "Target {{ $labels.target }} gave an answer without contact with its prompt; a second kind of evidence or a fresh round has not confirmed it.",
			cases: []ruleCase{
				{"one exchange", []inputSeries{{foreign, "0x5 1x10"}, {incident("foreign"), "0x20"}}, "8m", edge},
				{"said by the incident already", []inputSeries{{foreign, "0x5 1x10"}, {incident("foreign"), "0x5 1x10"}}, "8m", nil},
			},
		},
	}
}

// damageAlerts are about answers that are wrong.
func damageAlerts() []alert {
	class := func(c string) string {
		return `crosstalk_exchanges_total{target="edge", probe="pulse", class="` + c + `"}`
	}
	edge := []labelSet{{"target": "edge"}}
	return []alert{
		{
			name: "CrosstalkDamaged", severity: critical, runbook: "recall",
			expr:        `sum by (target) (crosstalk_incidents_open{kind="damaged", severity="page"}) > 0`,
			summary:     "Answers of a target are damaged.",
			description: "Target {{ $labels.target }} gives answers that are wrong or lack whole parts, more often than a healthy model.",
			cases: []ruleCase{
				{"an open incident", []inputSeries{{`crosstalk_incidents_open{target="edge", kind="damaged", severity="page"}`, "1x10"}}, "5m", edge},
				{"a ticket is no page", []inputSeries{{`crosstalk_incidents_open{target="edge", kind="damaged", severity="ticket"}`, "1x10"}}, "5m", nil},
			},
		},
		{
			name: "CrosstalkDamagedRate", severity: warning, runbook: "recall", hold: "15m",
			expr: `target:crosstalk_exchanges_damaged:ratio_rate1h > 0.05
  and
target:crosstalk_exchanges_decided:rate1h * 3600 >= 20`,
			summary:     "More than 5 % of the decided answers of the last hour are damaged.",
			description: "Target {{ $labels.target }}: over 5 % of at least 20 decided exchanges of the last hour are damaged.",
			cases: []ruleCase{
				{"one in five", []inputSeries{{class("damaged"), "0+1x120"}, {class("sound"), "0+4x120"}}, "100m", edge},
				{"the same across a reset", []inputSeries{{class("damaged"), "0+1x60 0+1x60"}, {class("sound"), "0+4x60 0+4x60"}}, "100m", edge},
				{"one in two hundred", []inputSeries{{class("damaged"), "0x30 1x90"}, {class("sound"), "0+4x120"}}, "60m", nil},
				{"too few to say", []inputSeries{{class("damaged"), "0x30 2x90"}, {class("sound"), "0x40 2x80"}}, "60m", nil},
				{"undecided is not damaged", []inputSeries{{class("inconclusive"), "0+5x120"}, {class("sound"), "0+1x120"}, {class("damaged"), "0x120"}}, "100m", nil},
			},
		},
	}
}

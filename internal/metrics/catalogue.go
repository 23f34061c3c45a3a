package metrics

import "github.com/prometheus/client_golang/prometheus"

// series holds a field for each series. Declare them in declare, below.
type series struct {
	rounds, roundsSkipped          *prometheus.CounterVec
	exchanges, notSent, undecided  *prometheus.CounterVec
	tokensNotSpent, unjournaled    *prometheus.CounterVec
	findings                       *prometheus.CounterVec
	reservedTokens, reservedUSD    *prometheus.CounterVec
	ttft, duration                 *prometheus.HistogramVec
	lastRound, lastDecided         *latest
	lastSound                      *latest
	cellPlanned, cellDecided       *prometheus.GaugeVec
	cellHits, cellBound            *prometheus.GaugeVec
	cellCoverage                   *prometheus.GaugeVec
	cellLastDecided, cellLastSound *prometheus.GaugeVec
	scheduleInterval, scheduleNext *prometheus.GaugeVec
	paused, stopped                *prometheus.GaugeVec
	authorizationExpires           *prometheus.GaugeVec
	preflight                      *prometheus.GaugeVec
	incidents                      *prometheus.GaugeVec
	pagesRaised                    *prometheus.CounterVec
	pagesDelivered, pagesFailed    *prometheus.CounterVec
	pageDelay                      *prometheus.HistogramVec
	outboxDepth, outboxOldest      *prometheus.GaugeVec
	heartbeats, heartbeatFailures  *prometheus.CounterVec
	heartbeatLast                  *prometheus.GaugeVec
	controlRuns                    *prometheus.CounterVec
	controlRight, controlLastRight *prometheus.GaugeVec
	ledgerDegraded                 *prometheus.GaugeVec
	ledgerErrors                   *prometheus.CounterVec
	reloadOK, reloadLast           *prometheus.GaugeVec
	buildInfo                      *prometheus.GaugeVec
}

// declare is the catalogue.
func declare(d *declarer) series {
	cell := []string{"target", "probe", "length", "concurrency", "warm", "stream"}
	return series{
		// What was done, and what came of it.
		rounds: d.counter("rounds_total",
			"Finished rounds by the worst class of their exchanges.", "target", "probe", "class"),
		roundsSkipped: d.counter("rounds_skipped_total",
			"Rounds that were due and not started, by reason.", "target", "probe", "reason"),
		exchanges: d.counter("exchanges_total",
			"Exchanges of finished rounds by class.", "target", "probe", "class"),
		notSent: d.counter("exchanges_not_sent_total",
			"Exchanges that were planned and not sent, by reason.", "target", "probe", "reason"),
		undecided: d.counter("exchanges_undecided_total",
			"Exchanges that were sent and could not be decided, by reason.", "target", "reason"),
		unjournaled: d.counter("exchanges_unjournaled_total",
			"Exchanges sent while the ledger could not be written.", "target"),
		findings: d.counter("findings_total",
			"Findings other than sound ones, by check and kind.", "target", "check", "kind"),

		// What it cost.
		reservedTokens: d.counter("reserved_tokens_total",
			"Tokens of prompts and answers reserved before sending.", "target", "probe"),
		reservedUSD: d.counter("reserved_usd_total",
			"Money in USD reserved before sending, at the price of cold prompts.", "target", "probe"),
		tokensNotSpent: d.counter("not_spent_tokens_total",
			"Tokens of exchanges that were planned and not sent, by reason.", "target", "probe", "reason"),

		// How long it took.
		ttft: d.histogram("time_to_first_token_seconds",
			"Time from the start of a request to the first content or reasoning, sound exchanges only.",
			answerBuckets(), "target", "probe", "length"),
		duration: d.histogram("exchange_duration_seconds",
			"Time from the start of a request to the end of its answer.",
			answerBuckets(), "target", "probe", "length"),

		// When it was done last. Absent means never.
		lastRound: d.latest("last_round_timestamp_seconds",
			"When a round was last finished.", "target", "probe"),
		lastDecided: d.latest("last_decided_timestamp_seconds",
			"When an exchange was last decided.", "target", "probe"),
		lastSound: d.latest("last_sound_timestamp_seconds",
			"When an exchange was last sound.", "target", "probe"),

		// What it is worth, cell by cell, over the window of the statistics.
		cellPlanned: d.gauge("cell_exchanges_planned",
			"Exchanges planned in a cell within the window of its statistics.", cell...),
		cellDecided: d.gauge("cell_exchanges_decided",
			"Exchanges decided in a cell within the window of its statistics.", cell...),
		cellCoverage: d.gauge("cell_coverage_ratio",
			"Share of a cell's planned exchanges that were decided.", cell...),
		cellHits: d.gauge("cell_hits",
			"Exchanges of a cell that count towards a rate: disclosure (leak or foreign) or damage.", append(cell, "rate")...),
		cellBound: d.gauge("cell_rate_upper_bound_ratio",
			"Upper end of the 95 % interval of a rate in a cell: disclosure (leak or foreign) or damage.", append(cell, "rate")...),
		cellLastDecided: d.gauge("cell_last_decided_timestamp_seconds",
			"When an exchange of a cell was last decided.", cell...),
		cellLastSound: d.gauge("cell_last_sound_timestamp_seconds",
			"When an exchange of a cell was last sound.", cell...),

		// What is to come, and what is held back.
		scheduleInterval: d.gauge("schedule_interval_seconds",
			"Longest time between two rounds by the schedule.", "target", "probe"),
		scheduleNext: d.gauge("schedule_next_timestamp_seconds",
			"When the next round is due.", "target", "probe"),
		paused: d.gauge("paused",
			"1 while a person has paused the probing of a target.", "target"),
		stopped: d.gauge("cells_stopped",
			"Length bands in which nothing is sent after a suspected disclosure, until resumed.", "target"),
		authorizationExpires: d.gauge("authorization_expires_timestamp_seconds",
			"When the authorization to probe a target ends.", "target"),
		preflight: d.gauge("preflight_judgements",
			"Judgements of the last preflight of a target, by outcome.", "target", "outcome"),

		// Who is told.
		incidents: d.gauge("incidents_open",
			"Open incidents by kind and severity.", "target", "kind", "severity"),
		pagesRaised: d.counter("pages_raised_total",
			"Notifications that incidents have asked for, by kind of incident and action.", "target", "kind", "action"),
		pagesDelivered: d.counter("pages_delivered_total",
			"Notifications delivered.", "notifier"),
		pagesFailed: d.counter("pages_failed_total",
			"Failed attempts to deliver a notification, by reason.", "notifier", "reason"),
		pageDelay: d.histogram("page_delay_seconds",
			"Time from a notification's commit to its delivery.",
			[]float64{.1, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200}, "notifier"),
		outboxDepth: d.gauge("outbox_depth",
			"Deliveries of notifications committed and not yet made."),
		outboxOldest: d.gauge("outbox_oldest_timestamp_seconds",
			"When the oldest notification not yet delivered was committed; 0 if there is none."),

		// Whether we can be believed.
		heartbeats: d.counter("heartbeats_sent_total",
			"Heartbeats that reached the dead-man's switch."),
		heartbeatFailures: d.counter("heartbeats_failed_total",
			"Heartbeats that were withheld or did not arrive."),
		heartbeatLast: d.gauge("heartbeat_last_success_timestamp_seconds",
			"When a heartbeat last reached the dead-man's switch."),
		controlRuns: d.counter("control_runs_total",
			"Runs of a control by outcome: right or wrong.", "control", "outcome"),
		controlRight: d.gauge("control_right",
			"1 if the last run of a control did what it must.", "control"),
		controlLastRight: d.gauge("control_last_right_timestamp_seconds",
			"When a control last did what it must.", "control"),
		ledgerDegraded: d.gauge("ledger_degraded",
			"1 while the ledger cannot be written and is kept in memory."),
		ledgerErrors: d.counter("ledger_errors_total",
			"Operations of the ledger that failed.", "operation"),
		reloadOK: d.gauge("config_last_reload_successful",
			"1 if the last load of the configuration succeeded."),
		reloadLast: d.gauge("config_last_reload_success_timestamp_seconds",
			"When the configuration was last loaded."),
		buildInfo: d.gauge("build_info",
			"1, labelled by what is running.", "version", "revision", "goversion"),
	}
}

// answerBuckets are the classic buckets of times of an answer, from a short
// prompt on a fast target to a million tokens on a slow one.
func answerBuckets() []float64 {
	return []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300, 600}
}

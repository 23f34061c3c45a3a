package metrics

import (
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"crosstalk/checks"
	"crosstalk/probes"
	"crosstalk/probes/provider"
)

// Metrics counts what the daemon does. It is safe for concurrent use.
type Metrics struct {
	series
	reasons, checks, kinds *words

	mu     sync.Mutex
	static Static
	cells  map[string][]probes.Cell // with series, by target
}

// Static is what the configuration bounds. Series exist from the start for all
// of it.
type Static struct {
	// Version and Revision say what was built.
	Version, Revision string
	Targets           []Target
	Notifiers         []string
	Controls          []string // names of controls: null, seeded
	// DeliveryReasons are why a delivery can fail: alerting.Reasons.
	DeliveryReasons []string
	// SkipReasons are why a round that was due may not be run:
	// scheduler.Reasons.
	SkipReasons []string
}

// Target is a target with the probes scheduled for it.
type Target struct {
	Name   string
	Probes []Schedule
	// AuthorizationExpires is zero for a target that needs none.
	AuthorizationExpires time.Time
}

// Schedule is how often a probe looks at a target.
type Schedule struct {
	Probe string
	// Every is the longest time between two rounds.
	Every time.Duration
}

// Words that label a series.
const (
	SkipBudget  = "budget"  // a cap would be passed
	SkipStopped = "stopped" // its cells are stopped after a suspected disclosure
)

// New declares every series in reg and sets those that s bounds to zero. It
// panics if reg already has one of the names.
func New(reg prometheus.Registerer, s Static) *Metrics {
	d := declarer{factory: promauto.With(reg)}
	m := &Metrics{
		series:  declare(&d),
		reasons: newWords(64), checks: newWords(64), kinds: newWords(32),
		cells: map[string][]probes.Cell{},
	}
	m.Configure(s)
	return m
}

// Handler serves what g gathered, with exemplars to those who ask for
// OpenMetrics and native histograms to those who ask for protobuf.
func Handler(g prometheus.Gatherer) http.Handler {
	return promhttp.HandlerFor(g, promhttp.HandlerOpts{EnableOpenMetrics: true})
}

// RegisterRuntime adds the series of the Go runtime and of the process.
func RegisterRuntime(reg prometheus.Registerer) {
	reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
}

// Configure makes the series of a new configuration exist and drops those of
// targets, probes and notifiers that are gone.
func (m *Metrics) Configure(s Static) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(s)
	m.buildInfo.Reset()
	m.buildInfo.WithLabelValues(s.Version, s.Revision, runtime.Version()).Set(1)
	for _, t := range s.Targets {
		m.initTarget(t, s.SkipReasons)
	}
	for _, n := range s.Notifiers {
		m.pagesDelivered.WithLabelValues(n)
		m.pageDelay.WithLabelValues(n)
		for _, r := range s.DeliveryReasons {
			m.pagesFailed.WithLabelValues(n, r)
		}
	}
	for _, c := range s.Controls {
		m.controlRuns.WithLabelValues(c, outcome(true))
		m.controlRuns.WithLabelValues(c, outcome(false))
		m.initIncidents(c, "prober")
	}
	for _, op := range ledgerOperations() {
		m.ledgerErrors.WithLabelValues(op)
	}
	m.heartbeats.WithLabelValues()
	m.heartbeatFailures.WithLabelValues()
	m.ledgerDegraded.WithLabelValues()
	m.outboxDepth.WithLabelValues()
	m.outboxOldest.WithLabelValues()
	m.static = s
}

func (m *Metrics) initTarget(t Target, skips []string) {
	m.unjournaled.WithLabelValues(t.Name)
	m.paused.WithLabelValues(t.Name)
	m.stopped.WithLabelValues(t.Name)
	m.authorizationExpires.DeleteLabelValues(t.Name)
	if !t.AuthorizationExpires.IsZero() {
		m.authorizationExpires.WithLabelValues(t.Name).Set(seconds(t.AuthorizationExpires))
	}
	m.initIncidents(t.Name, "leak", "foreign", "damaged", "blind")
	for _, r := range undecidedReasons() {
		m.undecided.WithLabelValues(t.Name, m.reasons.word("", r))
	}
	for _, f := range disclosures() {
		m.findings.WithLabelValues(t.Name, m.checks.word("", f.Check), m.kinds.word(f.Check, f.Kind))
	}
	for _, p := range t.Probes {
		m.scheduleInterval.WithLabelValues(t.Name, p.Probe).Set(p.Every.Seconds())
		m.reservedTokens.WithLabelValues(t.Name, p.Probe)
		m.reservedUSD.WithLabelValues(t.Name, p.Probe)
		for _, c := range checks.Classes() {
			m.rounds.WithLabelValues(t.Name, p.Probe, c.String())
			m.exchanges.WithLabelValues(t.Name, p.Probe, c.String())
		}
		for _, r := range skips {
			m.roundsSkipped.WithLabelValues(t.Name, p.Probe, m.reasons.word("", r))
		}
		for _, r := range notSentReasons() {
			m.notSent.WithLabelValues(t.Name, p.Probe, r)
			m.tokensNotSpent.WithLabelValues(t.Name, p.Probe, r)
		}
	}
}

// initIncidents makes the series of incidents exist for some kinds.
func (m *Metrics) initIncidents(target string, kinds ...string) {
	for _, k := range kinds {
		for _, s := range severities() {
			m.incidents.WithLabelValues(target, k, s)
		}
		for _, a := range actions() {
			m.pagesRaised.WithLabelValues(target, k, a)
		}
	}
}

// drop removes what the new configuration does not have.
func (m *Metrics) drop(next Static) {
	probesOf := map[string][]Schedule{}
	for _, t := range next.Targets {
		probesOf[t.Name] = t.Probes
	}
	for _, t := range m.static.Targets {
		kept, ok := probesOf[t.Name]
		if !ok {
			m.forget(prometheus.Labels{"target": t.Name})
			delete(m.cells, t.Name)
		}
		for _, p := range t.Probes {
			if !slices.ContainsFunc(kept, func(s Schedule) bool { return s.Probe == p.Probe }) {
				m.forget(prometheus.Labels{"target": t.Name, "probe": p.Probe})
				for _, l := range []*latest{m.lastRound, m.lastDecided, m.lastSound} {
					l.drop(t.Name, p.Probe)
				}
			}
		}
	}
	for _, n := range m.static.Notifiers {
		if !slices.Contains(next.Notifiers, n) {
			m.forget(prometheus.Labels{"notifier": n})
		}
	}
}

// forget deletes every series with these labels.
func (m *Metrics) forget(labels prometheus.Labels) {
	for _, v := range []interface {
		DeletePartialMatch(prometheus.Labels) int
	}{
		m.rounds, m.roundsSkipped, m.exchanges, m.notSent, m.undecided, m.tokensNotSpent, m.unjournaled, m.findings,
		m.reservedTokens, m.reservedUSD, m.ttft, m.duration, m.cellPlanned, m.cellDecided, m.cellHits, m.cellBound,
		m.cellCoverage, m.cellLastDecided, m.cellLastSound, m.scheduleInterval, m.scheduleNext, m.paused, m.stopped,
		m.authorizationExpires, m.preflight, m.incidents, m.pagesRaised, m.pagesDelivered, m.pagesFailed, m.pageDelay,
	} {
		v.DeletePartialMatch(labels)
	}
}

// notSentReasons are why an exchange of a started round is not sent.
func notSentReasons() []string {
	return []string{
		probes.SkipCancelled, probes.SkipCredential, probes.SkipTenant, probes.SkipBackoff,
		probes.SkipError, probes.SkipPanic, SkipStopped,
	}
}

// undecidedReasons are why an exchange that was sent may be undecided. The
// list is what must be zero before it is one, not what is allowed.
func undecidedReasons() []string {
	return []string{
		string(provider.FailureAuth), string(provider.FailureQuota), string(provider.FailurePayment),
		string(provider.FailureRateLimit), string(provider.FailureOverload), string(provider.FailureModeration),
		string(provider.FailureTooLarge), string(provider.FailureNotFound), string(provider.FailureBadRequest),
		string(provider.FailureServer), string(provider.FailureTimeout), string(provider.FailureNetwork),
		string(provider.FailureLimit), string(provider.FailureRedirect), string(provider.FailureOverLength),
		checks.KindBudget, checks.KindRefusal, checks.KindErrorText, checks.KindLostAskedSeal,
		checks.KindPageBudget, checks.KindPanic, "undecided",
	}
}

// disclosures are the findings that say that content reached the wrong tenant.
func disclosures() []checks.Finding {
	return []checks.Finding{
		{Check: "foreignmarker", Kind: checks.KindMarker},
		{Check: "foreignfragment", Kind: checks.KindFragment},
		{Check: "foreignfragment", Kind: checks.KindPassage},
		{Check: "foreignfragment", Kind: checks.KindSuspect},
		{Check: "foreignfact", Kind: checks.KindFact},
		{Check: "swap", Kind: checks.KindSwap},
		{Check: "contact", Kind: checks.KindNoContact},
		{Check: "foreigncontent", Kind: checks.KindForeignText},
		{Check: "foreigncontent", Kind: checks.KindForeignPrivate},
	}
}

func severities() []string { return []string{"page", "ticket"} }

func actions() []string { return []string{"trigger", "repeat", "escalate", "resolve"} }

// ledgerOperations are the operations of the ledger that are told apart.
func ledgerOperations() []string { return []string{"begin", "save", "tick", "outbox", "read"} }

func outcome(right bool) string {
	if right {
		return "right"
	}
	return "wrong"
}

// labelsOf are the values of the labels of a cell.
func labelsOf(c probes.Cell, more ...string) []string {
	return append([]string{
		c.Target, c.Probe, c.Length, c.Concurrency, strconv.FormatBool(c.Warm), strconv.FormatBool(c.Stream),
	}, more...)
}

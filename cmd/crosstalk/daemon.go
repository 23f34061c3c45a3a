package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river/riverdriver/riversqlite"

	"crosstalk/alerting"
	"crosstalk/alerting/heartbeat"
	"crosstalk/checks"
	"crosstalk/internal/config"
	"crosstalk/internal/evidence"
	"crosstalk/internal/ledger"
	"crosstalk/internal/metrics"
	"crosstalk/internal/pipeline"
	"crosstalk/internal/report"
	"crosstalk/internal/scheduler"
	"crosstalk/probes"
	"crosstalk/tenants"
)

// daemon is the parts of serve and what they share.
type daemon struct {
	env   *env
	flags *serveFlags
	log   *slog.Logger

	unlock    func() error // the ledger, for another daemon
	base      *ledger.SQLite
	ledger    *ledger.Fallback
	engine    *pipeline.Engine
	scheduler *scheduler.Scheduler
	courier   *alerting.Courier
	heart     *heartbeat.Heart // nil: none configured
	metrics   *metrics.Metrics
	registry  *prometheus.Registry
	handler   http.Handler
	preflight *preflights
	ready     atomic.Bool
	keyID     string                          // of the fleet key that mints
	keeper    atomic.Pointer[evidence.Keeper] // nil: no content is kept
	broken    chan error                      // why the daemon has to be restarted

	reloading sync.Mutex
	config    atomic.Pointer[live]
}

func (d *daemon) current() *live { return d.config.Load() }

// mapKeys is maps.Keys of any map.
func mapKeys[V any](m map[string]V) iter.Seq[string] { return maps.Keys(m) }

// newDaemon wires the parts in one straight line; what it opened is closed
// again if a later part cannot be made.
func newDaemon(ctx context.Context, e *env, f *serveFlags, log *slog.Logger) (_ *daemon, err error) {
	cfg, err := f.config.load(e)
	if err != nil {
		return nil, err
	}
	d := &daemon{env: e, flags: f, log: log, registry: prometheus.NewRegistry(), broken: make(chan error, 1)}
	first, err := newLive(cfg, e.now())
	if err != nil {
		return nil, err
	}
	d.config.Store(first)
	codec, err := daemonCodec(cfg)
	if err != nil {
		return nil, err
	}
	d.keyID = codec.KeyID()
	metrics.RegisterRuntime(d.registry)
	d.metrics = metrics.New(d.registry, first.static())
	if d.base, err = ledger.Open(ctx, cfg.StorePath(), d.ledgerOptions()); err != nil {
		return nil, usageError(err, "name a file in a folder that can be written to with store: sqlite:PATH")
	}
	if d.unlock, err = lockStore(cfg.StorePath()); err != nil {
		d.base.Close()
		return nil, usageError(fmt.Errorf("%s: %w", cfg.StorePath(), err), "end the other one, or give this one a store of its own")
	}
	defer func() {
		if err != nil {
			d.base.Close()
			d.unlock()
		}
	}()
	d.ledger = ledger.NewFallback(d.base, d.ledgerOptions())
	d.startUp(ctx)
	if err := d.keepEvidence(cfg); err != nil {
		return nil, err
	}
	d.engine = &pipeline.Engine{Codec: codec, Minter: tenants.NewMinter(codec, e.now, d.seen), Store: d.ledger, Checks: checks.All(), Now: e.now, Parse: parseAnswer, Keep: d.keep, Doubt: d.doubt}
	if err := d.newCourier(first); err != nil {
		return nil, err
	}
	d.scheduler, err = scheduler.New(scheduler.Options{
		Driver: riversqlite.New(d.base.DB()), Ledger: d.ledger, Engine: d.engine,
		Instance: cfg.Instance, StopFile: cfg.StopPath(), Silences: first.silences(), Hooks: d.hooks(), Log: log,
	}, first.entries)
	if err != nil {
		return nil, fmt.Errorf("make the scheduler: %w", err)
	}
	d.preflight = newPreflights(d)
	if d.handler, err = d.newHandler(); err != nil {
		return nil, err
	}
	d.metrics.Reload(true, e.now())
	return d, nil
}

// daemonCodec is the codec of the configured keys: a daemon whose markers die
// with it could not say a week later whose they are.
func daemonCodec(cfg *config.Config) (*tenants.Codec, error) {
	keys, err := cfg.Keys()
	if err != nil {
		return nil, fleetKeyError(cfg, err)
	}
	if len(keys) == 0 {
		return nil, usageError(fmt.Errorf("%s has no fleet_keys", cfg.Path), "add fleet_keys: [file:./fleet.key]; 'crosstalk config keygen -o fleet.key' makes one")
	}
	return tenants.NewCodec(keys[0], keys[1:]...), nil
}

func (d *daemon) ledgerOptions() ledger.Options {
	return ledger.Options{
		Now:     d.env.now,
		KeyID:   d.keyID,
		Targets: func() []string { return append(d.current().targets(), controlNames()...) },
		Policy: func(target string) alerting.Policy {
			var deployed time.Time
			if d.scheduler != nil {
				deployed = d.scheduler.DeployedUntil(target)
			}
			policy := d.current().policy(target, deployed, d.flags.controlsEvery)
			policy.Paused = d.scheduler != nil && d.scheduler.LeftAlone(target, d.env.now()) != ""
			return policy
		},
		Limits: func(string) probes.Limits {
			b := d.current().cfg.Budget
			return probes.Limits{TokensPerRun: b.TokensPerRun, USDPerRun: b.USDPerRun}
		},
		Total:     func() probes.Limits { return d.current().cfg.Budget.Limits() },
		Pricing:   func(target string) probes.Pricing { return d.current().pricing(target) },
		Routes:    func() []alerting.Route { return d.current().routes() },
		IsControl: isControl,
		Paged:     d.paged,
	}
}

// paged is told of pages that were committed.
func (d *daemon) paged(pages []alerting.Page) {
	for _, p := range pages {
		d.metrics.Raised(p.Incident.Target, string(p.Incident.Kind), string(p.Action))
		d.log.Warn("incident", "action", p.Action, "kind", p.Incident.Kind, "target", p.Incident.Target,
			"incident", p.Incident.ID, "severity", p.Incident.Severity, "summary", p.Incident.Summary)
	}
	if d.courier != nil {
		d.courier.Wake()
	}
}

// startUp tells what the last process left behind.
func (d *daemon) startUp(ctx context.Context) {
	if r := d.base.Repaired(); r != nil {
		d.log.Error("the ledger was damaged and has been set aside", "detail", r.String())
	}
	lost, err := d.ledger.Interrupted(ctx, d.env.now())
	if err != nil {
		d.log.Error("interrupted rounds not read", "err", err)
	}
	for _, r := range lost {
		d.log.Warn("a round of the last process was interrupted", "round", r.ID, "target", r.Target, "probe", r.Probe)
	}
}

// seen reports whether the ledger has begun a request of that name. If the
// ledger cannot say, the draw decides alone.
func (d *daemon) seen(p tenants.Payload) bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	seen, err := d.ledger.Seen(ctx, p)
	return err == nil && seen
}

func (d *daemon) newCourier(l *live) error {
	notifiers, err := l.notifiers(d.flags.externalURL)
	if err != nil {
		return err
	}
	d.courier = &alerting.Courier{
		Outbox: d.ledger, Notifiers: notifiers, Log: d.log,
		Open: func(ctx context.Context) ([]alerting.Incident, error) {
			return d.ledger.Incidents(ctx, ledger.IncidentFilter{Open: true})
		},
		Done: func(x alerting.Delivery, reason string, _ time.Duration) {
			d.metrics.Delivery(x.Notifier, reason, d.env.now().Sub(x.Page.At))
		},
	}
	d.heart, err = l.heart(d.courier.Stuck, func(err error) { d.metrics.Heartbeat(err, d.env.now()) })
	return err
}

// hooks count what the scheduler does.
func (d *daemon) hooks() scheduler.Hooks {
	return scheduler.Hooks{
		Outcome: func(o *report.Outcome) {
			d.metrics.Round(o.Round, o.Report, o.Dropped)
			d.metrics.Reserved(o.Round.Plan.Target, o.Round.Plan.Probe, o.Round.Plan.Spend(d.current().pricing(o.Round.Plan.Target)))
			if since, _ := d.ledger.Degraded(); !since.IsZero() {
				d.metrics.Unjournaled(o.Round.Plan.Target, len(o.Round.Exchanges))
			}
			if d.heart != nil && len(o.Round.Exchanges) > 0 {
				d.heart.Completed(o.Round.Ended)
			}
			d.log.Debug("round", "probe", o.Round.Plan.Probe, "target", o.Round.Plan.Target, "round", o.Round.ID, "class", o.Report.Class())
		},
		Skipped: func(schedule, target string, reason scheduler.Reason, n int) {
			kind := d.current().kind(schedule)
			for range n {
				d.metrics.Skip(target, kind, string(reason))
			}
		},
		Retired: func(s *pipeline.Site) { s.Close() },
	}
}

// reload reads the configuration again. Nothing changes on an error.
func (d *daemon) reload(ctx context.Context) (err error) {
	d.reloading.Lock()
	defer d.reloading.Unlock()
	defer func() {
		d.metrics.Reload(err == nil, d.env.now())
		e := ledger.Event{At: d.env.now(), Kind: "reload", Reason: "loaded"}
		if err != nil {
			e.Reason, e.Detail = "refused", err.Error()
		}
		if err := d.ledger.Record(ctx, e); err != nil {
			d.log.Error("event not recorded", "kind", e.Kind, "err", err)
		}
	}()
	cfg, err := d.flags.config.load(d.env)
	if err != nil {
		return err
	}
	next, err := newLive(cfg, d.env.now())
	if err != nil {
		return err
	}
	if what := d.current().sameForLife(next); what != "" {
		next.close()
		return fmt.Errorf("%s changed, which needs a restart: nothing was reloaded", what)
	}
	if err := d.scheduler.Reload(next.entries, next.silences()); err != nil {
		next.close()
		return fmt.Errorf("reload schedules: %w", err)
	}
	if err := d.keepEvidence(cfg); err != nil {
		return err
	}
	d.config.Store(next)
	d.metrics.Configure(next.static())
	d.preflight.startAll()
	d.log.Info("configuration reloaded", "path", cfg.Path, "targets", len(next.sites))
	return nil
}

// boundsWindow is the time that the exported bounds are computed over.
const boundsWindow = 30 * 24 * time.Hour

// observe refreshes what is exported of the ledger's state.
func (d *daemon) observe(ctx context.Context) {
	since, _ := d.ledger.Degraded()
	d.metrics.Ledger(!since.IsZero())
	if q, err := d.ledger.Queue(ctx); err == nil {
		d.metrics.Outbox(q.Waiting, q.Oldest)
	} else {
		d.metrics.LedgerError("outbox")
	}
	if open, err := d.ledger.Incidents(ctx, ledger.IncidentFilter{Open: true}); err == nil {
		var list []metrics.Incident
		for _, i := range open {
			list = append(list, metrics.Incident{Target: i.Target, Kind: string(i.Kind), Severity: string(i.Severity)})
		}
		d.metrics.Incidents(list)
	}
	for _, target := range d.current().targets() {
		d.observeTarget(ctx, target)
	}
}

func (d *daemon) observeTarget(ctx context.Context, target string) {
	if known, err := d.ledger.Known(ctx, target); err == nil {
		if _, paused, err := d.ledger.Paused(ctx, target); err == nil {
			d.metrics.Paused(target, paused, len(known.Stopped))
		}
	}
	for kind, next := range d.current().next(target, d.scheduler.Next) {
		d.metrics.Schedule(target, kind, next)
	}
	cells, err := d.ledger.Cells(ctx, target, d.env.now().Add(-boundsWindow))
	if err != nil {
		d.metrics.LedgerError("read")
		return
	}
	var list []metrics.Cell
	for _, c := range cells {
		list = append(list, metrics.Cell{
			Cell: c.Cell.Cell, Planned: c.Planned, Decided: c.Decided,
			Disclosures: c.Disclosure.Hits, Damaged: c.Damage.Hits, DisclosureBound: c.Disclosure.High, DamageBound: c.Damage.High,
			LastRound: c.LastRound, LastDecided: c.LastDecided, LastSound: c.LastSound,
		})
	}
	d.metrics.Cells(target, list)
}

func (d *daemon) close() error {
	d.preflight.close()
	d.current().close()
	return errors.Join(d.ledger.Close(), ignoreClosed(d.base.Close()), d.unlock())
}

// errStoreInUse is a second daemon on one ledger.
var errStoreInUse = errors.New("another crosstalk serve uses this ledger")

func ignoreClosed(err error) error {
	if errors.Is(err, sql.ErrConnDone) {
		return nil
	}
	return err
}

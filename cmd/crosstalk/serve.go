package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/common/promslog"
	"github.com/prometheus/exporter-toolkit/web"
	"github.com/spf13/cobra"
)

// serveFlags are the flags of serve. Those of the listener are named as in
// every Prometheus exporter.
type serveFlags struct {
	config        configFlags
	listen        []string
	webConfig     string
	externalURL   string
	logLevel      string
	logFormat     string
	controlsEvery time.Duration
}

func newServe(e *env) *cobra.Command {
	f := &serveFlags{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "probe on a schedule, page on leaks, serve metrics and pages",
		Long: `serve runs the probes of the configuration that have every or cron, keeps a ledger
of every marker and round, opens incidents and pages their receivers, and serves
its own pages and Prometheus metrics.

Two controls prove the prober itself: each hour a built-in engine with the seed
fault must be caught (seeded), and a sound one must raise nothing (null).

  /                  status; /targets/, /rounds/, /incidents/ below it
  /metrics           Prometheus metrics
  /-/healthy         200 while the process is up
  /-/ready           200 once the ledger is open and the first schedule is built
  POST /-/reload     reads the configuration again; SIGHUP does the same
  POST /-/deploy     ?target=NAME: a rollout just happened; the top is probed, and
                     the target's preflight read, at once
  POST /-/pause      ?target=NAME (none: all)&reason=TEXT: answers when nothing is in flight
  POST /-/resume     ?target=NAME (none: all)

A configuration that cannot be used changes nothing: the last good one goes on.
On SIGTERM and interrupt rounds in flight are finished or recorded.`,
		Example: `  crosstalk serve -c crosstalk.yaml
  crosstalk serve --web.listen-address 127.0.0.1:9755 --web.config.file web.yml`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(cmd.Context(), e, f) },
	}
	f.config.addPath(cmd)
	fl := cmd.Flags()
	fl.StringArrayVar(&f.listen, "web.listen-address", []string{"127.0.0.1:9755"}, "address to serve on; repeatable")
	fl.StringVar(&f.webConfig, "web.config.file", "", "file with TLS, authentication and rate limits, as for every Prometheus exporter")
	fl.StringVar(&f.externalURL, "web.external-url", "", "address at which people reach these pages (default: the first listener)")
	fl.StringVar(&f.logLevel, "log.level", "info", "debug, info, warn or error")
	fl.StringVar(&f.logFormat, "log.format", "logfmt", "logfmt or json")
	fl.DurationVar(&f.controlsEvery, "controls.every", time.Hour, "how often the null and seeded controls run")
	return cmd
}

// newLogger is a logger as Prometheus programs have it.
func newLogger(e *env, level, format string) (*slog.Logger, error) {
	c := &promslog.Config{Level: promslog.NewLevel(), Format: promslog.NewFormat(), Writer: e.stderr}
	if err := c.Level.Set(level); err != nil {
		return nil, usageError(fmt.Errorf("--log.level: %w", err), "use debug, info, warn or error")
	}
	if err := c.Format.Set(format); err != nil {
		return nil, usageError(fmt.Errorf("--log.format: %w", err), "use logfmt or json")
	}
	return promslog.New(c), nil
}

func serve(ctx context.Context, e *env, f *serveFlags) error {
	log, err := newLogger(e, f.logLevel, f.logFormat)
	if err != nil {
		return err
	}
	noCoreDumps(log)
	listeners, err := f.listeners()
	if err != nil {
		return err
	}
	if f.externalURL == "" {
		f.externalURL = "http://" + listeners[0].Addr().String()
	}
	if err := web.Validate(f.webConfig); f.webConfig != "" && err != nil {
		return usageError(fmt.Errorf("--web.config.file: %w", err), "see the web configuration of the Prometheus exporter-toolkit")
	}
	d, err := newDaemon(ctx, e, f, log)
	if err != nil {
		for _, l := range listeners {
			l.Close()
		}
		return err
	}
	return d.run(ctx, listeners)
}

// listeners opens every address before anything is started.
func (f *serveFlags) listeners() ([]net.Listener, error) {
	var all []net.Listener
	for _, address := range f.listen {
		l, err := net.Listen("tcp", address)
		if err != nil {
			for _, open := range all {
				open.Close()
			}
			return nil, usageError(fmt.Errorf("listen on %s: %w", address, err), "choose a free address with --web.listen-address")
		}
		all = append(all, l)
	}
	return all, nil
}

// run runs the daemon's parts until ctx ends and returns when all have ended,
// in the order that loses nothing: no new rounds, rounds in flight, deliveries,
// pages, ledger.
func (d *daemon) run(ctx context.Context, listeners []net.Listener) error {
	srv := &http.Server{Handler: d.handler, ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() {
		failed <- web.ServeMultiple(listeners, srv, &web.FlagConfig{WebConfigFile: &d.flags.webConfig}, d.log)
	}()
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)

	// What follows rounds outlives them by its own context.
	late, stopLate := context.WithCancel(context.WithoutCancel(ctx))
	defer stopLate()
	var after, during sync.WaitGroup
	after.Go(func() { d.courier.Run(late) })
	if d.heart != nil {
		after.Go(func() { d.heart.Run(late) })
	}
	after.Go(func() { d.tick(late) })
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	during.Go(func() { d.runControls(ctx) })
	during.Go(func() { stop(errors.Join(d.scheduler.Run(ctx), errStopped)) })
	d.preflight.startAll()
	d.ready.Store(true)
	d.log.Info("serving", "address", listeners[0].Addr().String(), "targets", len(d.current().sites), "version", version())

	var err error
	for err == nil && ctx.Err() == nil {
		select {
		case <-hangup:
			if err := d.reload(ctx); err != nil {
				d.log.Error("configuration not reloaded, the last good one goes on", "err", err)
			}
		case err = <-failed:
			err = fmt.Errorf("serve pages: %w", err)
		case err = <-d.broken:
		case <-ctx.Done():
		}
	}
	d.log.Info("stopping")
	stop(errStopped)
	during.Wait()
	d.flush(late)
	stopLate()
	after.Wait()
	shutdown, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	return errors.Join(err, ignoreDeadline(srv.Shutdown(shutdown)), d.close())
}

// errStopped is the cause of a daemon that was told to stop.
var errStopped = errors.New("the daemon was stopped")

func ignoreDeadline(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// flush gives pages that are still due a moment to be delivered.
func (d *daemon) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := d.courier.DeliverDue(ctx); err != nil {
		d.log.Warn("pages not delivered before the stop; the next start delivers them", "err", err)
	}
}

// tickEvery is how often what depends on time alone is stepped.
const tickEvery = 5 * time.Second

// Rounds are kept for a week, and old ones are looked for each hour.
const (
	keepRounds = 7 * 24 * time.Hour
	pruneEvery = time.Hour
)

// tick steps incidents and refreshes the gauges.
func (d *daemon) tick(ctx context.Context) {
	t := time.NewTicker(tickEvery)
	defer t.Stop()
	var pruned time.Time
	for {
		if now := d.env.now(); now.Sub(pruned) >= pruneEvery {
			pruned = now
			if _, err := d.ledger.Prune(ctx, now.Add(-keepRounds)); err != nil {
				d.log.Error("old rounds not deleted", "err", err)
			}
			d.pruneEvidence(now)
		}
		d.observe(ctx)
		d.watchLedger()
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			if err := d.ledger.Tick(ctx, now); err != nil {
				d.metrics.LedgerError("tick")
				d.log.Error("incidents not stepped", "err", err)
			}
		}
	}
}

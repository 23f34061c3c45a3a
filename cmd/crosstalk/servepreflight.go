package main

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"time"

	"crosstalk/internal/config"
	"crosstalk/internal/ledger"
	"crosstalk/internal/preflight"
	"crosstalk/internal/report"
)

// preflightTime bounds reading all nodes of one target.
const preflightTime = time.Minute

// preflights reads the engines behind the daemon's targets when it starts,
// after a reload and after each deploy, and keeps the last report of each
// target for its page. Reads of one target never overlap: what comes while one
// is under way is read once more after it.
type preflights struct {
	daemon *daemon
	all    sync.WaitGroup

	mu       sync.Mutex
	ended    bool
	reports  map[string]*preflight.Report
	underWay map[string]*underWay
}

// underWay is a read of a target that has not ended.
type underWay struct {
	cancel context.CancelFunc
	again  bool // read once more after it
}

func newPreflights(d *daemon) *preflights {
	return &preflights{daemon: d, reports: map[string]*preflight.Report{}, underWay: map[string]*underWay{}}
}

// startAll reads every target that has a preflight.
func (p *preflights) startAll() {
	for _, t := range p.daemon.current().cfg.Targets {
		p.start(t.Name)
	}
}

// start reads one target in the background.
func (p *preflights) start(target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t, ok := p.daemon.current().cfg.Target(target); !ok || t.Preflight == nil || p.ended {
		delete(p.reports, target)
		p.daemon.metrics.Preflight(target, nil)
		return
	}
	if u := p.underWay[target]; u != nil {
		u.again = true
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.underWay[target] = &underWay{cancel: cancel}
	p.all.Go(func() {
		defer cancel()
		for again := true; again; again = p.again(target) {
			p.read(ctx, target)
		}
	})
}

// again reports whether a target is to be read once more, and if not, that
// nothing is under way.
func (p *preflights) again(target string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if u := p.underWay[target]; u.again && !p.ended {
		u.again = false
		return true
	}
	delete(p.underWay, target)
	return false
}

// last is the last report of a target, nil if there is none yet.
func (p *preflights) last(target string) *preflight.Report {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reports[target]
}

// close ends what is under way and waits for it.
func (p *preflights) close() {
	p.mu.Lock()
	p.ended = true
	for _, u := range p.underWay {
		u.cancel()
	}
	p.mu.Unlock()
	p.all.Wait()
}

// read reads one target now, and says what came of it in the log, the ledger,
// the metrics and on its page.
func (p *preflights) read(ctx context.Context, name string) {
	timed, cancel := context.WithTimeout(ctx, preflightTime)
	defer cancel()
	d := p.daemon
	cfg := d.current().cfg
	t, ok := cfg.Target(name)
	if !ok || t.Preflight == nil {
		return
	}
	log := d.log.With("target", name)
	if why := p.forbidden(ctx, t); why != "" {
		log.Warn("preflight left out", "reason", why)
		return
	}
	job, err := preflightOf(cfg, t)
	if err != nil {
		log.Error("preflight not read", "err", err)
		return
	}
	r, err := job.run(timed, d.env)
	switch {
	case ctx.Err() != nil:
		return // the daemon ends
	case err != nil:
		log.Error("preflight not judged", "err", err)
		return
	}
	p.mu.Lock()
	p.reports[name] = r
	d.metrics.Preflight(name, outcomes(r))
	p.mu.Unlock()
	p.tell(ctx, log, name, r)
}

// outcomes counts the judgements of a report by outcome; no finding is told as
// zero findings.
func outcomes(r *preflight.Report) map[string]int {
	counts := map[string]int{preflight.Finding.String(): 0}
	for _, j := range r.Judgements {
		counts[j.Outcome.String()]++
	}
	return counts
}

// forbidden says why the engines of a target may not be read now, "" if they
// may.
func (p *preflights) forbidden(ctx context.Context, t config.Target) string {
	if a := t.Authorization; a != nil && !p.daemon.env.now().Before(a.Expires.End()) {
		return "the authorization has expired"
	}
	if _, paused, err := p.daemon.ledger.Paused(ctx, t.Name); err == nil && paused {
		return "the target is paused"
	}
	if path := p.daemon.current().cfg.StopPath(); path != "" {
		if _, err := os.Stat(path); err == nil {
			return "the stop file is there"
		}
	}
	return p.daemon.scheduler.LeftAlone(t.Name, p.daemon.env.now())
}

// tell logs and records the outcome.
func (p *preflights) tell(ctx context.Context, log *slog.Logger, target string, r *preflight.Report) {
	level, word := slog.LevelInfo, "fine"
	switch r.ExitCode {
	case report.ExitDamaged:
		level, word = slog.LevelError, "finding"
	case report.ExitInconclusive:
		level, word = slog.LevelWarn, "unknown"
	}
	log.Log(ctx, level, "preflight", "verdict", r.Verdict)
	for _, j := range r.Judgements {
		if j.Outcome == preflight.Finding {
			log.Error("preflight finding", "judgement", j.ID, "node", j.Node, "means", j.Means, "do", j.Do)
		}
	}
	e := ledger.Event{At: r.At, Kind: "preflight", Target: target, Reason: word, Detail: r.Verdict}
	if err := p.daemon.ledger.Record(ctx, e); err != nil {
		log.Error("event not recorded", "kind", e.Kind, "err", err)
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"crosstalk/alerting"
	"crosstalk/checks"
	"crosstalk/internal/config"
	"crosstalk/internal/evidence"
	"crosstalk/internal/ledger"
)

// What the daemon keeps of answers, and when it has to be restarted.

// keepEvidence seals from now on what the configuration says. It says once,
// whenever that changes, that nothing is kept.
func (d *daemon) keepEvidence(cfg *config.Config) error {
	sealer, err := cfg.Sealer()
	if err != nil {
		return usageError(cfg.ProblemAt("evidence.recipients", err.Error(), "'crosstalk evidence keygen' makes an identity and prints its recipient"), "")
	}
	if sealer == nil {
		if d.keeper.Swap(nil) != nil || d.current() == nil || !d.ready.Load() {
			d.log.Warn("no content of any answer is kept: a finding cannot be judged again, only hashes, lengths and offsets remain",
				"hint", "evidence.recipients names who may read it")
		}
		return nil
	}
	folder := evidence.NewFolder(cfg.EvidencePath())
	d.keeper.Store(evidence.NewKeeper(folder, sealer, cfg.Evidence.Limits(), d.incidentOpened))
	d.log.Info("answers in which something is found are sealed", "folder", folder.Path(), "recipients", sealer.Recipients(), "keep", cfg.Evidence.Keep)
	return nil
}

// evidenceNote says on the status page what is kept.
func (d *daemon) evidenceNote() string {
	e := d.current().cfg.Evidence
	if d.keeper.Load() == nil {
		return "no content of any answer is kept, since no recipient is configured (evidence.recipients)."
	}
	return fmt.Sprintf("answers in which something is found are sealed to %d recipient(s) and kept for %s.", len(e.Recipients), e.Keep)
}

// incidentOpened is when the open incident that a class at a target belongs to
// was opened; zero if there is none.
func (d *daemon) incidentOpened(target string, class checks.Class) time.Time {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	state, err := d.ledger.State(ctx, target)
	if err != nil {
		return time.Time{} // the bound of a day without an incident holds
	}
	for _, i := range state.Incidents() {
		_, damage := i.Kind.Damage()
		switch {
		case class == checks.Leak && i.Kind == alerting.KindLeak,
			class == checks.Foreign && i.Kind == alerting.KindForeign,
			class == checks.Damaged && damage:
			return i.Opened
		}
	}
	return time.Time{}
}

// keep seals the record of a round. That it was kept, or why not, is a fact of
// the ledger: a round is never lost for it.
func (d *daemon) keep(ctx context.Context, r *evidence.Record) {
	k := d.keeper.Load()
	if k == nil {
		return
	}
	r.Program = version()
	e := ledger.Event{
		At: d.env.now(), Kind: ledger.EventEvidence, Target: r.Label.Target, Probe: r.Label.Probe,
		Reason: ledger.EvidenceKept, Detail: fmt.Sprintf("round %s, %s", r.Label.ID, r.Label.Class),
	}
	switch err := k.Keep(r); {
	case errors.Is(err, evidence.ErrFull), errors.Is(err, evidence.ErrTooLarge):
		e.Reason, e.Detail = ledger.EvidenceLeft, err.Error()
		d.log.Warn("evidence left out", "target", e.Target, "round", r.Label.ID, "err", err)
	case err != nil:
		e.Reason, e.Detail = ledger.EvidenceFailed, err.Error()
		d.log.Error("evidence not kept", "target", e.Target, "round", r.Label.ID, "err", err)
	}
	if err := d.ledger.Record(ctx, e); err != nil {
		d.log.Error("event not recorded", "kind", e.Kind, "err", err)
	}
}

// doubt opens the incident about ourselves.
func (d *daemon) doubt(ctx context.Context, target, detail string) {
	d.log.Error("the prober contradicts itself: nothing was called", "target", target, "detail", detail)
	if err := d.ledger.Control(ctx, ledger.ControlRejudgement, false, detail, d.env.now()); err != nil {
		d.log.Error("control not recorded", "control", ledger.ControlRejudgement, "err", err)
	}
}

// pruneEvidence deletes what is past its retention.
func (d *daemon) pruneEvidence(now time.Time) {
	k := d.keeper.Load()
	if k == nil {
		return
	}
	n, err := k.Prune(now)
	if err != nil {
		d.log.Error("old evidence not deleted", "err", err)
	}
	if n > 0 {
		d.log.Info("old evidence deleted", "rounds", n)
	}
}

// lastPages is how long a daemon with a damaged ledger goes on for the pages that
// only its memory holds.
const lastPages = 2 * time.Minute

// watchLedger ends the daemon when its ledger has turned out to be damaged: only
// a start sets a damaged file aside. What is owed is delivered first.
func (d *daemon) watchLedger() {
	damage := d.base.Damaged()
	if damage == nil {
		return
	}
	if since, _ := d.ledger.Degraded(); d.ledger.Owed() > 0 && d.env.now().Sub(since) < lastPages {
		return
	}
	select {
	case d.broken <- fmt.Errorf("restart to set the ledger aside and go on with a new one: %w", damage):
	default: // told
	}
}

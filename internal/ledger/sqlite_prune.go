package ledger

import (
	"context"
	"time"

	"crosstalk/internal/ledger/sqlitedb"
	"crosstalk/tenants"
)

// pruneBatch is how many rows go in one transaction: deleting must not keep a
// round waiting.
const pruneBatch = 500

// Prune implements Ledger.
func (l *SQLite) Prune(ctx context.Context, before time.Time) (Pruned, error) {
	old := l.opts.now().Add(-l.opts.keepMarkers())
	var p Pruned
	steps := []struct {
		count *int64
		f     func(w *writing) (int64, error)
	}{
		{&p.Rounds, func(w *writing) (int64, error) {
			return w.q.PruneRounds(ctx, sqlitedb.PruneRoundsParams{Before: nanos(before), Most: pruneBatch})
		}},
		{&p.Markers, func(w *writing) (int64, error) {
			return w.q.PrunePrompts(ctx, sqlitedb.PrunePromptsParams{Before: old.Unix() - tenants.Epoch.Unix(), Most: pruneBatch})
		}},
		{&p.Incidents, func(w *writing) (int64, error) {
			return w.q.PruneIncidents(ctx, sqlitedb.PruneIncidentsParams{Before: nanos(old), Most: pruneBatch})
		}},
		{&p.Pages, func(w *writing) (int64, error) {
			return w.q.PrunePages(ctx, sqlitedb.PrunePagesParams{Before: nanos(old), Most: pruneBatch})
		}},
		{&p.Events, func(w *writing) (int64, error) {
			return w.q.PruneEvents(ctx, sqlitedb.PruneEventsParams{Before: nanos(old), Most: pruneBatch})
		}},
		{&p.Cells, func(w *writing) (int64, error) {
			return w.q.PruneCellHours(ctx, nanos(old))
		}},
		{new(int64), func(w *writing) (int64, error) { return w.q.PruneCellTenants(ctx, nanos(old)) }},
		{new(int64), func(w *writing) (int64, error) { return w.q.PruneSpends(ctx, nanos(old)) }},
	}
	for _, s := range steps {
		for {
			var n int64
			err := l.change(ctx, "prune", func(w *writing) (err error) {
				n, err = s.f(w)
				return err
			})
			if err != nil {
				return p, err
			}
			if *s.count += n; n < pruneBatch {
				break
			}
		}
	}
	return p, nil
}

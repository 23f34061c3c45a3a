package ledger

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/internal/ledger/sqlitedb"
	"crosstalk/internal/report"
	"crosstalk/probes"
)

// confirm decides what the round that r confirms had left open. An exchange that
// lost nothing but the seal it was asked for is inconclusive until a fresh round
// has found its own: then it counts as degraded, as it does in a report.
func (w *writing) confirm(ctx context.Context, r RoundRecord) error {
	if r.Confirms == uuid.Nil || !slices.ContainsFunc(r.Exchanges, found) {
		return nil
	}
	row, err := w.q.GetRound(ctx, r.Confirms.String())
	if errors.Is(err, sql.ErrNoRows) || err == nil && row.Ended == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	first, err := readRound(ctx, w.q, row)
	if err != nil {
		return err
	}
	worst, changed := checks.Sound, false
	for i, e := range first.Exchanges {
		if e.Class == checks.Inconclusive && lostSeal(e) {
			e.Class, changed = checks.Degraded, true
			if err := w.exchange(ctx, i, e); err != nil {
				return err
			}
			c := CellCount{Cell: e.Cell, Counts: report.Counts{Decided: 1, Degraded: 1, Inconclusive: -1}}
			if err := w.cell(ctx, c, first.Ended); err != nil {
				return err
			}
		}
		if e.Class.Worse(worst) {
			worst = e.Class
		}
	}
	if !changed {
		return nil
	}
	return w.q.ReclassRound(ctx, sqlitedb.ReclassRoundParams{ID: row.ID, Class: worst.String(), Severity: severity(worst)})
}

// found reports whether an exchange has what it was asked for.
func found(e ExchangeRecord) bool {
	return e.Role == probes.RoleMain && (e.Class == checks.Sound || e.Class == checks.Degraded)
}

func lostSeal(e ExchangeRecord) bool {
	return slices.ContainsFunc(e.Findings, func(f checks.Finding) bool { return f.Kind == checks.KindLostAskedSeal })
}

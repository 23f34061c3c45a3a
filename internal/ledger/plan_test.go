package ledger_test

import (
	"fmt"
	"strings"
	"testing"

	"crosstalk/checks"
	"crosstalk/internal/ledger"
	"crosstalk/internal/ledger/ledgertest"
)

// plan is how SQLite runs a query, a step a line.
func plan(t *testing.T, l *ledger.SQLite, query string, args ...any) string {
	t.Helper()
	rows, err := l.DB().QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var steps strings.Builder
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&steps, step)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return steps.String()
}

// TestPlans: what is asked for each round or page takes an index, and does not
// read the ledger through.
func TestPlans(t *testing.T) {
	l := open(t, file(t), ledger.Options{})
	for _, test := range []struct{ name, query, want string }{
		{
			"look-back",
			"SELECT exchange_id, minted, draw, tenant, spec FROM prompts WHERE minted >= 5 ORDER BY minted, draw, tenant",
			"SEARCH prompts USING INDEX prompts_by_payload (minted>?)",
		},
		{
			"seen",
			"SELECT COUNT(*) FROM prompts WHERE minted = 5 AND draw = 5 AND tenant = 5",
			"SEARCH prompts USING COVERING INDEX prompts_by_payload (minted=? AND draw=? AND tenant=?)",
		},
		{
			"rounds of a target",
			"SELECT * FROM rounds WHERE target = 'x' AND begun >= 5 AND severity >= -1 AND (probe = '' OR '' = '') ORDER BY begun DESC, id DESC LIMIT 100",
			"SEARCH rounds USING INDEX rounds_by_target (target=? AND begun>?)",
		},
		{
			"rounds never saved",
			"SELECT * FROM rounds WHERE ended = 0 AND lost = 0 AND begun < 5 ORDER BY begun, id",
			"USING INDEX rounds_unsaved",
		},
		{
			"exchanges of a round",
			"SELECT * FROM exchanges WHERE round_id = 'x' ORDER BY place",
			"SEARCH exchanges USING INDEX exchanges_by_round (round_id=?)",
		},
		{
			"earlier pages of an incident",
			"SELECT 1 FROM outbox e WHERE e.notifier = 'x' AND e.incident_id = 'y' AND e.ordinal < 5 AND e.delivered = 0 AND e.given_up = 0",
			"USING COVERING INDEX outbox_waiting (notifier=? AND incident_id=? AND ordinal<?)",
		},
		{
			"open incidents",
			"SELECT * FROM incidents WHERE state = 'open' AND (target = 'x' OR 'x' = '') ORDER BY opened DESC LIMIT 5",
			"USING INDEX incidents_",
		},
		{
			"cells of a target",
			"SELECT probe, SUM(planned) FROM cell_hours WHERE target = 'x' AND hour >= 5 GROUP BY probe",
			"SEARCH cell_hours USING INDEX sqlite_autoindex_cell_hours_1 (target=? AND hour>?)",
		},
	} {
		if got := plan(t, l, test.query); !strings.Contains(got, test.want) {
			t.Errorf("%s: the plan is\n%swant %q in it", test.name, got, test.want)
		}
	}
}

// TestMigrations: the schema goes up from nothing, and up again is nothing.
func TestMigrations(t *testing.T) {
	path, w := file(t), ledgertest.NewWorld(t)
	l := open(t, path, w.Options())
	var version int
	if err := l.DB().QueryRow("SELECT MAX(version_id) FROM goose_db_version").Scan(&version); err != nil || version < 1 {
		t.Errorf("version %d, %v", version, err)
	}
	w.Round(l, "edge", "pulse", checks.Sound)
	l = reopen(t, l, path, w)
	if r, err := l.Rounds(t.Context(), ledger.RoundFilter{}); err != nil || len(r) != 1 {
		t.Errorf("%d rounds, %v, want 1", len(r), err)
	}
}

package ledger_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/pressly/goose/v3"

	"crosstalk/checks"
	"crosstalk/internal/ledger"
	"crosstalk/internal/ledger/ledgertest"
)

// TestMigrate: a file of the first schema is brought up to date, and what is in
// it stays: its prompts name no fleet key, which stands for the newest.
func TestMigrate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "crosstalk.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, os.DirFS("migrations"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	exchange := uuid.Must(uuid.NewV7())
	if _, err := db.Exec(`INSERT INTO prompts VALUES (?, ?, 'edge', 700, 5, 9, '{}', FALSE)`, exchange.String(), uuid.NewString()); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	w := ledgertest.NewWorld(t)
	l, err := ledger.Open(t.Context(), path, w.Options())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if l.Repaired() != nil {
		t.Fatalf("it was set aside: %v", l.Repaired())
	}
	if p, err := l.Prompt(t.Context(), exchange); err != nil || p.Key != "" || p.Payload.Tenant != 9 {
		t.Errorf("its prompt is %+v, %v", p, err)
	}
	trip := w.Round(l, "edge", "pulse", checks.Sound)
	if p, err := l.Prompt(t.Context(), trip.Bound[0].Exchange); err != nil || p.Key != ledgertest.KeyID {
		t.Errorf("a new prompt is %+v, %v", p, err)
	}
}

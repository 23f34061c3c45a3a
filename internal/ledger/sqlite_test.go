package ledger_test

import (
	"path/filepath"
	"testing"

	"crosstalk/internal/ledger"
	"crosstalk/internal/ledger/ledgertest"
)

// open opens an SQLite ledger in a file.
func open(t testing.TB, path string, o ledger.Options) *ledger.SQLite {
	t.Helper()
	l, err := ledger.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func file(t testing.TB) string { return filepath.Join(t.TempDir(), "crosstalk.db") }

func TestSQLite(t *testing.T) {
	ledgertest.Run(t, func(t *testing.T, o ledger.Options) ledger.Ledger { return open(t, file(t), o) })
}

// TestFallback: around a ledger that works, it is that ledger.
func TestFallback(t *testing.T) {
	ledgertest.Run(t, func(t *testing.T, o ledger.Options) ledger.Ledger {
		return ledger.NewFallback(open(t, file(t), o), o)
	})
}

package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"

	"crosstalk/alerting"
	"crosstalk/internal/ledger/sqlitedb"
)

// SQLite is the ledger of one machine: a file in WAL mode, synced at every
// commit. All writing goes over one connection, in transactions that take the
// lock at once; reading has connections of its own and waits for nobody.
type SQLite struct {
	opts     Options
	path     string
	file     os.FileInfo // of the file that was opened
	write    *sql.DB
	prepared *sqlitedb.Queries // on the writing side
	read     *sql.DB
	repaired *Repaired
	closed   atomic.Bool
	damage   atomic.Pointer[error] // the first that was met

	prompts promptCache
	ids     idCache
}

var _ Ledger = (*SQLite)(nil)

// DB is the writing side of the file, for a job queue that lives in it. It has
// one connection: whoever holds a transaction and asks for another connection
// waits for ever.
func (l *SQLite) DB() *sql.DB { return l.write }

// Repaired tells what was done to a damaged file when it was opened; nil if it
// was sound.
func (l *SQLite) Repaired() *Repaired { return l.repaired }

// Damaged is the damage that was met since the file was opened; nil if none was.
// A restart sets the file aside.
func (l *SQLite) Damaged() error {
	if err := l.damage.Load(); err != nil {
		return *err
	}
	return nil
}

// Close closes the file. Closing it again does nothing.
func (l *SQLite) Close() error {
	if l.closed.Swap(true) {
		return nil
	}
	var errs []error
	if l.prepared != nil {
		errs = append(errs, l.prepared.Close())
	}
	// The writer last: its close folds the log into the file.
	for _, db := range []*sql.DB{l.read, l.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// InTx implements Ledger.
func (l *SQLite) InTx(ctx context.Context, f func(tx *sql.Tx) error) error {
	if err := l.inPlace(); err != nil {
		return err
	}
	tx, err := l.write.BeginTx(ctx, nil)
	if err != nil {
		return l.fail("begin a transaction", err)
	}
	defer tx.Rollback() // does nothing after a commit
	if err := f(tx); err != nil {
		return l.classify(err)
	}
	if err := tx.Commit(); err != nil {
		return l.fail("commit", err)
	}
	return nil
}

// inPlace reports by its error a file that is no longer where it was opened: it
// could still be written, and all of that would be lost at the next start.
func (l *SQLite) inPlace() error {
	info, err := os.Stat(l.path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	if !os.SameFile(l.file, info) {
		return fmt.Errorf("%w: another file is in the place of %s: restart", ErrUnwritable, l.path)
	}
	return nil
}

// queries reads.
func (l *SQLite) queries() *sqlitedb.Queries { return sqlitedb.New(l.read) }

// writing is a transaction under way.
type writing struct {
	opts  Options
	q     *sqlitedb.Queries
	ids   *idCache
	pages []alerting.Page // owed by it
}

// change runs f in a transaction. what says in an error what it was for.
func (l *SQLite) change(ctx context.Context, what string, f func(w *writing) error) error {
	w := &writing{opts: l.opts, ids: &l.ids}
	err := l.InTx(ctx, func(tx *sql.Tx) error {
		w.q = l.prepared.WithTx(tx)
		return f(w)
	})
	if err != nil {
		l.ids.forget()
		return fmt.Errorf("%s: %w", what, err)
	}
	l.opts.paged(w.pages)
	return nil
}

// fail is the error of an operation: what it was, and classify.
func (l *SQLite) fail(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, l.classify(err))
}

// classify makes an error wrap ErrUnwritable if the file is why, and ErrDamaged
// besides if that is damaged.
func (l *SQLite) classify(err error) error {
	switch {
	case errors.Is(err, ErrUnwritable), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case damaged(err):
		// Of no use if the folder cannot be written either.
		_ = os.WriteFile(l.path+suspectSuffix, nil, fileMode)
		err = fmt.Errorf("%w: %w: %w", ErrUnwritable, ErrDamaged, err)
		l.damage.CompareAndSwap(nil, &err)
		return err
	case l.closed.Load(), unusable(err):
		return fmt.Errorf("%w: %w", ErrUnwritable, err)
	default:
		return err
	}
}

// Result codes of SQLite (sqlite.org/rescode.html). The low byte of a code is
// its family.
const (
	codePerm, codeBusy, codeLocked = 3, 5, 6
	codeReadOnly, codeIOErr        = 8, 10
	codeCorrupt, codeFull          = 11, 13
	codeCantOpen, codeNotADB       = 14, 26
	codeShortRead                  = codeIOErr | 2<<8
	codeCorruptFS                  = codeIOErr | 33<<8
)

// code is the result code of an SQLite error, 0 for another error.
func code(err error) int {
	if e := (*sqlite.Error)(nil); errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

// damaged reports whether an error says that the file is not a whole database.
func damaged(err error) bool {
	switch c := code(err); {
	case c&0xff == codeCorrupt, c&0xff == codeNotADB, c == codeShortRead, c == codeCorruptFS:
		return true
	}
	return false
}

// unusable reports whether an error is of the file, not of what was asked.
func unusable(err error) bool {
	switch code(err) & 0xff {
	case codePerm, codeBusy, codeLocked, codeReadOnly, codeIOErr, codeFull, codeCantOpen:
		return true
	}
	return errors.Is(err, sql.ErrConnDone)
}

// nanos is a time as it is stored: nanoseconds since 1970, 0 for never.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// timeOf is the time that nanos stored.
func timeOf(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

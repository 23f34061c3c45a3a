package ledger

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/pressly/goose/v3"

	"crosstalk/internal/ledger/sqlitedb"
)

//go:embed migrations/*.sql
var migrations embed.FS

// fileMode keeps the ledger to its owner: it names prompts, accounts and
// incidents.
const fileMode = 0o600

// Open opens the ledger in a file, and makes the file if there is none. A file
// that is damaged is set aside and replaced by an empty one: see Repaired. It
// fails only if a sound file cannot be used, or a new one not be made, and then
// the error wraps ErrUnwritable.
func Open(ctx context.Context, path string, o Options) (*SQLite, error) {
	l, err := open(ctx, path, o)
	if err == nil || o.Attach || !(errors.Is(err, ErrDamaged) || errors.Is(err, fs.ErrNotExist)) {
		return l, err
	}
	repaired, err := replace(ctx, path, o, err)
	if err != nil {
		return nil, err
	}
	if l, err = open(ctx, path, o); err != nil {
		return nil, err
	}
	l.repaired = repaired
	return l, nil
}

// open opens a file that is there and whole, and brings its schema up to date.
func open(ctx context.Context, path string, o Options) (*SQLite, error) {
	if err := whole(path); err != nil {
		return nil, err
	}
	if !o.Attach {
		// A file somebody copied here may be open to all. Another's file
		// stays as it is.
		_ = os.Chmod(path, fileMode)
	}
	l := &SQLite{opts: o, path: path}
	if err := l.connect(ctx); err != nil {
		err = l.fail("open the ledger "+path, err)
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// whole reports by its error a file that cannot be a ledger: none, or one too
// short to have a header. A ledger is put in its place complete, so that one
// without is not the work of a crash of ours. A log without its file is what a
// lost file leaves behind.
func whole(path string) error {
	const header = 100
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
			return fmt.Errorf("open the ledger %s: %w: %w: it is gone, and its log is still there", path, ErrUnwritable, ErrDamaged)
		}
	}
	if err != nil {
		return fmt.Errorf("open the ledger: %w: %w", ErrUnwritable, err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("open the ledger %s: %w: it is not a file", path, ErrUnwritable)
	}
	if info.Size() < header {
		return fmt.Errorf("open the ledger %s: %w: %w: it has %d bytes", path, ErrUnwritable, ErrDamaged, info.Size())
	}
	return nil
}

// connect opens the connections, checks the file and migrates it.
func (l *SQLite) connect(ctx context.Context) error {
	var err error
	if l.file, err = os.Stat(l.path); err != nil {
		return err
	}
	// Opening a pool connects nothing, and so it cannot fail on the file.
	if l.write, err = sql.Open("sqlite", dsn(l.path, "rw", "_txlock=immediate&_pragma=journal_mode(WAL)")); err != nil {
		return err
	}
	l.write.SetMaxOpenConns(1)
	if l.read, err = sql.Open("sqlite", dsn(l.path, "ro", "_query_only=1")); err != nil {
		return err
	}
	const readers = 4
	l.read.SetMaxOpenConns(readers)
	if err := l.check(ctx); err != nil {
		return err
	}
	if err := l.checkEnd(ctx); err != nil {
		return err
	}
	if err := migrate(ctx, l.write); err != nil {
		return err
	}
	l.prepared, err = sqlitedb.Prepare(ctx, l.write)
	return err
}

// dsn names a file with the settings of every connection to it. A commit is
// synced to the disk; a lock that another process holds is waited for.
func dsn(path, mode, more string) string {
	u := url.URL{
		Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(),
		RawQuery: "mode=" + mode + "&_pragma=busy_timeout(5000)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&" + more,
	}
	return u.String()
}

// suspectSuffix makes the name of the file that a ledger leaves when it has met
// damage: the next start looks through everything.
const suspectSuffix = ".suspect"

// check looks through the file for damage.
func (l *SQLite) check(ctx context.Context) error {
	_, err := os.Stat(l.path + suspectSuffix)
	if suspect := err == nil; suspect || l.file.Size() <= l.opts.checkWhole() {
		if err := quickCheck(ctx, l.write, "1"); err != nil {
			return err
		}
		if suspect && !l.opts.Attach {
			_ = os.Remove(l.path + suspectSuffix) // or the next start checks again
		}
		return nil
	}
	rows, err := l.write.QueryContext(ctx, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('prompts', 'sqlite_sequence')")
	if err != nil {
		return err
	}
	tables, err := texts(rows)
	if err != nil {
		return err
	}
	for _, table := range tables {
		if err := quickCheck(ctx, l.write, "'"+table+"'"); err != nil {
			return err
		}
	}
	return nil
}

// quickCheck runs SQLite's own check, over everything or a table.
func quickCheck(ctx context.Context, db *sql.DB, what string) error {
	var verdict string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check("+what+")").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: %w: %s", ErrUnwritable, ErrDamaged, verdict)
	}
	return nil
}

// texts reads rows of one text.
func texts(rows *sql.Rows) ([]string, error) {
	defer rows.Close()
	var list []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, rows.Err()
}

// checkEnd looks for a last page that is cut: SQLite would fill it up with zeros
// and call it sound. A crash may leave one too, but then the log still has the
// page, and folding the log in makes it whole.
func (l *SQLite) checkEnd(ctx context.Context) error {
	var pageSize int64
	if err := l.write.QueryRowContext(ctx, "PRAGMA page_size").Scan(&pageSize); err != nil {
		return err
	}
	for folded := false; ; folded = true {
		info, err := os.Stat(l.path)
		if err != nil {
			return err
		}
		if info.Size()%pageSize == 0 {
			return nil
		}
		if folded {
			return fmt.Errorf("%w: %w: its %d bytes are not whole pages of %d", ErrUnwritable, ErrDamaged, info.Size(), pageSize)
		}
		if _, err := l.write.ExecContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)"); err != nil {
			return err
		}
	}
}

// migrate brings the schema up to date. It is looked at first: most starts find
// it so, and need no lock.
func migrate(ctx context.Context, db *sql.DB) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, files)
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("bring the schema up to date: %w", err)
	}
	return nil
}

// create makes an empty ledger in a file, complete and closed. f, if not nil, is
// the first that happens in it.
func create(ctx context.Context, path string, o Options, f func(w *writing) error) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return fmt.Errorf("make the ledger: %w: %w", ErrUnwritable, err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("make the ledger: %w: %w", ErrUnwritable, err)
	}
	o.Paged = nil // it is not in its place yet
	l := &SQLite{opts: o, path: path}
	if err := l.connect(ctx); err != nil {
		return errors.Join(l.fail("make the ledger "+path, err), l.Close())
	}
	if f != nil {
		err = l.change(ctx, "make the ledger "+path, f)
	}
	return errors.Join(err, l.Close())
}

// Repaired tells of a damaged ledger that was set aside.
type Repaired struct {
	At time.Time
	// Path is the ledger, SetAside are the files that were in its place.
	Path     string
	SetAside []string
	Reason   string
}

// String is a sentence for a log.
func (r Repaired) String() string {
	return fmt.Sprintf("the ledger %s was damaged (%s) and is begun anew; what was left of it is in %v: "+
		"pages may repeat, open incidents and the spend of today are forgotten", r.Path, r.Reason, r.SetAside)
}

// ControlName is the name under which the ledger reports on itself: a damaged
// file that was set aside opens an incident about the prober on it.
const ControlName = "ledger"

// ControlRejudgement is the name under which a daemon reports that what it called
// a disclosure did not come out the same way twice. Only a person ends that.
const ControlRejudgement = "rejudgement"

// replace puts a new ledger in the place of one that is damaged or not there.
// The new one is made complete beside it, with the page about the damage in it,
// and put in place in one step, so that no crash loses that page. It returns nil
// if there was nothing to set aside.
func replace(ctx context.Context, path string, o Options, cause error) (*Repaired, error) {
	at := o.now().UTC()
	fresh := fmt.Sprintf("%s.new-%d-%d", path, os.Getpid(), at.UnixNano())
	defer removeAll(fresh)
	if !errors.Is(cause, ErrDamaged) {
		if err := create(ctx, fresh, o, nil); err != nil {
			return nil, err
		}
		// Link fails if another process was faster: its file is as good.
		if err := os.Link(fresh, path); err == nil || errors.Is(err, fs.ErrExist) {
			return nil, syncFolder(path)
		}
		return nil, putInPlace(fresh, path)
	}
	aside := fmt.Sprintf("%s.damaged-%s", path, at.Format("20060102T150405.000000000"))
	r := &Repaired{At: at, Path: path, Reason: cause.Error()}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if _, err := os.Stat(path + suffix); err == nil {
			r.SetAside = append(r.SetAside, aside+suffix)
		}
	}
	err := create(ctx, fresh, o, func(w *writing) error { return w.repaired(ctx, *r) })
	if err != nil {
		return nil, err
	}
	// The log must go first: one that is not its own would be played into the
	// new file.
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Rename(path+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("set the damaged ledger aside: %w: %w", ErrUnwritable, err)
		}
	}
	if err := os.Link(path, aside); err != nil {
		// No links here: there is a moment without a file, and a start in
		// that moment makes an empty one.
		if err := os.Rename(path, aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("set the damaged ledger aside: %w: %w", ErrUnwritable, err)
		}
	}
	if err := putInPlace(fresh, path); err != nil {
		return nil, err
	}
	_ = os.Remove(path + suspectSuffix) // mostly it is not there
	return r, nil
}

// repaired records what became of the file before, and owes the page about it.
func (w *writing) repaired(ctx context.Context, r Repaired) error {
	err := w.event(ctx, Event{At: r.At, Kind: EventRepair, Reason: "damaged", Detail: r.String()})
	if err != nil {
		return err
	}
	return w.control(ctx, controlOf(r))
}

// putInPlace renames a file and makes sure that it stays so.
func putInPlace(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return fmt.Errorf("put the ledger in its place: %w: %w", ErrUnwritable, err)
	}
	return syncFolder(to)
}

// syncFolder syncs the folder of a file: its name is on the disk then.
func syncFolder(path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("sync the folder of the ledger: %w: %w", ErrUnwritable, err)
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil {
		return fmt.Errorf("sync the folder of the ledger: %w: %w", ErrUnwritable, err)
	}
	return nil
}

// removeAll removes a database that was not put in place.
func removeAll(path string) {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		_ = os.Remove(path + suffix) // mostly it is not there
	}
}

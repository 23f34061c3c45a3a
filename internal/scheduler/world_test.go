package scheduler

import (
	"context"
	"database/sql"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"go.uber.org/goleak"
	_ "modernc.org/sqlite"

	"crosstalk/checks"
	"crosstalk/internal/ledger"
	"crosstalk/internal/pipeline"
	"crosstalk/internal/report"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// book is a ledger of what the scheduler needs: in memory, but for the slots,
// which are in the database if there is one.
type book struct {
	db *sql.DB // nil: in memory

	mu     sync.Mutex
	broken error // of InTx
	slots  map[key]time.Time
	paused map[string]bool
	events []ledger.Event
}

func newBook(db *sql.DB) *book {
	return &book{db: db, slots: map[key]time.Time{}, paused: map[string]bool{}}
}

func (b *book) InTx(ctx context.Context, f func(tx *sql.Tx) error) error {
	b.mu.Lock()
	broken := b.broken
	b.mu.Unlock()
	if broken != nil {
		return broken
	}
	if b.db == nil {
		return f(nil)
	}
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func (b *book) LastSlot(ctx context.Context, probe, target string) (time.Time, error) {
	if b.db == nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.slots[key{probe, target}], nil
	}
	var nanos int64
	err := b.db.QueryRowContext(ctx, `SELECT last FROM schedule WHERE probe = ? AND target = ?`, probe, target).Scan(&nanos)
	if err == sql.ErrNoRows {
		return time.Time{}, nil
	}
	return time.Unix(0, nanos), err
}

func (b *book) SetSlot(ctx context.Context, tx *sql.Tx, probe, target string, slot time.Time) error {
	if b.db == nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.slots[key{probe, target}] = slot
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO schedule VALUES (?, ?, ?)`, probe, target, slot.UnixNano())
	return err
}

func (b *book) Paused(_ context.Context, target string) (ledger.PauseRecord, bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return ledger.PauseRecord{Target: target, By: "kim", Reason: "drill"}, b.paused[target], nil
}

func (b *book) pause(target string, on bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.paused[target] = on
}

func (b *book) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.broken = err
}

func (b *book) Record(_ context.Context, e ledger.Event) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, e)
	return nil
}

// reasons counts the recorded events of a kind by reason.
func (b *book) reasons(kind string) map[Reason]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := map[Reason]int{}
	for _, e := range b.events {
		if e.Kind == kind {
			n[Reason(e.Reason)]++
		}
	}
	return n
}

// openDB opens a database file as the ledger does, with the book's table.
func openDB(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=busy_timeout(5000)&_pragma=synchronous(NORMAL)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec(`CREATE TABLE IF NOT EXISTS schedule (probe, target, last, PRIMARY KEY (probe, target))`); err != nil {
		t.Fatal(err)
	}
	return db
}

func tempDB(t *testing.T) *sql.DB { return openDB(t, filepath.Join(t.TempDir(), "test.db")) }

// on sets the options to a database.
func on(db *sql.DB, o Options) Options {
	o.Driver, o.Ledger = riversqlite.New(db), newBook(db)
	return o
}

// ran is one round as a test sees it.
type ran struct {
	target string
	at     time.Time
}

// stage records rounds in place of running them.
type stage struct {
	mu    sync.Mutex
	began []ran
	// play is what a round does; nil: it is sound and takes no time.
	play func(ctx context.Context, target string) (*report.Outcome, error)
}

// newScheduler is a scheduler whose rounds are played on the stage. Options
// without a ledger get one in memory.
func (st *stage) newScheduler(t *testing.T, o Options, entries ...Entry) *Scheduler {
	t.Helper()
	if o.Instance == "" {
		o.Instance = "test"
	}
	if o.Ledger == nil {
		o.Ledger = newBook(nil)
	}
	s, err := New(o, entries)
	if err != nil {
		t.Fatal(err)
	}
	s.rounds = func(ctx context.Context, _ *run, e *Entry, _ *pipeline.Site, _ probes.Probe) ([]*report.Outcome, error) {
		target := e.Site.Target.Name
		s.rules.started(e.key())
		st.mu.Lock()
		st.began = append(st.began, ran{target, time.Now()})
		play := st.play
		st.mu.Unlock()
		o, err := outcome(target, checks.Sound, nil), error(nil)
		if play != nil {
			o, err = play(ctx, target)
		}
		if o == nil {
			return nil, err
		}
		s.heard(ctx, e, o)
		return []*report.Outcome{o}, err
	}
	return s
}

// rounds are the rounds that began at a target, "" for all.
func (st *stage) rounds(target string) []ran {
	st.mu.Lock()
	defer st.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(st.began), func(r ran) bool { return target != "" && r.target != target })
}

// start runs the scheduler and returns what stops it.
func start(t *testing.T, s *Scheduler) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	return func() {
		t.Helper()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// local is an entry for a target on this machine.
func local(target string, every time.Duration) Entry {
	s, err := Parse(Spec{Every: every, Key: Key("pulse", target, "test"), Floor: time.Millisecond})
	if err != nil {
		panic(err) // the test is wrong
	}
	return Entry{
		Probe:    probes.Pulse{},
		Schedule: s,
		Site: &pipeline.Site{
			Target:  probes.Target{Name: target, Window: 32768, Loopback: true},
			Tenants: []tenants.Tenant{{Name: "alpha", Index: 1}, {Name: "bravo", Index: 2}},
		},
	}
}

// outcome is a round of one exchange of tenant alpha, of that class.
func outcome(target string, class checks.Class, failure *provider.Failure) *report.Outcome {
	x := &probes.Exchange{
		ID: uuid.New(), Intent: probes.Intent{Tenant: "alpha", Role: probes.RoleMain},
		Response: &provider.Response{Status: 200, Failure: failure},
	}
	return &report.Outcome{
		Round:  &probes.Round{ID: uuid.New(), Plan: probes.Plan{Target: target}, Exchanges: []*probes.Exchange{x}},
		Report: checks.Report{Verdicts: []checks.Verdict{{Exchange: x.ID, Class: class}}},
	}
}

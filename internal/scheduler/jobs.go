package scheduler

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
)

const (
	queue = "turns"
	// attempts of a job: the first, and one more if the process dies in it.
	attempts = 2
	// The queue is asked for jobs this often: half of it is the mean lag of a
	// turn behind its slot.
	fetchEvery    = 500 * time.Millisecond
	fetchCooldown = 50 * time.Millisecond
	// slack is what the queue waits beyond the longest turn before it cuts a
	// job's context, and again before it takes the job for dead.
	slack = time.Minute
)

// turnArgs name a slot's turn. They are the job's identity: no two jobs have
// the same, for the day that River keeps a finished one. Beyond that the
// schedule's last slot sees to it.
type turnArgs struct {
	Probe  string    `json:"probe"`
	Target string    `json:"target"`
	Slot   time.Time `json:"slot"`
	Extra  string    `json:"extra,omitempty"` // why it is on no schedule
}

// Kind implements river.JobArgs.
func (turnArgs) Kind() string { return "turn" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (turnArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{
		Queue: queue, MaxAttempts: attempts,
		UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: rivertype.JobStates()},
	}
}

// worker runs turns. It returns no error: whatever became of the round has been
// recorded, and another attempt would not be the first answer.
type worker struct {
	river.WorkerDefaults[turnArgs]
	s *Scheduler
}

// Work implements river.Worker.
func (w *worker) Work(ctx context.Context, job *river.Job[turnArgs]) error {
	if !w.s.wasTaken(job.Args) {
		w.s.turn(ctx, job.Args, job.Attempt)
	}
	return nil
}

// newClient sets up River. Its own periodic jobs and retries are not used.
func (s *Scheduler) newClient() (*river.Client[*sql.Tx], error) {
	workers := river.NewWorkers()
	if err := river.AddWorkerSafely(workers, &worker{s: s}); err != nil {
		return nil, fmt.Errorf("job queue: %w", err)
	}
	client, err := river.NewClient(s.options.Driver, &river.Config{
		ID:      s.clientID(),
		Workers: workers,
		// Turns do not wait for one another, so there is no bound to choose:
		// one that hangs must not take a place from one that would not.
		Queues:               map[string]river.QueueConfig{queue: {MaxWorkers: river.QueueNumWorkersMax}},
		FetchPollInterval:    fetchEvery,
		FetchCooldown:        fetchCooldown,
		JobTimeout:           s.options.MaxRound + slack,
		RescueStuckJobsAfter: s.options.MaxRound + 2*slack,
		MaxAttempts:          attempts,
		Logger:               slog.New(above{s.options.Log.Handler(), slog.LevelWarn}),
	})
	if err != nil {
		return nil, fmt.Errorf("job queue: %w", err)
	}
	return client, nil
}

func (s *Scheduler) clientID() string { return "crosstalk-" + s.options.Instance }

// startQueue starts the queue, or logs why it could not.
func (s *Scheduler) startQueue(ctx context.Context) {
	s.tried = time.Now()
	if s.client == nil {
		return
	}
	err := s.migrate(ctx)
	if err == nil {
		err = s.release(ctx)
	}
	if err == nil {
		// The client outlives ctx: stop ends it in order.
		err = s.client.Start(context.WithoutCancel(ctx))
	}
	if err != nil {
		s.options.Log.Error("job queue not started: probing without it", "err", err)
		return
	}
	s.queueUp.Store(true)
}

// migrate brings River's tables up to date.
func (s *Scheduler) migrate(ctx context.Context) error {
	logger := slog.New(above{s.options.Log.Handler(), slog.LevelWarn})
	m, err := rivermigrate.New(s.options.Driver, &rivermigrate.Config{Logger: logger})
	if err != nil {
		return fmt.Errorf("job queue tables: %w", err)
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("job queue tables: %w", err)
	}
	return nil
}

// release takes up the jobs that an earlier process of this instance left
// running: they get their second attempt now rather than when the queue takes
// them for dead. Those that were in it are given up.
func (s *Scheduler) release(ctx context.Context) error {
	const most = 10_000
	list, err := s.client.JobList(ctx, river.NewJobListParams().Kinds(turnArgs{}.Kind()).States(rivertype.JobStateRunning).First(most))
	if err != nil {
		return fmt.Errorf("list jobs left running: %w", err)
	}
	rescue := &riverdriver.JobRescueManyParams{StuckHorizon: time.Now().Add(time.Second)}
	for _, job := range list.Jobs {
		if n := len(job.AttemptedBy); n == 0 || job.AttemptedBy[n-1] != s.clientID() {
			continue
		}
		if err := s.releaseJob(ctx, rescue, job); err != nil {
			return err
		}
	}
	if len(rescue.ID) == 0 {
		return nil
	}
	if _, err := s.options.Driver.GetExecutor().JobRescueMany(ctx, rescue); err != nil {
		return fmt.Errorf("release jobs left running: %w", err)
	}
	return nil
}

// releaseJob adds a job to those to be rescued.
func (s *Scheduler) releaseJob(ctx context.Context, rescue *riverdriver.JobRescueManyParams, job *rivertype.JobRow) error {
	now := time.Now()
	why := rivertype.AttemptError{At: now, Attempt: job.Attempt, Error: "the process ended during this attempt"}
	text, err := json.Marshal(why)
	if err != nil {
		return fmt.Errorf("describe job %d: %w", job.ID, err)
	}
	state, finalized, then := rivertype.JobStateAvailable, (*time.Time)(nil), "another follows"
	if job.Attempt >= job.MaxAttempts {
		state, finalized, then = rivertype.JobStateDiscarded, &now, "no other follows"
	}
	rescue.ID = append(rescue.ID, job.ID)
	rescue.Error = append(rescue.Error, text)
	rescue.FinalizedAt = append(rescue.FinalizedAt, finalized)
	rescue.ScheduledAt = append(rescue.ScheduledAt, now)
	rescue.State = append(rescue.State, string(state))
	var args turnArgs
	if err := json.Unmarshal(job.EncodedArgs, &args); err == nil {
		s.skipped(ctx, key{args.Probe, args.Target}, &skip{
			ReasonInterrupted,
			fmt.Sprintf("the daemon ended during attempt %d of slot %s; %s", job.Attempt, args.Slot.Format(time.RFC3339), then),
		})
	}
	return nil
}

// above hands on what is at least that grave.
type above struct {
	slog.Handler
	least slog.Level
}

// Enabled implements slog.Handler.
func (a above) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= a.least && a.Handler.Enabled(ctx, l)
}

// WithAttrs implements slog.Handler.
func (a above) WithAttrs(attrs []slog.Attr) slog.Handler {
	return above{a.Handler.WithAttrs(attrs), a.least}
}

// WithGroup implements slog.Handler.
func (a above) WithGroup(name string) slog.Handler { return above{a.Handler.WithGroup(name), a.least} }

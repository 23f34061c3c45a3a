package ledger

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"crosstalk/alerting"
	"crosstalk/checks"
	"crosstalk/internal/ledger/sqlitedb"
	"crosstalk/internal/pipeline"
	"crosstalk/probes"
)

// target is the row of a target: what is known of it and the state of its
// incidents.
type target struct {
	name    string
	known   pipeline.Known // without its response ids: they have a table
	state   alerting.TargetState
	resumed time.Time
}

// target reads the row of a target within a transaction. What cannot be read,
// because a bit of it has turned, is begun anew and said: a target must not go
// unwatched for it.
func (w *writing) target(ctx context.Context, name string) (target, error) {
	row, err := w.q.GetTarget(ctx, name)
	if errors.Is(err, sql.ErrNoRows) {
		return target{name: name, state: alerting.TargetState{Target: name}}, nil
	}
	if err != nil {
		return target{}, err
	}
	t, err := readTarget(row)
	if err == nil {
		return t, nil
	}
	return t, w.event(ctx, Event{
		At: w.opts.now(), Kind: EventRepair, Target: name, Reason: "unreadable",
		Detail: "what was known of the target, or its open incidents, could not be read and is begun anew: you may see repeats",
	})
}

// readTarget is a row as values; a part that cannot be read is empty.
func readTarget(row sqlitedb.Target) (target, error) {
	t := target{name: row.Target, resumed: timeOf(row.Resumed)}
	known := json.Unmarshal([]byte(row.Known), &t.known)
	if known != nil {
		t.known = pipeline.Known{}
	}
	state := json.Unmarshal([]byte(row.Alerting), &t.state)
	if state != nil {
		t.state = alerting.TargetState{Target: row.Target}
	}
	return t, errors.Join(known, state)
}

// putTarget writes the row of a target.
func (w *writing) putTarget(ctx context.Context, t target) error {
	t.known.IDs = nil
	known, err := json.Marshal(t.known)
	if err != nil {
		return fmt.Errorf("what is known of target %s: %w", t.name, err)
	}
	state, err := json.Marshal(t.state)
	if err != nil {
		return fmt.Errorf("state of target %s: %w", t.name, err)
	}
	return w.q.PutTarget(ctx, sqlitedb.PutTargetParams{
		Target: t.name, Known: string(known), Alerting: string(state), Resumed: nanos(t.resumed),
	})
}

// Known implements pipeline.Store.
func (l *SQLite) Known(ctx context.Context, name string) (pipeline.Known, error) {
	row, err := l.queries().GetTarget(ctx, name)
	if errors.Is(err, sql.ErrNoRows) {
		return pipeline.Known{}, nil
	}
	if err != nil {
		return pipeline.Known{}, l.fail("read what is known of target "+name, err)
	}
	t, _ := readTarget(row) // the next Save says what could not be read
	t.known.IDs, err = l.ids.get(ctx, l.queries(), name)
	if err != nil {
		return pipeline.Known{}, l.fail("read the response ids of target "+name, err)
	}
	return t.known, nil
}

// State implements Ledger.
func (l *SQLite) State(ctx context.Context, name string) (alerting.TargetState, error) {
	row, err := l.queries().GetTarget(ctx, name)
	if errors.Is(err, sql.ErrNoRows) {
		return alerting.TargetState{}, nil
	}
	if err != nil {
		return alerting.TargetState{}, l.fail("read the state of target "+name, err)
	}
	t, _ := readTarget(row)
	return t.state, nil
}

// keptLost is how many rounds with a lost seal are kept of a target.
const keptLost = 32

// learn merges what a round has taught with what is stored: rounds of one
// target overlap, and each knows only what was known when it began.
func (w *writing) learn(ctx context.Context, t target, s Settled) (pipeline.Known, error) {
	k := s.Known
	k.Stopped = mergeStops(t, s)
	k.Lost = maps.Clone(k.Lost)
	for round, cells := range t.known.Lost {
		if k.Lost == nil {
			k.Lost = map[uuid.UUID][]probes.Cell{}
		}
		if _, ok := k.Lost[round]; !ok {
			k.Lost[round] = cells
		}
	}
	oldest := slices.SortedFunc(maps.Keys(k.Lost), byTime)
	for _, round := range oldest[:max(0, len(oldest)-keptLost)] {
		delete(k.Lost, round)
	}
	return k, w.ids.add(ctx, w.q, t.name, s.Known.IDs)
}

// mergeStops are the bands stopped after a round: those it suspects, those
// stored, and those it knew of, unless a person has lifted them meanwhile.
func mergeStops(t target, s Settled) []string {
	var bands []string
	add := func(band string) {
		if !slices.Contains(bands, band) {
			bands = append(bands, band)
		}
	}
	for _, b := range t.known.Stopped {
		add(b)
	}
	if !t.resumed.After(s.Round.Begun) {
		for _, b := range s.Known.Stopped {
			add(b)
		}
	}
	for _, x := range s.Observation.Sightings {
		if x.Class == checks.Foreign {
			add(x.Cell.Length)
		}
	}
	return bands
}

// byTime orders UUIDs of version 7: by the time at which they were made.
func byTime(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) }

// keptIDs is how many response ids are kept of a target.
const keptIDs = 2048

// idCache holds the response ids of each target, which would otherwise be read
// for every round. Only this process adds to them. Its maps are never changed
// once they are in it.
type idCache struct {
	mu       sync.Mutex
	byTarget map[string]map[string]uuid.UUID
}

// get is the ids of a target; they must not be changed.
func (c *idCache) get(ctx context.Context, q *sqlitedb.Queries, name string) (map[string]uuid.UUID, error) {
	c.mu.Lock()
	ids, ok := c.byTarget[name]
	c.mu.Unlock()
	if ok {
		return ids, nil
	}
	rows, err := q.ListResponseIDs(ctx, sqlitedb.ListResponseIDsParams{Target: name, Most: keptIDs})
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		if ids == nil {
			ids = map[string]uuid.UUID{}
		}
		if x, err := uuid.Parse(r.ExchangeID); err == nil {
			ids[r.ID] = x
		}
	}
	c.set(name, ids)
	return ids, nil
}

func (c *idCache) set(name string, ids map[string]uuid.UUID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byTarget == nil {
		c.byTarget = map[string]map[string]uuid.UUID{}
	}
	c.byTarget[name] = ids
}

// forget empties the cache: what it holds may not have been committed.
func (c *idCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byTarget = nil
}

// add writes the ids that are new. Of too many, the older half goes.
func (c *idCache) add(ctx context.Context, q *sqlitedb.Queries, name string, known map[string]uuid.UUID) error {
	old, err := c.get(ctx, q, name)
	if err != nil {
		return err
	}
	fresh := map[string]uuid.UUID{}
	for id, x := range known {
		if _, ok := old[id]; ok || !identifier(id) {
			continue
		}
		fresh[id] = x
		err := q.InsertResponseID(ctx, sqlitedb.InsertResponseIDParams{Target: name, ID: id, ExchangeID: x.String()})
		if err != nil {
			return err
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	maps.Copy(fresh, old)
	if len(fresh) > keptIDs {
		byAge := slices.SortedFunc(maps.Values(fresh), byTime)
		before := byAge[len(byAge)-keptIDs/2]
		maps.DeleteFunc(fresh, func(_ string, x uuid.UUID) bool { return byTime(x, before) < 0 })
		_, err = q.PruneResponseIDs(ctx, sqlitedb.PruneResponseIDsParams{Target: name, Before: before.String()})
	}
	c.set(name, fresh)
	return err
}

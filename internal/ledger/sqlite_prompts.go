package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/internal/ledger/sqlitedb"
	"crosstalk/tenants"
)

// Seen implements Ledger.
func (l *SQLite) Seen(ctx context.Context, p tenants.Payload) (bool, error) {
	n, err := l.queries().CountPayload(ctx, sqlitedb.CountPayloadParams{
		Minted: int64(p.Second), Draw: int64(p.Draw), Tenant: int64(p.Tenant),
	})
	if err != nil {
		return false, l.fail("look for a request", err)
	}
	return n > 0, nil
}

// Prompt implements Ledger.
func (l *SQLite) Prompt(ctx context.Context, exchange uuid.UUID) (checks.PromptRef, error) {
	row, err := l.queries().GetPrompt(ctx, exchange.String())
	if errors.Is(err, sql.ErrNoRows) {
		return checks.PromptRef{}, notFound("prompt of exchange", exchange)
	}
	if err != nil {
		return checks.PromptRef{}, l.fail("read a prompt", err)
	}
	p, err := newSpecs().ref(sqlitedb.ListPromptsRow(row))
	return p, l.fail("read a prompt", err)
}

// Lookback implements pipeline.Store. A prompt whose record has been damaged is
// left out.
func (l *SQLite) Lookback(ctx context.Context, since time.Time) ([]checks.PromptRef, error) {
	refs, err := l.prompts.since(ctx, l.queries(), since.Unix()-tenants.Epoch.Unix())
	if err != nil {
		return nil, l.fail("look back", err)
	}
	return refs, nil
}

// promptCache holds the prompts of the look-back. Each round asks for a whole
// day of them, of which all but the last seconds are the same as before; so only
// those are read from the file, and another process may write there too.
type promptCache struct {
	mu    sync.Mutex
	from  int64              // the second from which refs is whole
	refs  []checks.PromptRef // oldest first; nil: nothing is cached
	specs specs
}

// unsettled is how many seconds a prompt may be late: it is minted before it is
// written.
const unsettled = 120

// since returns the prompts minted at a second or later, newest first.
func (c *promptCache) since(ctx context.Context, q *sqlitedb.Queries, second int64) ([]checks.PromptRef, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	from := second
	if c.refs != nil && second >= c.from {
		old, _ := slices.BinarySearchFunc(c.refs, second, bySecond)
		c.refs = slices.Delete(c.refs, 0, old)
		if n := len(c.refs); n > 0 {
			from = max(second, int64(c.refs[n-1].Payload.Second)-unsettled)
		}
		keep, _ := slices.BinarySearchFunc(c.refs, from, bySecond)
		c.refs = c.refs[:keep]
	} else {
		c.refs = nil
	}
	rows, err := q.ListPrompts(ctx, from)
	if err != nil {
		c.refs = nil
		return nil, err
	}
	if c.specs == nil || len(c.specs) > maxSpecs {
		c.specs = newSpecs()
	}
	c.from = second
	for _, row := range rows {
		if p, err := c.specs.ref(row); err == nil {
			c.refs = append(c.refs, p)
		}
	}
	newest := slices.Clone(c.refs)
	slices.Reverse(newest)
	return newest, nil
}

// forget empties the cache: something older than its newest may have been
// written.
func (c *promptCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refs = nil
}

func bySecond(p checks.PromptRef, second int64) int {
	return int(max(-1, min(1, int64(p.Payload.Second)-second)))
}

// specs are the specs read so far, by their text: many prompts have the same.
type specs map[string]corpus.Spec

const maxSpecs = 1 << 12

func newSpecs() specs { return specs{} }

// ref is a row as a prompt.
func (s specs) ref(row sqlitedb.ListPromptsRow) (checks.PromptRef, error) {
	spec, ok := s[row.Spec]
	if !ok {
		if err := json.Unmarshal([]byte(row.Spec), &spec); err != nil {
			return checks.PromptRef{}, fmt.Errorf("spec of exchange %s: %w", row.ExchangeID, err)
		}
		s[row.Spec] = spec
	}
	return checks.PromptRef{
		Exchange: parseID(row.ExchangeID),
		Payload:  tenants.Payload{Tenant: uint16(row.Tenant), Second: uint32(row.Minted), Draw: uint16(row.Draw)},
		Spec:     spec,
		Key:      row.KeyID,
	}, nil
}

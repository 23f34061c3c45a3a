package simulator

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// job is one request inside the engine.
type job struct {
	truth  *Truth
	prompt *draft
	budget int // tokens the answer may have
	by     *origin
	rng    *rand.Rand
	model  model
	struck map[string]Fault // faults that strike this request
	body   time.Time        // when the request body had been read

	// rejected says that admission refused the prompt and that the request
	// goes on nevertheless: the seed fault.
	rejected bool
	// lost says that a fault took seals or the question out of the prompt.
	lost bool
}

// strikes returns the fault of that name if it strikes this request.
func (j *job) strikes(name string) (Fault, bool) {
	f, ok := j.struck[name]
	return f, ok
}

// mark records that a fault had an effect.
func (j *job) mark(name string) { j.truth.Faults = append(j.truth.Faults, name) }

// refusal is an answer of the engine that is not 200.
type refusal struct {
	status  int
	message string
}

func (r *refusal) Error() string { return r.message }

// replica is one copy of the engine: a prefill side and a decode side.
type replica struct {
	id       int
	opts     *Options
	prefill  *pool
	decode   *pool
	inFlight atomic.Int32
	batch    batch

	mu    sync.Mutex
	slots []slot
}

// slot is a row of the decode batch.
type slot struct {
	busy bool
	used bool
	last answer // of the request it served last
}

func newReplica(id int, opts *Options) *replica {
	seed := opts.Seed + uint64(id)<<32
	return &replica{
		id:      id,
		opts:    opts,
		prefill: newPool(opts.PrefillPool, opts.Reuse, seed),
		decode:  newPool(opts.DecodePool+2*pageTokens, opts.Reuse, seed+1),
		slots:   make([]slot, opts.Slots),
	}
}

// maxInput is the longest prompt the scheduler admits, exclusive.
func (o *Options) maxInput() int { return min(o.Window-1, o.PrefillPool-1) - 5 }

// admit checks the length of a prompt. A prompt longer than the prefill pool is
// refused by a sound engine. With the seed fault it is only marked rejected,
// and the request goes on.
func (e *replica) admit(j *job, maxNew int) error {
	limit, tokens := e.opts.Window, j.prompt.tokens
	switch {
	case tokens >= limit:
		return &refusal{400, fmt.Sprintf("The input (%d tokens) is longer than the model's context length (%d tokens).", tokens, limit)}
	case tokens+maxNew > limit:
		return &refusal{400, fmt.Sprintf("Requested token count exceeds the model's maximum context length of %d tokens. You requested a total of %d tokens: %d tokens from the input messages and %d tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.", limit, tokens+maxNew, tokens, maxNew)}
	}
	fault, seed := j.strikes(FaultSeed)
	switch pool := orDefault(fault.Pool, e.opts.PrefillPool); {
	case seed && tokens >= pool-6:
		j.rejected = true
		return nil
	case tokens < e.opts.maxInput():
		return nil
	}
	return &refusal{400, fmt.Sprintf("Input length (%d tokens) exceeds the maximum allowed length (%d tokens). Use a shorter input or enable --allow-auto-truncate.", tokens, e.opts.maxInput())}
}

// run takes a job through prefill, transfer and the model. The returned release
// must be called when the answer has been sent: it leaves the answer in the
// decode pages, where the next reader of a stale page may find it, and frees
// them.
func (e *replica) run(ctx context.Context, j *job, refill func(*pool)) (a answer, release func(), err error) {
	sent := j.prompt.tokens
	refill(e.prefill)
	table, err := e.fillPrefill(ctx, j)
	if err != nil {
		return answer{}, nil, err
	}
	if err := e.computePrefill(ctx, j); err != nil {
		e.prefill.give(table)
		return answer{}, nil, err
	}

	// Decode reserves pages for the length of the prompt as it was sent: it
	// tokenised it itself and was told of no rejection.
	refill(e.decode)
	target, err := e.decode.take(ctx, pagesFor(sent)+pagesFor(j.budget))
	if err != nil {
		e.prefill.give(table)
		return answer{}, nil, err
	}
	e.transfer(table, target, j.by, j.rejected)
	e.prefill.give(table)

	r := e.decode.read(target, sent)
	j.truth.count(r, j.by)
	a = j.model.answer(r, sent)
	output := a.content
	return a, func() {
		e.leave(target[pagesFor(sent):], output, j.by)
		e.decode.give(target)
	}, nil
}

// fillPrefill writes the prompt into pages of the prefill pool. Of a rejected
// request only the placeholder is left. Pages that skip-prefill passes over
// keep what an earlier request wrote.
func (e *replica) fillPrefill(ctx context.Context, j *job) ([]int32, error) {
	if j.rejected {
		j.mark(FaultSeed)
		j.lost = true
		table, err := e.prefill.take(ctx, 1)
		if err == nil {
			e.prefill.pages[table[0]].overlay(j.by)
			j.truth.Prefilled = 1
		}
		return table, err
	}
	n := j.prompt.pages()
	table, err := e.prefill.take(ctx, n)
	if err != nil {
		return nil, err
	}
	skipped := 0
	if f, ok := j.strikes(FaultSkipPrefill); ok {
		if skipped = int(f.Share * float64(n)); skipped > 0 {
			j.mark(FaultSkipPrefill)
			j.lost = true
		}
	}
	for i := skipped; i < n; i++ {
		text, tokens := j.prompt.page(i)
		e.prefill.pages[table[i]].write(text, tokens, j.by)
		j.truth.Prefilled += tokens
	}
	return table, nil
}

// computePrefill takes the time that prefill takes, counted from the end of
// the request body.
func (e *replica) computePrefill(ctx context.Context, j *job) error {
	seconds := float64(j.truth.Prefilled) / (e.opts.PrefillRate * e.opts.Speed)
	seconds *= 1 + e.opts.Jitter*j.rng.ExpFloat64()
	return sleepUntil(ctx, j.body.Add(time.Duration(seconds*float64(time.Second))))
}

// transfer copies the prefilled pages to the decode side. Pages of target
// beyond the table are left as they are. The placeholder of a rejected request
// is one token: the rest of its page is left as well.
func (e *replica) transfer(table, target []int32, by *origin, rejected bool) {
	if rejected {
		e.decode.pages[target[0]].overlay(by)
		return
	}
	for i, from := range table {
		p := &e.prefill.pages[from]
		if p.origin == nil { // nothing was ever written there
			e.decode.pages[target[i]].write(nil, 0, nil)
			continue
		}
		e.decode.pages[target[i]].write(p.text, p.tokens, p.origin)
	}
}

// leave writes the answer into the pages reserved for it.
func (e *replica) leave(pages []int32, text string, by *origin) {
	d := newDraft(e.opts.Tokens, len(pages)*pageTokens, int64(len(text)))
	d.write(text)
	d.flush()
	for i := range min(d.pages(), len(pages)) {
		text, tokens := d.page(i)
		e.decode.pages[pages[i]].write(text, tokens, by)
	}
}

// seat gives a request a slot: the lowest free one, or one to share if all are
// taken.
func (e *replica) seat(seq uint64) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range e.slots {
		if !e.slots[i].busy {
			e.slots[i].busy = true
			return i
		}
	}
	return int(seq % uint64(len(e.slots)))
}

// unseat frees a slot and leaves the answer in it.
func (e *replica) unseat(i int, a answer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.slots[i] = slot{used: true, last: a}
}

// stale returns the answer left in a slot.
func (e *replica) stale(i int) (answer, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.slots[i].last, e.slots[i].used
}

// batch is where the answers of concurrent requests can get mixed up.
type batch struct {
	mu      sync.Mutex
	waiting *seat
}

// seat is a request that waits to be mixed up with another.
type seat struct {
	mine, theirs answer
	done         chan struct{}
}

// swapWait is how long a request stays in the batch for a second one to be
// exchanged with.
const swapWait = time.Second

// exchange gives mine to another request and returns that one's answer. Only a
// seeking request waits; any other may be taken by one that does.
func (b *batch) exchange(ctx context.Context, mine answer, seeking bool) (theirs answer, swapped bool) {
	b.mu.Lock()
	if w := b.waiting; w != nil {
		b.waiting = nil
		w.theirs = mine
		close(w.done)
		b.mu.Unlock()
		return w.mine, true
	}
	if !seeking {
		b.mu.Unlock()
		return mine, false
	}
	w := &seat{mine: mine, done: make(chan struct{})}
	b.waiting = w
	b.mu.Unlock()

	timer := time.NewTimer(swapWait)
	defer timer.Stop()
	select {
	case <-w.done:
		return w.theirs, true
	case <-timer.C:
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == w {
		b.waiting = nil
		return mine, false
	}
	return w.theirs, true
}

// sleepUntil waits until t or until ctx ends.
func sleepUntil(ctx context.Context, t time.Time) error {
	wait := time.Until(t)
	if wait <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

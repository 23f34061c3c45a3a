package simulator

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
)

// Reuse names the order in which a pool gives out freed pages.
type Reuse string

const (
	ReuseLIFO   Reuse = "lifo"   // the page freed last is given out first
	ReuseFIFO   Reuse = "fifo"   // the page freed first is given out first
	ReuseRandom Reuse = "random" // any free page
	// ReuseOff gives out pages in the order they were freed, but empties
	// each before it is used again. No stale page can be read then: every
	// fault that depends on one has nothing foreign to show.
	ReuseOff Reuse = "off"
)

// origin is who wrote a page.
type origin struct {
	request  string // X-Request-Id
	tenant   string
	stranger bool
}

// page is what one page of a pool holds. It stays until somebody writes over
// it; freeing a page does not empty it. origin is nil if nobody ever wrote it.
type page struct {
	text   []byte
	tokens int
	origin *origin
}

// write replaces the content of the page.
func (p *page) write(text []byte, tokens int, by *origin) {
	p.text = append(p.text[:0], text...)
	p.tokens, p.origin = tokens, by
}

// overlay writes a single token without text over the first slot of the page
// and leaves the other 63 as they were.
func (p *page) overlay(by *origin) {
	if len(p.text) == 0 {
		p.tokens, p.origin = 1, by
		return
	}
	n, _ := lex(p.text)
	p.text = append(p.text[:0], p.text[n:]...)
}

// pool is the KV memory of one side of one replica. A page belongs to whoever
// was given it until it is freed; only its owner touches its content, so
// content needs no lock.
type pool struct {
	pages []page
	reuse Reuse

	mu      sync.Mutex
	free    []int32 // a ring: count entries from head on
	head    int
	count   int
	isFree  []bool
	rng     *rand.Rand
	waiting []*waiter

	// due are pages that strangers have still to write over, in the order in
	// which they were freed; each page is in it once at most, see isDue. A
	// page given out again stays in it.
	due   []int32
	isDue []bool
}

// waiter is a request that waits for pages.
type waiter struct {
	n     int
	given []int32 // set before ready is closed
	ready chan struct{}
}

// newPool returns a pool of so many tokens, nothing written yet.
func newPool(tokens int, reuse Reuse, seed uint64) *pool {
	n := max(pagesFor(tokens), 1)
	p := &pool{
		pages:  make([]page, n),
		reuse:  reuse,
		free:   make([]int32, n),
		isFree: make([]bool, n),
		isDue:  make([]bool, n),
		rng:    rand.New(rand.NewPCG(seed, 0x706f6f6c)),
	}
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	p.push(all)
	return p
}

// take gives out n pages, waiting in line until so many are free.
func (p *pool) take(ctx context.Context, n int) ([]int32, error) {
	if n > len(p.pages) {
		return nil, fmt.Errorf("%d pages asked of a pool of %d", n, len(p.pages))
	}
	p.mu.Lock()
	if len(p.waiting) == 0 && p.count >= n {
		given := p.pop(n)
		p.mu.Unlock()
		return given, nil
	}
	w := &waiter{n: n, ready: make(chan struct{})}
	p.waiting = append(p.waiting, w)
	p.mu.Unlock()

	select {
	case <-w.ready:
		return w.given, nil
	case <-ctx.Done():
		p.leave(w)
		return nil, ctx.Err()
	}
}

// leave takes a waiter out of the line, giving back what it was given in the
// meantime.
func (p *pool) leave(w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, other := range p.waiting {
		if other == w {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			p.serve()
			return
		}
	}
	p.push(w.given)
	p.serve()
}

// give frees pages. Their content stays where it is.
func (p *pool) give(pages []int32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.push(pages)
	p.serve()
}

// serve hands pages to those in line, in turn, as long as there are enough.
func (p *pool) serve() {
	for len(p.waiting) > 0 && p.waiting[0].n <= p.count {
		w := p.waiting[0]
		p.waiting = p.waiting[1:]
		w.given = p.pop(w.n)
		close(w.ready)
	}
}

// push puts pages among the free ones, so that a run given out again comes in
// the order in which it was written.
func (p *pool) push(pages []int32) {
	for i := range pages {
		page := pages[i]
		if p.reuse == ReuseLIFO {
			page = pages[len(pages)-1-i]
		}
		p.free[(p.head+p.count)%len(p.free)] = page
		p.count++
	}
	for _, i := range pages {
		p.isFree[i] = true
		if o := p.pages[i].origin; !p.isDue[i] && (o == nil || !o.stranger) {
			p.isDue[i] = true
			p.due = append(p.due, i)
		}
	}
}

// pop takes n pages out of the free ones.
func (p *pool) pop(n int) []int32 {
	given := make([]int32, n)
	for i := range given {
		at := p.head
		switch p.reuse {
		case ReuseLIFO:
			at = (p.head + p.count - 1) % len(p.free)
		case ReuseRandom:
			other := (p.head + p.rng.IntN(p.count)) % len(p.free)
			p.free[at], p.free[other] = p.free[other], p.free[at]
		}
		given[i] = p.free[at]
		if p.reuse != ReuseLIFO {
			p.head = (p.head + 1) % len(p.free)
		}
		p.count--
		p.isFree[given[i]] = false
		if p.reuse == ReuseOff {
			p.pages[given[i]].write(nil, 0, nil)
		}
	}
	return given
}

// overwrite calls write for free pages that no stranger wrote last until at most
// spare of them are left, drawn by lot among those that tenants wrote; blank
// ones are never spared. The pool is locked meanwhile.
func (p *pool) overwrite(spare int, write func(*page)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	left, tenants := p.due[:0], 0
	for _, i := range p.due {
		if p.isFree[i] && p.pages[i].origin != nil {
			tenants++
		}
	}
	for _, i := range p.due {
		p.isDue[i] = false
		if !p.isFree[i] {
			continue // it comes again when it is freed
		}
		if p.pages[i].origin != nil {
			keep := p.rng.IntN(tenants) < spare
			if tenants--; keep {
				spare--
				p.isDue[i] = true
				left = append(left, i)
				continue
			}
		}
		write(&p.pages[i])
	}
	p.due = left
}

// census counts the free pages by who wrote them last.
func (p *pool) census() (tenants, strangers, blank int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.pages {
		switch o := p.pages[i].origin; {
		case !p.isFree[i]:
		case o == nil:
			blank++
		case o.stranger:
			strangers++
		default:
			tenants++
		}
	}
	return tenants, strangers, blank
}

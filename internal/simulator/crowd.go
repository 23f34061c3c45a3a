package simulator

import (
	"math/rand/v2"
	"sync"
)

// crowd is everybody else who uses the service: it keeps a stock of their
// texts, already tokenised, and writes them over the pages that tenants have
// freed.
type crowd struct {
	mu     sync.Mutex
	rng    *rand.Rand
	texts  *strangers
	stock  []*draft
	size   int // bytes of text in stock
	target int // bytes of text wanted in stock
	tokens Tokenizer
	by     *origin
}

// newCrowd returns a crowd that keeps about target bytes of text in stock.
func newCrowd(seed uint64, tokens Tokenizer, target int) *crowd {
	return &crowd{
		rng:    rand.New(rand.NewPCG(seed, 0x63726f7764)),
		texts:  newStrangers(seed),
		target: target,
		tokens: tokens,
		by:     &origin{stranger: true},
	}
}

// restock makes new texts: as many as are missing at first, one each time
// after that.
func (c *crowd) restock() {
	for c.size < c.target {
		d := c.one()
		c.stock = append(c.stock, d)
		c.size += len(d.text)
	}
	i := c.rng.IntN(len(c.stock))
	c.size -= len(c.stock[i].text)
	c.stock[i] = c.one()
	c.size += len(c.stock[i].text)
}

// one is the traffic of one stranger, filled up to whole pages by the next
// ones: a page is never half a stranger's and half a tenant's.
func (c *crowd) one() *draft {
	d := newDraft(c.tokens, 64*pageTokens, 0)
	for d.tokens == 0 || d.tokens%pageTokens > 0 && d.pages() < 3 {
		d.write(c.texts.next().Text)
		d.write("\n")
		d.template(templateTokens)
	}
	return d
}

// refill writes strangers' texts over free pages of a pool until at most
// (1-share) of all its pages hold anything else, and leaves none blank. Which
// tenants' pages survive is drawn by lot.
func (c *crowd) refill(p *pool, share float64) {
	if share <= 0 || p.reuse == ReuseOff {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.restock()
	var doc *draft
	next := 0
	// The small summand is for shares such as 0.9, which are not exact.
	spare := int((1-min(share, 1))*float64(len(p.pages)) + 1e-6)
	p.overwrite(spare, func(g *page) {
		if doc == nil || next == doc.pages() {
			doc, next = c.stock[c.rng.IntN(len(c.stock))], 0
		}
		text, tokens := doc.page(next)
		g.write(text, tokens, c.by)
		next++
	})
}

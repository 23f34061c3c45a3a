package simulator

// pageTokens is the number of tokens in a page of a pool.
const pageTokens = 64

// draft is a tokenised prompt on its way into the prefill pool: the text of
// its tokens in order, and where every 64th of them ends. It is written to
// piece by piece while the request body arrives.
type draft struct {
	text   []byte
	ends   []int // offset in text after each full page
	tokens int   // recognised so far, template included
	by     Tokenizer
	limit  int // tokens kept as text; later ones are only counted
	at     int // text[:at] has been turned into tokens
}

// newDraft returns an empty draft that keeps at most limit tokens of text.
// hint is the expected size of the text in bytes, 0 if unknown.
func newDraft(tokenizer Tokenizer, limit int, hint int64) *draft {
	limit = pagesFor(limit) * pageTokens
	size := min(max(hint, 512), int64(limit)*8, 64<<20)
	return &draft{text: make([]byte, 0, size), by: tokenizer, limit: limit}
}

// write adds text. The tokens do not depend on how the text is cut into
// writes.
func (d *draft) write(p string) {
	d.text = append(d.text, p...)
	d.scan(false)
}

// flush turns what is left into tokens: the text ends here.
func (d *draft) flush() { d.scan(true) }

// template adds n tokens of a chat template: they count and take room in the
// pages, but have no text that a model would repeat.
func (d *draft) template(n int) {
	d.flush()
	for range n {
		d.token()
	}
}

// scan recognises tokens up to the point where the next one could still grow.
func (d *draft) scan(final bool) {
	for {
		rest := d.text[d.at:]
		if len(rest) == 0 || !final && len(rest) < lookahead {
			break
		}
		n, parts := d.by.cut(rest)
		d.emit(rest, n, parts)
	}
	if d.tokens > d.limit {
		d.forget()
	}
}

// emit counts the n bytes at the front of rest as so many tokens, cut at rune
// boundaries.
func (d *draft) emit(rest []byte, n, parts int) {
	base := d.at
	for i := 1; i < parts; i++ {
		cut := n * i / parts
		for cut < n && rest[cut]&0xC0 == 0x80 {
			cut++
		}
		d.at = base + cut
		d.token()
	}
	d.at = base + n
	d.token()
}

func (d *draft) token() {
	d.tokens++
	if d.tokens%pageTokens == 0 && d.tokens <= d.limit {
		d.ends = append(d.ends, d.at)
	}
}

// forget drops the text of tokens beyond the limit, keeping what has not been
// recognised yet.
func (d *draft) forget() {
	kept := 0
	if len(d.ends) > 0 {
		kept = d.ends[len(d.ends)-1]
	}
	if kept < d.at {
		d.text = append(d.text[:kept], d.text[d.at:]...)
		d.at = kept
	}
}

// pages is the number of pages the draft fills, the last one perhaps in part.
func (d *draft) pages() int { return pagesFor(min(d.tokens, d.limit)) }

// page returns the text of page i and its number of tokens.
func (d *draft) page(i int) (text []byte, tokens int) {
	from := 0
	if i > 0 {
		from = d.ends[i-1]
	}
	if i < len(d.ends) {
		return d.text[from:d.ends[i]], pageTokens
	}
	return d.text[from:d.at], min(d.tokens, d.limit) - i*pageTokens
}

// cut returns a draft of the pages [from, to) and after them [again, end), as
// a gateway leaves a prompt that it has shortened in silence.
func (d *draft) cut(from, to, again, end int) *draft {
	c := &draft{by: d.by, limit: d.limit}
	for _, span := range [][2]int{{from, to}, {again, end}} {
		for i := span[0]; i < span[1]; i++ {
			text, tokens := d.page(i)
			c.text = append(c.text, text...)
			c.at = len(c.text)
			for range tokens {
				c.token()
			}
		}
	}
	return c
}

// prefixHash is a hash of the first 256 tokens: two prompts with the same hash
// share their beginning, the later one is warm.
func (d *draft) prefixHash() uint64 {
	h := uint64(14695981039346656037)
	for i := range min(4, d.pages()) {
		text, _ := d.page(i)
		for _, c := range text {
			h = (h ^ uint64(c)) * 1099511628211
		}
	}
	return h
}

// pagesFor is the number of pages that so many tokens need.
func pagesFor(tokens int) int { return (tokens + pageTokens - 1) / pageTokens }

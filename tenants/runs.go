package tenants

// Run is a run of consecutive words of the marker list, each different.
type Run struct {
	Words      int
	Start, End int // byte offsets into the text
}

// maxRuns is the number of runs from which on those that overlap are joined: in a
// text that repeats a marker over and over nearly every word begins one.
const maxRuns = 1 << 16

// Runs finds the maximal runs of at least min different list words in text:
// the gate of every fragment search. A marker never repeats a word, so that a
// repetition ends a run; the next run begins behind the word's first place, and
// the two overlap. Numbers and words of one or two letters, such as those of list
// items, do not interrupt a run. No run of five
// was seen in 35 million words of ordinary text. Behind the first 65,536 runs
// those that overlap are one Run.
func Runs(text string, min int) []Run {
	r := runner{least: max(min, 1)}
	sift(text, r.sifter(text))
	return r.runs
}

// sifter finds the stretches of listed words.
func (r *runner) sifter(text string) *sifter {
	return &sifter{text: text, need: r.least, stretch: func(from, to int) {
		for t := range tokens(text, from, to) {
			r.read(t)
		}
		r.end()
	}}
}

// runner finds the runs in rows of tokens.
type runner struct {
	least int
	runs  []Run
	// open are the tokens of the run that is open. The first of them has number
	// first, counted from 0 over all rows; at is, by word of the list, the number
	// where it stood last, plus one.
	open  []token
	first int
	at    [listSize]int
	fresh int // tokens of the open run that are in no run noted yet
}

// read takes the next token of a row.
func (r *runner) read(t token) {
	if t.index < 0 {
		r.end()
		return
	}
	if earlier := r.at[t.index]; earlier > r.first {
		r.emit()
		r.open, r.first = r.open[earlier-r.first:], earlier
	}
	r.open = append(r.open, t)
	r.fresh++
	r.at[t.index] = r.first + len(r.open)
}

// end ends the run that is open, and the row.
func (r *runner) end() {
	r.emit()
	r.first += len(r.open)
	r.open, r.fresh = r.open[:0], 0
}

// emit notes the run that is open, if it is long enough.
func (r *runner) emit() {
	n := len(r.open)
	if n < r.least {
		return
	}
	run := Run{Words: n, Start: int(r.open[0].start), End: int(r.open[n-1].end)}
	if last := len(r.runs) - 1; last >= maxRuns-1 && run.Start < r.runs[last].End {
		r.runs[last].Words += r.fresh
		r.runs[last].End = run.End
	} else {
		r.runs = append(r.runs, run)
	}
	r.fresh = 0
}

package checks

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"crosstalk/internal/words"
)

// A sampler with a fault strews letters of other scripts into a right answer,
// between its words and inside them. What is left when they are taken out is the
// answer, so neither the pieces of its words nor the letters among them are
// anybody else's: such an answer is spoilt, and not a stranger's.

const (
	// maxStrewn is the longest run of letters that counts as strewn in, in
	// characters: some tokens in one place. A sentence in a script without
	// spaces is longer.
	maxStrewn = 24
	// maxStrewnText is the longest text that is looked at, bytes; a right
	// answer is shorter.
	maxStrewnText = 64 << 10
)

// explainStrewn marks the runs of the right answer's words that come out when
// the letters of other scripts are dropped, with the letters among them and
// around them on their lines.
func (r *reading) explainStrewn(seals []seal) {
	if len(r.text) > maxStrewnText || len(seals) == 0 || isASCII(r.text) {
		return
	}
	mended, from := withoutStrewn(r.text)
	if from == nil {
		return
	}
	all := words.Scan(mended)
	for _, o := range occurrences(seals, all) {
		start, end := from[all[o.from].Start], from[all[o.from+o.n-1].End-1]+1
		if end-start > all[o.from+o.n-1].End-all[o.from].Start {
			r.strewn = true
			r.markBytes(start, end, answerWord)
		}
	}
	if r.strewn {
		r.explainAmong()
	}
}

// explainAmong marks the short runs of foreign letters on lines with words of
// the answer. They weigh nothing.
func (r *reading) explainAmong() {
	for from := 0; from < len(r.words); {
		to, answered := from+1, r.kinds[from] == answerWord
		for to < len(r.words) && !strings.Contains(r.text[r.words[to-1].End:r.words[to].Start], "\n") {
			answered = answered || r.kinds[to] == answerWord
			to++
		}
		for i := from; answered && i < to; i++ {
			w := r.words[i]
			if n, letters := strewnRun(r.text[w.Start:w.End]); n == w.End-w.Start && letters <= maxStrewn {
				r.mark(i, i+1, neutralWord)
			}
		}
		from = to
	}
}

// withoutStrewn is the text without its short runs of letters that are not
// Latin. from tells where each of its bytes stood; nil when nothing was dropped.
func withoutStrewn(text string) (mended string, from []int) {
	var b strings.Builder
	keep := func(start, end int) {
		b.WriteString(text[start:end])
		for i := start; i < end; i++ {
			from = append(from, i)
		}
	}
	dropped := false
	for at := 0; at < len(text); {
		n, letters := strewnRun(text[at:])
		switch {
		case n == 0:
			_, n = utf8.DecodeRuneInString(text[at:])
			keep(at, at+n)
		case letters > maxStrewn:
			keep(at, at+n)
		default:
			dropped = true
		}
		at += n
	}
	if !dropped {
		return "", nil
	}
	return b.String(), from
}

// strewnRun is the length of the run of letters of other scripts than Latin that
// begins a text, in bytes and in letters.
func strewnRun(text string) (n, letters int) {
	for n < len(text) {
		c, size := utf8.DecodeRuneInString(text[n:])
		if c < utf8.RuneSelf || unicode.Is(unicode.Latin, c) || !unicode.IsLetter(c) && !unicode.IsMark(c) {
			break
		}
		n += size
		letters++
	}
	return n, letters
}

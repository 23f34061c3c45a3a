package checks

import (
	"strings"
	"unicode"
)

// Manuals speak of lines, lists, formats and values as talk about our task does,
// so that word by word little tells them apart. What they lack is any contact
// with the task: in a whole paragraph of them there is no seal, no document, and
// nobody who says "I" or "the user". A healthy train of thought is hardly ever
// so distant for so long. A paragraph is judged as a whole, not by its densest
// part, since every long train of thought has some odd sentence.
//
// Measured, paragraphs of 25 words and more of the Go tree, three quarters of
// which had no part in choosing the bounds: beside an answer 97 in 100 reach
// theirs, as reasoning 96. Chatter of 18 words and more (testdata/lawful) never
// does; of trains of thought written to be hard 1 in 13, as two paragraphs of
// one do when they are cut up small.
const (
	minParagraph        = 18.0 // words from which on a lack of contact means something
	minParagraphScore   = 4.0  // nats, beside an answer
	minParagraphThought = 2.0  // nats, in reasoning
	natsDistance        = 0.1  // for each word without contact
	natsSelf            = -4.0 // for each word of somebody thinking
	// A paragraph among others that are about the task may well stray.
	natsCompany = 6.0
	minCompany  = 3 // words about the task, or of somebody thinking, around it
)

// selfWords are said by who thinks about a task, and not by manuals or records.
var selfWords = map[string]bool{
	"i": true, "me": true, "my": true, "mine": true, "myself": true, "let": true, "lets": true,
	"user": true, "wait": true, "hmm": true, "ok": true, "okay": true, "alright": true, "so": true,
}

// paragraph is a part of a text that is judged as a whole.
type paragraph struct {
	start, end         int // bytes
	words, unexplained float64
	score              float64 // nats for another author
}

// strangest is the paragraph that speaks most strongly for another author, of
// those that are long enough and no noise; ok is false when none reaches bound.
// In company the bound is higher.
func (r *reading) strangest(bound float64) (most paragraph, ok bool) {
	for from := 0; from < len(r.words); {
		to := r.paragraphEnd(from)
		p := r.paragraph(from, to)
		if r.company(from, to) {
			p.score -= natsCompany
		}
		from = to
		if p.words < minParagraph || p.score < bound || ok && p.score <= most.score {
			continue
		}
		if noiseShare(r.text[p.start:p.end]) < 0.5 {
			most, ok = p, true
		}
	}
	return most, ok
}

// company reports whether the words outside a range are about the task.
func (r *reading) company(from, to int) bool {
	n := 0
	for i := 0; i < len(r.words) && n < minCompany; i++ {
		if i == from {
			i = to
			if i == len(r.words) {
				break
			}
		}
		if r.kinds[i] == coreWord || selfWords[r.words[i].Text] {
			n++
		}
	}
	return n >= minCompany
}

// paragraphEnd is the word behind the paragraph that begins at a word. It ends
// at an empty line, at a line with a part of the answer, and with a line that
// ends a sentence when it has words enough.
func (r *reading) paragraphEnd(from int) int {
	words, answered := 0.0, false
	for i := from; i < len(r.words); i++ {
		if i > from {
			gap := r.text[r.words[i-1].End:r.words[i].Start]
			if breaks := strings.Count(gap, "\n"); breaks > 0 {
				if strings.Count(strings.Map(dropBlanks, gap), "\n\n") > 0 || answered || r.answersLine(i) {
					return i
				}
				if words >= minParagraph && strings.ContainsAny(gap[:strings.IndexByte(gap, '\n')], ".!?:。！？") {
					return i
				}
			}
		}
		words += r.weight(i)
		answered = answered || r.kinds[i] == answerWord
	}
	return len(r.words)
}

// dropBlanks keeps line feeds, and makes of anything else that is no blank one
// character, so that empty lines are two line feeds in a row.
func dropBlanks(c rune) rune {
	switch {
	case c == '\n':
		return c
	case unicode.IsSpace(c):
		return -1
	default:
		return '.'
	}
}

// answersLine reports whether the line that a word begins has a word of the
// answer.
func (r *reading) answersLine(word int) bool {
	for i := word; i < len(r.words); i++ {
		if i > word && strings.Contains(r.text[r.words[i-1].End:r.words[i].Start], "\n") {
			return false
		}
		if r.kinds[i] == answerWord {
			return true
		}
	}
	return false
}

// paragraph weighs the words of a range.
func (r *reading) paragraph(from, to int) paragraph {
	p := paragraph{start: r.words[from].Start, end: r.words[to-1].End}
	seen := map[string]bool{}
	for i := from; i < to; i++ {
		w := r.weight(i)
		p.words += w
		p.score += w * (r.nats(i, seen) + natsDistance)
		if r.kinds[i] == unexplained {
			p.unexplained += w
		}
		if selfWords[r.words[i].Text] {
			p.score += natsSelf
		}
	}
	return p
}

package checks

import (
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"crosstalk/corpus"
	"crosstalk/internal/words"
	"crosstalk/probes"
)

// wordKind says what explains a word of an answer.
type wordKind uint8

const (
	unexplained  wordKind = iota
	promptWord            // a word of the own prompt, but in no passage of it
	neutralWord           // numbers and single letters: anybody's
	thinkingWord          // talk of no subject, lawful in reasoning only
	functionWord          // the small words of a language: anybody's too
	registerWord          // the vocabulary of talk about a task
	politeWord            // politeness, and what it is about
	coreWord              // the words of our task
	passageWord           // in a passage of the own prompt
	answerWord            // part of a seal or of the right answer
)

// reading is a text word by word, each with what explains it.
type reading struct {
	text  string
	words []words.Word
	kinds []wordKind
	seals []occurrence // runs of seal words, in order
	// strewn holds when more such runs come out without the letters strewn
	// into them.
	strewn bool
	// secret is shared with the clones: it does not depend on the kinds.
	secret *secretPlaces
}

// read is the reading of a channel of the response.
func (s *subject) read(c Channel) *reading {
	r, ok := s.readings[c]
	if !ok {
		r = newReading(s.text(c), s.sealIndex())
		if len(s.seals) == 0 {
			r.explainAnswer(s.expected())
		}
		r.explainStrewn(s.rightParts())
		r.explainMarkers(s, c)
		r.explainRegister(c == ChannelReasoning)
		if slices.Contains(r.kinds, unexplained) {
			r.explainPassages(s.passages(c))
			r.explainVocabulary(s.x.Prompt)
		}
		s.readings[c] = r
	}
	return r
}

func newReading(text string, seals sealIndex) *reading {
	r := &reading{text: text, words: scanWindows(text), secret: &secretPlaces{}}
	r.kinds = make([]wordKind, len(r.words))
	r.seals = seals.in(r.words)
	for _, o := range r.seals {
		r.mark(o.from, o.from+o.n, answerWord)
	}
	vocabulary := map[string]bool{}
	for _, s := range seals.seals {
		for _, w := range s.words {
			vocabulary[w] = true
		}
	}
	for i, w := range r.words {
		if vocabulary[w.Text] {
			r.kinds[i] = answerWord // a seal's words quoted one by one
		}
	}
	return r
}

func (r *reading) clone() *reading {
	c := *r
	c.kinds = slices.Clone(r.kinds)
	return &c
}

func (r *reading) mark(from, to int, k wordKind) {
	for i := from; i < to; i++ {
		if r.kinds[i] == unexplained || r.kinds[i] == promptWord {
			r.kinds[i] = k
		}
	}
}

// markBytes marks the words that lie within a range of bytes.
func (r *reading) markBytes(start, end int, k wordKind) {
	from := r.wordAt(start)
	to := from
	for to < len(r.words) && r.words[to].End <= end {
		to++
	}
	r.mark(from, to, k)
}

// wordAt is the first word that begins at or behind a byte.
func (r *reading) wordAt(offset int) int {
	i, _ := slices.BinarySearchFunc(r.words, offset, func(w words.Word, at int) int { return w.Start - at })
	return i
}

// explainAnswer marks the words of the right answer wherever three of them, or
// all, stand in a row.
func (r *reading) explainAnswer(expected string) {
	right := seal{words: foldedWords(expected)}
	if len(right.words) == 0 {
		return
	}
	for _, o := range occurrences([]seal{right}, r.words) {
		r.mark(o.from, o.from+o.n, answerWord)
	}
}

func (r *reading) explainPassages(spans []corpus.Span) {
	for _, p := range spans {
		r.markBytes(p.Start, p.End, passageWord)
	}
}

// vocabularySample is how much of a prompt is read for its vocabulary, bytes. Our
// filler has used its whole lexicon by then.
const vocabularySample = 256 << 10

// explainVocabulary marks the single words of the own prompt: an account of the
// document in other words is made of them, and so is a wrong answer to an open
// question. They weigh nothing either way.
func (r *reading) explainVocabulary(p probes.Prompt) {
	source, ok := p.(interface{ Reader() io.Reader })
	if !ok {
		return
	}
	sample, err := io.ReadAll(io.LimitReader(source.Reader(), vocabularySample))
	if err != nil {
		return
	}
	vocabulary := map[string]bool{}
	for _, w := range words.Scan(string(sample)) {
		vocabulary[w.Text] = true
	}
	for i, w := range r.words {
		if r.kinds[i] == unexplained && vocabulary[w.Text] {
			r.kinds[i] = promptWord
		}
	}
}

// explainMarkers marks every marker and every run of words that looks like one:
// it is our answer format. Foreign ones have checks of their own.
func (r *reading) explainMarkers(s *subject, c Channel) {
	for _, h := range s.markers(c) {
		r.markBytes(h.Start, h.End, answerWord)
	}
	for _, run := range s.listRuns(c) {
		r.markBytes(run.Start, run.End, answerWord)
	}
}

// explainRegister gives every word that is left its kind in the register.
func (r *reading) explainRegister(thinking bool) {
	reg := chatter()
	for i, w := range r.words {
		if r.kinds[i] != unexplained {
			continue
		}
		switch {
		case isNeutral(w.Text), mixesScripts(w.Text):
			r.kinds[i] = neutralWord
		case unspaced(w.Text):
			if 3*reg.unexplainedRunes(w.Text) <= utf8.RuneCountInString(w.Text) {
				r.kinds[i] = coreWord
			}
		default:
			r.kinds[i] = reg.kind(w.Text)
			if r.kinds[i] == thinkingWord && !thinking {
				r.kinds[i] = unexplained
			}
		}
	}
}

// isNeutral holds for numbers of one or two digits, as they number things, and
// for single letters.
func isNeutral(word string) bool {
	letters, digits := 0, 0
	for _, c := range word {
		if unicode.IsDigit(c) {
			digits++
		} else {
			letters++
		}
	}
	return letters == 0 && digits <= 2 || digits == 0 && letters == 1 && word[0] < utf8.RuneSelf ||
		digits > 0 && letters <= 2 && digits+letters <= 4 // "1st", "3rd", "k2"
}

// mixesScripts holds for a word with letters of Latin and of another alphabet: a
// spoilt word, which is damage, and not one that a stranger wrote.
func mixesScripts(word string) bool {
	latin, other := false, false
	for _, c := range word {
		if unicode.IsLetter(c) {
			latin = latin || unicode.Is(unicode.Latin, c)
			other = other || !unicode.Is(unicode.Latin, c)
		}
	}
	return latin && other
}

// unspaced holds for words of scripts that put no space between words: they are
// weighed by their length.
func unspaced(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// weight is how many words the i-th word counts for.
func (r *reading) weight(i int) float64 {
	if w := r.words[i].Text; unspaced(w) {
		return float64(words.Count(w))
	}
	return 1
}

// nats is the weight of a word as evidence that somebody else wrote it: the
// logarithm of how much likelier its kind is in a stranger's text than in
// chatter, rounded towards nothing. Measured shares, texts of strangers (letters,
// manuals, records) against chatter and reasoning: unexplained 30-60 % to 3 %,
// register 15-25 % to 35 %, core 0.5 % to 10 %; function words are alike.
func (k wordKind) nats() float64 {
	switch k {
	case unexplained:
		return 2.0
	case functionWord:
		return -0.1
	case registerWord, politeWord, thinkingWord:
		return -0.6
	case coreWord:
		return -2.7
	case passageWord, answerWord:
		return -3
	default:
		return 0
	}
}

// natsRepeated is the weight of an unexplained word that was there before: one
// odd word may be a habit.
const natsRepeated = 0.5

// natsSecret is the weight of an address, a telephone number or a key.
const natsSecret = 6.0

// natsName is added for an unexplained word with a capital inside a sentence.
const natsName = 0.7

// nats is the weight of a word in its place; seen are the unexplained words
// before it.
func (r *reading) nats(i int, seen map[string]bool) float64 {
	w := r.words[i]
	switch {
	case r.kinds[i] != unexplained:
		return r.kinds[i].nats()
	case seen[w.Text]:
		return natsRepeated
	}
	seen[w.Text] = true
	first, _ := utf8.DecodeRuneInString(r.text[w.Start:w.End])
	if i > 0 && unicode.IsUpper(first) && strings.TrimLeft(r.text[r.words[i-1].End:w.Start], " ") == "" {
		return unexplained.nats() + natsName
	}
	return unexplained.nats()
}

// stretch is the part of a reading that speaks most strongly for another
// author: the segment of highest sum of weights. Its score grows with the
// length of foreign text and not with that of the chatter around it.
type stretch struct {
	from, to    int // words
	start, end  int // bytes
	score       float64
	words       float64 // running words
	unexplained float64
	secrets     int
}

// stretch finds that part; the zero stretch when every word is explained.
func (r *reading) stretch() stretch {
	secrets, seen := r.secrets(), map[string]bool{}
	var best, cur stretch
	for i := range r.words {
		if cur.score <= 0 {
			cur = stretch{from: i}
		}
		w := r.weight(i)
		cur.words += w
		if r.kinds[i] == unexplained {
			cur.unexplained += w
		}
		cur.score += w * r.nats(i, seen)
		if secrets[i] {
			cur.secrets++
			cur.score += natsSecret
		}
		if cur.to = i + 1; cur.score > best.score {
			best = cur
		}
	}
	if best.to > best.from {
		best.start, best.end = r.words[best.from].Start, r.words[best.to-1].End
	}
	return best
}

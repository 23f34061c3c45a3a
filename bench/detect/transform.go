package detect

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"

	"crosstalk/checks"
	"crosstalk/tenants"
)

// transform makes cases of one row out of sound answers.
type transform struct {
	class, name string
	want        []checks.Class
	kinds       []string // "check/kind", one of which must be found
	bar         float64
	change      func(s *sound)
	// from is whose content a leak is; nil: nobody's.
	from func(s *sound) tenants.Payload
}

// Classes a label may name.
var (
	damaged = []checks.Class{checks.Damaged}
	leak    = []checks.Class{checks.Leak}
	foreign = []checks.Class{checks.Foreign}
	spoilt  = []checks.Class{checks.Damaged, checks.Foreign}
	correct = []checks.Class{checks.Sound, checks.Degraded}
	// lawful is anything that raises no alarm.
	lawful = []checks.Class{checks.Sound, checks.Degraded, checks.Inconclusive}
	// suspect is short evidence: at least damaged, a leak when it is enough.
	suspect = []checks.Class{checks.Damaged, checks.Leak, checks.Foreign}
)

// known is the bar for every corruption of an answer that is known.
const known = 0.99

// transforms lists every row of the corpus in the order of the table.
func transforms() []transform {
	var all []transform
	for _, rows := range [][]transform{
		constantRows(), loopRows(), scriptRows(), copyRows(), contentRows(), lossRows(), emptyRows(), markupRows(),
		encodingRows(), blankRows(), protocolRows(), leakRows(), lawfulRows(), openRows(),
	} {
		all = append(all, rows...)
	}
	return all
}

// Corpus makes n cases for each row, the same for the same seed.
func Corpus(n int, seed uint64) (iter.Seq[Case], error) {
	w, err := newWorld()
	if err != nil {
		return nil, err
	}
	return func(yield func(Case) bool) {
		for k, t := range transforms() {
			r := rand.New(rand.NewPCG(seed, uint64(k)))
			for i := range n {
				if !yield(t.make(w, r, i)) {
					return
				}
			}
		}
	}, nil
}

func (t transform) make(w *world, r *rand.Rand, i int) Case {
	s := w.newSound(r)
	s.number = i
	t.change(s)
	c := Case{
		ID: fmt.Sprintf("%s/%s/%d", t.class, strings.ReplaceAll(t.name, " ", "-"), i), Class: t.class, Row: t.name,
		Want: t.want, Kinds: t.kinds, Bar: t.bar, In: s.input(w),
	}
	if t.from != nil {
		c.Origin = t.from(s).Request()
	}
	return c
}

// pick is one of several.
func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// content replaces the answer.
func content(f func(s *sound, text string) string) func(*sound) {
	return func(s *sound) { s.reply.Content = f(s, s.reply.Content) }
}

// head is a good beginning of an answer: a tenth to eight tenths, at a blank.
func (s *sound) head(text string) string {
	n := len(text) * (1 + s.r.IntN(8)) / 10
	for n < len(text) && text[n] != ' ' && text[n] != '\n' {
		n++
	}
	return text[:n]
}

// lines are the lines of the right answer.
func (s *sound) lines() []string { return strings.Split(s.reply.Content, "\n") }

// seal is the text of a marker of a prompt, drawn.
func (s *sound) seal(a asked) string {
	m := a.prompt.Markers()
	return m[s.r.IntN(len(m))].Text
}

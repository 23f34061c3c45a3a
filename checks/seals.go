package checks

import (
	"slices"
	"strings"

	"crosstalk/corpus"
	"crosstalk/internal/words"
	"crosstalk/probes"
	"crosstalk/tenants"
)

// seal is one thing the answer must hold: a marker of the prompt, or a line of
// a recorded right answer.
type seal struct {
	number int // from 1
	words  []string
	depth  float64 // 0 to 1; -1 when not known
}

// sealsOf returns what the answer must hold, in order of their number; nothing
// for a task that is not ours.
func sealsOf(x *probes.Exchange) []seal {
	if x.Prompt == nil {
		return nil
	}
	if t, ok := x.Prompt.(corpus.Text); ok {
		return recordedSeals(t)
	}
	var all []seal
	for _, m := range x.Prompt.Markers() {
		all = append(all, seal{number: m.Number, words: foldedWords(m.Text), depth: m.Depth})
	}
	return all
}

// rightParts are the seals, or the whole right answer of a task that has none.
func (s *subject) rightParts() []seal {
	if right := foldedWords(s.expected()); len(s.seals) == 0 && len(right) > 0 {
		return []seal{{words: right, depth: -1}}
	}
	return s.seals
}

// recordedSeals reads the seals of a recorded exchange off its right answer.
func recordedSeals(t corpus.Text) []seal {
	switch recordedTask(t) {
	case corpus.TaskEcho:
		return []seal{{number: 1, words: foldedWords(t.Answer), depth: -1}}
	case corpus.TaskSeals:
	default:
		return nil
	}
	var all []seal
	for line := range strings.Lines(t.Answer) {
		n, rest, ok := cutLineNumber(fold(strings.TrimSpace(line)))
		if !ok {
			n = len(all) + 1
		}
		if w := foldedWords(rest); len(w) > 0 {
			all = append(all, seal{number: n, words: w, depth: -1})
		}
	}
	slices.SortStableFunc(all, func(a, b seal) int { return a.number - b.number })
	return all
}

// recordedTask is the task of a recorded exchange. Where it is not stated, a
// right answer in which most lines are numbered marker phrases is as good as a
// statement.
func recordedTask(t corpus.Text) corpus.Task {
	if t.Kind != "" {
		return t.Kind
	}
	lines, phrases := 0, 0
	for line := range strings.Lines(t.Answer) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		lines++
		_, _, numbered := cutLineNumber(fold(strings.TrimSpace(line)))
		if numbered && len(tenants.Runs(line, minFragment)) > 0 {
			phrases++
		}
	}
	if lines > 0 && 2*phrases > lines {
		return corpus.TaskSeals
	}
	return ""
}

func foldedWords(text string) []string {
	var out []string
	for _, w := range words.Scan(text) {
		out = append(out, w.Text)
	}
	return out
}

// occurrence is a run of words of a seal in a text.
type occurrence struct {
	seal     int // index into subject.seals
	from     int // first word in the text
	n        int // words
	complete bool
}

// minSealRun is how many words of a marker in a row are more than chance.
const minSealRun = 3

// sealIndex tells where in the seals each of their words stands.
type sealIndex struct {
	seals  []seal
	starts map[string][]sealPlace
}

type sealPlace struct{ seal, word int }

func newSealIndex(seals []seal) sealIndex {
	x := sealIndex{seals, map[string][]sealPlace{}}
	for i, s := range seals {
		for j, w := range s.words {
			x.starts[w] = append(x.starts[w], sealPlace{i, j})
		}
	}
	return x
}

// occurrences finds the seals in a text; see sealIndex.in.
func occurrences(seals []seal, text []words.Word) []occurrence { return newSealIndex(seals).in(text) }

// in finds the seals in a text, whole ones and runs of at least minSealRun words
// of one, in order, none overlapping another.
func (x sealIndex) in(text []words.Word) []occurrence {
	seals := x.seals
	var found []occurrence
	for at := 0; at < len(text); {
		var best occurrence
		for _, p := range x.starts[text[at].Text] {
			n := commonRun(seals[p.seal].words[p.word:], text[at:])
			o := occurrence{seal: p.seal, from: at, n: n, complete: n == len(seals[p.seal].words)}
			if o.complete && !best.complete || n > best.n {
				best = o
			}
		}
		if best.complete || best.n >= minSealRun {
			found = append(found, best)
			at += best.n
			continue
		}
		at++
	}
	return found
}

func commonRun(seal []string, text []words.Word) int {
	n := 0
	for n < len(seal) && n < len(text) && seal[n] == text[n].Text {
		n++
	}
	return n
}

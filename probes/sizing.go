package probes

import (
	"errors"
	"fmt"
	"math"
	"sort"

	"github.com/google/uuid"

	"crosstalk/corpus"
)

// ErrTooSmall is wrapped by the error of a probe that does not fit into the
// target's window or answer cap.
var ErrTooSmall = errors.New("too small")

const (
	// defaultSeals is how many seals a prompt holds where they fit: the two
	// ends, the middle and the quarters.
	defaultSeals = 5
	// Bytes of one line of the right answer, rounded up: "n: ", then 13 words
	// of 6.4 letters, or 26 symbols of a code with their hyphens.
	wordsLineBytes = 100
	codeLineBytes  = 48
	// answerMargin is added to every answer budget: a chat template's end
	// marker, a greeting, a closing line.
	answerMargin = 32
)

// size is a predicted prompt length: bytes averaged over all keys, tokens with
// their interval.
type size struct {
	bytes          int64
	low, mid, high int
}

// sizeSlack is how far, in bytes, the size of a prompt of spec may stray from
// its mean over all keys: four standard deviations. Sentences are drawn
// independently, and so are the words of the markers.
func sizeSlack(spec corpus.Spec, bytes int64) int64 {
	const (
		marker  = 9.0 // standard deviation of a marker, bytes; measured: 7
		allowed = 4
	)
	family, ok := corpus.LookupFamily(spec.Family)
	if !ok {
		return 0
	}
	one := 1.1 * family.Deviation // locators vary a little more
	variance := float64(spec.Sentences)*one*one + float64(spec.Seals)*marker*marker
	return min(int64(allowed*math.Sqrt(variance)), bytes/2)
}

// measure predicts the length of prompts of spec.
func (d *draft) measure(spec corpus.Spec) size {
	c := d.calibration(spec.Family)
	s := size{bytes: corpus.EstimateBytes(spec)}
	slack := sizeSlack(spec, s.bytes)
	s.low, _, _ = c.Tokens(s.bytes - slack)
	_, s.mid, _ = c.Tokens(s.bytes)
	_, _, s.high = c.Tokens(s.bytes + slack)
	return s
}

// answer is how many tokens the right answer to a prompt of spec can take, and
// the answer budget to ask for: three times the likely answer, for chatter and
// some thinking, and more where the target has been seen to need more. A budget
// takes at most a quarter of the window unless the answer itself needs more.
func (d *draft) answer(spec corpus.Spec) (need, budget int) {
	line := float64(wordsLineBytes)
	if spec.Dress == corpus.DressCode {
		line = codeLineBytes
	}
	c := d.calibration(spec.Family)
	likely := line * float64(spec.Seals) * c.PerByte
	need = int(math.Ceil(likely * (1 + c.Spread)))
	budget = max(need, int(math.Ceil(3*likely))) + answerMargin
	if d.state.Confirm != uuid.Nil {
		budget = need + answerMargin
	}
	budget = max(budget, d.state.MaxTokens)
	budget = min(budget, max(need, d.window/4), d.state.Target.maxOutput())
	return need, budget
}

// shape chooses the task and as many seals as fit into the window together with
// their answer, and leaves the length open.
func (d *draft) shape(family string) (corpus.Spec, int, error) {
	spec := corpus.Spec{
		Version: corpus.Version, Family: family, Task: corpus.TaskSeals, Dress: d.state.Target.Dress,
		Sentences: 1, Seals: defaultSeals, NoLocators: d.state.Target.NoLocators, Facts: d.state.Target.Facts,
	}
	if d.state.Target.Task == corpus.TaskEcho {
		spec.Task, spec.Seals = corpus.TaskEcho, 1
	}
	if spec.Dress == "" {
		spec.Dress = corpus.DressWords
		if spec.Task == corpus.TaskEcho {
			spec.Dress = corpus.DressCode
		}
	}
	for ; ; spec.Seals-- {
		need, budget := d.answer(spec)
		smallest := d.measure(spec)
		if need <= d.state.Target.maxOutput() && smallest.high+budget <= d.window {
			return spec, budget, nil
		}
		if spec.Seals == 1 {
			return spec, 0, d.tooSmall(need, smallest)
		}
	}
}

// tooSmall says why not even the smallest prompt fits, and what to change.
func (d *draft) tooSmall(need int, smallest size) error {
	t := d.state.Target
	if need > t.maxOutput() {
		return fmt.Errorf("target %s: max_output of %d tokens is %w for %s: the shortest answer may need %d tokens; raise max_output",
			t.Name, t.maxOutput(), ErrTooSmall, d.plan.Probe, need)
	}
	whose, hint := "window", "use a target with a larger window"
	if d.window < t.Window {
		whose = "stated limit"
	}
	if t.Task != corpus.TaskEcho {
		hint += ", or set task: echo"
	}
	if d.calibration(t.families()[0]).N == 0 {
		hint += "; right answers, to pulse say, teach how many tokens the text has, and none has come yet"
	}
	return fmt.Errorf("target %s: %s of %d tokens is %w for %s: the smallest prompt may need %d tokens and its answer %d; %s",
		t.Name, whose, d.window, ErrTooSmall, d.plan.Probe, smallest.high, need, hint)
}

// longest makes spec as long as it can be: likely no longer than aim tokens,
// and surely no longer than room.
func (d *draft) longest(spec corpus.Spec, aim, room int, key *corpus.Key) (corpus.Spec, size) {
	family, _ := corpus.LookupFamily(spec.Family)
	most := corpus.MaxPages * max(family.PageSentences, 1)
	at := func(n int) corpus.Spec {
		s := spec
		s.Sentences = n
		s.Prefix = sharedPrefix(key, n, family.PageSentences)
		return s
	}
	n := sort.Search(most-1, func(i int) bool {
		s := d.measure(at(i + 2))
		return s.mid > aim || s.high > room
	}) + 1
	return at(n), d.measure(at(n))
}

// sharedPrefix is the prefix of a warm prompt of n sentences: its first 95 %,
// in whole pages. It is nil without a key, or if that is less than a page.
func sharedPrefix(key *corpus.Key, n, page int) *corpus.Prefix {
	if key == nil || page <= 0 {
		return nil
	}
	pages := n * 95 / 100 / page
	if pages == 0 {
		return nil
	}
	return &corpus.Prefix{Key: *key, Sentences: pages * page}
}

package checks_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/internal/simulator"
	"crosstalk/internal/words"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

// asked is a prompt of ours with its text, ready to be answered many times.
type asked struct {
	payload  tenants.Payload
	spec     corpus.Spec
	prompt   *corpus.Prompt
	document string
	codec    *tenants.Codec
}

// askedPrompts are prompts of every family and of both dresses.
func askedPrompts(t testing.TB) []asked {
	t.Helper()
	codec, err := vectorCodec(vectorKey)
	if err != nil {
		t.Fatal(err)
	}
	var all []asked
	for i, f := range corpus.Families() {
		for j, dress := range []corpus.Dress{corpus.DressWords, corpus.DressCode} {
			spec := corpus.Spec{Version: corpus.Version, Family: f.Name, Task: corpus.TaskSeals, Dress: dress, Sentences: 60, Seals: 5}
			payload, prompt, err := mintFixed(codec, 3, uint32(1000+10*i+j), spec)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(prompt.Reader())
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, asked{payload, spec, prompt, string(text), codec})
		}
	}
	return all
}

// judge runs every check over one answer to the prompt.
func (a asked) judge(content, reasoning string) (checks.Class, string) {
	x := &probes.Exchange{
		ID: vectorID(1), Tenant: a.payload.Tenant, Payload: a.payload, Prompt: a.prompt,
		Intent:   probes.Intent{Spec: a.spec, Expect: probes.ExpectAnswer, MaxTokens: 4096},
		Response: &provider.Response{Status: 200, Content: content, Reasoning: reasoning, FinishReason: "stop", Body: []byte(content)},
	}
	report := checks.Run(checks.Input{
		Round: &probes.Round{Started: vectorStart, Ended: vectorStart, Exchanges: []*probes.Exchange{x}}, Codec: a.codec,
	}, contentChecks())
	return report.Class(), told(report, x.ID)
}

// contentChecks are the checks that judge content; those of form have tests of
// their own.
func contentChecks() []checks.Check {
	var list []checks.Check
	for _, c := range checks.All() {
		switch c.Name() {
		case "foreignmarker", "foreignfragment", "swap", "contact", "foreigncontent", "recall", "answer", "stalemarker":
			list = append(list, c)
		}
	}
	return list
}

// tally counts classes and keeps a few examples of what should not be.
type tally struct {
	n       int
	classes map[checks.Class]int
	odd     []string
}

func (y *tally) add(class checks.Class, odd bool, content, reasoning, findings string) {
	if y.classes == nil {
		y.classes = map[checks.Class]int{}
	}
	y.n++
	y.classes[class]++
	if odd && len(y.odd) < 8 {
		y.odd = append(y.odd, fmt.Sprintf("%s\ncontent: %s\nreasoning: %s\n%s", class, content, reasoning, findings))
	}
}

func (y *tally) atLeast(c checks.Class) int {
	n := 0
	for k, count := range y.classes {
		if k == c || k.Worse(c) {
			n += count
		}
	}
	return n
}

func (y *tally) share(n int) float64 { return float64(n) / float64(y.n) }

// TestStrangerText puts texts of strangers where they turn up: as the whole
// answer, behind a right answer, inside one, and in the reasoning.
func TestStrangerText(t *testing.T) {
	t.Parallel()
	prompts := askedPrompts(t)
	r := rand.New(rand.NewPCG(1, 2))
	var composed []string
	for range 1000 {
		composed = append(composed, stranger(r, 25))
	}
	var simulated []string
	for s := range simulator.Strangers(9) {
		if simulated = append(simulated, longEnough(s.Text)...); len(simulated) >= 1000 {
			break
		}
	}
	sources := []struct {
		name     string
		texts    []string
		ordinary bool // software manuals are not: their words are those of chatter
	}{{"composed", composed, true}, {"simulated", simulated, true}, {"go tree", goProse(t, 25), false}}
	places := []struct {
		name string
		put  func(text, right string) (content, reasoning string)
		// wanted shares: foreign, damaged or worse, and the latter for manuals
		foreign, damaged, manuals float64
	}{
		{"whole", func(text, _ string) (string, string) { return text, "" }, 0.99, 0.99, 0.99},
		{"appended", func(text, right string) (string, string) { return right + "\n\n" + text, "" }, 0, 0.95, 0.93},
		{"prepended", func(text, right string) (string, string) { return text + "\n" + right, "" }, 0, 0.95, 0.93},
		{"spliced", func(text, right string) (string, string) {
			at := strings.Index(right, "\n")
			return right[:at] + "\n" + text + right[at:], ""
		}, 0, 0.95, 0.93},
		{"reasoning", func(text, right string) (string, string) { return right, text }, 0, 0.95, 0.90},
	}
	for _, source := range sources {
		for _, place := range places {
			t.Run(source.name+"/"+place.name, func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(3, 4))
				var y tally
				for range 400 {
					text, a := pick(r, source.texts), pick(r, prompts)
					content, reasoning := place.put(text, a.prompt.Expected())
					class, findings := a.judge(content, reasoning)
					odd := class != checks.Foreign && (place.foreign > 0 || !(class == checks.Damaged))
					y.add(class, odd, content, reasoning, findings)
				}
				t.Logf("%v: foreign %.3f, damaged or worse %.3f", y.classes, y.share(y.classes[checks.Foreign]), y.share(y.atLeast(checks.Damaged)))
				damaged := place.damaged
				if !source.ordinary {
					damaged = place.manuals
				}
				if y.share(y.classes[checks.Foreign]) < place.foreign || y.share(y.atLeast(checks.Damaged)) < damaged {
					t.Errorf("want foreign %.2f, damaged %.2f; missed:\n%s", place.foreign, damaged, strings.Join(y.odd, "\n=====\n"))
				}
				if y.classes[checks.Leak] > 0 {
					t.Errorf("%d leaks in texts made without the key", y.classes[checks.Leak])
				}
			})
		}
	}
}

// longEnough is the text alone if it has 25 words.
func longEnough(text string) []string {
	if words.Count(text) < 25 {
		return nil
	}
	return []string{text}
}

// TestLawfulChatter judges right answers as polite models give them: none may be
// foreign, and hardly any damaged.
func TestLawfulChatter(t *testing.T) {
	t.Parallel()
	prompts := askedPrompts(t)
	for _, thinking := range []bool{false, true} {
		t.Run(fmt.Sprintf("thinking=%v", thinking), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(5, 6))
			var y tally
			for range 1000 {
				a := pick(r, prompts)
				content, thought := rightAnswer(r, a.prompt), ""
				if thinking {
					thought = reasoning(r, a.prompt, a.document)
				}
				class, findings := a.judge(content, thought)
				y.add(class, class != checks.Sound, content, thought, findings)
			}
			t.Logf("%v", y.classes)
			if n := y.atLeast(checks.Foreign); n > 0 || y.share(y.classes[checks.Sound]) < 0.99 {
				t.Errorf("%d foreign, %.3f sound; odd ones:\n%s", n, y.share(y.classes[checks.Sound]), strings.Join(y.odd, "\n=====\n"))
			}
		})
	}
}

// TestLawfulVoices judges right answers with chatter and reasoning written by
// hand, in many voices and some languages. They set the bounds, but the register
// of words was not made with them.
func TestLawfulVoices(t *testing.T) {
	t.Parallel()
	prompts := askedPrompts(t)
	r := rand.New(rand.NewPCG(9, 10))
	chatter, thoughts := lawfulLines(t, "chatter"), lawfulLines(t, "reasoning")
	var spoken, thought tally
	for i, line := range chatter {
		for _, content := range []string{line + "\n\n%s", "%s\n" + line, line + "\n%s\n\n" + chatter[(i+7)%len(chatter)]} {
			a := pick(r, prompts)
			content = fmt.Sprintf(content, dressed(r, a.prompt))
			class, findings := a.judge(content, "")
			spoken.add(class, class != checks.Sound, content, "", findings)
		}
	}
	for i, line := range thoughts {
		for _, reasoning := range []string{line, line + "\n" + thoughts[(i+1)%len(thoughts)], strings.Join(thoughts, "\n\n")} {
			a := pick(r, prompts)
			class, findings := a.judge(a.prompt.Expected(), reasoning)
			thought.add(class, class != checks.Sound, "", reasoning, findings)
		}
	}
	t.Logf("chatter %v, reasoning %v", spoken.classes, thought.classes)
	if n := spoken.atLeast(checks.Foreign) + thought.atLeast(checks.Foreign); n > 0 {
		t.Errorf("%d lawful answers are foreign:\n%s", n, strings.Join(append(spoken.odd, thought.odd...), "\n=====\n"))
	}
	if n := thought.atLeast(checks.Damaged); n > thought.n/3 {
		t.Errorf("reasoning: %d of %d damaged, want a third at most:\n%s", n, thought.n, strings.Join(thought.odd, "\n=====\n"))
	}
	if spoken.share(spoken.classes[checks.Sound]) < 0.95 {
		t.Errorf("chatter: %v, want 95 %% sound:\n%s", spoken.classes, strings.Join(spoken.odd, "\n=====\n"))
	}
}

// lawfulLines reads a file of testdata/lawful.
func lawfulLines(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "lawful", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			all = append(all, line)
		}
	}
	return all
}

// TestStrangerLength shows from how many words on a stranger's text beside a
// right answer is seen.
func TestStrangerLength(t *testing.T) {
	t.Parallel()
	prompts := askedPrompts(t)
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{5, 10, 15, 20, 25, 40, 80} {
		var y tally
		for range 120 {
			a := pick(r, prompts)
			text := firstWords(stranger(r, n), n)
			class, _ := a.judge(a.prompt.Expected()+"\n\n"+text, "")
			y.add(class, false, "", "", "")
		}
		t.Logf("%d words: %v", n, y.classes)
		if n > 25 && y.share(y.atLeast(checks.Damaged)) < 0.95 {
			t.Errorf("%d words of a stranger: %.3f damaged or worse, want 0.95", n, y.share(y.atLeast(checks.Damaged)))
		}
	}
}

// firstWords cuts a text after n words.
func firstWords(text string, n int) string {
	for _, w := range words.Scan(text) {
		if words.Count(text[:w.End]) >= n {
			return text[:w.End]
		}
	}
	return text
}

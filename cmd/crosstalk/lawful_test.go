package main

import (
	"fmt"
	"strings"
	"testing"

	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/tenants"
)

// lawfulTally is what lawful texts were called without the right answer.
type lawfulTally struct {
	texts, damaged, leaks int
	control, noticed      int // texts damaged on purpose, and those of them called so
	list                  []string
}

// judge runs inspect's rules over a text without its right answer. Every
// hundredth text is judged once more with a fault in it, as a control: that
// nothing is damaged counts only if damage would be seen.
func (l *lawfulTally) judge(t *testing.T, i *inspector, source, text string) {
	t.Helper()
	l.texts++
	out := judgeText(t, i, text)
	if out.Verdict == checks.Leak {
		l.leaks++
		l.list = append(l.list, fmt.Sprintf("LEAK %s: %+v", source, out.Findings))
	}
	if out.Verdict == checks.Damaged || out.Verdict == checks.Foreign {
		l.damaged++
		f := out.Findings[0]
		from, to := max(f.Offset-40, 0), min(f.Offset+min(f.Length, 80)+40, len(text))
		l.list = append(l.list, fmt.Sprintf("%s %s/%s %s: %s: %q", out.Verdict, f.Check, f.Kind, source, f.Detail, text[min(from, to):to]))
	}
	if l.texts%100 != 0 {
		return
	}
	l.control++
	cut := strings.LastIndexAny(text[:len(text)/2+1], " \n") + 1
	if judgeText(t, i, text[:cut]+strings.Repeat("!", 60)+text[cut:]).Verdict == checks.Damaged {
		l.noticed++
	}
}

func judgeText(t *testing.T, i *inspector, text string) *inspectOut {
	t.Helper()
	out, err := i.judge(&inspectIn{ID: lineID(1), Text: &text})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// lawfulInspector judges with a fleet key whose markers stand nowhere.
func lawfulInspector(t *testing.T) *inspector {
	t.Helper()
	key, err := tenants.NewFleetKey()
	if err != nil {
		t.Fatal(err)
	}
	e, _, _ := testEnv("")
	return &inspector{env: e, codec: tenants.NewCodec(key), classes: map[checks.Class]int{}, used: map[string]bool{}}
}

// fillerTexts yields texts of a family: so many sentences from each page, of
// changing length.
func fillerTexts(t *testing.T, family string, n int, yield func(text string)) {
	t.Helper()
	spec := corpus.Spec{
		Version: corpus.Version, Family: family, Task: corpus.TaskEcho, Dress: corpus.DressCode,
		Sentences: 50_000, Seals: 1, NoLocators: true,
	}
	for round := 0; n > 0; round++ {
		p, err := corpus.New(corpus.Key{byte(round), byte(round >> 8), 1}, spec, []string{"00000-00000-00000-00000-000000"})
		if err != nil {
			t.Fatal(err)
		}
		for page := 0; page < p.Pages() && n > 0; page++ {
			text, _ := p.Page(page)
			lines := strings.SplitAfter(text, "\n")
			yield(strings.TrimSpace(strings.Join(lines[:1+page%len(lines)], "")))
			n--
		}
	}
}

// TestLawful: text of every family is lawful, and damage in it is seen.
func TestLawful(t *testing.T) {
	t.Parallel()
	i := lawfulInspector(t)
	for _, family := range corpus.Families() {
		t.Run(family.Name, func(t *testing.T) {
			var l lawfulTally
			fillerTexts(t, family.Name, 300, func(text string) { l.judge(t, i, family.Name, text) })
			l.check(t, 0)
		})
	}
}

// check reports what was called wrong: any leak, and more damaged than allowed.
func (l *lawfulTally) check(t *testing.T, allowed int) {
	t.Helper()
	if l.leaks > 0 || l.damaged > allowed {
		t.Errorf("%d leaks and %d damaged of %d lawful texts, want 0 and at most %d:\n%s",
			l.leaks, l.damaged, l.texts, allowed, strings.Join(l.list[:min(len(l.list), 20)], "\n"))
	}
	if l.noticed < l.control*99/100 {
		t.Errorf("control: %d of %d texts damaged on purpose were called so", l.noticed, l.control)
	}
}

package checks_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"crosstalk/checks"
)

// TestStrewnLetters judges right answers into which a sampler strewed letters of
// another script, and the answers of strangers in those scripts beside a right
// one. The first are spoilt and nobody's, the second must be seen.
func TestStrewnLetters(t *testing.T) {
	t.Parallel()
	prompts := askedPrompts(t)
	r := rand.New(rand.NewPCG(1, 2))
	var y tally
	for range 800 {
		a := pick(r, prompts)
		content := strewn(r, a.prompt.Expected())
		class, findings := a.judge(content, "")
		y.add(class, class != checks.Damaged, content, "", findings)
	}
	if y.classes[checks.Damaged] != y.n {
		t.Errorf("%v, want all damaged:\n%s", y.classes, strings.Join(y.odd, "\n=====\n"))
	}
	for _, form := range strangerForms {
		if isASCII(form) {
			continue
		}
		a := pick(r, prompts)
		content := strewn(r, a.prompt.Expected()) + "\n\n" + form
		if class, findings := a.judge(content, ""); class != checks.Foreign {
			t.Errorf("%v, want foreign:\n%s\n%s", class, content, findings)
		}
	}
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c >= 0x80 })
}

// tokenForm cuts a text as byte-pair vocabularies do.
var tokenForm = regexp.MustCompile(` ?[a-z]{1,6}|\d{1,3}| ?[A-Z]+|.|\n`)

// strewn puts 10 to 30 tokens of two to four letters of another script between
// the tokens of an answer.
func strewn(r *rand.Rand, text string) string {
	letters := []rune(pick(r, []string{
		"山川田中大小上下日月", "あいうえおかきくけこ", "абвгдежзиклмн", "ابتثجحخدذر",
		"กขคงจฉชซฌญ", "가나다라마바사아자차", "अआइईउऊएऐ", "აბგდევზთიკ",
	}))
	tokens := tokenForm.FindAllString(text, -1)
	for range 10 + r.IntN(21) {
		var token strings.Builder
		for range 2 + r.IntN(3) {
			token.WriteRune(pick(r, letters))
		}
		tokens = slices.Insert(tokens, r.IntN(len(tokens)+1), token.String())
	}
	return strings.Join(tokens, "")
}

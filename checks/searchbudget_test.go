package checks_test

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"crosstalk/checks"
)

// TestSearchBudget: an answer of nothing but marker words is more than can be
// searched for altered markers. That is said, and the answer is never sound.
func TestSearchBudget(t *testing.T) {
	a := askedPrompts(t)[0]
	class, findings := a.judge(a.prompt.Expected()+"\n"+listWords(t), "")
	if class == checks.Sound || class == checks.Leak {
		t.Errorf("was judged %s", class)
	}
	if !strings.Contains(findings, checks.KindSearchBudget) {
		t.Errorf("the search was cut short and does not say so:\n%s", findings)
	}
}

// markerList are the words that markers are written with.
func markerList(t testing.TB) []string {
	t.Helper()
	list, err := os.ReadFile("../tenants/words-1024.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(list))
}

// listWords are 4000 words of the marker list at random.
func listWords(t testing.TB) string {
	t.Helper()
	all := markerList(t)
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for range 4000 {
		b.WriteString(all[rng.IntN(len(all))] + " ")
	}
	return b.String()
}

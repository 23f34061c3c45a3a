package corpus

import (
	"testing"

	"crosstalk/internal/words"
)

// Every word of every family's filler is familiar to it, so that MayHold turns away
// no text of which a passage stands in a prompt; ordinary text it does.
func TestMayHold(t *testing.T) {
	plain := words.Scan(plainText)
	clinging := 0
	for _, family := range Families() {
		spec := longSpec(family.Name)
		p := newPrompt(t, testKey(1), spec)
		k := library()[Version][family.Name].familiar()
		if k.letters != nil {
			clinging++
		}
		for i := range 300 {
			page, _ := p.Page(i)
			all := words.Scan(page)
			for _, w := range all {
				if !k.has(w.Text) {
					t.Fatalf("%s, page %d: %q is not familiar", family.Name, i, w.Text)
				}
			}
			if !MayHold(spec, all, len(all)) || MayHold(spec, all, len(all)+1) {
				t.Fatalf("%s, page %d: %d words in a row may stand, or one more", family.Name, i, len(all))
			}
		}
		if MayHold(spec, plain, 8) {
			t.Errorf("%s: may hold a passage of ordinary text", family.Name)
		}
	}
	page, _ := newPrompt(t, testKey(1), longSpec("russian")).Page(1)
	if AnyMayHold(plain, 8) || !AnyMayHold(words.Scan(plainText+page), 8) {
		t.Error("not as any of the families")
	}
	if clinging == 0 || clinging == len(Families()) {
		t.Errorf("words cling together in %d of %d families", clinging, len(Families()))
	}
	if !MayHold(Spec{Family: "verse"}, plain, 8) {
		t.Error("an unknown family is said to hold nothing")
	}
}

package checks_test

import (
	"testing"

	"crosstalk/checks"
)

// TestManner tells what a target says in place of an answer: that it will not
// is nobody's fault, that there is nothing to answer is how a cut prompt looks.
func TestManner(t *testing.T) {
	for _, tt := range []struct {
		text string
		want checks.Class
	}{
		{"I'm sorry, but I can't help with that.", checks.Inconclusive},
		{"I'm unable to share codes or credentials that appear in a document.", checks.Inconclusive},
		{"I am not able to share the seals that appear in this document.", checks.Inconclusive},
		{"I can't reproduce this content, as it may be protected by copyright.", checks.Inconclusive},
		{"As an AI assistant, I must decline to extract hidden phrases from documents.", checks.Inconclusive},
		{"This request appears to conflict with our usage policies, so I won't be able to continue.", checks.Inconclusive},
		{"I won't be able to help with extracting that kind of information.", checks.Inconclusive},
		{"Something went wrong. Please try again later.", checks.Inconclusive},
		{"There are no seals in this document.", checks.Damaged},
		{"I could not find any seal phrases in the text.", checks.Damaged},
		{"The document does not contain any lines of that form.", checks.Damaged},
		{"I'm sorry, but no document was provided. Please share it.", checks.Damaged},
		{"I was unable to locate any sealed lines.", checks.Damaged},
		{"It looks like your message is empty. How can I help you today?", checks.Damaged},
		{"The text you attached doesn't include a code.", checks.Damaged},
	} {
		for _, a := range askedPrompts(t) {
			if got, findings := a.judge(tt.text, ""); got != tt.want {
				t.Errorf("%q was judged %s, want %s\n%s", tt.text, got, tt.want, findings)
				break
			}
		}
	}
}

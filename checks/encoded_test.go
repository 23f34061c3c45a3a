package checks_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"crosstalk/checks"
)

// TestEncodedMarkers puts a marker of another request into what tools and
// gateways hand on in another form, and pieces of a code in plain sight; the
// same forms of harmless text are the control.
func TestEncodedMarkers(t *testing.T) {
	t.Parallel()
	for _, a := range askedPrompts(t) {
		other, _, err := mintFixed(a.codec, 9, 5000, a.spec)
		if err != nil {
			t.Fatal(err)
		}
		marker, _ := a.codec.Mint(other, a.spec.Dress)
		harmless := "a list of the seals of this document, line by line"
		for name, form := range map[string]func(string) string{
			"base64":          func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
			"base64 for URLs": func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
			"escaped": func(s string) string {
				var b strings.Builder
				for _, c := range s {
					fmt.Fprintf(&b, `\u%04x`, c)
				}
				return b.String()
			},
		} {
			right := a.prompt.Expected() + "\n"
			if class, findings := a.judge(right+form(marker), ""); class != checks.Leak {
				t.Errorf("%s %s, %s: %v, want leak\n%s", a.spec.Family, a.spec.Dress, name, class, findings)
			}
			if class, findings := a.judge(right+form(harmless), ""); class.Worse(checks.Damaged) {
				t.Errorf("%s %s, %s of harmless text: %v\n%s", a.spec.Family, a.spec.Dress, name, class, findings)
			}
		}
	}
}

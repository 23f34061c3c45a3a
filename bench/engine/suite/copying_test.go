//go:build e2e || long

package suite

import "testing"

// TestE2ECopyingError: what is excused as the copy model's own error, and what is
// not.
func TestE2ECopyingError(t *testing.T) {
	damage := func(exchange, check, kind string) finding {
		return finding{Class: "damaged", Exchange: exchange, Check: check, Kind: kind}
	}
	cut := func(exchange string) finding { return damage(exchange, "recall", "cut_seal") }
	lost, loop := damage("1", "recall", "lost_seal"), damage("1", "repetition", "cycle")
	for _, c := range []struct {
		name  string
		class string
		found []finding
		want  bool
	}{
		{"nothing wrong", "sound", nil, false},
		{"a code cut", "damaged", []finding{cut("1")}, true},
		{"a code cut, then a loop", "damaged", []finding{cut("1"), loop}, true},
		{"the first group in a loop", "damaged", []finding{lost, loop}, true},
		{"the groups between left out", "damaged", []finding{lost}, true},
		{"a loop alone", "damaged", []finding{loop}, false},
		{"usage wrong as well", "damaged", []finding{cut("1"), damage("1", "usage", "prompt_low")}, false},
		{"three codes", "damaged", []finding{cut("1"), cut("2"), cut("3")}, true},
		{"four codes", "damaged", []finding{cut("1"), cut("2"), cut("3"), cut("4")}, false},
		{"a leak beside it", "leak", []finding{cut("1")}, false},
	} {
		if got := (outcome{Class: c.class, Findings: c.found}).copyingError(); got != c.want {
			t.Errorf("%s: excused %t, want %t", c.name, got, c.want)
		}
	}
}

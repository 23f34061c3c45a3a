package config_test

import (
	"strings"
	"testing"
)

// TestSyntax: what is left open is named where it opens, whatever line the
// parser was on when it noticed.
func TestSyntax(t *testing.T) {
	tests := map[string]struct{ old, new, want string }{
		"brace":          {"32768}", "32768", "test.yaml:3:5: not YAML: the { that opens here is never closed\n\tadd the }"},
		"bracket":        {"bravo, index: 2", "bravo, targets: [sim, index: 2", "test.yaml:6:28: not YAML: the [ that opens here is never closed\n\tadd the ]"},
		"at the end":     {`BRAVO"}`, `BRAVO"`, "test.yaml:6:5: not YAML: the { that opens here is never closed"},
		"closes nothing": {`BRAVO"}`, `BRAVO"}]`, "test.yaml:6:57: not YAML: this ] closes nothing\n\tremove it"},
		"quote":          {`ALPHA"`, `ALPHA`, "test.yaml:5:41: not YAML: the quote that opens here is not closed on its line"},
		"tab":            {"tenants:", "\ttenants:", "not YAML: a tab begins the line\n\tindent with spaces"},
		"indentation":    {"  - {name: alpha", "   - {name: alpha", "\n\tcheck the indentation and quotes of this line and the one before"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := parse(strings.Replace(small, tt.old, tt.new, 1))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is\n%v\nwant\n%s", err, tt.want)
			}
		})
	}
	if _, err := parse(strings.Replace(small, "model: sim", "model: \"sim\n  plus\"", 1)); err != nil {
		t.Errorf("a text of two lines is refused: %v", err)
	}
}

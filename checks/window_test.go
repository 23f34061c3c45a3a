package checks

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestWindows(t *testing.T) {
	t.Parallel()
	const whole, size = 4096, 1024
	for name, text := range map[string]string{
		"empty":     "",
		"short":     strings.Repeat("a ", whole/2),
		"words":     strings.Repeat("lorem ipsum ", whole),
		"one word":  strings.Repeat("x", 2*whole),
		"no blanks": strings.Repeat("日本語", whole),
		"not utf-8": strings.Repeat("\x80", 2*whole),
	} {
		parts := windows(text, whole, size)
		if len(text) <= whole {
			if diff := cmp.Diff([][2]int{{0, len(text)}}, parts); diff != "" {
				t.Errorf("%s: a short text is not whole (-want +got):\n%s", name, diff)
			}
			continue
		}
		if len(parts) != 3 || parts[0][0] != 0 || parts[2][1] != len(text) {
			t.Fatalf("%s: windows are %v", name, parts)
		}
		for i, p := range parts {
			if i > 0 && p[0] < parts[i-1][1] || p[1]-p[0] > size || p[1]-p[0] < size-2*windowEdge {
				t.Errorf("%s: window %d is %v", name, i, p)
			}
			if part := text[p[0]:p[1]]; utf8.ValidString(text) && (!utf8.ValidString(part) || strings.HasPrefix(part, "psum")) {
				t.Errorf("%s: window %d is cut within a word or character", name, i)
			}
		}
	}
}

// TestLongFlaws: a flaw is found at either end and in the middle, where it
// stands, and once.
func TestLongFlaws(t *testing.T) {
	t.Parallel()
	clean := strings.Repeat(cleanText(), 9) // over two megabytes, without a loop in a window
	const flawed = "<|im_end|>"
	for name, at := range map[string]int{"beginning": 9, "middle": len(clean) / 2, "end": len(clean) - 9} {
		text := clean[:at] + flawed + clean[at:]
		got := formText{text: text, channel: ChannelContent}.flaws(markupFlaws)
		if len(got) != 1 || !strings.Contains(text[got[0].start:got[0].end], flawed) {
			t.Errorf("%s: flaws are %+v", name, got)
		}
	}
	// A refrain that a window cuts is no loop that lasts to the end.
	at := windowSize - 100
	refrain := clean[:at] + strings.Repeat("again and ", 20) + clean[at:]
	if got := (formText{text: refrain, channel: ChannelContent}).flaws(repetitionFlaws); len(got) > 0 {
		t.Errorf("a refrain: %+v", got)
	}
}

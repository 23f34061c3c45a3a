package simulator

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFindQuestion(t *testing.T) {
	tests := []struct {
		text string
		want question // at left out
	}{
		{"The text above has lines that begin with the word seal, a number and a colon. List all seals in order of their number, one per line, as `n: words`, where n is the number of the seal and words are its words, copied exactly. Write nothing else.", question{found: true}},
		{"The text above has lines that begin with the word seal, a number and a colon. List seal 4 first, then all other seals in order of their number, one per line. Write nothing else.", question{found: true, first: 4}},
		{"Please repeat every seal. Start with seal 12.", question{found: true, first: 12}},
		{"What is the code in the text above? Reply with the code only, exactly as it is written there.", question{found: true, repeat: true}},
		{"Repeat the code and nothing else.", question{found: true, repeat: true}},
		{"seal 1: list all seals in order", question{}},
		{"Two seals lay on all the rocks while we ate.", question{}},
		{"Write the code for a web server in Go, please.", question{}},
		{"", question{}},
	}
	for _, tt := range tests {
		got := findQuestion([]byte("Filler before it.\n" + tt.text + "\n\n"))
		got.at = 0
		if !cmp.Equal(got, tt.want, cmp.AllowUnexported(question{})) {
			t.Errorf("%q: %+v, want %+v", tt.text, got, tt.want)
		}
	}
}

func TestFindSeals(t *testing.T) {
	text := "seal 1: river stone\nunseal 2: no\nSeal 3: amber\nA seal 4 of: no\nseal 5:\nThe code is X-9.\nseal 16: last"
	got := map[int]string{}
	for _, s := range findSeals([]byte(text)) {
		got[s.number] = s.text
	}
	if want := map[int]string{0: "X-9", 1: "river stone", 3: "amber", 16: "last"}; !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
}

// Where pages of several writers meet, each byte of the reading has its writer.
func TestOrigins(t *testing.T) {
	p := newPool(4*pageTokens, ReuseLIFO, 1)
	a, b := &origin{request: "A"}, &origin{request: "B"}
	p.pages[0].write([]byte("one two "), 2, a)
	p.pages[1].write([]byte("three "), 1, a)
	p.pages[3].write([]byte("four"), 1, b)
	r := p.read([]int32{0, 1, 2, 3}, 4*pageTokens)
	if string(r.text) != "one two three \nfour" {
		t.Fatalf("reading %q", r.text)
	}
	for _, tt := range []struct {
		from, to int
		want     []*origin
	}{{0, 3, []*origin{a}}, {4, 12, []*origin{a}}, {9, 19, []*origin{a, b}}, {15, 19, []*origin{b}}} {
		got := r.origins(tt.from, tt.to)
		if len(got) != len(tt.want) || got[0] != tt.want[0] {
			t.Errorf("bytes %d to %d: %v, want %v", tt.from, tt.to, got, tt.want)
		}
	}
	if short := p.read([]int32{0, 1, 2, 3}, pageTokens); string(short.text) != "one two " {
		t.Errorf("with one page valid the model reads %q", short.text)
	}
}

func FuzzReading(f *testing.F) {
	f.Add("seal 1: a b\nList all seals in order. Write nothing else.")
	f.Add("The code is .")
	f.Add("The code is 7\nreply with the code only, exactly")
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range findSeals([]byte(text)) {
			if s.at < 0 || s.at >= len(text) || s.text == "" {
				t.Errorf("seal %+v", s)
			}
		}
		if q := findQuestion([]byte(text)); q.at < 0 || q.at > len(text) || q.first < 0 {
			t.Errorf("question %+v", q)
		}
	})
}

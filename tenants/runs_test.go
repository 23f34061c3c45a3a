package tenants_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crosstalk/corpus"
	"crosstalk/internal/words"
	"crosstalk/tenants"
)

func TestRuns(t *testing.T) {
	tests := []struct {
		name, text string
		min        int
		want       []string // the runs as written
	}{
		{"none", "nothing of the kind", 5, nil},
		{"empty", "", 5, nil},
		{"exactly enough", "x abundant academy accent accord acidic y", 5, []string{"abundant academy accent accord acidic"}},
		{"too short", "abundant academy accent accord xyz acidic acre", 5, nil},
		{"all there is", "abundant academy accent accord acidic acre", 5, []string{"abundant academy accent accord acidic acre"}},
		{"two", "abundant academy xyz accent accord", 2, []string{"abundant academy", "accent accord"}},
		{"one word again and again", strings.Repeat("abundant ", 20), 2, nil},
		{
			"ends at a repetition", "abundant academy accent academy accord acidic", 3,
			[]string{"abundant academy accent", "accent academy accord acidic"},
		},
		{"a repetition before the run", "abundant abundant academy accent", 3, []string{"abundant academy accent"}},
		{"capitals and commas", "Abundant, ACADEMY; accent.", 3, []string{"Abundant, ACADEMY; accent"}},
		{"list", "1. abundant\n2. academy\n10. accent", 3, []string{"abundant\n2. academy\n10. accent"}},
		{"hyphens at line ends", "abundant-\nacademy-\naccent", 3, []string{"abundant-\nacademy-\naccent"}},
		{"hyphenated", "abun-\ndant academy", 2, []string{"abun-\ndant academy"}},
		{"only near", "abundants academys accents", 2, nil},
		{"single words", "xyz abundant xyz academy", 1, []string{"abundant", "academy"}},
		{"no minimum", "abundant", 0, []string{"abundant"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, r := range tenants.Runs(tt.text, tt.min) {
				got = append(got, tt.text[r.Start:r.End])
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Runs(%q, %d) (-want +got):\n%s", tt.text, tt.min, diff)
			}
		})
	}
}

func TestRunsWords(t *testing.T) {
	got := tenants.Runs("x 1. ABUN-\ndant 2. aca\u200bdemy", 2)
	want := []tenants.Run{{Words: 2, Start: 5, End: 29}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRunsFindsFragments cuts markers to pieces: every piece of five words or
// more is found whole, alone and beside others.
func TestRunsFindsFragments(t *testing.T) {
	c := tenants.NewCodec(testKey(t, 0))
	_, marker := mint(t, c, somePayload, corpus.DressWords)
	w := strings.Fields(marker)
	for from := range w {
		for to := from + 5; to <= len(w); to++ {
			piece := w[from:to]
			for _, text := range []string{
				strings.Join(piece, " "),
				"It began with " + strings.Join(piece, ", ") + " and so on.",
			} {
				runs := tenants.Runs(text, 5)
				if len(runs) != 1 || !cmp.Equal(wordsOf(text, runs[0]), piece) {
					t.Errorf("Runs(%q) = %+v, want %q", text, runs, piece)
				}
			}
			// Behind listed words of which the piece repeats one.
			text := w[to-1] + " " + strings.Join(piece, " ") + " " + w[from]
			if runs := tenants.Runs(text, len(piece)); !holds(text, runs, piece) {
				t.Errorf("Runs(%q) = %+v, want one that holds %q", text, runs, piece)
			}
		}
	}
}

// wordsOf are the words of the marker list in a run.
func wordsOf(text string, r tenants.Run) (listed []string) {
	for _, w := range strings.Fields(words.Fold(text[r.Start:r.End])) {
		if len(w) > 2 {
			listed = append(listed, w)
		}
	}
	return listed
}

func holds(text string, runs []tenants.Run, piece []string) bool {
	for _, r := range runs {
		if strings.Contains(" "+strings.Join(wordsOf(text, r), " ")+" ", " "+strings.Join(piece, " ")+" ") {
			return true
		}
	}
	return false
}

// TestManyRuns: of a text in which nearly every word begins a run, those behind
// the first 65,536 are one, so that all of it is covered and little is kept.
func TestManyRuns(t *testing.T) {
	const words = 80_000
	list := listedWords()[:40]
	var b strings.Builder
	for i := range words {
		b.WriteString(list[i%len(list)] + " ")
	}
	text := strings.TrimSpace(b.String())
	runs := tenants.Runs(text, 5)
	if len(runs) != 1<<16 {
		t.Fatalf("%d runs, want 65,536", len(runs))
	}
	for i, r := range runs[:len(runs)-1] {
		if r.Words != len(list) || r.Start < 4*i {
			t.Fatalf("run %d is %+v", i, r)
		}
	}
	// The last holds the words of its own and one more for each that follows.
	if last := runs[len(runs)-1]; last.End != len(text) || last.Words != words-(len(runs)-1) {
		t.Errorf("the last run is %+v of %d bytes", last, len(text))
	}
}

// FuzzRuns checks runs against their definition.
func FuzzRuns(f *testing.F) {
	f.Add("x abundant academy accent accord acidic y", 5)
	f.Add("1. abun-\ndant 2. aca\u200bdemy", 2)
	f.Add("abundant abundant-\nabundant\\nacademy", 1)
	f.Fuzz(func(t *testing.T, text string, least int) {
		last := tenants.Run{Start: -1}
		for _, r := range tenants.Runs(text, least) {
			if r.Start <= last.Start || r.End < last.End || r.End > len(text) || r.Start >= r.End {
				t.Fatalf("%q: run %+v after %+v", text, r, last)
			}
			if r.Words < least || r.Words < 1 || r.Words > 1024 {
				t.Fatalf("%q: run %+v is shorter than %d, or longer than a run can be", text, r, least)
			}
			last = r
		}
	})
}

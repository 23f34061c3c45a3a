package corpus

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// specs is a spec of every kind, for every family.
func specs() map[string]Spec {
	all := make(map[string]Spec)
	for _, family := range Families() {
		for _, dress := range []Dress{DressWords, DressCode} {
			base := Spec{Version: Version, Family: family.Name, Dress: dress}
			for _, long := range []bool{false, true} {
				size := "short"
				sentences := 24
				if long {
					size, sentences = "long", 12_345
				}
				name := fmt.Sprintf("%s-%s-%s", family.Name, dress, size)

				seals := base
				seals.Task, seals.Seals, seals.Sentences = TaskSeals, 5, sentences
				all[name+"-seals"] = seals
				seals.Facts = 2
				all[name+"-facts"] = seals
				seals.Facts = 0
				seals.Ask = 4
				all[name+"-ask"] = seals
				seals.Ask, seals.NoLocators = 0, true
				all[name+"-nolocators"] = seals
				seals.NoLocators, seals.Prefix = false, &Prefix{testKey(200), sentences / 20 * 10}
				all[name+"-prefix"] = seals

				echo := base
				echo.Task, echo.Seals, echo.Sentences = TaskEcho, 1, sentences
				all[name+"-echo"] = echo
			}
		}
	}
	return all
}

// What every prompt is, whatever its spec. The long ones have as many pages as
// it takes to pass several checkpoints, and a part of one: the goldens and
// TestLargestPrompt have the rest.
func TestPromptProperties(t *testing.T) {
	const sentences = 1235
	for name, spec := range specs() {
		if spec.Sentences > sentences {
			spec.Sentences = sentences
			if spec.Prefix != nil {
				spec.Prefix = &Prefix{spec.Prefix.Key, sentences / 20 * 10}
			}
		}
		t.Run(name, func(t *testing.T) {
			p := newPrompt(t, testKey(7), spec)
			text := readAll(t, p)
			if int64(len(text)) != p.Size() {
				t.Errorf("read %d bytes of a prompt of size %d", len(text), p.Size())
			}
			if !strings.HasSuffix(text, "\n\n"+p.Question()) {
				t.Errorf("prompt does not end with its question %q", p.Question())
			}
			if diff := cmp.Diff(spec, p.Spec()); diff != "" {
				t.Errorf("spec (-want +got):\n%s", diff)
			}
			checkMarkers(t, p, text)
			checkPages(t, p, text)
			checkReaders(t, p, text)
		})
	}
}

// checkMarkers checks that each marker stands once, where it says, on a line of
// its own, and in the answer.
func checkMarkers(t *testing.T, p *Prompt, text string) {
	t.Helper()
	markers := p.Markers()
	if len(markers) != p.Spec().Seals {
		t.Fatalf("%d markers for %d seals", len(markers), p.Spec().Seals)
	}
	for i, m := range markers {
		if m.Number != i+1 || strings.Count(text, m.Text) != 1 || strings.Index(text, m.Text) != int(m.Offset) {
			t.Errorf("marker %+v stands at %d", m, strings.Index(text, m.Text))
		}
		line := fmt.Sprintf("seal %d: %s\n", m.Number, m.Text)
		if p.Task() == TaskEcho {
			line = "The code is " + m.Text + "\n"
		}
		if at := strings.Index(text, line); at < 0 || at > 0 && text[at-1] != '\n' {
			t.Errorf("no line %q", line)
		}
		if strings.Count(p.Expected(), m.Text) != 1 {
			t.Errorf("expected answer %q lacks marker %d", p.Expected(), m.Number)
		}
	}
	if p.Task() == TaskEcho {
		return
	}
	first, last := markers[0], markers[len(markers)-1]
	if last.Depth != 1 || !strings.HasPrefix(text[last.Offset:], last.Text+"\n\n"+p.Question()) {
		t.Errorf("last seal stands at depth %v, want the end", last.Depth)
	}
	want := 0.0
	if p.Spec().Prefix != nil {
		want = float64(p.Spec().Prefix.Sentences) / float64(p.Spec().Sentences)
	}
	if first.Depth != want || want == 0 && !strings.HasPrefix(text, "seal 1: ") {
		t.Errorf("first seal stands at depth %v, want %v", first.Depth, want)
	}
}

// checkPages checks that each page, made by itself and out of order, is the
// slice of the prompt that it says, and holds its locator.
func checkPages(t *testing.T, p *Prompt, text string) {
	t.Helper()
	var lines []string
	for _, l := range p.lines {
		lines = append(lines, l.text, "")
	}
	seals := strings.NewReplacer(lines...)
	var filler strings.Builder
	for i := range p.Pages() {
		page, offset := p.Page(i)
		filler.WriteString(page)
		first, _, _ := strings.Cut(page, "\n")
		if !strings.HasPrefix(text[offset:], first) || offset > 0 && text[offset-1] != '\n' {
			t.Fatalf("page %d does not begin at %d: %q", i, offset, first)
		}
		if i < p.Pages()-1 {
			checkLocator(t, p, i, page)
		}
	}
	body := strings.TrimSuffix(text, "\n"+p.Question())
	if seals.Replace(body) != filler.String() {
		t.Error("the pages are not the filler of the prompt")
	}
	if lines := strings.Count(filler.String(), "\n"); lines != p.Spec().Sentences {
		t.Errorf("%d sentences, want %d", lines, p.Spec().Sentences)
	}
	for _, beyond := range []int{-1, p.Pages()} {
		if page, offset := p.Page(beyond); page != "" || offset != p.Size() {
			t.Errorf("page %d: %q at %d", beyond, page, offset)
		}
	}
}

func checkLocator(t *testing.T, p *Prompt, i int, page string) {
	t.Helper()
	found := FindLocators(page)
	if p.Spec().NoLocators {
		if len(found) > 0 {
			t.Errorf("page %d: locators %+v, want none", i, found)
		}
		return
	}
	key := testKey(7)
	if prefix := p.Spec().Prefix; prefix != nil && i < prefix.Sentences/p.family.pageSentences {
		key = prefix.Key
	}
	if len(found) != 1 || found[0].Page != i || !key.Verify(found[0]) {
		t.Errorf("page %d: locators %+v", i, found)
	}
}

// checkReaders checks that a prompt reads the same in any portion, and again.
func checkReaders(t *testing.T, p *Prompt, text string) {
	t.Helper()
	if len(text) < 10_000 {
		if err := iotest.TestReader(p.Reader(), []byte(text)); err != nil {
			t.Error(err)
		}
	}
	r := p.Reader()
	var b bytes.Buffer
	if _, err := io.CopyN(&b, r, 150); err != nil {
		t.Fatal(err)
	}
	n, err := r.(io.WriterTo).WriteTo(&b)
	if err != nil || n != p.Size()-150 || b.String() != text {
		t.Errorf("WriteTo after Read: %d bytes, error %v, same %v", n, err, b.String() == text)
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("Read at the end: %d, %v", n, err)
	}
}

// A shared prefix gives the same bytes under different keys, and nothing else
// does.
func TestPrefixIsShared(t *testing.T) {
	spec := specs()["prose-words-short-prefix"]
	a := readAll(t, newPrompt(t, testKey(1), spec))
	b := readAll(t, newPrompt(t, testKey(2), spec))
	end := strings.Index(a, "seal 1: ")
	if end <= 0 || a[:end] != b[:end] {
		t.Errorf("prefixes differ:\n%s\n%s", a[:end], b[:end])
	}
	spec.Prefix.Key = testKey(3)
	if c := readAll(t, newPrompt(t, testKey(1), spec)); c[:80] == a[:80] || !strings.HasSuffix(c, a[end:]) {
		t.Error("the prefix key changes more or less than the prefix")
	}
}

// Locators do not change the rest of the page.
func TestLocatorsStandAlone(t *testing.T) {
	spec := specs()["prose-words-long-seals"]
	with := newPrompt(t, testKey(1), spec)
	spec.NoLocators = true
	without := newPrompt(t, testKey(1), spec)
	for i := range with.Pages() - 1 {
		a, _ := with.Page(i)
		b, _ := without.Page(i)
		left, right := strings.Split(a, "\n"), strings.Split(b, "\n")
		differ := 0
		for j := range left {
			if left[j] != right[j] {
				differ++
			}
		}
		if len(left) != len(right) || differ != 1 {
			t.Fatalf("page %d: %d lines differ, want 1", i, differ)
		}
	}
}

// Different keys, pages and families give different sentences throughout.
func TestKeysGiveDifferentPrompts(t *testing.T) {
	seen := make(map[string]string)
	for _, family := range Families() {
		for n := range byte(20) {
			spec := longSpec(family.Name)
			spec.Sentences = 500
			p := newPrompt(t, testKey(n), spec)
			for i := range p.Pages() {
				page, _ := p.Page(i)
				for line := range strings.Lines(page) {
					here := fmt.Sprintf("%s, key %d, page %d", family.Name, n, i)
					if there, ok := seen[line]; ok {
						t.Fatalf("%q stands in %s and in %s", line, there, here)
					}
					seen[line] = here
				}
			}
		}
	}
}

// Every word of every slot and every template is chosen about as often as any
// other.
func TestChoicesAreEven(t *testing.T) {
	for _, family := range Families() {
		spec := longSpec(family.Name)
		spec.NoLocators = true
		text := readAll(t, newPrompt(t, testKey(1), spec))
		count := make(map[string]int)
		for _, word := range letterWords(text) {
			count[word]++
		}
		f := library()[Version][family.Name]
		if slices.ContainsFunc(f.sentences[0].slots, func(s slot) bool { return s.tail.size() == 0 }) {
			continue // words cling together and cannot be counted so
		}
		for i, slot := range f.sentences[0].slots {
			if len(slot.words.chunks) < 100 {
				continue // function words, which fixed wording has too
			}
			total := 0
			for j := range slot.words.chunks {
				total += count[strings.ToLower(slot.words.chunks[j].String())]
			}
			mean := float64(total) / float64(len(slot.words.chunks))
			for j := range slot.words.chunks {
				word := strings.ToLower(slot.words.chunks[j].String())
				if off := float64(count[word]) - mean; math.Abs(off) > 5*math.Sqrt(mean) {
					t.Errorf("%s slot %d: %q stands %d times, the mean is %.0f", family.Name, i, word, count[word], mean)
				}
			}
		}
	}
}

func TestSealPlaces(t *testing.T) {
	spec := Spec{Version: Version, Family: "prose", Task: TaskSeals, Dress: DressWords, Seals: 5, Sentences: 1000}
	low, high := [5]int{1000, 1000, 1000, 1000, 1000}, [5]int{}
	for n := range byte(200) {
		for i, place := range sealPlaces(testKey(n), spec) {
			low[i], high[i] = min(low[i], place), max(high[i], place)
		}
	}
	// A fifth of the distance of 250 to either side, nearly reached.
	for i, want := range [5][4]int{{0, 0, 0, 0}, {200, 210, 290, 300}, {450, 460, 540, 550}, {700, 710, 790, 800}, {1000, 1000, 1000, 1000}} {
		if low[i] < want[0] || low[i] > want[1] || high[i] < want[2] || high[i] > want[3] {
			t.Errorf("seal %d stands before %d to %d sentences, want %v", i+1, low[i], high[i], want)
		}
	}
	echo := Spec{Version: Version, Family: "prose", Task: TaskEcho, Dress: DressCode, Seals: 1, Sentences: 4}
	var places [5]int
	for n := range byte(200) {
		places[sealPlaces(testKey(n), echo)[0]]++
	}
	for i, n := range places {
		if n < 20 {
			t.Errorf("the code stands before %d sentences %d times of 200, want about 40", i, n)
		}
	}
}

// The largest prompt there can be, with seals everywhere, keeps its books.
func TestLargestPrompt(t *testing.T) {
	family, _ := LookupFamily("prose")
	spec := Spec{Version: Version, Family: "prose", Task: TaskSeals, Dress: DressCode, Seals: MaxSeals, Sentences: MaxPages * family.PageSentences}
	p := newPrompt(t, testKey(1), spec)
	n, err := p.Reader().(io.WriterTo).WriteTo(io.Discard)
	if err != nil || n != p.Size() {
		t.Errorf("read %d bytes of %d, error %v", n, p.Size(), err)
	}
	page, offset := p.Page(MaxPages - 1)
	found := FindLocators(page)
	if len(found) != 1 || found[0].Page != MaxPages-1 || !testKey(1).Verify(found[0]) {
		t.Errorf("locators of the last page: %+v", found)
	}
	if last := p.Markers()[MaxSeals-1]; last.Offset < offset || last.Depth != 1 {
		t.Errorf("last marker %+v, last page at %d", last, offset)
	}
}

// A short echo prompt fits the smallest contexts, and nothing in it looks more
// like a code than the code.
func TestSmallestEcho(t *testing.T) {
	for _, family := range Families() {
		spec := Spec{Version: Version, Family: family.Name, Task: TaskEcho, Dress: DressCode, Seals: 1, Sentences: 1}
		for n := range byte(50) {
			p := newPrompt(t, testKey(n), spec)
			text := readAll(t, p)
			if len(text) > 400 {
				t.Errorf("%d bytes, want fewer than 400: %q", len(text), text)
			}
			rest := strings.Replace(text, p.Expected(), "", 1)
			if strings.ContainsAny(rest, "0123456789-_") {
				t.Errorf("wording looks like a code: %q", rest)
			}
			if p.Expected() != p.Markers()[0].Text {
				t.Errorf("expected %q, want the code %q", p.Expected(), p.Markers()[0].Text)
			}
		}
	}
}

func TestExpected(t *testing.T) {
	spec := Spec{Version: Version, Family: "prose", Task: TaskSeals, Dress: DressWords, Seals: 3, Sentences: 5}
	markers := []string{"one two", "three four", "five six"}
	for ask, want := range map[int]string{
		0: "1: one two\n2: three four\n3: five six",
		1: "1: one two\n2: three four\n3: five six",
		3: "3: five six\n1: one two\n2: three four",
	} {
		spec.Ask = ask
		p, err := New(testKey(1), spec, markers)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, p.Expected()); diff != "" {
			t.Errorf("ask %d (-want +got):\n%s", ask, diff)
		}
		if asks := strings.Contains(p.Question(), fmt.Sprintf("List seal %d first", ask)); asks != (ask > 0) {
			t.Errorf("ask %d: question is %q", ask, p.Question())
		}
	}
}

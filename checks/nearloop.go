package checks

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"crosstalk/internal/words"
)

const (
	loopWindow   = 1000     // bytes in which repeated word sequences are counted
	gramWords    = 4        // words in a sequence (rep-4)
	minGrams     = 40       // sequences in a window, to say anything
	maxRepStrict = 0.20     // share that repeats: prose reaches 0.03
	maxRepProse  = 0.50     // and lawful text of any kind 0.55, prose with refrains 0.3
	vocabulary   = 500      // words in which different ones are counted
	minDistinct  = 0.05     // share of different words: 25 in 500
	nearLoopScan = 64 << 10 // bytes looked at, at either end of a text
)

// nearLoop sees loops that change a word each time round, and vocabularies that
// have shrunk to a few words. Only content is looked at: reasoning goes over
// its material again and again, and arguments of tools are code.
func nearLoop(t formText) (flaw, bool) {
	if t.channel != ChannelContent || t.strict && t.whole {
		return flaw{}, false
	}
	for _, part := range ends(t.text, nearLoopScan) {
		text := t
		text.text = t.text[part[0]:part[1]]
		r := newRecurrences(text.text)
		for _, look := range []func(formText, recurrences) (flaw, bool){repeatedGrams, poorVocabulary, strayArticles} {
			if f, ok := look(text, r); ok {
				f.start, f.end = f.start+part[0], f.end+part[0]
				return f, true
			}
		}
	}
	return flaw{}, false
}

// recurrences are the words of a text with, for each, where the same word stood
// last and where the sequence of gramWords words that begins with it did; -1
// when nowhere. With them any window is counted in one pass.
type recurrences struct {
	words      []words.Word
	word, gram []int32
}

func newRecurrences(text string) recurrences {
	r := recurrences{words: words.Scan(text)}
	number := map[string]int32{}
	numbers := make([]int32, len(r.words))
	r.word = make([]int32, len(r.words))
	var last []int32 // place of the word with that number
	for i, w := range r.words {
		n, ok := number[w.Text]
		if !ok {
			n = int32(len(last))
			number[w.Text] = n
			last = append(last, -1)
		}
		numbers[i], r.word[i], last[n] = n, last[n], int32(i)
	}
	lastGram := map[[gramWords]int32]int32{}
	r.gram = make([]int32, max(0, len(r.words)-gramWords+1))
	for i := range r.gram {
		g := [gramWords]int32(numbers[i : i+gramWords])
		if before, ok := lastGram[g]; ok {
			r.gram[i] = before
		} else {
			r.gram[i] = -1
		}
		lastGram[g] = int32(i)
	}
	return r
}

// again counts those in [from, to) that stood in it before.
func again(last []int32, from, to int) int {
	n := 0
	for _, l := range last[from:to] {
		if int(l) >= from {
			n++
		}
	}
	return n
}

// ends splits off the first and the last n bytes of a text, at blanks if there
// are any; a short text is whole.
func ends(text string, n int) [][2]int {
	if len(text) <= 2*n {
		return [][2]int{{0, len(text)}}
	}
	first, last := n, len(text)-n
	if i := strings.LastIndexByte(text[:first], ' '); i > 0 {
		first = i
	}
	if i := strings.IndexByte(text[last:], ' '); i >= 0 {
		last += i
	}
	return [][2]int{{0, first}, {last, len(text)}}
}

// repeatedGrams looks at windows of loopWindow bytes, each half over the last.
func repeatedGrams(t formText, r recurrences) (flaw, bool) {
	limit := maxRepProse
	if t.strict {
		limit = maxRepStrict
	}
	for from := 0; from < len(r.words); {
		to, half := from, from
		for to < len(r.words) && r.words[to].End-r.words[from].Start <= loopWindow {
			if r.words[to].End-r.words[from].Start <= loopWindow/2 {
				half = to
			}
			to++
		}
		if grams := to - from - gramWords + 1; grams >= minGrams {
			share := float64(again(r.gram, from, from+grams)) / float64(grams)
			start, end := r.words[from].Start, r.words[to-1].End
			if share > limit && (t.strict || isProse(t.text[start:end])) {
				return flaw{kind: "near_loop", start: start, end: end, detail: fmt.Sprintf(
					"%.0f %% of the four-word sequences in %d characters repeat an earlier one",
					100*share, runesIn(t.text, start, end))}, true
			}
		}
		if to == len(r.words) {
			break
		}
		from = max(half, from+1)
	}
	return flaw{}, false
}

// poorVocabulary looks at runs of vocabulary words, each half over the last.
// Tables of constants in a source are as poor, and no words.
func poorVocabulary(t formText, r recurrences) (flaw, bool) {
	for from := 0; from+vocabulary <= len(r.words); from += vocabulary / 2 {
		distinct := vocabulary - again(r.word, from, from+vocabulary)
		start, end := r.words[from].Start, r.words[from+vocabulary-1].End
		if float64(distinct) < minDistinct*vocabulary && (t.strict || isWordy(t.text[start:end])) {
			return flaw{
				kind: "vocabulary", start: start, end: end,
				detail: fmt.Sprintf("%d different words in %d", distinct, vocabulary),
			}, true
		}
	}
	return flaw{}, false
}

// strayArticles finds English function words strung together, as decoders do
// that have lost the prompt: "the of the the a of". An article goes before a
// noun; before another article or "of" it stands by a slip, not three times.
func strayArticles(t formText, r recurrences) (flaw, bool) {
	var p places
	all := r.words
	for i := 1; i < len(all); i++ {
		before, w := all[i-1].Text, all[i].Text
		apart := strings.ContainsAny(t.text[all[i-1].End:all[i].Start], " \n\t") // (A|a|the) is a pattern
		article := before == "the" || before == "an" || before == "a" && w != "of" && w != "a"
		if article && apart && (w == "the" || w == "a" || w == "an" || w == "of") {
			p.add(all[i-1].Start, all[i].End)
		}
	}
	if p.n < 3 || p.n*20 < len(all) {
		return flaw{}, false
	}
	return flaw{kind: "salad", start: p.start, end: p.end, detail: fmt.Sprintf(
		"%d articles before another article or \"of\", in %d words", p.n, len(all))}, true
}

// isProse reports whether a passage is running text: nearly all letters and the
// gaps between words, in lines longer than verse and code have, and no list.
func isProse(text string) bool {
	letters, gaps, all := lettering(text)
	lines := 1 + strings.Count(strings.TrimSpace(text), "\n")
	return !strings.Contains(text, "```") && (letters+gaps)*100 >= all*85 && all >= 60*lines &&
		gaps*maxWordProse >= letters && !isList(text)
}

// lettering counts the letters, the gaps and all characters of a text. A gap is
// one, however wide.
func lettering(text string) (letters, gaps, all int) {
	before := 'a'
	for _, r := range text {
		space := unicode.IsSpace(r)
		if !space || !unicode.IsSpace(before) {
			all++
		}
		switch {
		case unicode.IsLetter(r):
			letters++
		case space && !unicode.IsSpace(before):
			gaps++
		}
		before = r
	}
	return letters, gaps, all
}

// isWordy reports whether a text is made of words, short sentences too.
func isWordy(text string) bool {
	letters, gaps, all := lettering(text)
	return (letters+gaps)*100 >= all*75
}

// maxWordProse is more letters than the words of running text have on average;
// paths, addresses and qualified names have more.
const maxWordProse = 12

// isList reports whether most lines begin with the word that the line before
// began with and do not end as sentences do, entries of an index or a
// configuration; or end as lines of sources and data do.
func isList(text string) bool {
	lines, alike, stopped, closed := 0, 0, 0, 0
	before := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		lines++
		if first := words.Scan(line[:min(len(line), 40)]); len(first) > 0 {
			if first[0].Text == before {
				alike++
			}
			before = first[0].Text
		}
		switch last, _ := utf8.DecodeLastRuneInString(line); {
		case strings.ContainsRune(".!?。…", last):
			stopped++
		case strings.ContainsRune("{}[](;\\", last) || strings.HasSuffix(line, "\",") || strings.HasSuffix(line, "},"):
			closed++
		}
	}
	return lines >= 3 && (2*alike >= lines && 2*stopped < lines || 2*closed >= lines)
}

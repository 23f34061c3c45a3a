package checks

import (
	"fmt"
	"strings"
	"unicode"

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
		all := words.Scan(t.text[part[0]:part[1]])
		for i := range all {
			all[i].Start, all[i].End = all[i].Start+part[0], all[i].End+part[0]
		}
		if f, ok := repeatedGrams(t, all); ok {
			return f, true
		}
		if f, ok := poorVocabulary(all); ok {
			return f, true
		}
		if f, ok := strayArticles(all); ok {
			return f, true
		}
	}
	return flaw{}, false
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
func repeatedGrams(t formText, all []words.Word) (flaw, bool) {
	limit := maxRepProse
	if t.strict {
		limit = maxRepStrict
	}
	for from := 0; from < len(all); {
		to, half := from, from
		for to < len(all) && all[to].End-all[from].Start <= loopWindow {
			if all[to].End-all[from].Start <= loopWindow/2 {
				half = to
			}
			to++
		}
		window := all[from:to]
		share, grams := repeatShare(window)
		if grams >= minGrams && share > limit {
			start, end := window[0].Start, window[len(window)-1].End
			if t.strict || isProse(t.text[start:end]) {
				return flaw{kind: "near_loop", start: start, end: end, detail: fmt.Sprintf(
					"%.0f %% of the four-word sequences in %d characters repeat an earlier one",
					100*share, runesIn(t.text, start, end))}, true
			}
		}
		if to == len(all) {
			break
		}
		from = max(half, from+1)
	}
	return flaw{}, false
}

// repeatShare is the share of the four-word sequences that stood in the window
// before, and how many there are.
func repeatShare(window []words.Word) (share float64, grams int) {
	grams = len(window) - gramWords + 1
	if grams < minGrams {
		return 0, max(grams, 0)
	}
	type gram [gramWords]string
	seen := make(map[gram]struct{}, grams)
	for i := range grams {
		seen[gram{window[i].Text, window[i+1].Text, window[i+2].Text, window[i+3].Text}] = struct{}{}
	}
	return 1 - float64(len(seen))/float64(grams), grams
}

// poorVocabulary looks at runs of vocabulary words, each half over the last.
func poorVocabulary(all []words.Word) (flaw, bool) {
	for from := 0; from+vocabulary <= len(all); from += vocabulary / 2 {
		window := all[from : from+vocabulary]
		distinct := map[string]struct{}{}
		for _, w := range window {
			distinct[w.Text] = struct{}{}
		}
		if float64(len(distinct)) < minDistinct*vocabulary {
			return flaw{kind: "vocabulary", start: window[0].Start, end: window[vocabulary-1].End,
				detail: fmt.Sprintf("%d different words in %d", len(distinct), vocabulary)}, true
		}
	}
	return flaw{}, false
}

// strayArticles finds English function words strung together, as decoders do
// that have lost the prompt: "the of the the a of". An article goes before a
// noun; before another article or "of" it stands by a slip, not three times.
func strayArticles(all []words.Word) (flaw, bool) {
	var p places
	for i := 1; i < len(all); i++ {
		before, w := all[i-1].Text, all[i].Text
		article := before == "the" || before == "an" || before == "a" && w != "of" && w != "a"
		if article && (w == "the" || w == "a" || w == "an" || w == "of") {
			p.add(all[i-1].Start, all[i].End)
		}
	}
	if p.n < 3 || p.n*20 < len(all) {
		return flaw{}, false
	}
	return flaw{kind: "salad", start: p.start, end: p.end, detail: fmt.Sprintf(
		"%d articles before another article or \"of\", in %d words", p.n, len(all))}, true
}

// isProse reports whether a passage is running text: nearly all letters and
// blanks, in lines longer than verse, lists and code have.
func isProse(text string) bool {
	if strings.Contains(text, "```") {
		return false
	}
	running, all := 0, 0
	for _, r := range text {
		all++
		if unicode.IsLetter(r) || unicode.IsSpace(r) {
			running++
		}
	}
	lines := 1 + strings.Count(strings.TrimSpace(text), "\n")
	return running*100 >= all*85 && all >= 60*lines
}

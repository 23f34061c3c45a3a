package checks

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// markupToken is a piece of a chat template or of a model's special vocabulary.
var markupToken = regexp.MustCompile(`<[|｜][^<>]{0,40}[|｜]>|<unused\d+>|</?(?:pad|mask|eoa|s|bos|eos|think|tool_call|function_calls)>|\[/?INST\]`)

// noiseShare is the part of a text, 0 to 1, that is noise and nobody's words:
// runs of one character, cycles, replacement characters, special tokens, words
// of many scripts in one, digits and punctuation without words, letters that
// make no words, few words over and over. A text that is mostly noise is damaged; it is not a disclosure.
//
// Of a long text its beginning, middle and end are looked at.
func noiseShare(text string) float64 {
	share, all := 0.0, 0
	for _, part := range windows(text, 4*noiseWindow, noiseWindow) {
		n := part[1] - part[0]
		share += float64(n) * noiseIn(text[part[0]:part[1]])
		all += n
	}
	return share / float64(max(1, all))
}

// noiseWindow is how much of a long text is looked at in one place, bytes.
const noiseWindow = 32 << 10

func noiseIn(text string) float64 {
	total := 0
	for _, c := range text {
		if !unicode.IsSpace(c) {
			total++
		}
	}
	if total == 0 {
		return 0
	}
	if isSoup(text) || isVocabularyCollapse(text) || isGibberish(text) {
		return 1
	}
	noisy := runRunes(text) + max(cycleRunes(text), loopRunes(text)) + 8*strings.Count(text, "\ufffd")
	for _, m := range markupToken.FindAllString(text, -1) {
		noisy += len([]rune(m))
	}
	return min(1, float64(noisy)/float64(total))
}

// minNoiseRun is the length from which one character over and over is a run;
// the longest lawful one, rule characters apart, is 9.
const minNoiseRun = 12

// runRunes counts the characters in runs.
func runRunes(text string) int {
	n, length := 0, 0
	var last rune
	flush := func() {
		if length >= minNoiseRun && !unicode.IsSpace(last) {
			n += length
		}
	}
	for _, c := range text {
		if c == last {
			length++
			continue
		}
		flush()
		last, length = c, 1
	}
	flush()
	return n
}

// loopRunes counts the characters in loops that need not be of whole words.
func loopRunes(text string) int {
	n := 0
	for _, l := range findLoops(text) {
		if l.copies() >= 3 && l.end-l.start >= 24 {
			n += runesIn(text, l.start, l.end)
		}
	}
	return n
}

// cycleRunes counts the characters outside blanks in exact cycles of words: at
// least three copies of up to 64 words.
func cycleRunes(text string) int {
	fields := strings.Fields(text)
	n := 0
	for at := 0; at < len(fields); {
		length := cycleAt(fields[at:])
		if length == 0 {
			at++
			continue
		}
		for _, f := range fields[at : at+length] {
			n += len([]rune(f))
		}
		at += length
	}
	return n
}

// cycleAt is the length in words of the cycle that begins a list of words, 0 if
// there is none.
func cycleAt(fields []string) int {
	for period := 1; period <= 64 && 3*period <= len(fields); period++ {
		n := period
		for n < len(fields) && fields[n] == fields[n-period] {
			n++
		}
		if n >= 3*period && n >= 4 {
			return n
		}
	}
	return 0
}

// isSoup holds for a text that is nearly all digits and punctuation, for one
// that goes back and forth between three scripts or more, and for one that mixes
// scripts within words, as no text does but Chinese and Japanese.
func isSoup(text string) bool {
	letters, others := 0, 0
	for _, c := range text {
		switch {
		case unicode.IsLetter(c) || unicode.IsMark(c):
			letters++
		case !unicode.IsSpace(c):
			others++
		}
	}
	if others > 3*letters {
		return true
	}
	if isScattered(text) {
		return true
	}
	fields := strings.Fields(text)
	scripts, mixed, switches, last := map[string]bool{}, 0, 0, ""
	for _, f := range fields {
		of := scriptsOf(f)
		if len(of) > 1 {
			mixed++
		}
		for _, name := range of {
			scripts[name] = true
			if name != last && last != "" {
				switches++
			}
			last = name
		}
	}
	return len(scripts) >= 3 && 6*switches > len(fields) || mixed > 2 && 10*mixed > len(fields) && len(scripts) < 3 && !scripts["Han"]
}

// isScattered holds for a text with letters of another script strewn into it one
// by one, as a sampler with a fault draws them: most letters that are not of
// the text's main script stand alone between letters that are. Chinese and
// Japanese write Latin words in runs, and their own letters beside them too.
func isScattered(text string) bool {
	letters := []rune(text)
	letters = slices.DeleteFunc(letters, func(c rune) bool { return !unicode.IsLetter(c) })
	latin := func(c rune) bool { return unicode.Is(unicode.Latin, c) }
	alone, others := 0, 0
	for i, c := range letters {
		if latin(c) {
			continue
		}
		others++
		if (i == 0 || latin(letters[i-1])) && (i == len(letters)-1 || latin(letters[i+1])) {
			alone++
		}
	}
	return alone >= 8 && 3*alone > 2*others
}

// scriptsOf names the scripts of a word, of those that models mix up. The
// scripts of Japanese are one.
func scriptsOf(word string) []string {
	var found []string
	for _, c := range word {
		if c < utf8.RuneSelf && !unicode.IsLetter(c) {
			continue
		}
		for _, name := range []string{"Latin", "Cyrillic", "Greek", "Arabic", "Hebrew", "Devanagari", "Thai", "Hangul", "Han"} {
			table := unicode.Scripts[name]
			if (unicode.Is(table, c) || name == "Han" && unicode.In(c, unicode.Hiragana, unicode.Katakana)) && !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
	}
	return found
}

// isVocabularyCollapse holds for a text of at least 20 words that uses few
// different ones, as near-loops do. Running text of that length has more than
// half of its words different; 200 words still have more than a third.
func isVocabularyCollapse(text string) bool {
	fields := strings.Fields(strings.ToLower(text))
	if len(fields) < 20 {
		return false
	}
	fields = fields[:min(len(fields), 200)]
	distinct := map[string]bool{}
	for _, f := range fields {
		distinct[strings.Trim(f, ".,;:!?|")] = true
	}
	return 3*len(distinct) <= len(fields)
}

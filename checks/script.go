package checks

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scriptCheck sees letters of a writing system that the prompt gave no reason for:
// a sampler that reaches into the whole vocabulary betrays itself by one
// character. On a closed task one letter is enough: lawful answers to English
// prompts hold none. On open text, names, quotations and translations bring
// foreign letters, so only what people do not write counts: foreign words of
// several scripts woven into running text, or one script glued to another.
// Models that reason in another language than they answer in are ordinary: in
// reasoning even that is only a sign.
type scriptCheck struct{}

func (scriptCheck) Name() string { return "script" }

func (c scriptCheck) Run(in *Input) []Finding {
	return in.each(c.Name(), func(s *subject) []Finding {
		found := judgeForm(s, scriptFlaws)
		for i := range found {
			if found[i].Channel == ChannelReasoning {
				found[i].Class = Degraded
			}
		}
		return found
	})
}

// scriptName is a writing system as this check tells them apart; "" is for
// characters that all of them share.
type scriptName string

const (
	latin    scriptName = "Latin"
	greek    scriptName = "Greek"
	cjk      scriptName = "Han or kana" // Japanese mixes them
	cyrillic scriptName = "Cyrillic"
	unnamed  scriptName = "another script"
)

// namedScripts lists the scripts in the order they are tried.
var namedScripts = [...]struct {
	name  scriptName
	table *unicode.RangeTable
}{
	{latin, unicode.Latin},
	{cyrillic, unicode.Cyrillic},
	{greek, unicode.Greek},
	{cjk, unicode.Han},
	{cjk, unicode.Hiragana},
	{cjk, unicode.Katakana},
	{cjk, unicode.Bopomofo},
	{"Hangul", unicode.Hangul},
	{"Arabic", unicode.Arabic},
	{"Hebrew", unicode.Hebrew},
	{"Thai", unicode.Thai},
	{"Lao", unicode.Lao},
	{"Devanagari", unicode.Devanagari},
	{"Bengali", unicode.Bengali},
	{"Tamil", unicode.Tamil},
	{"Telugu", unicode.Telugu},
	{"Georgian", unicode.Georgian},
	{"Armenian", unicode.Armenian},
	{"Khmer", unicode.Khmer},
	{"", unicode.Common},
	{"", unicode.Inherited},
}

func scriptOf(r rune) scriptName {
	if r < utf8.RuneSelf {
		if 'a' <= r|0x20 && r|0x20 <= 'z' {
			return latin
		}
		return ""
	}
	if !unicode.IsLetter(r) || unicode.Is(unicode.Lm, r) {
		return ""
	}
	for _, s := range namedScripts {
		if unicode.Is(s.table, r) {
			return s.name
		}
	}
	return unnamed
}

func scriptFlaws(t formText) []flaw {
	if isASCII(t.text) {
		return nil
	}
	if t.strict {
		return foreignLetters(t)
	}
	return wovenScripts(t)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// foreignLetters reports any letter of a script that the prompt does not use.
func foreignLetters(t formText) []flaw {
	given := scriptsIn(t.given)
	f := flaw{kind: "foreign_letter", start: -1}
	n, names := 0, []string{}
	for i, r := range t.text {
		s := scriptOf(r)
		if s == "" || given[s] {
			continue
		}
		if f.start < 0 {
			f.start = i
		}
		f.end = i + utf8.RuneLen(r)
		n++
		if !slices.Contains(names, string(s)) {
			names = append(names, string(s))
		}
	}
	if n == 0 {
		return nil
	}
	f.detail = fmt.Sprintf("%s of %s, which the prompt does not use",
		plural(n, "letter"), strings.Join(names, ", "))
	return []flaw{f}
}

func scriptsIn(text string) map[scriptName]bool {
	all := map[scriptName]bool{}
	for _, r := range text {
		all[scriptOf(r)] = true
	}
	return all
}

// wovenScripts counts, in text that is mostly Latin, foreign words woven into
// running text and foreign letters glued to Latin ones. Greek is left out: it
// stands for units and variables.
func wovenScripts(t formText) []flaw {
	given := scriptsIn(t.given)
	given[greek] = true
	words := splitScripts(t.text)
	if !mostlyLatin(words) {
		return nil
	}
	woven, glued, gluedCJK := 0, 0, 0
	names := map[scriptName]bool{}
	f := flaw{kind: "mixed_scripts", start: -1}
	for i, w := range words {
		if w.script == latin || w.script == "" || given[w.script] || i == 0 || words[i-1].script != latin {
			continue
		}
		switch gap := t.text[words[i-1].end:w.start]; {
		case gap == "" && isLineOf(w.script, t.text, w.start):
			continue // a translation among sources: the Latin word is the guest
		case gap == "" && w.script == cjk:
			gluedCJK++
		case gap == "":
			glued++
		case strings.Trim(gap, " ") == "" && i+1 < len(words) && words[i+1].script == latin &&
			strings.Trim(t.text[w.end:words[i+1].start], " ") == "":
			woven++
		default:
			continue
		}
		names[w.script] = true
		if f.start < 0 {
			f.start = w.start
		}
		f.end = w.end
	}
	if glued == 0 && gluedCJK < 2 && (woven < 3 || len(names) < 2) {
		return nil
	}
	f.detail = fmt.Sprintf("%s of other scripts in Latin text: %d in the run of a sentence, %d glued to a word",
		plural(woven+glued+gluedCJK, "passage"), woven, glued+gluedCJK)
	return []flaw{f}
}

// isLineOf reports whether the line of a place, as far as 400 bytes each way, is
// written in a script as much as in Latin letters, of which it takes two to say
// what one of Chinese or Japanese does.
func isLineOf(script scriptName, text string, place int) bool {
	const reach = 400
	before := text[max(place-reach, 0):place]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	behind, _, _ := strings.Cut(text[place:min(place+reach, len(text))], "\n")
	n := 0
	for _, r := range before + behind {
		switch scriptOf(r) {
		case script:
			if n++; script == cjk {
				n++
			}
		case latin:
			n--
		}
	}
	return n >= 0
}

// scriptWord is a run of letters of one script.
type scriptWord struct {
	script     scriptName
	start, end int
}

func splitScripts(text string) []scriptWord {
	var all []scriptWord
	inWord := false
	for i, r := range text {
		s := scriptOf(r)
		end := i + utf8.RuneLen(r)
		switch {
		case s == "" && unicode.Is(unicode.M, r) && inWord: // a vowel sign, an accent
			all[len(all)-1].end = end
		case s == "":
			inWord = false
			if !unicode.IsSpace(r) && (unicode.IsDigit(r) || unicode.IsLetter(r)) {
				all = append(all, scriptWord{"", i, end})
			}
		case inWord && all[len(all)-1].script == s:
			all[len(all)-1].end = end
		default:
			all = append(all, scriptWord{s, i, end})
			inWord = true
		}
	}
	return all
}

// mostlyLatin reports whether at least half the words are Latin: of a salad
// of scripts, still; of a translation, no.
func mostlyLatin(words []scriptWord) bool {
	n, all := 0, 0
	for _, w := range words {
		if w.script == "" {
			continue
		}
		all++
		if w.script == latin {
			n++
		}
	}
	return 2*n >= all
}

// plural writes a count and its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

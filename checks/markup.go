package checks

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// markupCheck sees the protocol between a model and its server in the text:
// role and channel markers, tool calls and thinking as plain text, names of the
// special vocabulary. Markers are folded first (full-width and double bars, low lines
// for blanks), and looked for in the joined text, since streams cut them.
//
// On open text, a passage in back-ticks or a fence explains the format, and a
// name in a sentence that speaks of tokens names it. Neither is damage.
type markupCheck struct{}

func (markupCheck) Name() string { return "markup" }

func (c markupCheck) Run(in *Input) []Finding {
	return in.each(c.Name(), func(s *subject) []Finding { return judgeForm(s, markupFlaws) })
}

// lexeme is one form of markup.
type lexeme struct {
	kind string
	// shared says that other formats use the form too (HTML, XML, texts on
	// tokenizers): alone in the run of open text it means nothing.
	shared bool
}

// barred is a control word between bars, of whatever family: <|im_end|>,
// <｜begin▁of▁sentence｜>, </‖DSML‖...
var barred = regexp.MustCompile(`^</?\|{1,2}[A-Za-z][\w /:.-]{0,48}\|{1,2}>?`)

// numbered are names of the special vocabulary that carry a number.
var numbered = regexp.MustCompile(`^(?:unused|reserved_?\w*_?|extra_id_|0x)[0-9A-F]+$`)

// tagOf is the lexeme with that name in angle brackets. next is the character
// after the name.
func tagOf(name string, next byte) (l lexeme, ok bool) {
	name = strings.TrimPrefix(name, "antml:")
	if next != '>' {
		switch name + string(next) {
		case "invoke ", "function=", "parameter=":
			return lexeme{kind: "tool_markup"}, true
		case "parameter ":
			return lexeme{kind: "tool_markup", shared: true}, true
		}
		return lexeme{}, false
	}
	switch name {
	case "think", "thinking", "thought", "thoughts", "reasoning", "scratchpad":
		return lexeme{kind: "thinking"}, true
	case "tool_call", "tool_calls", "tool_response", "function_call", "function_calls",
		"function_result", "function_results", "tool_use":
		return lexeme{kind: "tool_markup"}, true
	case "start_of_turn", "end_of_turn", "begin_of_text", "end_of_text", "begin_of_sentence",
		"end_of_sentence", "start_header_id", "end_header_id", "eot_id", "im_start", "im_end", "endoftext":
		return lexeme{kind: "template"}, true
	case "eoa", "eoh", "soa":
		return lexeme{kind: "vocabulary"}, true
	case "pad", "unk", "mask", "bos", "eos", "cls", "sep", "s":
		return lexeme{kind: "vocabulary", shared: true}, true
	}
	// <0x00> is a byte that a tokenizer has no token for, and C<0x00> a listing.
	return lexeme{kind: "vocabulary", shared: strings.HasPrefix(name, "0x")}, numbered.MatchString(name)
}

// bracketOf is the lexeme with that name in square brackets.
func bracketOf(name string) (l lexeme, ok bool) {
	switch name {
	case "INST", "gMASK", "TOOL_CALLS", "AVAILABLE_TOOLS", "TOOL_RESULTS", "SYSTEM_PROMPT":
		return lexeme{kind: "template"}, true
	case "PAD", "UNK", "MASK", "CLS", "SEP", "BOS", "EOS":
		return lexeme{kind: "vocabulary", shared: true}, true
	}
	return lexeme{}, false
}

// bareForm is a form without brackets.
type bareForm struct {
	lexeme
	// words are parts of every match, of which a text must have one to be
	// searched.
	words   []string
	pattern *regexp.Regexp
}

// bareForms are Harmony's words once its brackets are lost, and role labels at
// the beginning of a line.
var bareForms = []bareForm{
	{
		lexeme{kind: "harmony"},
		[]string{"assistant", " to=", "to=functions."},
		regexp.MustCompile(`\bassistant(?:final|analysis|commentary)|\b(?:commentary|analysis) to=|\bto=functions\.\w`),
	},
	{
		lexeme{kind: "harmony"},
		[]string{"analysis", "commentary"},
		regexp.MustCompile(`^(?:analysis|commentary)[A-Z]\w`),
	},
	{
		lexeme{kind: "role", shared: true},
		[]string{"Human:", "Assistant:", "User:", "AI:", "System:"},
		regexp.MustCompile(`(?m)^(?:Human|Assistant|User|AI|System): ?\S`),
	},
}

func markupFlaws(t formText) []flaw {
	var found []flaw
	kinds := map[string]bool{}
	report := func(l lexeme, start, end int) {
		if !kinds[l.kind] && !t.givenMarkup(start, end) {
			kinds[l.kind] = true
			found = append(found, flaw{kind: l.kind, start: start, end: end, detail: fmt.Sprintf(
				"%s of the chat format as text, %d bytes from the end", describe(l.kind), len(t.text)-end)})
		}
	}
	var fences fenceCount
	for i := 0; i < len(t.text); {
		next := strings.IndexAny(t.text[i:], "<[＜［")
		if next < 0 {
			break
		}
		i += next
		l, n, ok := lexemeAt(t.text[i:])
		if ok && !kinds[l.kind] && t.counts(l, i, i+n, fences.inside(t.text, i)) {
			report(l, i, i+n)
		}
		if !ok {
			n = 1
		}
		i += n
	}
	for _, b := range bareForms {
		if !containsAny(t.text, b.words) {
			continue
		}
		if m := b.pattern.FindStringIndex(t.text); m != nil && t.countsBare(b.lexeme, m[0], m[1]) {
			report(b.lexeme, m[0], m[1])
		}
	}
	return found
}

func describe(kind string) string {
	switch kind {
	case "thinking":
		return "a tag of thinking"
	case "tool_markup":
		return "a tool call"
	case "vocabulary":
		return "a name of the special vocabulary"
	case "role":
		return "the label of a role"
	default:
		return "a control word"
	}
}

const (
	maxLexeme = 96 // bytes that are folded and matched at one place
	maxName   = 32 // of a tag
)

// lexemeAt finds the markup that text begins with and its length in bytes.
func lexemeAt(text string) (l lexeme, n int, ok bool) {
	if len(text) < 3 || text[1] == text[0] || text[1] == ' ' {
		return lexeme{}, 0, false
	}
	folded, ends := foldMarkup(text[:min(len(text), maxLexeme)])
	body := folded[1:]
	if body = strings.TrimPrefix(body, "/"); strings.HasPrefix(body, "|") {
		m := barred.FindString(folded)
		if m == "" {
			return lexeme{}, 0, false
		}
		return lexeme{kind: "template"}, endOf(ends, len(m)-1), true
	}
	size := strings.IndexAny(body, "> =]<[")
	if size <= 0 || size > maxName {
		return lexeme{}, 0, false
	}
	if folded[0] == '[' {
		l, ok = bracketOf(body[:size])
		ok = ok && body[size] == ']'
	} else {
		l, ok = tagOf(body[:size], body[size])
	}
	return l, endOf(ends, len(folded)-len(body)+size), ok
}

// foldMarkup writes the look-alikes of bars, angles and blanks as ASCII. For
// each byte of the folded text ends gives where its character ended in text;
// nil if nothing had to be folded.
func foldMarkup(text string) (folded string, ends []int) {
	if isASCII(text) {
		return text, nil
	}
	var b strings.Builder
	b.Grow(len(text))
	ends = make([]int, 0, len(text))
	for i, r := range text {
		size := max(utf8.RuneLen(r), 1)
		before := b.Len()
		switch r {
		case '∣', '│':
			b.WriteByte('|')
		case '‖', '∥':
			b.WriteString("||")
		case '▁':
			b.WriteByte('_')
		case '‹':
			b.WriteByte('<')
		case '›':
			b.WriteByte('>')
		default:
			if r >= '！' && r <= '～' { // full width
				r -= '！' - '!'
			}
			b.WriteRune(r)
		}
		for range b.Len() - before {
			ends = append(ends, min(i+size, len(text)))
		}
	}
	return b.String(), ends
}

func endOf(ends []int, i int) int {
	if ends == nil {
		return i + 1
	}
	return ends[i]
}

// givenMarkup reports whether the prompt or the right answer holds the same
// characters.
func (t formText) givenMarkup(start, end int) bool {
	return t.given != "" && strings.Contains(t.given, t.text[start:end])
}

// counts decides whether bracketed markup at a place is a leak.
func (t formText) counts(l lexeme, start, end int, fenced bool) bool {
	if t.channel == ChannelReasoning && (l.kind == "thinking" || l.shared) {
		return false // servers leave the tags there; talk of formats is lawful
	}
	if t.strict {
		return true
	}
	if fenced || quoted(t.text, start, end) {
		return false
	}
	alone := isBlankAt(t.text, start-1) && isBlankAt(t.text, end)
	if alone && namesToken(t.text, start, end) {
		return false
	}
	if !l.shared {
		return true
	}
	return strings.HasPrefix(t.text[end:], t.text[start:end]) || // the same again
		strings.HasPrefix(t.text[start:], "<0x") && strings.HasPrefix(t.text[end:], "<0x") ||
		strings.TrimSpace(t.text[end:]) == "" && isEnd(t.text[start:end]) && !opened(t.text[:start], t.text[start:end])
}

// countsBare decides the same for markup without brackets.
func (t formText) countsBare(l lexeme, start, end int) bool {
	switch {
	case t.strict && l.kind == "role":
		return t.channel == ChannelContent
	case t.strict:
		return true
	case quoted(t.text, start, end) || new(fenceCount).inside(t.text, start):
		return false
	case l.kind == "role":
		// A play or an interview has its labels from the first line on.
		return start > 0 && strings.Contains(t.text, "Human: ") && strings.Contains(t.text, "\nAssistant:")
	default:
		return true
	}
}

// isEnd reports whether a shared name ends a text.
func isEnd(name string) bool {
	switch name {
	case "</s>", "<eos>", "<pad>", "[EOS]", "[PAD]", "[SEP]", "<sep>":
		return true
	}
	return false
}

// opened reports whether an end tag has its beginning before it.
func opened(before, tag string) bool {
	return strings.HasPrefix(tag, "</") && strings.Contains(before, "<"+tag[2:])
}

func isBlankAt(text string, i int) bool {
	return i < 0 || i >= len(text) || unicode.IsSpace(rune(text[i])) || strings.IndexByte(".,;:!?()\"'", text[i]) >= 0
}

// namesToken reports whether the words around a place speak of tokens.
func namesToken(text string, start, end int) bool {
	const reach = 48
	around := strings.ToLower(text[max(start-reach, 0):start] + " " + text[end:min(end+reach, len(text))])
	for _, w := range []string{"token", "tag", "marker", "delimiter", "special", "separator", "padding", "symbol"} {
		if strings.Contains(around, w) {
			return true
		}
	}
	return false
}

// fenceCount tells, for places in order, whether they stand in a code fence.
type fenceCount struct{ at, n int }

func (f *fenceCount) inside(text string, place int) bool {
	f.n += strings.Count(text[f.at:place], "```")
	f.at = place
	return f.n%2 == 1
}

// quoted reports whether a place stands in back-ticks, in an indented listing,
// or in quotation marks of its own.
func quoted(text string, start, end int) bool {
	const reach = 400 // of a line before the place
	line := text[max(start-reach, 0):start]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	if strings.Count(line, "`")%2 == 1 || strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return strings.ContainsRune(`"'“‘«「`, before) && strings.ContainsRune(`"'”’»」.,`, after)
}

func containsAny(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

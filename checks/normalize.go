package checks

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

var (
	fenceLine = regexp.MustCompile("^(```|~~~)")
	// lineMark is what a model puts before a line of a list: quotation
	// marks of Markdown, bullets, headings.
	lineMark = regexp.MustCompile(`^(?:[>•·‣◦–—*+-]|#{1,6})\s+`)
	// lineNumber is a number before a line: "3: ", "3. ", "(3) ", "Seal 3: ".
	lineNumber = regexp.MustCompile(`^[*_\x60(\[]*(?:seal\s+(?:phrase\s+)?)?#?(\d{1,2})[*_\x60]*\s*[:.)\]\-–]+[*_\x60]*\s+`)
)

// Normalize is the one normalisation under which an answer is compared with the
// right one; both sides go through it. It
//
//   - applies NFKC, folds case, and drops zero-width characters and soft
//     hyphens;
//   - drops the lines of code fences, and empty lines;
//   - strips bullets, quotation marks of Markdown and headings before a line;
//   - strips the numbers before lines if together they are 1 to n in any order:
//     they are then numbering, and not part of the answer;
//   - strips emphasis and back-ticks around words, and quotes around a line;
//   - makes every run of blanks one space.
//
// Everything else counts, punctuation too.
func Normalize(text string) string {
	var lines []string
	for line := range strings.Lines(fold(text)) {
		line = strings.TrimSpace(line)
		if fenceLine.MatchString(line) {
			continue
		}
		for lineMark.MatchString(line) {
			line = line[len(lineMark.FindString(line)):]
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	lines = stripNumbering(lines)
	for i, line := range lines {
		lines[i] = plainLine(line)
	}
	lines = slices.DeleteFunc(lines, func(l string) bool { return l == "" })
	return strings.Join(lines, "\n")
}

// fold makes text comparable character by character.
func fold(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\u00ad' || r == '\u200b' || r == '\u200c' || r == '\u200d' || r == '\u2060' || r == '\ufeff':
			return -1
		case r == '“' || r == '”' || r == '„':
			return '"'
		case r == '‘' || r == '’':
			return '\''
		default:
			return unicode.ToLower(r)
		}
	}, norm.NFKC.String(strings.ToValidUTF8(text, "\ufffd")))
}

// stripNumbering removes the numbers before lines if they are a permutation of
// 1 to n.
func stripNumbering(lines []string) []string {
	var numbers []int
	bare := slices.Clone(lines)
	for i, line := range lines {
		if n, rest, ok := cutLineNumber(line); ok {
			numbers = append(numbers, n)
			bare[i] = rest
		}
	}
	slices.Sort(numbers)
	for i, n := range numbers {
		if n != i+1 {
			return lines
		}
	}
	return bare
}

// cutLineNumber splits a folded line into its number and the rest.
func cutLineNumber(line string) (number int, rest string, ok bool) {
	m := lineNumber.FindStringSubmatch(line)
	if m == nil {
		return 0, line, false
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return 0, line, false
	}
	return n, line[len(m[0]):], true
}

// plainLine strips emphasis around words, quotes around the line, and doubled
// blanks.
func plainLine(line string) string {
	tokens := strings.Fields(line)
	for i, t := range tokens {
		if bare := strings.Trim(t, "*_`"); bare != "" {
			tokens[i] = bare
		}
	}
	line = strings.Join(tokens, " ")
	for _, quote := range []string{`"`, `'`} {
		if len(line) >= 2 && strings.HasPrefix(line, quote) && strings.HasSuffix(line, quote) {
			line = line[1 : len(line)-1]
		}
	}
	return strings.TrimSpace(strings.Trim(line, "«»「」"))
}

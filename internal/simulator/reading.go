package simulator

import (
	"bytes"
	"sort"
	"strconv"
	"strings"
)

// reading is all the model knows: the text of the pages in its page table, in
// order, and who wrote each.
type reading struct {
	text   []byte
	starts []int // offset in text of each page
	from   []*origin
}

// read follows a page table over a pool, up to the number of tokens that the
// engine believes are valid.
func (p *pool) read(table []int32, valid int) *reading {
	n := min(pagesFor(valid), len(table))
	size := 0
	for _, i := range table[:n] {
		size += len(p.pages[i].text) + 1
	}
	r := &reading{
		text:   make([]byte, 0, size),
		starts: make([]int, n),
		from:   make([]*origin, n),
	}
	for i, at := range table[:n] {
		g := &p.pages[at]
		if i > 0 && g.origin != r.from[i-1] && len(g.text) > 0 {
			r.text = append(r.text, '\n') // another's text begins
		}
		r.starts[i], r.from[i] = len(r.text), g.origin
		r.text = append(r.text, g.text...)
	}
	return r
}

// origins returns the distinct writers of text[from:to].
func (r *reading) origins(from, to int) []*origin {
	first := max(sort.SearchInts(r.starts, from+1)-1, 0)
	var found []*origin
	for i := first; i < len(r.starts) && (r.starts[i] < to || i == first); i++ {
		found = appendNew(found, r.from[i])
	}
	return found
}

// appendNew appends o unless it is there already or nobody.
func appendNew(list []*origin, o *origin) []*origin {
	if o == nil {
		return list
	}
	for _, other := range list {
		if other == o {
			return list
		}
	}
	return append(list, o)
}

// seal is a line "seal n: words" found in the pages, or, with the number 0, a
// line "The code is ...".
type seal struct {
	number int
	text   string
	at     int // offset in the reading
}

// seals returns the seal and code lines of the pages, each in order.
func (r *reading) seals() []seal { return findSeals(r.text) }

func findSeals(text []byte) []seal {
	found := findCodes(text)
	for at := 0; ; {
		next := bytes.Index(text[at:], []byte("eal "))
		if next < 0 {
			return found
		}
		at += next + 4
		head := at - 5
		if head < 0 || text[head]|0x20 != 's' || head > 0 && isWordByte(text[head-1]) {
			continue
		}
		digits := at
		for digits < len(text) && digits < at+3 && classOf(text[digits]) == digit {
			digits++
		}
		if digits == at || digits == len(text) || text[digits] != ':' {
			continue
		}
		number, _ := strconv.Atoi(string(text[at:digits]))
		words := cutLine(text[digits+1:])
		if words != "" {
			found = append(found, seal{number: number, text: words, at: head})
		}
	}
}

func findCodes(text []byte) []seal {
	var found []seal
	intro := []byte("The code is ")
	for at := 0; ; {
		next := bytes.Index(text[at:], intro)
		if next < 0 {
			return found
		}
		head := at + next
		at = head + len(intro)
		code := strings.TrimSuffix(cutLine(text[at:]), ".")
		if code != "" && (head == 0 || text[head-1] == '\n') {
			found = append(found, seal{text: code, at: head})
		}
	}
}

// cutLine is the first line of b without outer blanks, at most 400 bytes.
func cutLine(b []byte) string {
	b = b[:min(len(b), 400)]
	if end := bytes.IndexByte(b, '\n'); end >= 0 {
		b = b[:end]
	}
	return strings.TrimSpace(string(b))
}

func isWordByte(c byte) bool {
	switch classOf(c) {
	case lower, upper, digit:
		return true
	}
	return c >= 0x80
}

// question is a request that the model found in its pages.
type question struct {
	found  bool
	repeat bool // one code, alone
	first  int  // the seal wanted first, 0: in order
	at     int  // offset of its line
}

// question returns the last question about seals or a code in the pages.
func (r *reading) question() question { return findQuestion(r.text) }

func findQuestion(text []byte) question {
	for end := len(text); end > 0; {
		start := bytes.LastIndexByte(text[:end-1], '\n') + 1
		if q := asks(text[start:end]); q.found {
			q.at = start
			return q
		}
		end = start
	}
	return question{}
}

// asks reads one line as a question. It goes by key words, not by one wording:
// the thing asked for (seal, code) and an imperative.
func asks(raw []byte) question {
	if len(raw) < 16 || len(raw) > 2000 {
		return question{}
	}
	if !bytes.Contains(raw, []byte("eal")) && !bytes.Contains(raw, []byte("ode")) {
		return question{}
	}
	lineText := strings.ToLower(strings.TrimSpace(string(raw)))
	asksFor := words(lineText)
	switch {
	case strings.HasPrefix(lineText, "seal ") && len(findSeals(raw)) > 0:
		return question{}
	case !asksFor.any("list", "write", "give", "copy", "repeat", "reply", "answer", "report", "print", "return", "name", "state", "quote", "output", "respond"):
		return question{}
	case asksFor.any("seals") && asksFor.any("all", "every", "each", "order", "other"),
		asksFor.pair("every", "seal"), asksFor.pair("each", "seal"):
		return question{found: true, first: asksFor.first()}
	case asksFor.any("seal", "code") && asksFor.any("repeat", "only", "alone", "nothing", "else", "exactly"):
		return question{found: true, repeat: true}
	}
	return question{}
}

// wordList is the words of a line.
type wordList []string

func words(text string) wordList {
	return strings.FieldsFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	})
}

func (w wordList) any(these ...string) bool {
	for _, word := range w {
		for _, this := range these {
			if word == this {
				return true
			}
		}
	}
	return false
}

// pair reports whether b follows a.
func (w wordList) pair(a, b string) bool {
	for i := 1; i < len(w); i++ {
		if w[i-1] == a && w[i] == b {
			return true
		}
	}
	return false
}

// first is the number of the seal that the line wants first: the number after
// "seal" in a line that says first, begin or start.
func (w wordList) first() int {
	if !w.any("first", "begin", "beginning", "start", "starting") {
		return 0
	}
	for i, word := range w[:max(len(w)-1, 0)] {
		if word == "seal" || word == "number" {
			if n, err := strconv.Atoi(w[i+1]); err == nil && n > 0 {
				return n
			}
		}
	}
	return 0
}

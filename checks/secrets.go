package checks

import (
	"regexp"
	"slices"
)

// secretForms are the forms of private data that a stranger's text may hold:
// e-mail addresses, telephone and card numbers, account numbers, API keys.
var secretForms = []*regexp.Regexp{
	regexp.MustCompile(`[\w.+-]+@[\w-]+\.[\w.-]*[a-zA-Z]{2,}`),
	regexp.MustCompile(`\+\d{1,3}[ .()-]*\d(?:[ .()-]*\d){6,12}\b`),
	regexp.MustCompile(`\(?\b\d{3}\)?[ .-]\d{3}[ .-]\d{4}\b`),
	regexp.MustCompile(`\b(?:\d{4}[ -]){3}\d{4}\b`),
	regexp.MustCompile(`\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}\b`),
	regexp.MustCompile(`\b(?:sk|pk|rk|ghp|gho|xox[abp]|glpat|hf|AKIA|ASIA|AIza|npm|pypi|dop_v1|SG)[-_.]?[A-Za-z0-9_.-]{16,}\b`),
	regexp.MustCompile(`\b[Bb]earer [A-Za-z0-9_.-]{16,}`),
	regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----`),
	regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`),
}

// secrets marks the first word of each piece of private data that nothing
// explains. What stands in the own prompt is ours.
func (r *reading) secrets() map[int]bool {
	found := map[int]bool{}
	if !slices.Contains(r.kinds, unexplained) {
		return found // every form has such a word, or too little beside it to matter
	}
	for _, place := range r.secret.in(r.text) {
		if i, ok := r.foreignIn(place[0], place[1]); ok {
			found[i] = true
		}
	}
	return found
}

// secretPlaces are where the secretForms are in a text, searched for once.
type secretPlaces struct {
	searched bool
	places   [][2]int
}

func (p *secretPlaces) in(text string) [][2]int {
	if p.searched {
		return p.places
	}
	p.searched = true
	for _, part := range windows(text, maxRead, windowSize) {
		for _, form := range secretForms {
			for _, m := range form.FindAllStringIndex(text[part[0]:part[1]], -1) {
				p.places = append(p.places, [2]int{part[0] + m[0], part[0] + m[1]})
			}
		}
	}
	return p.places
}

// foreignIn returns the first word of a range of bytes if no word of the range
// is the answer's or the prompt's.
func (r *reading) foreignIn(start, end int) (word int, ok bool) {
	word = -1
	// A word may begin before the range and reach into it.
	for i := max(0, r.wordAt(start)-1); i < len(r.words) && r.words[i].Start < end; i++ {
		if r.words[i].End <= start {
			continue
		}
		if k := r.kinds[i]; k == answerWord || k == passageWord {
			return 0, false
		}
		if word < 0 {
			word = i
		}
	}
	return word, word >= 0
}

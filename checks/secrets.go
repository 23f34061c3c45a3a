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
	for _, form := range secretForms {
		for _, m := range form.FindAllStringIndex(r.text, -1) {
			if i, ok := r.foreignIn(m[0], m[1]); ok {
				found[i] = true
			}
		}
	}
	return found
}

// foreignIn returns the first word of a range of bytes if no word of the range
// is the answer's or the prompt's.
func (r *reading) foreignIn(start, end int) (word int, ok bool) {
	word = -1
	for i, w := range r.words {
		if w.End <= start || w.Start >= end {
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

package corpus

import "strings"

// letterWords is the runs of letters of filler, in lower case.
func letterWords(filler string) []string {
	return strings.FieldsFunc(strings.ToLower(filler), func(r rune) bool {
		return r < 'a' || r > 'z'
	})
}

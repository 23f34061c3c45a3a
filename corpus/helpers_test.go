package corpus

import "strings"

// letterWords is the runs of letters of filler, in lower case.
func letterWords(filler string) []string {
	return letterRuns(strings.ToLower(filler))
}

package config

// nearest returns the word that s was probably meant to be: the one fewest
// edits away, if those are at most two for every five characters. "" if there
// is none.
func nearest(s string, words []string) string {
	best, found := len(s)*2/5+1, ""
	for _, w := range words {
		if n := edits(s, w); n < best {
			best, found = n, w
		}
	}
	return found
}

// edits is the Levenshtein distance of two words in bytes, by one row of the
// usual table.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

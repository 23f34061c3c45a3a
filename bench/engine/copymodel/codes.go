package copymodel

// code stands for a byte in the residual stream: 16 entries of plus or minus a
// quarter, so of length 1.
type code [16]float32

// byteCodes returns 256 codes whose dot products are at most 1/4: the
// Nordstrom-Robinson code, as the Gray image of the octacode.
func byteCodes() [256]code {
	generator := [4][8]int{{1, 0, 0, 0, 3, 1, 2, 1}, {0, 1, 0, 0, 1, 2, 3, 1}, {0, 0, 1, 0, 3, 3, 3, 2}, {0, 0, 0, 1, 2, 3, 1, 1}}
	gray := [4][2]float32{{1, 1}, {1, -1}, {-1, -1}, {-1, 1}}
	var out [256]code
	for w := range out {
		digits := [4]int{w & 3, w >> 2 & 3, w >> 4 & 3, w >> 6 & 3}
		for column := range 8 {
			sum := 0
			for row, d := range digits {
				sum += d * generator[row][column]
			}
			out[w][2*column] = gray[sum&3][0] / 4
			out[w][2*column+1] = gray[sum&3][1] / 4
		}
	}
	return out
}

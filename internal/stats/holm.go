package stats

import (
	"math"
	"slices"
)

// Holm returns the p-values adjusted by Holm's step-down method, in the order
// given. Calling significant what is at most alpha keeps the probability of any
// false call at or below alpha, whatever the dependence between the tests. A
// NaN, a test that could not be made, counts as 1.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	value := func(i int) float64 {
		if math.IsNaN(p[i]) {
			return 1
		}
		return p[i]
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch a, b := value(i), value(j); {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	})
	adjusted := make([]float64, len(p))
	floor := 0.0
	for rank, i := range order {
		// The smallest of m is multiplied by m, the next by m-1, and no
		// value may fall below the one before it.
		floor = max(floor, min(1, value(i)*float64(len(p)-rank)))
		adjusted[i] = floor
	}
	return adjusted
}

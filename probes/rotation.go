package probes

import "math/bits"

// rotation reads a seed as a number of mixed radix, lowest digit first: each
// choice a plan makes is one digit. Consecutive seeds therefore visit every
// combination of choices once before any comes again, and the choice made first
// changes with every seed. A seed that is a hash gives independent choices.
type rotation uint64

// next is the next digit, in [0, n); n is at least 1.
func (r *rotation) next(n int) int {
	digit := uint64(*r) % uint64(n)
	*r /= rotation(n)
	return int(digit)
}

// goldenStep is 2^64 divided by the golden ratio. Its multiples, modulo 2^64, fall
// into the largest gap the earlier ones have left: the evenest spread there is
// for a sequence of unknown length.
const goldenStep = 0x9E3779B97F4A7C15

// spread is the i-th value of a golden-ratio sequence over [low, high]; the
// seed moves its start. It is in integers, so that every platform plans alike.
func spread(seed uint64, i, low, high int) int {
	if high <= low {
		return low
	}
	step, _ := bits.Mul64((seed+uint64(i)+1)*goldenStep, uint64(high-low+1))
	return low + int(step)
}

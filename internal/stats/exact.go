package stats

import "math"

// FisherGreater is Fisher's exact test, one-sided: the probability that a has as
// many of all failures as it has, or more, if a and b fail at one rate. It needs
// no such rate to be known.
func FisherGreater(a, b Failures) float64 {
	failed, n := a.Failed+b.Failed, a.N+b.N
	// Hypergeometric: a has k of the failures. Terms fall above their mode, and
	// those that no longer change the sum are left out.
	mode := float64(failed+1) * float64(a.N+1) / float64(n+2)
	p, all := 0.0, logChoose(n, failed)
	for k := a.Failed; k <= min(failed, a.N); k++ {
		term := math.Exp(logChoose(a.N, k) + logChoose(b.N, failed-k) - all)
		p += term
		if float64(k) > mode && term < 1e-17*p {
			break
		}
	}
	return min(1, p)
}

// McNemar is the exact test for pairs, one-sided: of the pairs in which one side
// alone failed, so many failed on the first and so many on the second. It is the
// probability of as many on the first, or more, if either side is as likely:
// P(Binomial(first+second, 1/2) >= first).
func McNemar(first, second int) float64 {
	n := first + second
	if n == 0 {
		return 1
	}
	return 1 - binomialCDF(first-1, n, 0.5)
}

// LongestRun is the probability that, of all orders of n trials of which so many
// failed, one has a run of r failures or more: how surprising an episode is, when
// the number of failures is given. By inclusion and exclusion over which of the
// n-failed+1 gaps between sound trials hold r or more:
//
//	1 - sum over j of (-1)^j C(n-failed+1, j) C(n-j*r, n-failed) / C(n, failed)
//
// (de Moivre's problem of runs, conditioned on the number.) The terms alternate,
// and where their rounding could show the union bound, the term for j = 1, is
// returned: it is the larger.
func LongestRun(r, failed, n int) float64 {
	switch {
	case r <= 0:
		return 1
	case r > failed || failed > n:
		return 0
	}
	sound := n - failed
	all := logChoose(n, failed)
	p, largest := 0.0, 0.0
	for j := 1; j*r <= failed && j <= sound+1; j++ {
		term := math.Exp(logChoose(sound+1, j) + logChoose(n-j*r, sound) - all)
		if j%2 == 0 {
			p -= term
		} else {
			p += term
		}
		largest = max(largest, term)
	}
	const rounding = 1e-9 // of a term, from the logarithms
	if p < largest*rounding || largest > 1e6 {
		return min(1, math.Exp(logChoose(sound+1, 1)+logChoose(n-r, sound)-all))
	}
	return min(1, p)
}

// logChoose is ln C(n, k), minus infinity where there is none.
func logChoose(n, k int) float64 {
	if k < 0 || k > n {
		return math.Inf(-1)
	}
	lg := func(x int) float64 { v, _ := math.Lgamma(float64(x) + 1); return v }
	return lg(n) - lg(k) - lg(n-k)
}

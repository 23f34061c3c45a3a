// Package suite runs the command crosstalk against real servers and holds what
// it says of them in one table, testdata/verdicts.txt. It has tests only.
//
// Each row is a server with one property, sound or not, one command, and the
// verdict: the exit code, the worst class, and the finding that names the
// property. A row on a fault counts only with its control, a row on the same
// server with the fault off. The table is the same every time although the
// engines are not: prompts, lengths and order come from a seed, and what depends
// on chance (which code is damaged, how many) is left out of it.
//
//	.ci/run e2e        the rows that take seconds: the server of llama.cpp, sound,
//	                   misconfigured, and with the seed fault in its source
//	.ci/long engines   all others: rounded caches, Ollama, a gateway, mocks, and
//	                   the long runs among strangers
//
// go test -tags e2e,long -run Verdicts -update ./bench/engine/suite writes the
// table anew.
//
// The other tests look closer than a verdict: whose prompt a leak came from and
// at which offset, how often exchanged answers are found, that strangers' text
// is foreign and has no donor.
package suite

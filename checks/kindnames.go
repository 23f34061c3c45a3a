package checks

// Kinds of findings that other packages act on. The kinds of one check are
// declared beside it.
const (
	// KindPanic is a check that did not finish; inconclusive.
	KindPanic = "panic"
	// KindBudget is an answer cut because the target's reasoning used up the
	// tokens; it needs contact, and is inconclusive.
	KindBudget = "budget"
	// KindLostAskedSeal is the one deciding seal of a long prompt lost for
	// the first time; inconclusive until a fresh round repeats it.
	KindLostAskedSeal = "lost_asked_seal"
)

package pipeline

import (
	"bytes"
	"maps"
	"slices"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/internal/report"
	"crosstalk/probes"
)

// Known is what rounds have taught about a target.
type Known struct {
	// Calibration is tokens for bytes, one for each filler family.
	Calibration map[string]corpus.Calibration
	// CountsChanged counts the newest rounds in a row whose prompts were all
	// read and all counted otherwise than Calibration says: of each family those
	// that show it, and under anyFamily all of them.
	CountsChanged map[string]int
	// Limit is the prompt limit the target stated, tokens; 0 if never.
	Limit int
	// MaxTokens is the answer budget learnt; 0 if not yet.
	MaxTokens int
	// Prefill holds the newest prefill rates of sound cold streamed
	// prompts, tokens a second.
	Prefill []float64
	// Lost marks the rounds, by their id, that lost the seal asked for, with
	// the cells they lost it in.
	Lost map[uuid.UUID][]probes.Cell
	// IDs are the newest response ids, with the exchange they were given to.
	IDs map[string]uuid.UUID
	// Stopped are the length bands in which content of a stranger was
	// suspected: nothing more is sent there until a person resumes it.
	Stopped []string
}

const (
	keptRates = 32    // prefill rates kept of a target
	keptIDs   = 4096  // response ids kept of a target
	keptLost  = 64    // rounds with a lost seal kept of a target
	minTokens = 32768 // shortest prompt whose time to first token is a prefill rate
	// newTokenizer is how many rounds in a row must count otherwise until the
	// target is taken to have another tokenizer, and its calibration is begun
	// anew: what is kept would size every long prompt wrongly, for good. A
	// tokenizer is new for all families at once; a family that alone is counted
	// otherwise was badly known.
	newTokenizer = 3
	anyFamily    = ""
)

// baseline is what the checks of a round are given.
func (k Known) baseline(r *probes.Round) checks.Baseline {
	b := checks.Baseline{
		Calibration: k.Calibration,
		Limit:       k.Limit,
		IDs:         k.IDs,
		LostSeal:    map[probes.Cell]bool{},
	}
	for _, c := range k.Lost[r.Plan.Confirm] {
		b.LostSeal[c] = true
	}
	if n := len(k.Prefill); n >= 2 {
		rates := slices.Sorted(slices.Values(k.Prefill))
		b.Prefill = rates[n/2]
	}
	return b
}

// learn returns k with what the outcome taught.
func (k Known) learn(s probes.State, o *report.Outcome) Known {
	k.CountsChanged = countsChanged(k.CountsChanged, o)
	s.Calibration = k.unlearn(s.Calibration)
	s = probes.Learn(s, o.Round)
	k.Calibration, k.Limit, k.MaxTokens = s.Calibration, s.Limit, s.MaxTokens
	k.IDs, k.Lost, k.Prefill = copyOf(k.IDs), copyOf(k.Lost), slices.Clone(k.Prefill)
	for _, x := range o.Round.Exchanges {
		if x.Response == nil {
			continue
		}
		if id := x.Response.ID; id != "" {
			k.IDs[id] = x.ID
		}
		if rate := prefillRate(x); rate > 0 && o.Report.Verdict(x.ID) == checks.Sound {
			k.Prefill = append(k.Prefill, rate)
		}
	}
	if n := len(k.Prefill); n > keptRates {
		k.Prefill = k.Prefill[n-keptRates:]
	}
	for _, f := range o.Report.Findings {
		if f.Kind == checks.KindLostAskedSeal && f.Class == checks.Inconclusive {
			k.Lost[o.Round.ID] = append(k.Lost[o.Round.ID], cellOf(o.Round, f.Exchange))
		}
	}
	keepNewest(k.IDs, keptIDs, func(_ string, x uuid.UUID) uuid.UUID { return x })
	keepNewest(k.Lost, keptLost, func(round uuid.UUID, _ []probes.Cell) uuid.UUID { return round })
	k.Stopped = stops(o, k.Stopped)
	return k
}

// unlearn is a calibration without what the counts have been against for long
// enough; these begin anew too.
func (k Known) unlearn(c map[string]corpus.Calibration) map[string]corpus.Calibration {
	if k.CountsChanged[anyFamily] >= newTokenizer {
		clear(k.CountsChanged)
		return map[string]corpus.Calibration{}
	}
	c = copyOf(c)
	for family, n := range k.CountsChanged {
		if n >= newTokenizer {
			delete(c, family)
			delete(k.CountsChanged, family)
		}
	}
	return c
}

// countsChanged is [Known.CountsChanged] with a round; before is the same without
// it. What the round shows neither way stays as it is.
func countsChanged(before map[string]int, o *report.Outcome) map[string]int {
	changed, kept := map[string]bool{}, map[string]bool{}
	for _, x := range o.Round.Exchanges {
		family := x.Intent.Spec.Family
		switch {
		case o.Report.Has(x.ID, checks.KindCountChanged):
			changed[family] = true
		case x.Response != nil && x.Response.Usage != nil && o.Report.Verdict(x.ID) == checks.Sound:
			kept[family] = true
		}
	}
	if len(kept) > 0 {
		kept[anyFamily] = true
	} else if len(changed) > 0 {
		changed[anyFamily] = true
	}
	after := copyOf(before)
	for family := range changed {
		after[family]++
	}
	for family := range kept {
		delete(after, family)
	}
	return after
}

// copyOf is a copy of a map that can be written to.
func copyOf[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return map[K]V{}
	}
	return maps.Clone(m)
}

// keepNewest drops the oldest entries of a map of more than n, by the version 7
// UUIDs that tell when they were made: a quarter of n at a time, so that a full
// map is not sorted for every round.
func keepNewest[K comparable, V any](m map[K]V, n int, made func(K, V) uuid.UUID) {
	if len(m) <= n {
		return
	}
	keys := slices.SortedFunc(maps.Keys(m), func(a, b K) int {
		x, y := made(a, m[a]), made(b, m[b])
		return bytes.Compare(x[:], y[:])
	})
	for _, k := range keys[:len(m)-n+n/4] {
		delete(m, k)
	}
}

// prefillRate is the rate at which the target read the prompt of a cold
// streamed exchange, tokens a second; 0 when the exchange does not tell.
func prefillRate(x *probes.Exchange) float64 {
	t := x.Response.Times
	wait := (t.FirstContent - t.Wrote).Seconds()
	if x.Intent.Spec.Prefix != nil || !x.Response.Streamed || x.Intent.Tokens < minTokens || wait <= 0 {
		return 0
	}
	return float64(x.Intent.Tokens) / wait
}

// stops adds the length bands in which this outcome suspects a stranger's
// content.
func stops(o *report.Outcome, bands []string) []string {
	bands = slices.Clone(bands)
	for _, x := range o.Round.Exchanges {
		band := x.Intent.Cell.Length
		if o.Report.Verdict(x.ID) == checks.Foreign && !slices.Contains(bands, band) {
			bands = append(bands, band)
		}
	}
	return bands
}

func cellOf(r *probes.Round, id uuid.UUID) probes.Cell {
	for _, x := range r.Exchanges {
		if x.ID == id {
			return x.Intent.Cell
		}
	}
	return probes.Cell{}
}

package pipeline

import (
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
	s = probes.Learn(s, o.Round)
	k.Calibration, k.Limit, k.MaxTokens = s.Calibration, s.Limit, s.MaxTokens
	k.IDs, k.Lost = maps.Clone(k.IDs), maps.Clone(k.Lost)
	if k.IDs == nil {
		k.IDs = map[string]uuid.UUID{}
	}
	if k.Lost == nil {
		k.Lost = map[uuid.UUID][]probes.Cell{}
	}
	k.Prefill = slices.Clone(k.Prefill)
	for _, x := range o.Round.Exchanges {
		if x.Response == nil {
			continue
		}
		if id := x.Response.ID; id != "" && len(k.IDs) < keptIDs {
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
		if f.Kind == checks.KindLostAskedSeal && f.Class == checks.Inconclusive && len(k.Lost) < keptLost {
			k.Lost[o.Round.ID] = append(k.Lost[o.Round.ID], cellOf(o.Round, f.Exchange))
		}
	}
	k.Stopped = stops(o, k.Stopped)
	return k
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

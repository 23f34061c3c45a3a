package evidence

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

// Format is the version of the form of a Record and of an envelope.
const Format = 1

// MaxLookback is how many prompts of the look-back a record holds, the newest.
const MaxLookback = 1 << 16

// Record is one round with everything that its judgement depended on, but for
// the fleet keys.
type Record struct {
	Label   Label  `json:"label"`
	Program string `json:"program,omitempty"` // version that made it

	API      string    `json:"api"` // dialect of the target
	Seed     uint64    `json:"seed"`
	Confirms uuid.UUID `json:"confirms,omitzero"`
	Started  time.Time `json:"started"`
	// Key names the fleet key that rebuilds the prompts of the round.
	Key       string     `json:"key"`
	Exchanges []Exchange `json:"exchanges"`

	// Lookback are the prompts of before the round whose content might have
	// come back, newest first; Left counts what MaxLookback left out.
	Lookback Prompts  `json:"lookback"`
	Left     int      `json:"lookback_left_out,omitempty"`
	Baseline Baseline `json:"baseline"`

	// Report is what the checks said when the round was captured.
	Report checks.Report `json:"report"`
}

// Exchange is one request of the round, which Key, Payload and Intent rebuild,
// and what came back.
type Exchange struct {
	ID      uuid.UUID       `json:"id"`
	Intent  probes.Intent   `json:"intent"`
	Tenant  uint16          `json:"tenant"`
	Payload tenants.Payload `json:"payload"`
	Started time.Time       `json:"started,omitzero"`
	Answer  *Answer         `json:"answer,omitempty"` // nil: Skipped says why
	Skipped string          `json:"skipped,omitempty"`
}

// Answer is what came back: the bytes, and of the transport what the bytes do
// not tell.
type Answer struct {
	Status    int               `json:"status"`
	Header    http.Header       `json:"header,omitempty"`
	Body      []byte            `json:"body"` // after decompression
	WireBytes int64             `json:"wire_bytes"`
	Failure   *provider.Failure `json:"failure,omitempty"`
	Extra     []provider.Text   `json:"extra,omitempty"` // of the transport
	Lingering bool              `json:"lingering,omitempty"`
	Times     provider.Times    `json:"times"`
	Conn      provider.Conn     `json:"conn"`
	Arrivals  []time.Duration   `json:"arrivals,omitempty"` // of the stream's events
}

// Baseline is checks.Baseline in a form that JSON can hold.
type Baseline struct {
	Model       string                        `json:"model"`
	Prefill     float64                       `json:"prefill,omitempty"`
	Calibration map[string]corpus.Calibration `json:"calibration,omitempty"`
	Limit       int                           `json:"limit,omitempty"`
	LostSeal    []probes.Cell                 `json:"lost_seal,omitempty"`
	IDs         map[string]uuid.UUID          `json:"ids,omitempty"` // those that the round's responses have
}

// Capture makes the record of a judged round. in is what the checks were given,
// report what they said. The record refers to them until it is sealed.
func Capture(in checks.Input, report checks.Report, api string) *Record {
	round := in.Round
	r := &Record{
		Label: Label{
			Format: Format, ID: round.ID, Target: round.Plan.Target, Probe: round.Plan.Probe,
			Class: report.Class(), At: round.Ended.Round(0).UTC(),
		},
		API: api, Seed: round.Plan.Seed, Confirms: round.Plan.Confirm, Started: round.Started.Round(0).UTC(),
		Baseline: baselineOf(in.Baseline, round), Report: report,
	}
	if in.Codec != nil {
		r.Key = in.Codec.KeyID()
	}
	for _, x := range round.Exchanges {
		r.Exchanges = append(r.Exchanges, Exchange{
			ID: x.ID, Intent: x.Intent, Tenant: x.Tenant, Payload: x.Payload, Started: x.Started.Round(0).UTC(),
			Answer: answerOf(x.Response), Skipped: x.Skipped,
		})
	}
	r.Lookback, r.Left = promptsOf(in, r.Key)
	return r
}

// lingering is the problem of a connection that stayed open, which the bytes do
// not tell.
const lingering = "lingering"

func answerOf(resp *provider.Response) *Answer {
	if resp == nil {
		return nil
	}
	a := &Answer{
		Status: resp.Status, Header: resp.Header, Body: resp.Body, WireBytes: resp.WireBytes,
		Failure: resp.Failure, Times: resp.Times, Conn: resp.Conn,
	}
	for _, t := range resp.Extra {
		if t.Where == provider.WhereTransport {
			a.Extra = append(a.Extra, t)
		}
	}
	for _, p := range resp.Problems {
		a.Lingering = a.Lingering || p.Kind == lingering
	}
	if resp.Stream != nil {
		for _, e := range resp.Stream.Events {
			a.Arrivals = append(a.Arrivals, e.At)
		}
	}
	return a
}

func baselineOf(b checks.Baseline, round *probes.Round) Baseline {
	out := Baseline{Model: b.Model, Prefill: b.Prefill, Calibration: b.Calibration, Limit: b.Limit, IDs: map[string]uuid.UUID{}}
	for cell, lost := range b.LostSeal {
		if lost {
			out.LostSeal = append(out.LostSeal, cell)
		}
	}
	for _, x := range round.Exchanges {
		if x.Response == nil {
			continue
		}
		ids := []string{x.Response.ID}
		if x.Response.Stream != nil {
			ids = append(ids, x.Response.Stream.IDs...)
		}
		for _, id := range ids {
			if given, ok := b.IDs[id]; ok {
				out.IDs[id] = given
			}
		}
	}
	return out
}

package evidence

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"crosstalk/checks"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

// Parser decodes recorded bytes as the dialect of an API does.
type Parser func(api string, status int, header http.Header, body []byte) (*provider.Response, error)

// ErrKey is wrapped by the error for a record whose fleet key is not at hand:
// its prompts cannot be rebuilt.
var ErrKey = errors.New("its fleet key is not at hand")

// Judge judges the round from scratch: its bytes are decoded anew and its
// prompts are rebuilt. An error says that it could not be judged, not what it
// is.
func (r *Record) Judge(codec *tenants.Codec, parse Parser, list []checks.Check) (checks.Report, error) {
	then, ok := codec.As(r.Key)
	if !ok {
		return checks.Report{}, fmt.Errorf("round %s was sent under fleet key %s: %w", r.Label.ID, r.Key, ErrKey)
	}
	round := &probes.Round{
		ID:      r.Label.ID,
		Plan:    probes.Plan{Probe: r.Label.Probe, Target: r.Label.Target, Seed: r.Seed, Confirm: r.Confirms},
		Started: r.Started, Ended: r.Label.At,
	}
	for _, e := range r.Exchanges {
		x, err := e.rebuild(then, r.API, parse)
		if err != nil {
			return checks.Report{}, fmt.Errorf("exchange %s: %w", e.ID, err)
		}
		round.Exchanges = append(round.Exchanges, x)
	}
	return checks.Run(checks.Input{Round: round, Codec: then, Lookback: r.Lookback, Baseline: r.Baseline.checks()}, list), nil
}

// rebuild makes the exchange of what is recorded of it.
func (e Exchange) rebuild(codec *tenants.Codec, api string, parse Parser) (*probes.Exchange, error) {
	prompt, err := codec.Prompt(e.Payload.Request(), e.Intent.Spec)
	if err != nil {
		return nil, fmt.Errorf("rebuild its prompt: %w", err)
	}
	x := &probes.Exchange{
		ID: e.ID, Intent: e.Intent, Tenant: e.Tenant, Payload: e.Payload, Prompt: prompt, Started: e.Started, Skipped: e.Skipped,
	}
	if e.Answer == nil {
		return x, nil
	}
	x.Response, err = e.Answer.decode(api, parse)
	if err != nil {
		return nil, fmt.Errorf("decode its answer: %w", err)
	}
	return x, nil
}

// decode makes the response of the bytes, and adds what only the transport
// knew.
func (a *Answer) decode(api string, parse Parser) (*provider.Response, error) {
	header := a.Header.Clone()
	header.Del("Content-Encoding") // the bytes are those after decompression
	header.Del("Content-Length")
	resp, err := parse(api, a.Status, header, slices.Clone(a.Body))
	if err != nil {
		return nil, err
	}
	resp.Header, resp.WireBytes, resp.Failure, resp.Times, resp.Conn = a.Header, a.WireBytes, a.Failure, a.Times, a.Conn
	resp.Extra = append(resp.Extra, a.Extra...)
	if a.Lingering {
		resp.AddProblem(lingering, "connection stayed open after the end of the stream", len(a.Body))
	}
	if resp.Stream != nil && len(resp.Stream.Events) == len(a.Arrivals) {
		for i, at := range a.Arrivals {
			resp.Stream.Events[i].At = at
		}
	}
	return resp, nil
}

func (b Baseline) checks() checks.Baseline {
	out := checks.Baseline{
		Prefill: b.Prefill, Calibration: b.Calibration, Limit: b.Limit, IDs: b.IDs, Model: b.Model,
		LostSeal: map[probes.Cell]bool{},
	}
	for _, cell := range b.LostSeal {
		out.LostSeal[cell] = true
	}
	return out
}

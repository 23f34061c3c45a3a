package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"crosstalk/alerting"
	"crosstalk/checks"
	"crosstalk/internal/pipeline"
	"crosstalk/internal/report"
	"crosstalk/probes"
	"crosstalk/probes/provider"
)

// Settled is a finished round reduced to what is kept of it. It holds no text
// of any answer, and is small.
type Settled struct {
	Round RoundRecord
	// Prompts are those of its exchanges, for the case that it was never
	// begun here.
	Prompts     []checks.PromptRef
	Cells       []CellCount
	Observation alerting.Observation
	Known       pipeline.Known
	// Unjournaled says that the ledger could not be written when the round
	// was begun.
	Unjournaled bool
}

// CellCount is what a round adds to a cell.
type CellCount struct {
	Cell probes.Cell
	report.Counts
	Tenants []string // that sent
}

// Settle reduces an outcome.
func Settle(o *report.Outcome, k pipeline.Known) Settled {
	// The rows and counts are those of the reports.
	summary := report.Summarize(report.Header{}, []*report.Outcome{o}, nil, probes.Pricing{})
	plan := o.Round.Plan
	s := Settled{
		Round: RoundRecord{
			ID: o.Round.ID, Target: plan.Target, Probe: plan.Probe, Confirms: plan.Confirm, Seed: plan.Seed,
			Begun: o.Round.Started, Started: o.Round.Started, Ended: o.Round.Ended, Class: o.Report.Class(),
		},
		Observation: alerting.Observe(o.Round, o.Report),
		Known:       k,
	}
	verdicts := map[uuid.UUID]checks.Verdict{}
	for _, v := range o.Report.Verdicts {
		verdicts[v.Exchange] = v
	}
	tenants := map[probes.Cell]map[string]bool{}
	for i, x := range o.Round.Exchanges {
		e := recordOf(x, summary.Rounds[0].Exchanges[i], o.Report.Findings)
		e.Round, e.Class, e.Reason = o.Round.ID, verdicts[x.ID].Class, verdicts[x.ID].Reason
		s.Round.Exchanges = append(s.Round.Exchanges, e)
		s.Prompts = append(s.Prompts, checks.PromptRef{Exchange: x.ID, Payload: x.Payload.Request(), Spec: x.Intent.Spec})
		if x.Response != nil {
			if tenants[x.Intent.Cell] == nil {
				tenants[x.Intent.Cell] = map[string]bool{}
			}
			tenants[x.Intent.Cell][x.Intent.Tenant] = true
		}
	}
	for _, c := range summary.Cells {
		s.Cells = append(s.Cells, CellCount{
			Cell: c.Cell, Counts: c.Counts, Tenants: slices.Sorted(maps.Keys(tenants[c.Cell])),
		})
	}
	return s
}

// recordOf is what is kept of an exchange.
func recordOf(x *probes.Exchange, row report.Exchange, all []checks.Finding) ExchangeRecord {
	e := ExchangeRecord{Exchange: row, Payload: x.Payload.Request(), Cell: x.Intent.Cell, Started: instant(x.Started)}
	inHeader := false
	for _, f := range all {
		if f.Exchange == x.ID {
			e.Findings = append(e.Findings, f)
			inHeader = inHeader || f.Channel == checks.ChannelHeader
		}
	}
	resp := x.Response
	if resp == nil {
		return e
	}
	e.Usage, e.Times, e.Conn = resp.Usage, timesOf(resp.Times), resp.Conn
	if !inHeader {
		e.RequestIDs = requestIDs(resp.Header)
	}
	if len(resp.Body) > 0 {
		sum := sha256.Sum256(resp.Body)
		e.BodyHash, e.BodyBytes = hex.EncodeToString(sum[:]), len(resp.Body)
	}
	return e
}

func timesOf(t provider.Times) Times {
	return Times{
		Connected: t.Connected.Seconds(), Wrote: t.Wrote.Seconds(), FirstByte: t.FirstByte.Seconds(),
		FirstContent: t.FirstContent.Seconds(), LastContent: t.LastContent.Seconds(), End: t.End.Seconds(),
	}
}

// idHeaders are the headers in which providers and gateways name a request.
func idHeaders() []string {
	return []string{
		"X-Request-Id", "Request-Id", "Apim-Request-Id", "Cf-Ray", "Cf-Ai-Req-Id",
		"X-Generation-Id", "X-Litellm-Call-Id", "X-Portkey-Trace-Id",
	}
}

// requestIDs are the provider's ids of a request.
func requestIDs(h http.Header) map[string]string {
	var ids map[string]string
	for _, name := range idHeaders() {
		if id := h.Get(name); identifier(id) {
			if ids == nil {
				ids = map[string]string{}
			}
			ids[strings.ToLower(name)] = id
		}
	}
	return ids
}

// maxIdentifier is the longest identifier that is kept, in bytes.
const maxIdentifier = 128

// identifier reports whether a text that a target calls an id looks like one: of
// few kinds of characters, and not a plain word. Anything might stand there, a
// stranger's name or sentence too, and that is not ours to keep.
func identifier(s string) bool {
	if s == "" || len(s) > maxIdentifier {
		return false
	}
	plain, before := true, false // before: the last character was a small letter
	for _, c := range []byte(s) {
		digit, small, capital := c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z'
		if !digit && !small && !capital && !strings.ContainsRune("-_.:/=+", rune(c)) {
			return false
		}
		plain = plain && !digit && !(capital && before)
		before = small
	}
	return !plain
}

// instant is a time as it comes back from the ledger.
func instant(t time.Time) time.Time { return t.Round(0).UTC() }

// severity is the place of a class from sound (0) to leak.
func severity(c checks.Class) int64 {
	all := checks.Classes()
	return int64(len(all) - 1 - max(0, slices.Index(all, c)))
}

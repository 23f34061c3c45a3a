package web

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"crosstalk/checks"
	"crosstalk/internal/ledger"
	"crosstalk/probes"
)

// roundView is one round: what was sent and what was seen.
type roundView struct {
	ledger.RoundRecord
	Rows     []exchangeRow
	Findings []findingRow
	More     bool // rows left out
}

func (v roundView) title() string { return "round " + v.ID.String() }

// Took is how long the round was under way.
func (v roundView) Took() string {
	if v.Ended.IsZero() || v.Started.IsZero() {
		return ""
	}
	return v.Ended.Sub(v.Started).Round(100 * time.Millisecond).String()
}

// exchangeRow is one exchange of a round.
type exchangeRow struct {
	ledger.ExchangeRecord
	Number int
	IDs    []headerID
}

// headerID is an identifier the provider gave, which its operator will ask for.
type headerID struct{ Name, Value string }

// Why says why an exchange is not decided or not sent.
func (x exchangeRow) Why() string {
	switch {
	case x.Skipped != "":
		return "not sent: " + cut(x.Skipped, 120)
	case x.Class == checks.Inconclusive:
		return cut(x.Reason, 60)
	case x.Failure != "":
		return cut(x.Failure, 60)
	}
	return ""
}

// findingRow is one finding of a round.
type findingRow struct {
	checks.Finding
	Number int // of the exchange
	Donor  string
}

// End is the byte after the finding.
func (f findingRow) End() int { return f.Offset + f.Length }

func (p *pages) round(r *http.Request) (any, error) {
	id, err := pathID(r)
	if err != nil {
		return nil, err
	}
	record, err := p.source.Round(r.Context(), id)
	if err != nil {
		return nil, fmt.Errorf("read round %s: %w", id, err)
	}
	v := roundView{RoundRecord: record}
	var list []ledger.ExchangeRecord
	list, v.More = atMost(record.Exchanges, mostRows)
	for i, x := range list {
		v.Rows = append(v.Rows, exchangeRow{ExchangeRecord: x, Number: i + 1, IDs: headerIDs(x)})
		for _, f := range x.Findings {
			if f.Class == checks.Sound {
				continue
			}
			if len(v.Findings) == mostRows {
				v.More = true
				break
			}
			v.Findings = append(v.Findings, findingRow{Finding: f, Number: i + 1, Donor: p.donor(f)})
		}
	}
	slices.SortStableFunc(v.Findings, func(a, b findingRow) int { return worst(a.Class, b.Class) })
	return v, nil
}

// worst orders classes, the worst first.
func worst(a, b checks.Class) int {
	switch {
	case a.Worse(b):
		return -1
	case b.Worse(a):
		return 1
	}
	return 0
}

func headerIDs(x ledger.ExchangeRecord) []headerID {
	var ids []headerID
	for _, name := range slices.Sorted(maps.Keys(x.RequestIDs)) {
		if len(ids) == 6 {
			break
		}
		ids = append(ids, headerID{cut(name, 40), cut(x.RequestIDs[name], 80)})
	}
	return ids
}

// donor names whose content a finding is; "" if nobody of ours.
func (p *pages) donor(f checks.Finding) string {
	if f.Origin == nil {
		return ""
	}
	return p.tenant(f.Origin.Tenant)
}

func (p *pages) tenant(index uint16) string {
	if name, ok := p.site().Tenants[index]; ok {
		return name
	}
	return fmt.Sprintf("tenant %d", index)
}

// CellText is the cell of an exchange in a row of a table.
func (x exchangeRow) CellText() string {
	c := x.Cell
	return cut(fmt.Sprintf("%s, %s at once%s%s", c.Length, c.Concurrency, when(c.Warm, ", warm"), when(c.Stream, ", streamed")), 80)
}

func when(b bool, text string) string {
	if b {
		return text
	}
	return ""
}

// Part says what the exchange was for, when that is not the main thing.
func (x exchangeRow) Part() string {
	if x.Role == probes.RoleMain {
		return ""
	}
	return string(x.Role)
}

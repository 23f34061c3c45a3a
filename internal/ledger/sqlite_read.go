package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"crosstalk/alerting"
	"crosstalk/checks"
	"crosstalk/internal/ledger/sqlitedb"
	"crosstalk/internal/report"
	"crosstalk/probes"
)

// Rounds implements Ledger.
func (l *SQLite) Rounds(ctx context.Context, f RoundFilter) ([]RoundRecord, error) {
	q, worst := l.queries(), int64(-1)
	if f.Worst != checks.Inconclusive {
		worst = severity(f.Worst)
	}
	var rows []sqlitedb.Round
	var err error
	if f.Target == "" {
		rows, err = q.ListRounds(ctx, sqlitedb.ListRoundsParams{
			Since: nanos(f.Since), Severity: worst, Probe: f.Probe, Most: limit(f.Limit),
		})
	} else {
		rows, err = q.ListRoundsOf(ctx, sqlitedb.ListRoundsOfParams{
			Target: f.Target, Since: nanos(f.Since), Severity: worst, Probe: f.Probe, Most: limit(f.Limit),
		})
	}
	if err != nil {
		return nil, l.fail("list rounds", err)
	}
	var rounds []RoundRecord
	for _, row := range rows {
		r, err := readRound(ctx, q, row)
		if err != nil {
			return nil, l.fail("list rounds", err)
		}
		rounds = append(rounds, r)
	}
	return rounds, nil
}

// Round implements Ledger.
func (l *SQLite) Round(ctx context.Context, id uuid.UUID) (RoundRecord, error) {
	row, err := l.queries().GetRound(ctx, id.String())
	if errors.Is(err, sql.ErrNoRows) {
		return RoundRecord{}, notFound("round", id)
	}
	if err != nil {
		return RoundRecord{}, l.fail("read a round", err)
	}
	r, err := readRound(ctx, l.queries(), row)
	return r, l.fail("read a round", err)
}

// readRound is a row with its exchanges and findings.
func readRound(ctx context.Context, q *sqlitedb.Queries, row sqlitedb.Round) (RoundRecord, error) {
	r := RoundRecord{
		ID: parseID(row.ID), Target: row.Target, Probe: row.Probe, Confirms: parseID(row.Confirms), Seed: uint64(row.Seed),
		Reserved: probes.Spend{Tokens: row.Tokens, USD: row.USD},
		Begun:    timeOf(row.Begun), Started: timeOf(row.Started), Ended: timeOf(row.Ended), Lost: timeOf(row.Lost),
		Class: parseClass(row.Class),
	}
	rows, err := q.ListExchanges(ctx, row.ID)
	if err != nil {
		return r, err
	}
	findings, err := readFindings(ctx, q, row.ID)
	if err != nil {
		return r, err
	}
	for _, x := range rows {
		e := readExchange(x)
		e.Findings = findings[e.ID]
		r.Exchanges = append(r.Exchanges, e)
	}
	return r, nil
}

// readExchange is a row as a record, without findings. Of a record that has been
// damaged, what stands in columns is left.
func readExchange(row sqlitedb.Exchange) ExchangeRecord {
	var e ExchangeRecord
	if err := json.Unmarshal([]byte(row.Record), &e); err != nil {
		e = ExchangeRecord{Exchange: report.Exchange{Skipped: "unreadable"}}
	}
	e.ID, e.Round, e.Class = parseID(row.ID), parseID(row.RoundID), parseClass(row.Class)
	return e
}

// readFindings are the findings of a round by exchange.
func readFindings(ctx context.Context, q *sqlitedb.Queries, round string) (map[uuid.UUID][]checks.Finding, error) {
	rows, err := q.ListFindings(ctx, round)
	if err != nil {
		return nil, err
	}
	findings := map[uuid.UUID][]checks.Finding{}
	for _, row := range rows {
		var f checks.Finding
		if err := json.Unmarshal([]byte(row.Finding), &f); err != nil {
			f = checks.Finding{Check: row.CheckName, Kind: row.Kind, Class: parseClass(row.Class)}
		}
		x := parseID(row.ExchangeID)
		findings[x] = append(findings[x], f)
	}
	return findings, nil
}

// Incidents implements Ledger.
func (l *SQLite) Incidents(ctx context.Context, f IncidentFilter) ([]alerting.Incident, error) {
	var rows []sqlitedb.Incident
	var err error
	if f.Open {
		rows, err = l.queries().ListOpenIncidents(ctx, sqlitedb.ListOpenIncidentsParams{
			Target: f.Target, Kind: string(f.Kind), Most: limit(f.Limit),
		})
	} else {
		rows, err = l.queries().ListIncidents(ctx, sqlitedb.ListIncidentsParams{
			Target: f.Target, Kind: string(f.Kind), Most: limit(f.Limit),
		})
	}
	if err != nil {
		return nil, l.fail("list incidents", err)
	}
	var list []alerting.Incident
	for _, row := range rows {
		list = append(list, readIncident(row))
	}
	return list, nil
}

// IncidentsOf implements Ledger.
func (l *SQLite) IncidentsOf(ctx context.Context, round uuid.UUID) ([]alerting.Incident, error) {
	rows, err := l.queries().ListIncidentsOf(ctx, round.String())
	if err != nil {
		return nil, l.fail("list the incidents of a round", err)
	}
	var list []alerting.Incident
	for _, row := range rows {
		list = append(list, readIncident(row))
	}
	return list, nil
}

// Incident implements Ledger.
func (l *SQLite) Incident(ctx context.Context, id uuid.UUID) (alerting.Incident, error) {
	row, err := l.queries().GetIncident(ctx, id.String())
	if errors.Is(err, sql.ErrNoRows) {
		return alerting.Incident{}, notFound("incident", id)
	}
	if err != nil {
		return alerting.Incident{}, l.fail("read an incident", err)
	}
	return readIncident(row), nil
}

// readIncident is a row as an incident; of one that has been damaged, what
// stands in columns.
func readIncident(row sqlitedb.Incident) alerting.Incident {
	var i alerting.Incident
	if err := json.Unmarshal([]byte(row.Incident), &i); err != nil {
		i = alerting.Incident{
			ID: parseID(row.ID), Target: row.Target, Kind: alerting.Kind(row.Kind), Severity: alerting.SeverityPage,
			State: alerting.IncidentState(row.State), DedupKey: "crosstalk-" + row.ID,
			Opened: timeOf(row.Opened), LastSeen: timeOf(row.LastSeen), Resolved: timeOf(row.Resolved),
			Summary: fmt.Sprintf("%s on %s: its record can no longer be read", row.Kind, row.Target),
		}
	}
	return i
}

// Sightings implements Ledger.
func (l *SQLite) Sightings(ctx context.Context, id uuid.UUID) ([]ExchangeRecord, error) {
	q := l.queries()
	rows, err := q.ListSightings(ctx, id.String())
	if err != nil {
		return nil, l.fail("list the sightings of an incident", err)
	}
	findings := map[string]map[uuid.UUID][]checks.Finding{} // by round
	var list []ExchangeRecord
	for _, row := range rows {
		if findings[row.RoundID] == nil {
			if findings[row.RoundID], err = readFindings(ctx, q, row.RoundID); err != nil {
				return nil, l.fail("list the sightings of an incident", err)
			}
		}
		e := readExchange(row)
		e.Findings = findings[row.RoundID][e.ID]
		list = append(list, e)
	}
	return list, nil
}

// cellKey is a cell of one target.
type cellKey struct {
	probe, length, concurrency string
	warm, stream               bool
}

// Cells implements Ledger.
func (l *SQLite) Cells(ctx context.Context, target string, since time.Time) ([]CellRecord, error) {
	hour := nanos(since.UTC().Truncate(time.Hour))
	counted, err := l.queries().CountCellTenants(ctx, sqlitedb.CountCellTenantsParams{Target: target, Since: hour})
	if err != nil {
		return nil, l.fail("count the tenants of cells", err)
	}
	identities := map[cellKey]int{}
	for _, c := range counted {
		identities[cellKey{c.Probe, c.Length, c.Concurrency, c.Warm, c.Stream}] = int(c.Tenants)
	}
	rows, err := l.queries().SumCells(ctx, sqlitedb.SumCellsParams{Target: target, Since: hour})
	if err != nil {
		return nil, l.fail("sum up the cells", err)
	}
	var cells []CellRecord
	for _, r := range rows {
		c := CellRecord{LastRound: timeOf(r.LastRound), LastDecided: timeOf(r.LastDecided), LastSound: timeOf(r.LastSound)}
		key := probes.Cell{
			Target: target, Probe: r.Probe, Length: r.Length, Concurrency: r.Concurrency, Warm: r.Warm, Stream: r.Stream,
		}
		c.Cell = report.NewCell(key, report.Counts{
			Planned: int(r.Planned), Sent: int(r.Sent), Decided: int(r.Decided),
			Sound: int(r.Sound), Degraded: int(r.Degraded), Damaged: int(r.Damaged),
			Foreign: int(r.Strange), Leak: int(r.Leak), Inconclusive: int(r.Inconclusive),
		}, identities[cellKey{r.Probe, r.Length, r.Concurrency, r.Warm, r.Stream}])
		cells = append(cells, c)
	}
	return cells, nil
}

// parseID is an identifier as it was stored; nil for one that was damaged.
func parseID(s string) uuid.UUID {
	id, err := uuid.Parse(s)
	if err != nil {
		return uuid.Nil
	}
	return id
}

// parseClass is a class as it was stored; inconclusive for one that was not, or
// was damaged.
func parseClass(s string) checks.Class {
	var c checks.Class
	if err := c.UnmarshalText([]byte(s)); err != nil {
		return checks.Inconclusive
	}
	return c
}

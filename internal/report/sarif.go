package report

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"crosstalk/checks"
)

// The part of SARIF 2.1.0 that code-scanning tools read.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	Results     []sarifResult     `json:"results"`
	Invocations []sarifInvocation `json:"invocations"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID string `json:"id"`
}

type sarifResult struct {
	RuleID     string          `json:"ruleId"`
	Level      string          `json:"level"`
	Message    sarifMessage    `json:"message"`
	Locations  []sarifLocation `json:"locations"`
	Properties map[string]any  `json:"properties"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifLocation struct {
	Logical []sarifLogical `json:"logicalLocations"`
}

type sarifLogical struct {
	Name string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}

type sarifInvocation struct {
	Successful bool   `json:"executionSuccessful"`
	ExitCode   int    `json:"exitCode"`
	Start      string `json:"startTimeUtc"`
	End        string `json:"endTimeUtc"`
}

// SARIF writes the findings as a SARIF 2.1.0 log. A run that could not tell is
// an unsuccessful invocation and has a result for each cell that is too thin,
// so that an empty list of results always means a decided, clean run.
func (s *Summary) SARIF(w io.Writer) error {
	log := SARIFLog{
		Version: s.Version, Decided: s.ExitCode != ExitInconclusive, ExitCode: s.ExitCode, Started: s.Started, Ended: s.Ended,
	}
	for _, f := range s.Findings {
		if level := sarifLevel(f.Class); level != "" {
			log.Results = append(log.Results, SARIFResult{
				Rule: f.Check + "/" + f.Kind, Level: level, Text: sentence(f), Where: s.Target + "/" + f.Probe + "/" + f.Exchange.String(),
				Properties: map[string]any{"class": f.Class, "tenant": f.Tenant, "tokens": f.Tokens, "p_chance": f.PChance},
			})
		}
	}
	for _, c := range s.Thin() {
		log.Results = append(log.Results, SARIFResult{
			Rule: "cell/undecided", Level: "warning", Text: fmt.Sprintf("%d of %d exchanges decided", c.Decided, c.Planned),
			Where: s.Target + "/" + CellName(c.Cell), Properties: map[string]any{"class": checks.Inconclusive},
		})
	}
	return log.Write(w)
}

// SARIFLog is a SARIF 2.1.0 log of one run.
type SARIFLog struct {
	// Version of crosstalk.
	Version string
	// Decided says that the run could tell: without results it was clean.
	Decided        bool
	ExitCode       int
	Started, Ended time.Time
	Results        []SARIFResult
}

// SARIFResult is one thing found.
type SARIFResult struct {
	// Rule names what was looked for; Level is error, warning or note.
	Rule, Level, Text string
	// Where names the thing it was found at.
	Where      string
	Properties map[string]any
}

// Write writes the log, with a rule for each rule that has a result.
func (l SARIFLog) Write(w io.Writer) error {
	run := sarifRun{
		Tool:    sarifTool{Driver: sarifDriver{Name: "crosstalk", Version: l.Version, Rules: []sarifRule{}}},
		Results: []sarifResult{},
		Invocations: []sarifInvocation{{
			Successful: l.Decided, ExitCode: l.ExitCode,
			Start: l.Started.UTC().Format(timeUTC), End: l.Ended.UTC().Format(timeUTC),
		}},
	}
	rules := map[string]bool{}
	for _, r := range l.Results {
		if !rules[r.Rule] {
			rules[r.Rule] = true
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: r.Rule})
		}
		run.Results = append(run.Results, sarifResult{
			RuleID: r.Rule, Level: r.Level, Message: sarifMessage{r.Text}, Properties: r.Properties,
			Locations: []sarifLocation{{Logical: []sarifLogical{{Name: r.Where, Kind: "resource"}}}},
		})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	if err := enc.Encode(sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}); err != nil {
		return fmt.Errorf("write sarif: %w", err)
	}
	return nil
}

const timeUTC = "2006-01-02T15:04:05.000Z"

func sarifLevel(c checks.Class) string {
	switch c {
	case checks.Leak, checks.Foreign, checks.Damaged:
		return "error"
	case checks.Degraded:
		return "note"
	default:
		return ""
	}
}

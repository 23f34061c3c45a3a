package report

import (
	"encoding/json"
	"fmt"
	"io"

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
	run := sarifRun{
		Tool:    sarifTool{Driver: sarifDriver{Name: "crosstalk", Version: s.Version, Rules: []sarifRule{}}},
		Results: []sarifResult{},
		Invocations: []sarifInvocation{{
			Successful: s.ExitCode != ExitInconclusive, ExitCode: s.ExitCode,
			Start: s.Started.UTC().Format(timeUTC), End: s.Ended.UTC().Format(timeUTC),
		}},
	}
	rules := map[string]bool{}
	result := func(rule, level, text, where string, props map[string]any) {
		if !rules[rule] {
			rules[rule] = true
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: rule})
		}
		run.Results = append(run.Results, sarifResult{
			RuleID: rule, Level: level, Message: sarifMessage{text}, Properties: props,
			Locations: []sarifLocation{{Logical: []sarifLogical{{Name: where, Kind: "resource"}}}},
		})
	}
	for _, f := range s.Findings {
		if level := sarifLevel(f.Class); level != "" {
			result(f.Check+"/"+f.Kind, level, sentence(f), s.Target+"/"+f.Probe+"/"+f.Exchange.String(),
				map[string]any{"class": f.Class, "tenant": f.Tenant, "tokens": f.Tokens, "p_chance": f.PChance})
		}
	}
	for _, c := range s.Thin() {
		result("cell/undecided", "warning", fmt.Sprintf("%d of %d exchanges decided", c.Decided, c.Planned),
			s.Target+"/"+CellName(c.Cell), map[string]any{"class": checks.Inconclusive})
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

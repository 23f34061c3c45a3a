package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"time"

	"crosstalk/checks"
)

// JUnitSuite is the JUnit XML that build servers read: a test suite for a run
// and a test case for each thing judged. Write counts the cases.
type JUnitSuite struct {
	XMLName   xml.Name    `xml:"testsuite"`
	Name      string      `xml:"name,attr"`
	Tests     int         `xml:"tests,attr"`
	Failures  int         `xml:"failures,attr"`
	Errors    int         `xml:"errors,attr"`
	Time      string      `xml:"time,attr"`
	Timestamp string      `xml:"timestamp,attr"`
	Cases     []JUnitCase `xml:"testcase"`
}

// JUnitCase is one thing judged. It passed if it has neither a failure nor an
// error.
type JUnitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *JUnitProblem `xml:"failure,omitempty"`
	Error   *JUnitProblem `xml:"error,omitempty"`
	Output  string        `xml:"system-out,omitempty"`
}

// JUnitProblem is why a case did not pass.
type JUnitProblem struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes the summary as JUnit XML. A cell with damage, foreign content or
// a leak is a failure; a cell that was not decided is an error, never a pass
// and never skipped.
func (s *Summary) JUnit(w io.Writer) error {
	suite := JUnitSuite{
		Name:      "crosstalk " + s.Command + " " + s.Target,
		Time:      fmt.Sprintf("%.3f", s.Ended.Sub(s.Started).Seconds()),
		Timestamp: s.Started.UTC().Format(time.RFC3339),
	}
	for _, c := range s.Cells {
		tc := JUnitCase{
			Class: s.Target + "." + c.Probe, Name: CellName(c.Cell),
			Output: fmt.Sprintf("%d decided of %d; leak or foreign %s; damage %s", c.Decided, c.Planned, s.disclosure(c), c.Damage),
		}
		switch worst := c.worst(); {
		case worst.Worse(checks.Inconclusive):
			tc.Failure = &JUnitProblem{Type: worst.String(), Message: fmt.Sprintf("%d leak, %d foreign, %d damaged", c.Leak, c.Foreign, c.Damaged), Text: s.cellFindings(c)}
		case !c.Enough:
			tc.Error = &JUnitProblem{Type: "inconclusive", Message: fmt.Sprintf("%d of %d exchanges decided", c.Decided, c.Planned), Text: s.cellFindings(c)}
		}
		suite.Cases = append(suite.Cases, tc)
	}
	if len(s.Cells) == 0 {
		suite.Cases = []JUnitCase{{Class: s.Target, Name: "run", Error: &JUnitProblem{Type: "inconclusive", Message: "nothing was sent"}}}
	}
	return suite.Write(w)
}

// Write counts the cases and writes the suite.
func (s JUnitSuite) Write(w io.Writer) error {
	s.Tests, s.Failures, s.Errors = len(s.Cases), 0, 0
	for _, c := range s.Cases {
		switch {
		case c.Failure != nil:
			s.Failures++
		case c.Error != nil:
			s.Errors++
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("write junit: %w", err)
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(s); err != nil {
		return fmt.Errorf("write junit: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// worst is the worst class counted in the cell.
func (c Cell) worst() checks.Class {
	switch {
	case c.Leak > 0:
		return checks.Leak
	case c.Foreign > 0:
		return checks.Foreign
	case c.Damaged > 0:
		return checks.Damaged
	case c.Inconclusive > 0:
		return checks.Inconclusive
	case c.Degraded > 0:
		return checks.Degraded
	case c.Sound > 0:
		return checks.Sound
	}
	return checks.Inconclusive
}

// cellFindings spells out the findings of a cell, a line each.
func (s *Summary) cellFindings(c Cell) string {
	var text string
	for _, f := range s.Findings {
		if f.cell == c.Cell {
			text += fmt.Sprintf("%s %s/%s %s: %s\n", f.Class, f.Check, f.Kind, f.Exchange, sentence(f))
		}
	}
	return text
}

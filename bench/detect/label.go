package detect

import (
	"encoding/json"
	"errors"
	"fmt"

	"crosstalk/checks"
)

// Label is what a line of a file says of the answer beside it. Its members
// stand in the line with those of a line that inspect reads.
type Label struct {
	ID    string         `json:"id"`
	Class string         `json:"class"` // group to count it in
	Row   string         `json:"row"`   // how it came about; the class if not given
	Want  []checks.Class `json:"want"`  // verdicts that are right
	Kinds []string       `json:"kinds"` // "check/kind", one of which must be found
	Bar   float64        `json:"bar"`   // least share of the row, 0 to 1
}

// ParseLabel reads the label of a line.
func ParseLabel(line []byte) (Label, error) {
	var l Label
	if err := json.Unmarshal(line, &l); err != nil {
		return l, fmt.Errorf("label: %w", err)
	}
	switch {
	case l.Class == "":
		return l, errors.New(`label: no "class" to count the case in`)
	case len(l.Want) == 0:
		return l, errors.New(`label: no "want", the list of verdicts that are right`)
	case l.Bar < 0 || l.Bar > 1:
		return l, fmt.Errorf("label: bar %v: want 0 to 1", l.Bar)
	}
	if l.Row == "" {
		l.Row = l.Class
	}
	return l, nil
}

// Case is the labelled case of an input.
func (l Label) Case(in checks.Input) Case {
	return Case{ID: l.ID, Class: l.Class, Row: l.Row, Want: l.Want, Kinds: l.Kinds, Bar: l.Bar, In: in}
}

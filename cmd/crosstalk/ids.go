package main

import (
	"fmt"

	"github.com/google/uuid"
)

// What ids look like and which command shows them.
const (
	exampleID     = "01a22ec9-4c1b-7d2e-9f00-6a5b4c3d2e1f"
	incidentsList = "ids look like " + exampleID + "; 'crosstalk incidents list' shows them"
	evidenceList  = "ids look like " + exampleID + "; 'crosstalk evidence list' shows them"
)

// parseID reads an id that was typed or pasted. list says what ids look like
// and where they are shown.
func parseID(text, what, list string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil, usageError(fmt.Errorf("%q is not the id of %s", text, what), list)
	}
	return id, nil
}

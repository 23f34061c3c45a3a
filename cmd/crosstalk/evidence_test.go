package main

import (
	"errors"
	"strings"
	"testing"

	"crosstalk/internal/evidence"
)

// TestEvidenceNamed: what names no evidence says how it is named.
func TestEvidenceNamed(t *testing.T) {
	folder := evidence.NewFolder(t.TempDir())
	for _, tt := range []struct {
		name string
		from *evidence.Folder
		want string
	}{
		{"nosuch", folder, "nosuch: no such file or directory, and it is not the id of evidence, like 01"},
		{exampleID, folder, "evidence " + exampleID + ": no such evidence"},
		{exampleID, nil, "without a configuration evidence is named by file"},
		{"nosuch.evidence", nil, "nosuch.evidence: no such file or directory"},
	} {
		_, err := (&opener{folder: tt.from}).read(tt.name)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		var hinted *exitError
		if !errors.As(evidenceError(err), &hinted) || hinted.hint == "" {
			t.Errorf("%s: %v has no hint", tt.name, err)
		}
	}
}

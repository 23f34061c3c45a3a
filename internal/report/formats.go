package report

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Formats lists the formats of a report.
func Formats() []string { return []string{"text", "json", "junit", "sarif", "markdown"} }

// Write writes the summary in the named format.
func (s *Summary) Write(w io.Writer, format string) error {
	switch format {
	case "text":
		return s.Text(w)
	case "json":
		return s.JSON(w)
	case "junit":
		return s.JUnit(w)
	case "sarif":
		return s.SARIF(w)
	case "markdown":
		return s.Markdown(w)
	default:
		return fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(Formats(), ", "))
	}
}

// JSON writes the summary as one indented JSON object.
func (s *Summary) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		return fmt.Errorf("write summary: %w", err)
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

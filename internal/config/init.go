package config

import (
	_ "embed" // the starter file and the schema
	"io"
	"strings"
	"time"
)

//go:embed starter.yaml
var starter string

//go:embed schema.json
var schema []byte

// Init writes a commented configuration to start from. Its authorization ends 90
// days after now, so that it is renewed on purpose.
func Init(w io.Writer, now time.Time) error {
	expires := now.UTC().AddDate(0, 0, 90).Format(time.DateOnly)
	_, err := io.WriteString(w, strings.ReplaceAll(starter, "EXPIRES", expires))
	return err
}

// Schema is the JSON Schema of the file, draft 2020-12, made from the types of
// this package. Editors complete and check by it; rules between keys are beyond
// it.
func Schema() []byte { return append([]byte(nil), schema...) }

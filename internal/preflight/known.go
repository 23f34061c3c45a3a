package preflight

import (
	"bytes"
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"
)

//go:embed data/known.yaml
var knownData []byte

// KnownFault is a row of the table of versions with a known fault.
type KnownFault struct {
	ID     string `yaml:"id"`
	Engine string `yaml:"engine"`
	// Through is the last version known to have the fault, Clear the first
	// known not to. Without the former, every version before Clear has it.
	Through string   `yaml:"through"`
	Clear   string   `yaml:"clear"`
	When    []string `yaml:"when"`
	Fault   string   `yaml:"fault"`
	Do      string   `yaml:"do"`
	Source  string   `yaml:"source"`
	// Seen is the day the row was last checked against its source.
	Seen string `yaml:"seen"`
}

// KnownFaults is the table that is built in.
func KnownFaults() ([]KnownFault, error) { return parseKnown(knownData) }

func parseKnown(data []byte) ([]KnownFault, error) {
	var table struct {
		Rows []KnownFault `yaml:"rows"`
	}
	d := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict())
	if err := d.Decode(&table); err != nil {
		return nil, fmt.Errorf("read the table of known faults: %w", err)
	}
	return table.Rows, nil
}

// standing is what a version means for a known fault.
type standing int

const (
	standsUnknown standing = iota
	standsBad
	standsClear
)

// stands says whether a version has the fault. A version that does not read as
// one, or that lies between the last known bad and the first known good, is
// unknown.
func (k KnownFault) stands(version string) standing {
	v := parseVersion(version)
	switch through, clear := parseVersion(k.Through), parseVersion(k.Clear); {
	case v == nil:
		return standsUnknown
	case clear != nil && !newer(clear, v):
		return standsClear
	case through == nil || !newer(v, through):
		return standsBad
	}
	return standsUnknown
}

// parseVersion reads the numbers of a version: 0.5.6.post2 is 0 5 6 2. A build
// that is no release (0.0.0, a commit, a release candidate, a development
// version) gives nil: it may hold anything.
func parseVersion(text string) []int {
	text = strings.TrimPrefix(strings.TrimSpace(text), "v")
	text, _, _ = strings.Cut(text, "+") // local build: 0.30.0+cu130
	var out []int
	all := 0
	for part := range strings.SplitSeq(text, ".") {
		part = strings.TrimPrefix(part, "post")
		if part == "" || strings.IndexFunc(part, func(r rune) bool { return !unicode.IsDigit(r) }) >= 0 {
			return nil
		}
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		out = append(out, n)
		all += n
	}
	if len(out) < 2 || all == 0 {
		return nil
	}
	return out
}

// newer reports whether a is a later version than b.
func newer(a, b []int) bool {
	for i := range max(len(a), len(b)) {
		var x, y int
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return x > y
		}
	}
	return false
}

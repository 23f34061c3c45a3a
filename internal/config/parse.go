package config

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

const (
	// MaxSize is the largest file read, in bytes.
	MaxSize = 256 << 10
	// maxNesting bounds lists and mappings inside one another; the format
	// itself needs four.
	maxNesting = 16
)

// Options are what a configuration is judged by besides its text.
type Options struct {
	// Now is the instant that authorizations must not have expired at. Zero:
	// the time of the call.
	Now time.Time
	// LookupEnv is os.LookupEnv or a stand-in. Nil: os.LookupEnv.
	LookupEnv func(string) (string, bool)
}

// Load reads the file at path. The error is an *Error with every problem of the
// file, or says that the file could not be read. Secrets are not read, only
// looked for: one that is not there yet is a warning.
func Load(path string, o Options) (*Config, error) {
	if o.LookupEnv == nil {
		o.LookupEnv = os.LookupEnv
	}
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	if info.IsDir() {
		return nil, &Error{[]Problem{{
			File: path, Message: "is a folder, not a file",
			Mend: "name the configuration in it, for example: " + filepath.Join(path, "crosstalk.yaml"),
		}}}
	}
	if info.Size() > MaxSize {
		return nil, &Error{[]Problem{{
			File: path, Message: fmt.Sprintf("is larger than %d KiB", MaxSize>>10),
			Mend: "name a crosstalk configuration file",
		}}}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	c, err := Parse(path, data, o)
	if err != nil {
		return nil, err
	}
	c.refs = resolver{dir: filepath.Dir(path), lookup: o.LookupEnv}
	c.warnMissing()
	return c, nil
}

// Parse reads the text of a configuration file. It does no I/O: name is what
// problems call the file. A Config that was only parsed resolves no references.
func Parse(name string, data []byte, o Options) (*Config, error) {
	ps := &problems{file: name, at: map[string]position{"": {1, 1}}}
	c := &Config{Path: name}
	// Some editors begin a file with a byte order mark; YAML allows one.
	if root := parseYAML(ps, bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))); root != nil {
		d := &decoder{problems: ps}
		d.config(root, c)
		c.given = ps.at
		c.setDefaults()
		c.check(ps, o.Now)
	}
	if len(ps.list) > 0 {
		return nil, &Error{ps.sorted()}
	}
	c.warn(o.Now)
	return c, nil
}

// parseYAML returns the one mapping of the file, nil after a problem.
func parseYAML(ps *problems, data []byte) *ast.MappingNode {
	tokens := lexer.Tokenize(string(data))
	if !plain(ps, tokens) {
		return nil
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		notYAML(ps, tokens, err)
		return nil
	}
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil {
			bodies = append(bodies, doc.Body)
		}
	}
	if len(bodies) == 0 {
		ps.add("", "is empty", "write one with: crosstalk config init")
		return nil
	}
	if len(bodies) > 1 {
		ps.addAt(placeOf(start(bodies[1])), "", "a second document starts here", "keep one configuration in a file: remove the --- line")
		return nil
	}
	root, ok := bodies[0].(*ast.MappingNode)
	if !ok {
		ps.addAt(placeOf(bodies[0].GetToken()), "", "must be a mapping of keys to values", "write one with: crosstalk config init")
		return nil
	}
	return root
}

// plain reports whether the file keeps to the plain part of YAML: keys, values
// and lists, not nested without end. It guards the parser, which recurses.
func plain(ps *problems, tokens token.Tokens) bool {
	depth, dashes := 0, 0
	for _, tk := range tokens {
		switch tk.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType, token.TagType:
			ps.addAt(placeOf(tk), "", "anchors, aliases, merge keys and tags are not read", "write the value out: what is read is what runs")
			return false
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		case token.SequenceEntryType:
			dashes++
		default:
			dashes = 0
		}
		if depth > maxNesting || dashes > maxNesting {
			ps.addAt(placeOf(tk), "", fmt.Sprintf("more than %d lists or mappings inside one another", maxNesting), "see: crosstalk config schema")
			return false
		}
	}
	return true
}

func placeOf(tk *token.Token) position {
	if tk == nil || tk.Position == nil {
		return position{}
	}
	return position{tk.Position.Line, tk.Position.Column}
}

// start is the first token of a node: a mapping begins with its first key, not
// with the colon behind it.
func start(n ast.Node) *token.Token {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		return m.Values[0].Key.GetToken()
	}
	return n.GetToken()
}

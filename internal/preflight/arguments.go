package preflight

import (
	"strings"
	"unicode"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
)

// argument is one launch flag, environment variable or Helm value: its name in
// lower case with dashes, its value, and the name as it was written.
type argument struct{ name, value, written string }

// Bounds of launch settings: more is no command line.
const (
	maxLaunch    = 1 << 20
	maxArguments = 2000
)

// launchArguments are all settings in a text that may be a command line, a
// shell script, an environment file, or YAML with flags in lists and strings.
func launchArguments(body []byte) []argument {
	if len(body) > maxLaunch {
		return nil
	}
	text := string(body)
	out := commandLine(text)
	if depth(body) <= mostNesting {
		out = append(out, valuesIn(text)...)
	}
	return out[:min(len(out), maxArguments)]
}

// commandLine reads --name value, --name=value, the short -c and -np of
// llama.cpp, and NAME=value.
func commandLine(text string) []argument {
	words := shellWords(text)
	var out []argument
	for i, w := range words {
		name, value, joined := strings.Cut(w, "=")
		switch {
		case strings.HasPrefix(name, "--") && len(name) > 2, name == "-c", name == "-np":
			if !joined && i+1 < len(words) && !strings.HasPrefix(words[i+1], "--") {
				value = words[i+1]
			}
			out = append(out, argument{flagName(name), value, name})
		case joined && isEnvironment(name):
			out = append(out, argument{kebab(name), value, name})
		}
		if len(out) > maxArguments {
			break
		}
	}
	return out
}

// flagName is the long name of a flag.
func flagName(flag string) string {
	switch flag {
	case "-c":
		return "ctx-size"
	case "-np":
		return "parallel"
	}
	return kebab(strings.TrimLeft(flag, "-"))
}

// isEnvironment reports whether a name is one of an environment variable.
func isEnvironment(name string) bool {
	for _, r := range name {
		if r != '_' && !unicode.IsDigit(r) && (r > unicode.MaxASCII || !unicode.IsUpper(r)) {
			return false
		}
	}
	return name != ""
}

// kebab writes OLLAMA_CONTEXT_LENGTH, max_model_len and maxModelLen with
// dashes.
func kebab(name string) string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if r == '_' {
			r = '-'
		}
		if unicode.IsUpper(r) && lower {
			b.WriteByte('-')
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// shellWords splits a text into words as a shell does, roughly: quotes hold
// together, brackets, commas and line continuations part. A # begins a comment.
func shellWords(text string) []string {
	var words []string
	for line := range strings.Lines(text) {
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "#") {
			continue
		}
		words = append(words, wordsOf(line)...)
		if len(words) > 4*maxArguments {
			break
		}
	}
	return words
}

func wordsOf(line string) []string {
	var words []string
	var word strings.Builder
	started := false
	end := func() {
		if started {
			words = append(words, word.String())
		}
		word.Reset()
		started = false
	}
	var quote rune
	braces := 0
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case (r == '"' || r == '\'') && braces == 0:
			quote, started = r, true
		case unicode.IsSpace(r), r == '\\', braces == 0 && (r == ',' || r == '[' || r == ']'):
			end()
		default:
			braces += map[rune]int{'{': 1, '}': -1}[r]
			braces = max(braces, 0)
			word.WriteRune(r)
			started = true
		}
	}
	end()
	// A list item of YAML is no flag.
	if len(words) > 0 && words[0] == "-" {
		words = words[1:]
	}
	return words
}

// valuesIn reads the mappings of a YAML text: Helm values, options files,
// environment lists of {name, value}. The tree is walked as it is written, so
// that no alias is ever expanded.
func valuesIn(text string) []argument {
	file, err := parser.Parse(lexer.Tokenize(text), 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil
	}
	v := &valueWalk{}
	for _, doc := range file.Docs {
		if doc.Body != nil {
			ast.Walk(v, doc.Body)
		}
	}
	return v.out
}

// valueWalk collects scalars by their keys.
type valueWalk struct {
	out  []argument
	name string // of {name: X, value: Y}
}

// Visit implements ast.Visitor.
func (v *valueWalk) Visit(node ast.Node) ast.Visitor {
	if len(v.out) > maxArguments {
		return nil
	}
	pair, ok := node.(*ast.MappingValueNode)
	if !ok || pair.Key == nil || pair.Value == nil {
		return v
	}
	scalar, ok := pair.Value.(ast.ScalarNode)
	if !ok || pair.Key.GetToken() == nil || scalar.GetToken() == nil {
		return v
	}
	key, value := pair.Key.GetToken().Value, scalar.GetToken().Value
	switch key {
	case "name":
		v.name = value
	case "value":
		v.out = append(v.out, argument{kebab(v.name), value, v.name})
	default:
		v.out = append(v.out, argument{kebab(key), value, key})
	}
	return v
}

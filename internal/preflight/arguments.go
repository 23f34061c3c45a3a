package preflight

import (
	"strings"
	"unicode"
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
	return append(commandLine(text), valuesIn(text)...)
}

// commandLine reads --name value, --name=value, the short -c and -np of
// llama.cpp, and NAME=value.
func commandLine(text string) []argument {
	words := shellWords(text)
	var out []argument
	for i, w := range words {
		w = strings.TrimPrefix(w, "Environment=") // of a unit of systemd
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

// valuesIn reads "key: value" wherever it stands in a text of YAML or JSON: Helm
// values, options files, environment lists of {name, value}. It is no parser of
// YAML: it needs no more than single-line scalars, takes time in proportion to
// the text whatever is in it, and does not mind templates.
func valuesIn(text string) []argument {
	var out []argument
	name := "" // of {name: X, value: Y}
	for line := range strings.Lines(text) {
		for _, part := range pairsOf(line) {
			key, value, ok := strings.Cut(part, ":")
			key, value = unquoted(key), unquoted(value)
			switch {
			case !ok || key == "" || strings.ContainsAny(key, " \t"):
			case key == "name":
				name = value
			case key == "value":
				out = append(out, argument{kebab(name), value, name})
			case value != "":
				out = append(out, argument{kebab(key), value, key})
			}
		}
		if len(out) > maxArguments {
			break
		}
	}
	return out
}

// pairsOf splits a line at the brackets and commas that stand outside quotes. A
// comment is left out.
func pairsOf(line string) []string {
	var parts []string
	start, quote := 0, byte(0)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '#' && (i == 0 || line[i-1] == ' '):
			return append(parts, line[start:i])
		case c == ',' || c == '{' || c == '}' || c == '[' || c == ']':
			parts = append(parts, line[start:i])
			start = i + 1
		}
	}
	return append(parts, line[start:])
}

// unquoted is a key or a scalar without the marks around it.
func unquoted(s string) string {
	s = strings.TrimSpace(s)
	for strings.HasPrefix(s, "- ") {
		s = strings.TrimSpace(s[2:])
	}
	return strings.Trim(s, `"'`)
}

package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/token"
)

// notYAML reports why the file cannot be parsed, where a person would mend it:
// at a quote or bracket that is left open, not at the line, often far below,
// where a parser notices.
func notYAML(ps *problems, tokens token.Tokens, err error) {
	if openQuote(ps, tokens) || openBracket(ps, tokens) {
		return
	}
	// The first words of the message alone: what follows quotes the source,
	// which may hold a secret.
	pos, message := position{1, 1}, "cannot be read as YAML"
	mend := "check the indentation and quotes of this line and the one before"
	var at yaml.Error
	if errors.As(err, &at) {
		first, _, _ := strings.Cut(at.GetMessage(), ": ")
		pos, message = placeOf(at.GetToken()), "not YAML: "+first
		if strings.ContainsRune(first, '\t') {
			message, mend = "not YAML: a tab begins the line", "indent with spaces"
		}
	}
	ps.addAt(pos, "", message, mend)
}

// openQuote reports a quoted text that goes on over the end of its line. That
// is allowed, so it is asked only about a file that cannot be parsed.
func openQuote(ps *problems, tokens token.Tokens) bool {
	for _, tk := range tokens {
		quoted := tk.Type == token.DoubleQuoteType || tk.Type == token.SingleQuoteType
		if quoted && strings.ContainsRune(strings.TrimSpace(tk.Origin), '\n') {
			ps.addAt(placeOf(tk), "", "not YAML: the quote that opens here is not closed on its line", "close it, or remove it")
			return true
		}
	}
	return false
}

// openBracket reports a bracket that has no counterpart.
func openBracket(ps *problems, tokens token.Tokens) bool {
	closes := map[token.Type]string{token.MappingStartType: "}", token.SequenceStartType: "]"}
	var open []*token.Token
	unclosed := func() {
		tk := open[len(open)-1]
		ps.addAt(placeOf(tk), "", fmt.Sprintf("not YAML: the %s that opens here is never closed", tk.Value), fmt.Sprintf("add the %s that belongs to it", closes[tk.Type]))
	}
	for _, tk := range tokens {
		switch tk.Type {
		case token.MappingStartType, token.SequenceStartType:
			open = append(open, tk)
		case token.MappingEndType, token.SequenceEndType:
			if len(open) == 0 {
				ps.addAt(placeOf(tk), "", fmt.Sprintf("not YAML: this %s closes nothing", tk.Value), "remove it, or open the list or mapping before it")
				return true
			}
			if closes[open[len(open)-1].Type] != tk.Value {
				unclosed()
				return true
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		unclosed()
	}
	return len(open) > 0
}

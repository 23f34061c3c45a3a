package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing wrong in a configuration file, or, among
// [Config.Warnings], one thing that is allowed and probably not meant.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`           // from 1; 0: the file as a whole
	Column  int    `json:"column"`         // from 1, in characters
	Path    string `json:"path,omitempty"` // e.g. targets[0].window; "": the top level
	Message string `json:"message"`
	Mend    string `json:"mend,omitempty"` // what to do about it
}

// String is "file:line:column: path: message", with what to do on a second,
// indented line.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	b.WriteString(": ")
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.Message)
	if p.Mend != "" {
		b.WriteString("\n\t" + p.Mend)
	}
	return b.String()
}

// Error is every problem of a file, in order of line. No problem holds a
// secret: a value that may be one is never part of a message.
type Error struct{ Problems []Problem }

// Error is one problem after the other.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// position is a place in the file, both from 1.
type position struct{ line, column int }

// problems collects problems of one file. The position of a problem is that of
// its path, or of the nearest parent that stands in the file.
type problems struct {
	file string
	at   map[string]position
	list []Problem
}

func (ps *problems) add(path, message, mend string) {
	ps.addAt(ps.position(path), path, message, mend)
}

func (ps *problems) addAt(pos position, path, message, mend string) {
	ps.list = append(ps.list, Problem{
		File: ps.file, Line: pos.line, Column: pos.column,
		Path: path, Message: message, Mend: mend,
	})
}

// has reports whether the file gives path a value, a bad one included.
func (ps *problems) has(path string) bool {
	_, ok := ps.at[path]
	return ok
}

func (ps *problems) position(path string) position {
	for {
		if pos, ok := ps.at[path]; ok || path == "" {
			return pos
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
}

// sorted returns the problems in order of line, those of the same place in the
// order they were found.
func (ps *problems) sorted() []Problem {
	slices.SortStableFunc(ps.list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return ps.list
}

package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const (
	envScheme  = "env:"
	fileScheme = "file:"
)

// resolver is where references lead: relative paths start at dir, the folder of
// the configuration file.
type resolver struct {
	dir    string
	lookup func(string) (string, bool)
}

// valid reports whether r has the form of a reference.
func (r Ref) valid() bool {
	if name, ok := strings.CutPrefix(string(r), envScheme); ok {
		return envName(name)
	}
	path, ok := strings.CutPrefix(string(r), fileScheme)
	return ok && path != "" && !strings.ContainsAny(path, "\x00\r\n")
}

// looksLikeRef reports whether a text was meant as a reference.
func looksLikeRef(s string) bool {
	return strings.HasPrefix(s, envScheme) || strings.HasPrefix(s, fileScheme)
}

// envName reports whether name can be an environment variable of a POSIX shell.
func envName(name string) bool {
	for i, r := range name {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// missing says why the secret that r refers to is not there, "" if it is. It
// reads no secret.
func (v resolver) missing(r Ref) string {
	if name, ok := strings.CutPrefix(string(r), envScheme); ok {
		if value, set := v.lookup(name); !set || value == "" {
			return fmt.Sprintf("environment variable %s is not set", name)
		}
		return ""
	}
	path := v.path(strings.TrimPrefix(string(r), fileScheme))
	switch info, err := os.Stat(path); {
	case err != nil:
		return fmt.Sprintf("file %s is not there", path)
	case !info.Mode().IsRegular():
		return fmt.Sprintf("%s is not a file", path)
	}
	return ""
}

// keyFile is the file that a key is to be written to for r to refer to it; one
// of an environment variable is written to any.
func (v resolver) keyFile(r Ref) string {
	if path, ok := strings.CutPrefix(string(r), fileScheme); ok {
		return v.path(path)
	}
	return "FILE"
}

// path is a path of the file as the process sees it.
func (v resolver) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(v.dir, p)
}

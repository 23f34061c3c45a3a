package config

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"crosstalk/internal/secret"
	"crosstalk/tenants"
)

// Called is the name of the receiver: as given, or its kind.
func (n Notify) Called() string {
	if n.Name != "" {
		return n.Name
	}
	return n.Kind
}

// Called is the name of the probe's schedule: as given, or its kind.
func (p Probe) Called() string {
	if p.Name != "" {
		return p.Name
	}
	return p.Kind
}

// Scheduled reports whether the daemon runs the probe.
func (p Probe) Scheduled() bool { return p.Every != "" || p.Cron != "" }

// Interval reads a duration of the file; 0 for "". Its form has been checked.
func Interval(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0
	}
	return d
}

// StorePath is the path of the ledger's file. A relative one starts at the
// folder of the configuration file.
func (c *Config) StorePath() string {
	return c.refs.path(strings.TrimPrefix(c.Store, "sqlite:"))
}

// StopPath is the path of the stop file, "" for none.
func (c *Config) StopPath() string {
	if c.StopFile == "" {
		return ""
	}
	return c.refs.path(c.StopFile)
}

// Folder is the folder of the configuration file.
func (c *Config) Folder() string { return filepath.Dir(c.Path) }

// Secret reads a reference of the file; the zero value for "".
func (c *Config) Secret(r Ref) (secret.Value, error) {
	if r == "" {
		return secret.Value{}, nil
	}
	credential, err := tenants.NewCredential(string(r), c.refs.dir, c.refs.lookup)
	if err != nil {
		return secret.Value{}, fmt.Errorf("%s: %w", r, err)
	}
	return credential.Value()
}

// Address is the address of a receiver, read if it is a reference.
func (c *Config) Address(text string) (secret.Value, error) {
	if looksLikeRef(text) {
		return c.Secret(Ref(text))
	}
	return secret.New(text), nil
}

// ProblemAt is a problem with a value of the file, found by somebody who knows
// more of it than this package does.
func (c *Config) ProblemAt(path, message, mend string) *Error {
	ps := &problems{file: c.Path, at: c.given}
	ps.add(path, message, mend)
	return &Error{ps.sorted()}
}

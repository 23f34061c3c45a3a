//go:build !unix

package main

import "log/slog"

// noCoreDumps does nothing where there is no such limit.
func noCoreDumps(*slog.Logger) {}
